"""The kernels of SARI, NIST and CIDEr that tests ask for."""

from __future__ import annotations

import pytest

from pipeline.extensions.nlg import kernel as nlg_kernel
from tests.conftest import KERNELS, forced_kernel
from tests.support.kernels import Twin


@pytest.fixture(scope="session")
def native() -> Twin:
    """The compiled kernel itself. Tests are skipped where it was not built, and fail where it does
    not load."""
    with forced_kernel("native"):
        pass
    return Twin("native", nlg_kernel)


@pytest.fixture(params=KERNELS)
def twin(request: pytest.FixtureRequest) -> Twin:
    """Each kernel in turn, whichever is used."""
    if request.param == "native":
        request.getfixturevalue("native")
    return Twin(request.param, nlg_kernel)
