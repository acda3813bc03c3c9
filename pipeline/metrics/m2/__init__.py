"""MaxMatch (M²): edits of outputs that are found so that they match an annotator's as well as
possible.
"""
