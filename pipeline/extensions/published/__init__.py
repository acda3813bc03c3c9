"""Published results: recipes, expected values and verdicts; begin at `recipe.py`."""
