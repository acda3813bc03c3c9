"""The compiled kernel, where there is a C compiler, and the sample. All else: pyproject.toml.

The kernel uses the limited API of Python 3.11, so that one wheel serves this version and all later ones. Builds of
Python without it (free-threaded ones, PyPy) get a kernel of their own.
"""

import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

NATIVE = Path("pipeline/kernel/native")
COMPILE = [] if sys.platform == "win32" else ["-O3", "-g0"]  # Python's own flags ask for symbols of a debugger
LINK = ["-Wl,-s"] if sys.platform == "linux" else []
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
LIMITED = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


class BuildKernel(build_ext):
    """Build into the checkout as usual, and leave no older kernel there that Python would prefer to the new one."""

    def copy_extensions_to_source(self) -> None:
        """Copy what was built beside its sources, and delete what was built there for one version of Python."""
        super().copy_extensions_to_source()
        for built in NATIVE.glob("*.abi3.so"):
            built.with_name(built.name.replace(".abi3.so", SUFFIX)).unlink(missing_ok=True)


extensions = [
    Extension(
        "pipeline.kernel.native." + path.stem,
        [path.as_posix()],
        include_dirs=[NATIVE.as_posix()],
        depends=[header.as_posix() for header in sorted(NATIVE.glob("*.h"))],
        define_macros=[("Py_LIMITED_API", "0x030B0000")] if LIMITED else [],
        py_limited_api=LIMITED,
        extra_compile_args=COMPILE,
        extra_link_args=LINK,
    )
    for path in sorted(NATIVE.glob("*.pyx"))
]


class BuildWithSample(build_py):
    """Puts configs/ and data/ into the package as well, from where `gec-pipeline init --sample` takes them."""

    def run(self) -> None:
        """Build the package, then copy; an editable installation has the folders of the repository."""
        super().run()
        if not self.editable_mode:
            for folder in ("configs", "data"):
                self.copy_tree(folder, str(Path(self.build_lib) / "pipeline" / "sample" / folder))


modules = cythonize(extensions)  # a mistake in the Cython code stops the build ...
for module in modules:
    module.optional = True  # ... a missing compiler does not
setup(
    ext_modules=modules,
    cmdclass={"build_ext": BuildKernel, "build_py": BuildWithSample},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED else {},
)
