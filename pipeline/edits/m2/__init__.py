"""What the actions of `gec-pipeline m2` do: M2 files are written anew, and looked through for whatever is odd."""
