"""Whose mistake it is if parties differ in what they signed: most of them are right, or nobody is.

A party that most others agree against stops, at home, with an error that says why (`ChangedError`).
All others go on waiting for those that differ from them (`MistakenError`): a mistake of one party
ends nobody else's process. If there is no majority all wait, and people decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping

from chatham.errors import ChangedError, MistakenError


def check_alike(
    values: Mapping[int, Hashable], me: int, parties: int, *, kind: str, to_me: str, to_others: str
) -> None:
    """Check that these parties, by index, all have the same value.

    >>> from chatham.errors import MistakenError
    >>> told = {"kind": "state", "to_me": "Yours differs.", "to_others": "Theirs differs."}
    >>> try:
    ...     check_alike({0: "a", 1: "b", 2: "a"}, 0, 3, **told)
    ... except MistakenError as mistake:
    ...     print(mistake.parties, mistake)
    (1,) Theirs differs.
    >>> check_alike({0: "a", 1: "b", 2: "a"}, 1, 3, **told)
    Traceback (most recent call last):
    chatham.errors.ChangedError: Yours differs.
    """
    ((usual, count), *others) = Counter(values.values()).most_common()
    if not others:
        return
    if me in values and values[me] != usual and 2 * count > parties:
        raise ChangedError(to_me, kind=kind)
    differ = [party for party, value in values.items() if value != values.get(me)]
    raise MistakenError(differ, to_others)
