"""The report as one HTML file; begin at `page.py`. `assets/` is what the browser reads."""
