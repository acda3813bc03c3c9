"""The compact letter display of pairwise tests."""

from collections.abc import Collection, Sequence
from string import ascii_letters

MAX_GROUPS = 1000
"""No letters are given if there would be more groups of systems than this."""


def letters(
    ranks: Sequence[int], different: Collection[tuple[int, int]]
) -> list[str]:
    """Return letters for systems: two systems share one unless they differ significantly.

    This is the compact letter display of Piepho 2004. `different` are the pairs of systems (their
    numbers, in either order) whose difference is significant. The best system, by its rank, has an
    a. If there would be more than MAX_GROUPS letters, all systems get an empty text.
    """
    pairs = {tuple(sorted(pair)) for pair in different}
    groups = [frozenset(range(len(ranks)))]
    for pair in sorted(pairs):
        split = []
        for group in groups:
            if group.issuperset(pair):
                split += [group - {number} for number in pair]
            else:
                split.append(group)
        groups = []
        for group in dict.fromkeys(split):
            is_smaller = any(group < other for other in split)
            if not is_smaller:
                groups.append(group)
        if len(groups) > MAX_GROUPS:
            return [""] * len(ranks)

    def ranks_of(group: Collection[int]) -> list[tuple[int, int]]:
        return sorted((ranks[number], number) for number in group)

    texts = [""] * len(ranks)
    for index, group in enumerate(sorted(groups, key=ranks_of)):
        letter = f"({index + 1})"
        if index < len(ascii_letters):
            letter = ascii_letters[index]
        for number in group:
            texts[number] += letter
    return texts
