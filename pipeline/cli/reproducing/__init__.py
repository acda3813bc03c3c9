"""What the command reproduce does: running recipes and boards, checking a recipe, writing the page."""
