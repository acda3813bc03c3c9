"""The kernels of SARI, NIST and CIDEr that tests ask for."""

from pipeline.extensions.nlg import kernel
from tests.support.kernels import kernel_fixtures

native, twin = kernel_fixtures(kernel)
