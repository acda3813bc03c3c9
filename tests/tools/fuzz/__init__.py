"""Random inputs, configs and run directories: one driver, and a corpus of what was ever found."""
