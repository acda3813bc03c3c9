"""Random inputs, configs, run directories and shards: one driver, and a corpus of what was ever found."""
