"""The sentences of a page: their texts, numbers and edits as JSON, which the scripts in `assets` read."""
