"""The extensions of the project. Each folder is one, and can be deleted alone."""
