"""Metrics that users bring: how they are declared, found and scored; `gec-pipeline help plugins`."""
