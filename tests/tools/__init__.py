"""Programs that fuzz, break and make things; pytest runs none of them."""
