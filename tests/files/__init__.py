"""Tests of files, locks, addresses and data sets."""
