"""How metrics agree with people: their scores from runs and files, and what is compared of them."""
