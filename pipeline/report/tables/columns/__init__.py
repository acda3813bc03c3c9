"""What the columns of tables mean."""
