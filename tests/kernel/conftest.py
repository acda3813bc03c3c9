"""The kernels that tests ask for."""

from tests.support.kernels import kernel_fixtures

native, twin = kernel_fixtures()
