"""What a metric is made of: whoever adds one imports all of it from here, and begins to read at `metric.py`."""

from ...arrays import Floats as Floats
from ...arrays import Ints as Ints
from ...tokenizers.tokenization import Tokenization as Tokenization
from .capabilities import Rule as Rule
from .capabilities import ShowsNgrams as ShowsNgrams
from .choices import best_by as best_by
from .choices import by_order as by_order
from .choices import f_beta as f_beta
from .choices import log as log
from .choices import ratio as ratio
from .metric import Counted as Counted
from .metric import Metric as Metric
from .metric import shown_matches as shown_matches
from .needs import Columns as Columns
from .needs import Field as Field
from .needs import Needs as Needs
from .needs import OverlapNeeds as OverlapNeeds
from .needs import Text as Text
from .options import level_option as level_option
from .options import lowercase_option as lowercase_option
from .options import option as option
from .options import strip_option as strip_option
from .options import tokenizer_option as tokenizer_option
from .options import unit_option as unit_option
