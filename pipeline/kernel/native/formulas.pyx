# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Scores of single sentences from their counts, compiled, for calls with a few sentences.

The specification of each function is sentence_scores() of the metric that names it in `compiled()`. Results are equal
bit for bit: numbers are added in numpy's order, and logarithms and exponentials are numpy's own, which can differ from
those of the C library in the last bit. So there may be no more than ORDERS orders: numpy adds more of them in pairs.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

cdef enum:
    ORDERS = 7                 # numpy adds more numbers than these in pairs

cdef object _numpy = None


cdef object _np():
    """Return numpy, which is not imported before it is needed."""
    global _numpy
    if _numpy is None:
        import numpy

        _numpy = numpy
    return _numpy


cdef inline double _ratio(double part, double whole) noexcept nogil:
    return part / whole if whole != 0 else 0.0


def gleu_scores(match, penalty, total, hyp_len, ref_len, int64_t scale, bint clip, bint ones, bint inverted):
    """Return the scores of GLEU+ with each reference: float64 [lines, references]."""
    np = _np()
    cdef const int64_t[:, :, ::1] hits = match, misses = penalty
    cdef const int64_t[:, ::1] totals = total, ref_lens = ref_len
    cdef const int64_t[::1] hyp_lens = hyp_len
    cdef int64_t lines = hits.shape[0], references = hits.shape[1], orders = hits.shape[2], i, r, n, numer, whole
    cdef int64_t over, under, h, place = 0
    precisions, logs = np.empty(lines * references * orders), np.empty(lines * references)
    cdef double[::1] precision = precisions, result = logs
    for i in range(lines):
        for r in range(references):
            for n in range(orders):
                numer, whole = hits[i, r, n] - misses[i, r, n], totals[i, n]
                if clip and numer < 0:
                    numer = 0
                if ones:
                    numer, whole = numer if numer else 1, whole if whole else 1
                precision[place] = (numer / <double>(scale * whole) if numer > 0 else 0.0) if whole else 1.0
                place += 1
    _log(np, precisions, &precision[0], lines * references * orders)
    place = 0
    for i in range(lines):
        h = hyp_lens[i]
        if ones and h == 0:
            h = 1
        for r in range(references):
            under = ref_lens[i, r]
            if ones and under == 0:
                under = 1
            result[i * references + r] = _log_brevity(under, h, inverted) + _mean(&precision[place], orders)
            place += orders
    return np.exp(logs, logs).reshape(lines, references)


cdef double _log_brevity(int64_t ref_len, int64_t hyp_len, bint inverted) noexcept nogil:
    cdef int64_t over = hyp_len if inverted else ref_len, under = ref_len if inverted else hyp_len
    cdef double penalty
    if hyp_len == 0 and ref_len > 0:
        return -INFINITY
    if under == 0:
        return 0.0 if over == 0 else -INFINITY
    penalty = 1.0 - <double>over / <double>under
    return penalty if penalty < 0 else 0.0


cdef double _mean(const double *values, int64_t count) noexcept nogil:
    cdef double total = values[0]
    cdef int64_t n
    for n in range(1, count):
        total = total + values[n]
    return total / count


cdef int _log(np, array, double *values, int64_t size) except -1:
    """Replace the numbers of an array, which `values` points at, by their logarithms; that of 0 is -inf."""
    cdef int64_t i, zeros = 0
    for i in range(size):
        if values[i] == 0:
            zeros = 1
            break
    if not zeros:
        np.log(array, array)
        return 0
    zero_list = [i for i in range(size) if values[i] == 0]
    for i in zero_list:
        values[i] = 1.0
    np.log(array, array)
    for i in zero_list:
        values[i] = -INFINITY
    return 0


cdef bint _precisions(
    const int64_t *match, const int64_t *total, int64_t orders, const double *power, int smoothing, double value,
    double *precision
) noexcept nogil:
    """Write BLEU's precisions, and return whether nothing matches at all; they are 0 then."""
    cdef int64_t n, zeros = 0
    cdef double hits, whole
    cdef bint none = True
    for n in range(orders):
        none = none and match[n] == 0
    for n in range(orders):
        hits, whole = <double>match[n], <double>total[n]
        if hits == 0 and whole > 0:
            zeros += 1
            if smoothing == 1:
                hits = value
            elif smoothing == 3:
                hits = power[zeros]
        if smoothing == 2:
            hits, whole = hits + (value if n else 0.0), whole + (value if n else 0.0)
        precision[n] = 0.0 if none else _ratio(hits, whole)
    return none


cdef double _weighted(
    const double *weight, const int64_t *total, const double *logs, int64_t orders, int smoothing, double value,
    bint effective
) noexcept nogil:
    """Return the weighted sum of the logarithms of BLEU's precisions."""
    cdef double[ORDERS] kept
    cdef double whole = 0, share, score = 0
    cdef int64_t n
    for n in range(orders):
        kept[n] = weight[n]
        if effective and not (total[n] > 0 or (smoothing == 2 and value > 0 and n > 0)):
            kept[n] = 0.0
        whole = kept[n] if n == 0 else whole + kept[n]
    for n in range(orders):
        share = _ratio(kept[n], whole) if effective else kept[n]
        share = 0.0 if share == 0 else share * logs[n]
        score = share if n == 0 else score + share
    return score


cdef double _log_penalty(int64_t ref_len, int64_t hyp_len, bint inverted) noexcept nogil:
    """Return the logarithm of BLEU's brevity penalty."""
    cdef double over = <double>(hyp_len if inverted else ref_len), under = <double>(ref_len if inverted else hyp_len)
    if not over > under:
        return 0.0
    return 1 - over / under if under else -INFINITY


