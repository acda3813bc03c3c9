"""Tests in the order of the rooms, their oracles, and programs that measure and fuzz (`python -m tests.bench` ...)."""
