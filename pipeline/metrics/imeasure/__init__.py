"""I-measure (Felice and Briscoe 2015): by how much an output improves its source."""
