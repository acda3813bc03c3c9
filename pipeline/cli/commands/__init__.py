"""The commands, one file each: configure(parser) declares arguments, run(args) acts and returns the
exit code.
"""
