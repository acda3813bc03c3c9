"""Metrics with neural models, as plug-ins that ship with the program; `gec-pipeline help neural`."""