def bleu_scores(
    match, total, hyp_len, ref_len, weights, powers, int smoothing, double value, bint effective, bint first, bint inverted
):
    """Return BLEU of sentences, of the flavours sacrebleu and moses: float64 [lines].

    `smoothing` is 0 for none, 1 for floor, 2 for add-k, 3 for exp. `powers` has 0.5 ** k for k from 0 to the order.
    `first` says that of reference lengths equally close the first counts, and not the shorter one.
    """
    np = _np()
    cdef const int64_t[:, ::1] hits = match, totals = total, ref_lens = ref_len
    cdef const int64_t[::1] hyp_lens = hyp_len
    cdef const double[::1] weight = weights, power = powers
    cdef int64_t lines = hits.shape[0], orders = hits.shape[1], i, closest
    precisions, exponents, nothing = np.empty(lines * orders), np.empty(2 * lines), bytearray(lines)
    cdef double[::1] precision = precisions, exponent = exponents
    cdef unsigned char[::1] none = nothing
    for i in range(lines):
        none[i] = _precisions(
            &hits[i, 0], &totals[i, 0], orders, &power[0], smoothing, value, &precision[i * orders]
        )
    _log(np, precisions, &precision[0], lines * orders)
    for i in range(lines):
        exponent[i] = _weighted(
            &weight[0], &totals[i, 0], &precision[i * orders], orders, smoothing, value, effective
        )
        closest = _closest(&ref_lens[i, 0], ref_lens.shape[1], hyp_lens[i], first)
        exponent[lines + i] = _log_penalty(closest, hyp_lens[i], inverted)
    np.exp(exponents, exponents)
    scores = np.empty(lines)
    cdef double[::1] result = scores
    for i in range(lines):
        result[i] = 0.0 if none[i] else exponent[lines + i] * exponent[i]
    return scores


cdef inline int64_t _distance(int64_t one, int64_t two) noexcept nogil:
    return one - two if one > two else two - one


cdef int64_t _closest(const int64_t *lengths, int64_t count, int64_t length, bint first) noexcept nogil:
    """Return the reference length that is closest to that of the output."""
    cdef int64_t r, best = lengths[0], distance, least = _distance(lengths[0], length)
    for r in range(1, count):
        distance = _distance(lengths[r], length)
        if distance < least or (distance == least and not first and lengths[r] < best):
            best, least = lengths[r], distance
    return best


def google_scores(match, total, ref_len, int64_t shortest):
    """Return the scores of Google's GLEU with each reference: float64 [lines, references]."""
    np = _np()
    cdef const int64_t[:, :, ::1] hits = match
    cdef const int64_t[:, ::1] totals = total, ref_lens = ref_len
    cdef int64_t lines = hits.shape[0], references = hits.shape[1], orders = hits.shape[2], i, r, n, own, other, common
    scores = np.empty((lines, references))
    cdef double[:, ::1] result = scores
    for i in range(lines):
        own = 0
        for n in range(shortest - 1, orders):
            own += totals[i, n]
        for r in range(references):
            other = common = 0
            for n in range(shortest - 1, orders):
                common += hits[i, r, n]
                other += ref_lens[i, r] - n if ref_lens[i, r] > n else 0
            result[i, r] = _ratio(<double>common, <double>(own if own > other else other))
    return scores


def f_scores(match, total, ref_total, double weight):
    """Return the F-score of mean precision and mean recall over orders, as chrF has them: float64 [lines, references].

    Orders of which the output or the reference has no n-gram do not count. `weight` is the square of beta.
    """
    np = _np()
    cdef const int64_t[:, :, ::1] hits = match, ref_totals = ref_total
    cdef const int64_t[:, ::1] totals = total
    cdef int64_t lines = hits.shape[0], references = hits.shape[1], i, r, n
    cdef double precision, recall, orders
    scores = np.empty((lines, references))
    cdef double[:, ::1] result = scores
    for i in range(lines):
        for r in range(references):
            precision = recall = orders = 0
            for n in range(hits.shape[2]):
                if totals[i, n] > 0 and ref_totals[i, r, n] > 0:
                    orders += 1
                    precision += <double>hits[i, r, n] / <double>totals[i, n]
                    recall += <double>hits[i, r, n] / <double>ref_totals[i, r, n]
            precision, recall = _ratio(precision, orders), _ratio(recall, orders)
            result[i, r] = _ratio((1 + weight) * precision * recall, weight * precision + recall)
    return scores


def best_f_scores(match, hyp_len, ref_len, int64_t order, double weight):
    """Return the best F-score over references, of n-grams of one order or (order 1) of subsequences: float64 [lines].

    `match` is int64 [lines, references] and need not be contiguous. `weight` is the square of beta.
    """
    np = _np()
    cdef const int64_t[:, :] hits = match
    cdef const int64_t[:, ::1] ref_lens = ref_len
    cdef const int64_t[::1] hyp_lens = hyp_len
    cdef int64_t lines = hits.shape[0], i, r, own, other
    cdef double precision, recall, score
    scores = np.zeros(lines)
    cdef double[::1] result = scores
    for i in range(lines):
        own = hyp_lens[i] - order + 1
        for r in range(hits.shape[1]):
            other = ref_lens[i, r] - order + 1
            recall = _ratio(<double>hits[i, r], <double>(other if other > 0 else 0))
            precision = _ratio(<double>hits[i, r], <double>(own if own > 0 else 0))
            score = _ratio((1 + weight) * precision * recall, weight * precision + recall)
            if score > result[i]:
                result[i] = score
    return scores
