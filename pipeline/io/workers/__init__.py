"""Worker processes and threads of this machine: how they are started, watched, and replaced by fewer."""
