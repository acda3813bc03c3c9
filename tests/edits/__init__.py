"""Tests of the room edits."""
