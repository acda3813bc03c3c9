"""The kernels of gold edits that tests ask for."""

from collections.abc import Iterator

import pytest

from pipeline.extensions.edits import kernel as edits_kernel
from pipeline.extensions.edits.kernel.python import max_match
from tests.conftest import KERNELS, forced_kernel
from tests.oracles.max_match_linear import WayOrLinear
from tests.support.kernels import Twin


@pytest.fixture(autouse=True, scope="module")
def _linear_method() -> Iterator[None]:
    """The linear method of MaxMatch, which the Python kernel lacks, as what the compiled one is
    compared with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(max_match, "Way", WayOrLinear)
        yield


@pytest.fixture(scope="session")
def native() -> Twin:
    """The compiled kernel itself. Tests are skipped where it was not built, and fail where it does
    not load."""
    with forced_kernel("native"):
        pass
    return Twin("native", edits_kernel)


@pytest.fixture(params=KERNELS)
def twin(request: pytest.FixtureRequest) -> Twin:
    """Each kernel in turn, whichever is used."""
    if request.param == "native":
        request.getfixturevalue("native")
    return Twin(request.param, edits_kernel)
