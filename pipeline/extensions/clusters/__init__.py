"""Clusters: dask, ray and spark as backends."""

from ...extension import Extension

EXTENSION = Extension(
    name="clusters",
    about="dask, ray and spark as backends",
    backends={
        "dask": "on_dask:DASK",
        "ray": "on_ray:RAY",
        "spark": "on_spark:SPARK",
    },
)
