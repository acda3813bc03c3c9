"""The F-score of three numbers, without numpy, whose import takes time."""


def precision_recall_f(
    tp: float,
    fp: float,
    fn: float,
    beta: float,
) -> tuple[float, float, float]:
    """Return precision, recall and F-beta of counts, computed as errant_compare does.

    F is 0 if its denominator is. There errant_compare ends with an error if beta is 0.
    """
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    denominator = beta**2 * precision + recall
    score = (
        (1 + beta**2) * precision * recall / denominator if denominator else 0.0
    )
    return precision, recall, score
