"""The compiled kernel: built where there is a C compiler, left out where there is none. All else: pyproject.toml."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

FLAGS = [] if sys.platform == "win32" else ["-O3"]

extensions = [
    Extension(
        "pipeline.kernel.native." + path.stem,
        [path.as_posix()],
        include_dirs=["pipeline/kernel/native"],
        depends=[path.as_posix() for path in sorted(Path("pipeline/kernel/native").glob("*.h"))],
        extra_compile_args=FLAGS,
    )
    for path in sorted(Path("pipeline/kernel/native").glob("*.pyx"))
]

modules = cythonize(extensions)  # a mistake in the Cython code stops the build ...
for module in modules:
    module.optional = True  # ... a missing compiler does not
setup(ext_modules=modules)
