"""The report as one HTML file. Begin at `page.py`; `assets/` has the template, styles and scripts."""
