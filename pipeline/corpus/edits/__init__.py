"""Edits as files have them: M2, XML of corrections, ERRANT's keys, and the records that travel to
the workers.
"""
