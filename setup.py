"""The compiled kernel, where there is a C compiler, and the sample. All else: pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

CORE = Path("pipeline/kernel/native")
FOLDERS = [CORE, *sorted(Path("pipeline/extensions").glob("*/kernel/native"))]
COMPILE = [] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off"]
# Python's own flags ask for symbols of a debugger. Products and sums are rounded one by one, as numpy rounds them.
LINK = ["-Wl,-s"] if sys.platform == "linux" else []

extensions = []
for folder in FOLDERS:
    headers = [*CORE.glob("*.h"), *folder.glob("*.h")]
    extensions += [
        Extension(
            ".".join(path.with_suffix("").parts),
            [path.as_posix()],
            include_dirs=[CORE.as_posix(), folder.as_posix()],
            depends=sorted({header.as_posix() for header in headers}),
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
        )
        for path in sorted(folder.glob("*.pyx"))
    ]


class BuildPackage(build_py):
    """Puts configs/ and data/, from where `gec-pipeline init --sample` takes them into the package."""

    def run(self) -> None:
        """Build the package, then add the files; an editable installation needs none of them."""
        super().run()
        if self.editable_mode:
            return
        package = Path(self.build_lib) / "pipeline"
        for folder in ("configs", "data"):
            self.copy_tree(folder, str(package / "sample" / folder))


# What Cython needs for arrays is in one module, so that each of the others is compiled in less than half of the time.
ARRAYS = "pipeline.kernel.native.memory_views"
source = f"{ARRAYS.replace('.', '/')}.c"
extensions.append(
    Extension(
        ARRAYS, [source], extra_compile_args=COMPILE, extra_link_args=LINK
    )
)

PROCESSORS = os.cpu_count() or 1
# A mistake in the Cython code stops the build. Where processes start by fork, several files are translated at once.
FORKS = sys.platform == "linux" and sys.version_info < (3, 14)
modules = cythonize(
    extensions,
    nthreads=PROCESSORS if FORKS else 0,
    shared_utility_qualified_name=ARRAYS,
)
for module in modules:
    module.optional = True  # a missing compiler does not stop it
setup(
    ext_modules=modules,
    cmdclass={"build_py": BuildPackage},
    options={"build_ext": {"parallel": PROCESSORS}},
)
