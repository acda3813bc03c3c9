"""Clusters: dask, ray and spark as backends."""

from ...extension import Extension

EXTENSION = Extension(name="clusters", about="dask, ray and spark as backends")
