"""Tests of the room compat/."""
