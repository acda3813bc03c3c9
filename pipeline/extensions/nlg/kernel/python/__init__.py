"""The kernel in Python: the specification. Results of the compiled kernel in `native/` equal its
own on every input.
"""
