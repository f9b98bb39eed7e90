"""What masked sums of learners and measures are made of: step, numbers of words, fraction bits.

`python -m tests.learners.ledgers FILE` writes all of it. `tests/learners/ledgers-0.2.0.json` was
written so with version 0.2.0, where each learner worked out its fraction bits itself.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain, groupby, product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import chatham as ch
from chatham.commons import simulated
from chatham.federation.words import agree_vocabulary
from chatham.federation.words.table import WordTable
from chatham.learners import kmeans, plsa
from chatham.learners.lda import lda
from chatham.learners.nmf import local_start, nmf
from chatham.measures.registry import MEASURES
from tests.same_bytes_cases import Data, learners, measured

CAPS = (40, 50, 59)
"""How many fraction bits a session keeps at most: more shows what fewer cut off."""
SIZES = (None, 33)
"""All documents, and few."""

Round = tuple[str, list[list[int]]]
NONE: dict[float, float] = {}


@contextmanager
def packed_sums() -> Iterator[list[Round]]:
    """All masked sums in this process, as they are packed: the step's name, words and bits.

    Arrays side by side with the same bits count as one: a message is words without borders.
    """
    rounds: list[Round] = []
    packing, masked = simulated.pack, simulated.Simulated._masked

    def noted(*given: Any) -> Any:
        layout, words = packing(*given)
        if len(rounds[-1][1]) == 0:
            pairs = zip(layout.bits, layout.sizes, strict=True)
            merged = groupby(pairs, key=lambda pair: pair[0])
            rounds[-1][1].extend([bits, sum(n for _, n in same)] for bits, same in merged)
        return layout, words

    def named(self: Any, step: Any, *given: Any) -> Any:
        rounds.append((step.__name__, []))
        return masked(self, step, *given)

    with (
        patch.object(simulated, "pack", noted),
        patch.object(simulated.Simulated, "_masked", named),
    ):
        yield rounds


def ledgers(chosen: Container[int] | None = None) -> Iterator[tuple[str, Any]]:
    """Each learner's masked sums, or those chosen by their number.

    Rounds that repeat are written once, with how often they do.
    """
    data = Data()
    cases = product(learners(data).items(), CAPS, SIZES)
    for number, ((name, learner), cap, size) in enumerate(cases):
        if chosen is None or number in chosen:
            counts = data.counts[:size]
            parts = [counts[i::3] for i in range(3)]
            where = ch.Simulated(parts, secure=True, fraction_bits=cap, exact_totals=True)
            yield f"{name}, {cap} bits, {size or 'all'}", fitted(learner, where)


def fitted(learner: Any, where: Any) -> list[Any]:
    """The sums of one fit, to its end or its refusal."""
    with packed_sums() as rounds, stopping_as_then(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            learner.set_params(random_state=7).fit(where)
        except ch.ChathamError as error:
            rounds.append((type(error).__name__, []))
    return counted(rounds)


@contextmanager
def stopping_as_then() -> Iterator[None]:
    """Learners stop as they did in 0.2.0: by the objective's change beside the objective itself.

    When they stop is another question than what crosses, and is asked elsewhere.
    """
    usual = ((kmeans, 1e-4, 1e-6), (plsa, 0.02, 1e-6), (nmf, 1e-4, 1e-5), (local_start, 1e-3, 1e-5))
    with ExitStack() as patches:
        patches.enter_context(patch.object(lda, "has_levelled", had_converged))
        for module, now, then in usual:
            rule = partial(had_converged, usual={now: then})
            patches.enter_context(patch.object(module, "has_converged", rule))
        yield


def had_converged(
    objective: list[float], tol: float, nothing: float = 0.0, usual: dict[float, float] = NONE
) -> bool:
    """The rule of 0.2.0, with its default tolerances."""
    tol = usual.get(tol, tol)
    if tol == 0 or len(objective) < 2:
        return False
    return abs(objective[-2] - objective[-1]) <= tol * max(abs(objective[0]), abs(objective[-1]))


def counted(rounds: list[Round]) -> list[Any]:
    """Rounds that repeat once, with how often they do."""
    return [[len(list(same)), *one] for one, same in groupby(rounds)]


@contextmanager
def measures_of_then() -> Iterator[None]:
    """The measures that there were in 0.2.0, and no others."""
    since = ("nmi", "hard_ari", "rmse", "mae")
    then = {name: each for name, each in MEASURES.items() if not name.startswith(since)}
    with patch.dict(MEASURES, then, clear=True):
        yield


def other_ledgers() -> Iterator[tuple[str, Any]]:
    """The masked sums of every measure of several models, and of agreeing on words."""
    with packed_sums() as rounds, measures_of_then(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        list(measured(Data(), "three secure"))
    # In any order, since a sum that two measures need is taken for whichever comes first; and
    # without names, since the methods of two classes have become those of one.
    yield "measures", counted(sorted(("", words) for _, words in rounds))
    tables = [
        WordTable(
            [f"w{i}" for i in range(first, 60, step)], np.arange(3, 3 + len(range(first, 60, step)))
        )
        for first, step in ((0, 1), (0, 2), (1, 2))
    ]
    with packed_sums() as rounds:
        agree_vocabulary(ch.Simulated(tables, secure=True))
    yield "words", counted(rounds)


def main() -> None:
    """Write them all."""
    Path(sys.argv[1]).write_text(
        "{\n"
        + ",\n".join(
            f'"{name}": {json.dumps(one)}' for name, one in chain(ledgers(), other_ledgers())
        )
        + "\n}\n"
    )


if __name__ == "__main__":
    main()
