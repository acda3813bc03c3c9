"""Tests of the commands of other packages."""
