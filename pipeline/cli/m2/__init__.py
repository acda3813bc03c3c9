"""The actions of `gec-pipeline m2` on M2 files, and how such files are named."""
