"""What a metric is made of; begin at `metric.py`."""
