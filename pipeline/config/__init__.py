"""The config: YAML with positions, models of what may be written, paths resolved to files; begin at
`load.py`.
"""
