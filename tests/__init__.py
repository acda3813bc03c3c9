"""Tests, their oracles, and the programs that measure and fuzz (`python -m tests.bench`, `tests.fuzz_kernels` ...)."""
