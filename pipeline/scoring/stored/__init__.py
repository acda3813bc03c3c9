"""What is read from run directories is checked here before it is believed."""
