"""The paired bootstrap test, from the same samples as the intervals."""

import numpy as np

from . import PairedScores, SignificanceTest


def paired_bootstrap(systems: PairedScores) -> list[float]:
    """Return p = (c + 1) / (samples + 1) of each pair of systems, from scores of bootstrap samples.

    c is the number of samples whose absolute difference, minus the mean of these, is above the real
    difference (Moses, bootstrap-hypothesis-difference-significance.pl; sacreBLEU).
    """
    samples = systems.samples
    values = []
    for one, two in systems.pairs:
        differences = np.abs(samples[:, two] - samples[:, one])  # [samples]
        centred = differences - differences.mean()
        count = int((centred > systems.limit(one, two)).sum())
        values.append((count + 1) / (len(samples) + 1))
    return values


TEST = SignificanceTest(
    summary="from the bootstrap samples of the intervals; has sacreBLEU's p-values",
    p_values=paired_bootstrap,
    samples="resamples",
    short_name="bs",
    citations=("koehn-2004-statistical",),
)
