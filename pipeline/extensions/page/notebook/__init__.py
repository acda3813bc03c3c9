"""What notebooks and programs in Python get of results: HTML, Markdown, data frames, figures. Begin
at `shown.py`.
"""
