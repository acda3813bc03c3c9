"""Options of metrics, and the signatures that name a metric with all its options.

A metric declares an option as a field of its dataclass: `beta: str = beta_option()`.
"""

from .fields import (
    HasOptions,
    Option,
    beta_option,
    level_option,
    lowercase_option,
    number_option,
    option,
    order_option,
    strip_option,
    tokenizer_option,
    unit_option,
)
from .signatures import escape, parse_signature, render_signature, unescape

__all__ = [
    "HasOptions",
    "Option",
    "beta_option",
    "escape",
    "level_option",
    "lowercase_option",
    "number_option",
    "option",
    "order_option",
    "parse_signature",
    "render_signature",
    "strip_option",
    "tokenizer_option",
    "unescape",
    "unit_option",
]
