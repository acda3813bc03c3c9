"""Where metrics come from that no table has, such as functions of users."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, Problem
from ..extension import contributions, known_names, missing_extension
from .base import Metric
from .base.declared import Declared

if TYPE_CHECKING:
    from ..data import Corpus
    from ..data.config import Config

KIND = "metric_sources"
"""The field of Extension that has sources."""


class MetricSource:
    """A source of metrics, which an extension brings. This one has none."""

    def take_options(self, plugins: Sequence[str], *, download: bool) -> None:
        """Take the options --plugin and --download of a command, before it reads its arguments."""
        raise ConfigError(_missing())

    def find(self, name: str) -> bool:
        """Add the metric of this name to METRICS, and return whether there is one."""
        return False

    def packages(self) -> Mapping[str, str]:
        """Return the packages of the metrics that find() would add, by name; imports none."""
        return {}

    def name_of(self, function: Callable[..., Any]) -> str:
        """Add a function or class of Python to METRICS, and return its name."""
        raise ConfigError(_missing())

    def restored(
        self, declared: Mapping[str, Declared], signature: str
    ) -> Metric:
        """Return the metric of a signature in results, from their declarations by name."""
        raise ConfigError(_missing())

    def metrics_of_scores(
        self, metrics: Sequence[Metric], scores: Mapping[str, Mapping[str, Any]]
    ) -> list[Any]:
        """Return config entries of metrics that score arrays, by title and system in `scores`.

        Titles that one of `metrics` has get none.
        """
        raise ConfigError(_missing())

    def with_files(
        self,
        config: "Config",
        metrics: Sequence[Metric],
        problems: list[Problem],
    ) -> "Config":
        """Return a config with the files of metrics that read files as further systems.

        Adds to problems.
        """
        return config

    def with_numbers(
        self, corpus: "Corpus", metrics: Sequence[Metric]
    ) -> "Corpus":
        """Return an opened data set with the numbers of these further systems in `external`.

        Raises CorpusError if a line has no number.
        """
        return corpus

    def with_arrays(
        self,
        corpus: "Corpus",
        metrics: Sequence[Metric],
        scores: Mapping[str, Mapping[str, Any]],
    ) -> "Corpus":
        """Return a data set with numbers in memory, by the outputs of metrics, and by system.

        Raises InputError.
        """
        return corpus


def metric_source() -> MetricSource:
    """Return the source of metrics that an extension brings, or one without any metric."""
    for _, extension, reference in contributions(KIND):
        source: MetricSource = extension.load(reference)
        return source
    return MetricSource()


def _missing() -> str:
    """Return the message for metrics of a source that is not installed."""
    for name in known_names()[KIND]:
        return missing_extension(KIND, name)
    return "no extension brings such metrics"
