# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Scores of sums over all sentences of a system, compiled, from the counts of the sentences.

The specification of each function is what `Chosen.outputs` (`scoring/terms.py`) does with the metric that names it in
`compiled_sums()`, bit for bit: see `formulas.pyx`. Sums are whole numbers. Each function returns the outputs of score()
in their order: float64 [outputs, 1], or [outputs, references] where scores with several references are asked for.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memset

from .formulas cimport (
    ORDERS, _closest, _log, _log_brevity, _log_penalty, _mean, _np, _precisions, _weighted,
)

cdef enum:
    MANY = 32                  # no metric has more orders, of characters and words together


cdef inline double _ratio(double part, double whole) noexcept nogil:
    return part / whole if whole != 0 else 0.0


cdef int _check(int64_t orders, int64_t most) except -1:
    if not 1 <= orders <= most:
        raise ValueError(f"orders: expected at most {most}, found {orders}")
    return 0


def bleu_of_sums(
    match, total, hyp_len, ref_len, weights, powers, int smoothing, double value, bint effective, bint first,
    bint inverted
):
    """Return the outputs of BLEU, of the flavours sacrebleu and moses; see bleu_scores() in `formulas.pyx`."""
    np = _np()
    cdef const int64_t[:, ::1] hits = match, totals = total, ref_lens = ref_len
    cdef const int64_t[::1] hyp_lens = hyp_len
    cdef const double[::1] weight = weights, power = powers
    cdef int64_t orders = hits.shape[1], i, n, hyp = 0, ref = 0
    cdef int64_t[ORDERS] matches, wholes
    cdef double[ORDERS] plain
    cdef bint none
    _check(orders, ORDERS)
    memset(matches, 0, sizeof(matches))
    memset(wholes, 0, sizeof(wholes))
    for i in range(hits.shape[0]):
        hyp += hyp_lens[i]
        ref += _closest(&ref_lens[i, 0], ref_lens.shape[1], hyp_lens[i], first)
        for n in range(orders):
            matches[n] += hits[i, n]
            wholes[n] += totals[i, n]
    logs, exponents = np.empty(orders), np.empty(2)
    cdef double[::1] log = logs, exponent = exponents
    none = _precisions(matches, wholes, orders, &power[0], smoothing, value, plain)
    for n in range(orders):
        log[n] = plain[n]
    _log(np, logs, &log[0], orders)
    exponent[0] = _weighted(&weight[0], wholes, &log[0], orders, smoothing, value, effective)
    exponent[1] = _log_penalty(ref, hyp, inverted)
    np.exp(exponents, exponents)
    outputs = np.empty((5 + 3 * orders, 1))
    cdef double[:, ::1] out = outputs
    out[0, 0], out[1, 0], out[2, 0] = 0.0 if none else exponent[1] * exponent[0], exponent[1], _ratio(hyp, ref)
    out[3, 0], out[4, 0] = hyp, ref
    for n in range(orders):
        out[5 + n, 0], out[5 + orders + n, 0], out[5 + 2 * orders + n, 0] = plain[n], matches[n], wholes[n]
    return outputs


def gleu_of_sums(
    match, penalty, total, hyp_len, ref_len, chosen, references, int64_t scale, bint clip, bint zero, bint inverted
):
    """Return the outputs of GLEU+ with one reference for each sentence, or with each of several references.

    `chosen` has the number of each sentence's reference, int64 [lines]. Where it is None, each of `references`, a list
    of numbers, is that of all sentences. `zero` says that the score is 0 where there is no n-gram of some order, or no
    token.
    """
    np = _np()
    cdef const int64_t[:, :, ::1] hits = match, misses = penalty
    cdef const int64_t[:, ::1] totals = total, ref_lens = ref_len
    cdef const int64_t[::1] hyp_lens = hyp_len, picked
    cdef int64_t orders = hits.shape[2], lines = hits.shape[0], i, n, r, numer, ref, row, at, hyp = 0
    cdef bint several = chosen is not None
    cdef int64_t rows = 1 if several else len(references)
    cdef int64_t[ORDERS] matches, numers, wholes
    cdef double log_brevity, log_mean
    cdef bint empty
    _check(orders, ORDERS)
    if several:
        picked = chosen
    memset(wholes, 0, sizeof(wholes))
    for i in range(lines):
        hyp += hyp_lens[i]
        for n in range(orders):
            wholes[n] += totals[i, n]
    logs, exponents, outputs = np.empty(rows * orders), np.empty(rows * (3 + orders)), np.empty((5 + 6 * orders, rows))
    cdef double[::1] log = logs, exponent = exponents
    cdef double[:, ::1] out = outputs
    for row in range(rows):
        memset(matches, 0, sizeof(matches))
        memset(numers, 0, sizeof(numers))
        ref = 0
        r = 0 if several else references[row]
        for i in range(lines):
            if several:
                r = picked[i]
            if not 0 <= r < hits.shape[1]:
                raise IndexError(r)
            ref += ref_lens[i, r]
            for n in range(orders):
                numer = hits[i, r, n] - misses[i, r, n]
                matches[n] += hits[i, r, n]
                numers[n] += 0 if clip and numer < 0 else numer
        for n in range(orders):
            if wholes[n] == 0:
                log[row * orders + n] = 0.0 if zero else 1.0
            else:
                log[row * orders + n] = numers[n] / <double>(scale * wholes[n]) if numers[n] > 0 else 0.0
            out[3 + n, row] = log[row * orders + n]
            at = 5 + 2 * orders + n
            out[at, row], out[at + orders, row] = matches[n], <double>(scale * matches[n] - numers[n]) / scale
            out[at + 2 * orders, row], out[at + 3 * orders, row] = <double>numers[n] / scale, wholes[n]
        out[3 + 2 * orders, row], out[4 + 2 * orders, row] = hyp, ref
    _log(np, logs, &log[0], rows * orders)
    for row in range(rows):
        log_brevity = _log_brevity(<int64_t>out[4 + 2 * orders, row], hyp, inverted)
        log_mean, at = _mean(&log[row * orders], orders), row * (3 + orders)
        exponent[at], exponent[at + 1], exponent[at + 2] = log_brevity + log_mean, log_mean, log_brevity
        for n in range(orders):
            exponent[at + 3 + n] = log_brevity + log[row * orders + n]
    np.exp(exponents, exponents)
    for row in range(rows):
        empty, at = hyp == 0 or out[4 + 2 * orders, row] == 0, row * (3 + orders)
        for n in range(orders):
            empty = empty or wholes[n] == 0
            out[3 + orders + n, row] = exponent[at + 3 + n]
        out[0, row], out[1, row] = 0.0 if zero and empty else exponent[at], exponent[at + 1]
        out[2, row] = exponent[at + 2]
    return outputs


