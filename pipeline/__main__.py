"""`python -m pipeline` is the command gec-pipeline."""

import sys

from .lookup import leave_working_directory

if __name__ == "__main__":
    leave_working_directory()
    from .cli import main

    sys.exit(main())
