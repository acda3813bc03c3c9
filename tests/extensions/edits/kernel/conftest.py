"""The kernels of gold edits that tests ask for."""

from collections.abc import Iterator

import pytest

from pipeline.extensions.edits import kernel
from pipeline.extensions.edits.kernel.python import max_match
from tests.oracles.max_match_linear import WayOrLinear
from tests.support.kernels import kernel_fixtures

native, twin = kernel_fixtures(kernel)


@pytest.fixture(autouse=True, scope="module")
def _linear_method() -> Iterator[None]:
    """The linear method of MaxMatch, which the Python kernel lacks, as what the compiled one is
    compared with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(max_match, "Way", WayOrLinear)
        yield
