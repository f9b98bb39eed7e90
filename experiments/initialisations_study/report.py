"""The page: what was done, who is best, and every case in figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from inference_study.markdown import NOTHING, bold, listed, markdown
from initialisations_study.documents import ENRON, FILMS, NEWS, WORDS
from initialisations_study.lines import MAIN, NATURAL, Array, Case, Line, deviation
from initialisations_study.picture import NEAREST
from initialisations_study.study import POOLED, Plan
from initialisations_study.trials import LOCAL, RANDOM, SINGULAR, TWICE

SOME = 10
"""An iteration between the first and the last that tables show."""
FEW_TOPICS = "local a clear favourite, only losing to random_2x on Enron"
MANY_TOPICS = "local still a clear favourite, nndsvd catching up"
SAID = {
    (NEWS, 5): FEW_TOPICS,
    (ENRON, 5): FEW_TOPICS,
    (NEWS, 50): MANY_TOPICS,
    (ENRON, 50): MANY_TOPICS,
    (FILMS, 5): "random_2x and random very good",
    (FILMS, 50): "nndsvd the clear favourite; local better than random_2x",
}
"""What section 2.4 concludes from its figures."""


def page(plan: Plan, cases: Sequence[Case]) -> str:
    """The whole page, in Markdown."""
    parts = [
        "# Where NMF begins",
        "Written by `initialisations.py`; what we make of it is in [the README](../README.md). "
        "Figures: [against iterations](initialisations.png), [against rounds and bytes]"
        "(initialisations_cost.png). Bands in the first are one standard deviation of the mean, as "
        "in the thesis; in the second each trial is a line, and what is within "
        f"{NEAREST:.2%} of the best trial is drawn there.",
        "## What was done",
        listed(_method(plan, cases)),
        "## Who is ahead",
        "From best to worst, by the mean of what is left. Of two that are next to each other and "
        "differ by less than the larger standard deviation, it is said that they are alike (≈).",
        _ranks(cases),
        "## From the first iteration to the last",
        "Squared error left, in % of ‖X‖²: mean ± standard deviation over trials. random_2x has "
        "two iterations for one. Before: rounds, and megabytes that each party sends, ahead of "
        "the first iteration. As random: after which iteration, in which round and with how many "
        "megabytes a way is where random is at its end (the median over trials that get there). At "
        "equal rounds: what is left in the round in which random_2x ends, from nndsvd with more "
        "iterations.",
    ]
    for case in cases:
        parts += [f"### {case.source.name}, k = {case.k}", _of_case(case)]
    parts += [
        "## Whose own topics",
        "Left at the end from `local`, by parties, in %; in brackets how much more than between "
        f"{plan.parties} parties.",
        _by_parties(cases),
        "## Checks",
        _checks(plan, cases),
    ]
    return "\n\n".join(parts) + "\n"


def _method(plan: Plan, cases: Sequence[Case]) -> list[str]:
    sources = list({case.source.name: case.source for case in cases}.values())
    sizes = "; ".join(f"{s.name} {s.sizes[0]:,} × {s.sizes[1]:,}" for s in sources)
    fewer = "".join(
        f" Of {source.name} with k = {k}, for want of time, {n} and no other numbers of parties."
        for source in sources
        for k, n in source.most.items()
    )
    trials = ", ".join(f"{e.trials} for k = {e.topics}" for e in plan.efforts)
    others = ", ".join(f"{e.others} for k = {e.topics}" for e in plan.efforts)
    return [
        f"Sources: {sizes}. Of text the {WORDS:,} commonest words at most, English stop words "
        "left out.",
        "Text: frequencies, topics and weights on the simplex, every squared error alike. Films: "
        "ratings as they are, cells without one left out, no constraint but non-negativity. No "
        "penalties.",
        f'{plan.iterations} iterations (schedule "block": one round an iteration), twice as many '
        "for random_2x, whose first half is random, and for nndsvd, to see them in the same round. "
        f"{plan.parties} parties of the same size, split anew in every trial.",
        f"Trials: {trials}; of nndsvd and of other parties {others}.{fewer} Splits change nothing "
        "but `local`: all else is sums.",
        "`local` is PD-NMF-Init: up to 100 iterations at home, from nndsvd, then up to 100 rounds "
        "over weighted topics, from random ones. What is computed at home costs no rounds.",
    ]


def _ranks(cases: Sequence[Case]) -> str:
    shown = _shown(cases[0])
    rows = [
        [case.source.name, case.k, *(_order(case, n) for n in shown), _said(case)] for case in cases
    ]
    return markdown(["", "k", *(f"after {n}" for n in shown), "the thesis"], rows)


def _shown(case: Case) -> list[int]:
    """After which iterations tables show what is left."""
    return list(dict.fromkeys([1, min(SOME, case.iterations), case.iterations]))


def _order(case: Case, iteration: int) -> str:
    """Names from best to worst, with a sign between neighbours."""
    left = {name: case.lines[name].left[:, iteration - 1] for name in MAIN}
    order = sorted(MAIN, key=lambda name: left[name].mean())
    text = order[0]
    for better, worse in pairwise(order):
        text += f" {_sign(left[better], left[worse])} {worse}"
    return text


def _sign(better: Array, worse: Array) -> str:
    """Whether two are alike: the means differ by less than the larger deviation.

    >>> _sign(np.array([1.0, 3.0]), np.array([2.0, 3.5])), _sign(np.array([1.0]), np.array([2.0]))
    ('≈', '<')
    """
    return "≈" if worse.mean() - better.mean() < max(deviation(better), deviation(worse)) else "<"


def _said(case: Case) -> str:
    return SAID.get((case.source.name, case.k), NOTHING)


def _of_case(case: Case) -> str:
    target = float(case.lines[RANDOM].end.mean())
    shown = _shown(case)
    best = min(line.end.mean() for name, line in case.lines.items() if name != NATURAL)
    head = ["", "trials", *(f"after {n}" for n in shown), "before", "as random", "at equal rounds"]
    rows = [_row(case, name, line, shown, best, target) for name, line in case.lines.items()]
    return markdown(head, rows)


def _row(
    case: Case, name: str, line: Line, shown: Iterable[int], best: float, target: float
) -> list[str]:
    called = f"local, {case.source.natural}" if name == NATURAL else name
    values = [_spread(line.left[:, n - 1]) for n in shown]
    values[-1] = bold(values[-1], bool(line.end.mean() == best))
    rounds, sent = np.median(line.before, axis=0)
    before = f"{rounds:.0f} rounds, {_megabytes(sent)}"
    reached = NOTHING if name in (RANDOM, TWICE) else _reached(line, target)
    equal = NOTHING if name == RANDOM else _at_round(case, RANDOM if name == TWICE else name)
    return [called, str(len(line.left)), *values, before, reached, equal]


def _reached(line: Line, target: float) -> str:
    found, number = line.reaches(target), len(line.left)
    if not found["trials"]:
        return "never"
    some = f"{found['trials']} of {number}: " if found["trials"] < number else ""
    place = f"iteration {found['iteration']:.0f}, round {found['rounds']:.0f}"
    return f"{some}{place}, {_megabytes(found['bytes'])}"


def _at_round(case: Case, name: str) -> str:
    """What is left in the round in which random_2x ends."""
    left = case.costs[name].at_round(int(case.costs[RANDOM].rounds.max()))
    return "not all have begun" if left is None else _spread(left)


def _spread(values: Array) -> str:
    """Mean and standard deviation, in per cent.

    >>> _spread(np.array([0.5, 0.52])), _spread(np.array([0.5]))
    ('51.000 ± 1.414', '50.000')
    """
    mean = f"{100 * values.mean():.3f}"
    return f"{mean} ± {100 * deviation(values):.3f}" if len(values) > 1 else mean


def _megabytes(number: float) -> str:
    return f"{number / 1e6:,.1f} MB"


def _by_parties(cases: Sequence[Case]) -> str:
    numbers = sorted({n for case in cases for n in case.holders if isinstance(n, int)})
    rows = [
        [case.source.name, case.k, *(_between(case, number) for number in numbers), _natural(case)]
        for case in cases
    ]
    return markdown(["", "k", *(f"{number} parties" for number in numbers), "natural ones"], rows)


def _natural(case: Case) -> str:
    natural = case.source.natural
    return f"{_between(case, natural)}, {natural}" if natural else NOTHING


def _between(case: Case, parties: int | str) -> str:
    if parties not in case.holders:
        return NOTHING
    end = case.local(parties).end
    return _spread(end) + _distance(end, case.local(case.parties).end, parties == case.parties)


def _distance(end: Array, usual: Array, same: bool) -> str:
    return "" if same else f" ({100 * (end.mean() - usual.mean()):+.3f})".replace("-", "−")


def _checks(plan: Plan, cases: Sequence[Case]) -> str:
    head = [
        "", "k", f"nndsvd of {plan.parties} parties and of one pool differ by at most",
        "revived: random", SINGULAR, LOCAL,
    ]  # fmt: skip
    rows = [
        [case.source.name, case.k, f"{case.unlike_pooled:.0e}",
         *(case.revived[init] for init in (TWICE, SINGULAR, LOCAL))]
        for case in cases
    ]  # fmt: skip
    said = (
        f"What differs is a share of what is left, over {POOLED} iterations. Revived are topics "
        "that no document used and that began anew, in all trials."
    )
    return f"{said}\n\n{markdown(head, rows)}"