def google_of_sums(match, total, ref_len, int64_t shortest):
    """Return the outputs of Google's GLEU with the best reference of each sentence."""
    cdef const int64_t[:, :, ::1] hits = match
    cdef const int64_t[:, ::1] totals = total, ref_lens = ref_len
    cdef int64_t orders = hits.shape[2], i, r, n, own, other, common
    cdef int64_t matched = 0, hyp = 0, ref = 0, larger = 0, best_match, best_ref, best_larger
    cdef double score, best
    for i in range(hits.shape[0]):
        own = best_match = best_ref = best_larger = 0
        best = -2.0
        for n in range(shortest - 1, orders):
            own += totals[i, n]
        for r in range(hits.shape[1]):
            other = common = 0
            for n in range(shortest - 1, orders):
                common += hits[i, r, n]
                other += ref_lens[i, r] - n if ref_lens[i, r] > n else 0
            n = own if own > other else other
            score = <double>common / <double>n if n else -1.0
            if score > best:
                best, best_match, best_ref, best_larger = score, common, other, n
        matched, hyp, ref, larger = matched + best_match, hyp + own, ref + best_ref, larger + best_larger
    outputs = _np().empty((6, 1))
    cdef double[:, ::1] out = outputs
    out[0, 0], out[1, 0], out[2, 0] = _ratio(matched, larger), _ratio(matched, hyp), _ratio(matched, ref)
    out[3, 0], out[4, 0], out[5, 0] = matched, hyp, ref
    return outputs


cdef struct Means:
    double precision
    double recall
    double score


cdef Means _means(
    const int64_t *match, const int64_t *total, const int64_t *ref_total, int64_t first, int64_t orders, double weight
) noexcept nogil:
    """Return the means over orders that both texts have n-grams of, and their F-score, as chrF has them."""
    cdef Means means
    cdef double count = 0
    cdef int64_t n
    means.precision = means.recall = 0
    for n in range(first, orders):
        if total[n] > 0 and ref_total[n] > 0:
            count += 1
            means.precision += <double>match[n] / <double>total[n]
            means.recall += <double>match[n] / <double>ref_total[n]
    means.precision, means.recall = _ratio(means.precision, count), _ratio(means.recall, count)
    means.score = _ratio(
        (1 + weight) * means.precision * means.recall, weight * means.precision + means.recall
    )
    return means


def chrf_of_sums(match, total, ref_total, int64_t shortest, double weight):
    """Return the outputs of chrF with the best reference of each sentence, by scores in percent."""
    cdef const int64_t[:, :, ::1] hits = match, ref_totals = ref_total
    cdef const int64_t[:, ::1] totals = total
    cdef int64_t orders = hits.shape[2], i, n, r, picked
    cdef int64_t[MANY] matches, hyps, refs
    cdef double score, best
    cdef Means means
    cdef bint counts
    _check(orders, MANY)
    memset(matches, 0, sizeof(matches))
    memset(hyps, 0, sizeof(hyps))
    memset(refs, 0, sizeof(refs))
    for i in range(hits.shape[0]):
        picked, best = 0, -1.0
        for r in range(hits.shape[1]):
            score = 100.0 * _means(
                &hits[i, r, 0], &totals[i, 0], &ref_totals[i, r, 0], shortest - 1, orders, weight
            ).score
            if score > best:
                picked, best = r, score
        for n in range(orders):
            matches[n] += hits[i, picked, n]
            refs[n] += ref_totals[i, picked, n]
            hyps[n] += totals[i, n] if ref_totals[i, picked, n] > 0 else 0
    means = _means(matches, hyps, refs, shortest - 1, orders, weight)
    outputs = _np().empty((3 + 5 * orders, 1))
    cdef double[:, ::1] out = outputs
    out[0, 0], out[1, 0], out[2, 0] = means.score, means.precision, means.recall
    for n in range(orders):
        counts = hyps[n] > 0 and refs[n] > 0
        out[3 + n, 0] = <double>matches[n] / <double>hyps[n] if counts else 0.0
        out[3 + orders + n, 0] = <double>matches[n] / <double>refs[n] if counts else 0.0
        out[3 + 2 * orders + n, 0], out[3 + 3 * orders + n, 0] = matches[n], hyps[n]
        out[3 + 4 * orders + n, 0] = refs[n]
    return outputs


def rouge_of_lines(match, lcs, hyp_len, ref_len, tuple orders, double weight):
    """Return F, recall and precision of some types of ROUGE with the best reference: float64 [types, 3, lines].

    A type is the order of its n-grams, or 0 for the longest common subsequence. `match` is int64 [lines, references,
    orders], `lcs` int64 [lines, references]; either is None where no type reads it. `weight` is the square of beta.
    """
    np = _np()
    cdef const int64_t[:, :, ::1] hits
    cdef const int64_t[:, ::1] subsequences, ref_lens = ref_len
    cdef const int64_t[::1] hyp_lens = hyp_len
    cdef int64_t i, r, kind, order, own, other, common, shorter
    cdef double precision, recall, score, best
    scores = np.zeros((len(orders), 3, hyp_lens.shape[0]))
    cdef double[:, :, ::1] result = scores
    if match is not None:
        hits = match
    if lcs is not None:
        subsequences = lcs
    for kind in range(len(orders)):
        order = orders[kind]
        shorter = order - 1 if order else 0
        for i in range(hyp_lens.shape[0]):
            best = -1.0
            own = hyp_lens[i] - shorter if hyp_lens[i] > shorter else 0
            for r in range(ref_lens.shape[1]):
                common = hits[i, r, order - 1] if order else subsequences[i, r]
                other = ref_lens[i, r] - shorter if ref_lens[i, r] > shorter else 0
                recall, precision = _ratio(<double>common, <double>other), _ratio(<double>common, <double>own)
                score = _ratio((1 + weight) * precision * recall, weight * precision + recall)
                if score > best:
                    best = score
                    result[kind, 0, i], result[kind, 1, i], result[kind, 2, i] = score, recall, precision
    return scores


cdef double _pairwise(const double *values, const Py_ssize_t *places, Py_ssize_t count) noexcept nogil:
    """Return the sum of the values at these places, added in pairs as numpy adds."""
    cdef double[8] part
    cdef double total
    cdef Py_ssize_t i, half
    cdef int k
    if count < 8:
        total = 0.0
        for i in range(count):
            total += values[places[i]]
        return total
    if count > 128:
        half = count // 2
        half -= half % 8
        return _pairwise(values, places, half) + _pairwise(values, places + half, count - half)
    for k in range(8):
        part[k] = values[places[k]]
    half = count - count % 8
    for i in range(8, half, 8):
        for k in range(8):
            part[k] += values[places[i + k]]
    total = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]))
    for i in range(half, count):
        total += values[places[i]]
    return total


def drawn_means(different, drawn):
    """Return the mean of each output over draws, and the deviation of the first; see `scoring/aggregation.py`.

    `different` has the values of each output, float64 [outputs, values], and `drawn`, intp [draws], which of the values
    each draw has. The means are float64 [outputs].
    """
    np = _np()
    cdef const double[:, ::1] values = different
    cdef const Py_ssize_t[::1] places = drawn
    cdef Py_ssize_t count = places.shape[0], n, k
    means = np.empty(values.shape[0])
    squares = np.empty(values.shape[1])
    cdef double[::1] mean = means, square = squares
    cdef double deviation = 0.0
    cdef bint equal
    for k in range(count):
        if not 0 <= places[k] < values.shape[1]:
            raise IndexError(places[k])
    for n in range(values.shape[0]):
        equal = True
        for k in range(1, values.shape[1]):
            equal = equal and values[n, k] == values[n, 0]
        mean[n] = values[n, 0] if equal else _pairwise(&values[n, 0], &places[0], count) / count
        if n == 0 and not equal:
            for k in range(values.shape[1]):
                square[k] = (values[0, k] - mean[0]) * (values[0, k] - mean[0])
            deviation = sqrt(_pairwise(&square[0], &places[0], count) / count)
    return means, deviation
