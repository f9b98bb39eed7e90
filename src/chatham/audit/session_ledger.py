"""The audit of a session that has taken place: what could others make of what really crossed?

Two adversaries look at the real transcript. Whoever sees the *totals*: another party, or whoever a
party shows them to. And a coalition of *all others*, who take their own parts off each total and
see exactly what this party sent, noise included. For each of them:

- documents rebuilt: the attacks of `rebuilding` on these rounds, and which of this party's
  documents they return;
- documents recognised: for an adversary who has a document, the logarithm of how much more likely
  the real transcript is with it than without it, by the statistic that tells most. The statistic is
  chosen, and its two Gaussians are fitted, on simulated runs of the same rounds with the document
  and without it (see `retelling`), cut in two halves as in `guessing`; in the other half it is
  counted how often so large a ratio comes about *without* the document.

All these documents were there. The question is how sure an adversary could be of that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.audit.guessing import halves, most_telling
from chatham.audit.intervals import Estimate, proportion_limits
from chatham.audit.membership import LEAST_ARM
from chatham.audit.neighbours import random_targets, targets_by_id
from chatham.audit.rebuilding import Exposed, Known, findings_of, rebuild
from chatham.audit.replaying import Replay, columns_with_words, replay, rounds_seen
from chatham.audit.retelling import InPlace, Retold
from chatham.audit.samples import Plan, Samples
from chatham.audit.sampling import Progress, sample
from chatham.audit.statistics import applicable, statistics_named, values_of
from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.federation.session import Session
from chatham.naming import plural
from chatham.wording import say

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

DOCUMENTS, DATABASES, LEAST_DATABASES = 50, 400, 64
DRAWS = 100
"""How often simulated runs are drawn anew for the interval of a ratio."""
LEVEL = 0.95
TOTALS, OTHERS = "the totals", "all others together"
WHO = {
    TOTALS: "Whoever sees the totals: another party, or whoever is shown them.",
    OTHERS: "A coalition of all other parties.",
}
VIEWS = {
    TOTALS: "It sees the total of every round. What the other parties sent is taken to be known to "
    "it.",
    OTHERS: "It takes the other parties' own parts off every total, and sees exactly what this "
    "party sent, noise included.",
}
"""The adversaries, and what each sees."""


@dataclass(frozen=True)
class Recognised:
    """How sure an adversary who has a document could be, of the real run, that it was there."""

    document: str
    log_ratio: Estimate
    """The logarithm of how much more likely the real transcript is with the document."""
    without: Estimate
    """In how many runs without the document a ratio is at least as large."""
    statistics: tuple[str, str]
    """The statistic that told most in either half of the simulated runs."""

    @property
    def in_words(self) -> str:
        """The same as a sentence."""
        odds, ratio = self.log_ratio.estimate, _times(abs(self.log_ratio.estimate))
        likely = f"{ratio} more likely" if odds >= 0 else f"{ratio} less likely"
        return (
            f"The real transcript is {likely} with it than without it; without it so large a ratio "
            f"comes about in {percent_shown(self.without)} of runs."
        )


@dataclass(frozen=True)
class View:
    """What one adversary could make of the session."""

    adversary: str
    """"the totals" or "all others together"."""
    sees: str
    rebuilt: Exposed
    recognised: tuple[Recognised, ...]
    """The surest first."""

    @property
    def who(self) -> str:
        """The adversary as a sentence."""
        return WHO[self.adversary]

    def rebuilt_of(self, document: str) -> str:
        """What attacks return of a document: "whole", "some words", or nothing."""
        if document in self.rebuilt.documents:
            return "whole"
        return "some words" if document in self.rebuilt.parts else ""

    @property
    def in_words(self) -> str:
        """Two sentences."""
        whole, parts = len(self.rebuilt.documents), len(self.rebuilt.parts)
        rare = sum(each.without.high <= 0.05 for each in self.recognised)
        right = sum(each.log_ratio.estimate > 0 for each in self.recognised)
        n = len(self.recognised)
        return (
            f"Rebuilt from what crossed: {plural(whole, 'document')} whole, and words of "
            f"{plural(parts, 'other')}. Of {plural(n, 'document')} in question, an adversary who "
            f"has it would rightly say of {right:,} that it was there, and for {rare:,} so large "
            "a ratio comes about in less than 5 % of runs without it."
        )


@dataclass(frozen=True)
class SessionVerdict:
    """What others could make of a session that has taken place."""

    views: tuple[View, ...]
    neighbours: str
    rounds: int
    parties: int
    documents: int
    """How many of this party's documents were in the fit."""
    parameters: dict[str, Any] = field(repr=False)

    def table(self) -> pd.DataFrame:
        """One row for each adversary and document."""
        rows = [
            {
                "adversary": view.adversary,
                "document": each.document,
                "log_ratio": each.log_ratio.estimate,
                "log_ratio_low": each.log_ratio.low,
                "log_ratio_high": each.log_ratio.high,
                "without": each.without.estimate,
                "without_low": each.without.low,
                "without_high": each.without.high,
                "statistic": each.statistics[0],
                "rebuilt": view.rebuilt_of(each.document),
            }
            for view in self.views
            for each in view.recognised
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms, without any word of a document."""
        return {
            "neighbours": self.neighbours,
            "rounds": self.rounds,
            "parties": self.parties,
            "documents": self.documents,
            "views": [_view_as_json(view) for view in self.views],
            "parameters": self.parameters,
        }


def audit_session(
    folder: str | Path,
    corpus: Corpus,
    *,
    session: Session | None = None,
    documents: int | Sequence[str] | None = None,
    databases: int = DATABASES,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SessionVerdict:
    """What others could make of a session, from what a party kept of it in its folder.

    `folder` is the one that 'chatham join --plain' was given, `corpus` this party's documents, read
    with `read_for`; a session that wasn't joined from the command line is given as `session`.
    `documents` are the ids of those in question, or how many are chosen at random (50 by default),
    `databases` how many runs are simulated for each group of them.
    """
    if type(databases) is not int or databases < LEAST_DATABASES:
        raise InputError(
            say(
                "{databases} must be a whole number of at least {least}, since a document is "
                "judged by runs with it and without it; got {it!r}.",
                least=LEAST_DATABASES,
                it=databases,
            )
        )
    again = replay(Path(folder), corpus, session)
    targets = _targets(again, documents, seed)
    size = again.rows.shape[0]
    design = InPlace(size, targets, size, databases)
    views = tuple(_view(again, design, adversary, seed, n_jobs, progress) for adversary in VIEWS)
    parameters = {
        "session": again.session.hash.hex(),
        "algorithm": again.session.algorithm,
        "learner": json.loads(json.dumps(dict(again.session.parameters))),
        "databases": databases,
        "seed": seed,
        "statistics": sorted({name for v in views for r in v.recognised for name in r.statistics}),
    }
    return SessionVerdict(
        views, design.neighbours, len(again.told), again.parties, size, parameters
    )


def _targets(again: Replay, documents: int | Sequence[str] | None, seed: int) -> NDArray[np.int64]:
    """The rows of the documents in question."""
    with_words = np.flatnonzero(np.diff(again.rows.indptr))
    if documents is None or isinstance(documents, int):
        count = min(DOCUMENTS, len(with_words)) if documents is None else documents
        return with_words[random_targets(count, len(with_words), seed)]
    named = [documents] if isinstance(documents, str) else list(dict.fromkeys(documents))
    rows = np.sort(targets_by_id(named, again.ids))
    if not np.isin(rows, with_words).all():
        raise InputError(
            "A document in question has no word of the session's vocabulary, so there is nothing "
            "to recognise it by; ask about others."
        )
    return rows


def _view(
    again: Replay, design: InPlace, adversary: str, seed: int,
    n_jobs: int | None, progress: Progress | None,
) -> View:  # fmt: skip
    mechanism = Retold(again, among_others=adversary == TOTALS)
    real = mechanism.really()
    names = tuple(each.name for each in applicable(real))
    plan = Plan(mechanism, again.rows, design, seed, values_of=names)
    samples = sample(plan, n_jobs=n_jobs, progress=progress)
    found = [
        _recognised(samples, again.ids[int(row)], target, _values(plan, names, real, target))
        for target, row in enumerate(design.targets)
    ]
    found.sort(key=lambda each: (each.without.estimate, -each.log_ratio.estimate))
    return View(adversary, VIEWS[adversary], rebuilt_by(again, adversary), tuple(found))


def rebuilt_by(again: Replay, adversary: str) -> Exposed:
    """Which documents of this party the attacks return to an adversary."""
    mine = adversary == OTHERS
    frequencies = columns_with_words(again.counts) if mine else again.frequencies
    known = Known(again.scale, frequencies, None, 1 if mine else again.parties)
    findings = rebuild(rounds_seen(again.told, again.parties, mine=mine), known)
    corpus = Corpus(again.counts, again.model.vocabulary.astype(str), ids=np.array(again.ids))
    return findings_of(findings, corpus)


def _values(plan: Plan, names: Sequence[str], real: Any, target: int) -> Array:
    """What the statistics are for a document in the real run."""
    return np.array([values_of(statistics_named(names), real, plan.documents[target])])


def _recognised(samples: Samples, name: str, target: int, real: Array) -> Recognised:
    """One document: the real run's ratio, and how often one so large comes about without it."""
    values, present = samples.features(target)
    generator = np.random.default_rng([samples.plan.seed, target])
    half = halves(len(values), generator)
    _check_arms(present, half)
    ratios, drawn, shares, best = [], [], [], []
    for each in (0, 1):
        tried = half == each
        fitted, absent = ~tried, values[tried & ~present]
        told = most_telling(values[fitted], present[fitted], np.vstack([real, absent]))
        statistic, said = told.statistic, told.ratios
        ratios.append(float(said[0]))
        best.append(samples.statistics[statistic])
        shares.append((float((said[1:] >= said[0]).sum()), len(absent)))
        column = slice(statistic, statistic + 1)
        runs = values[fitted, column], present[fitted], real[:, column]
        drawn.append(_drawn(*runs, generator))
    low, high = np.quantile(np.mean(drawn, axis=0), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    ratio = float(np.mean(ratios))
    return Recognised(
        name,
        Estimate(ratio, min(float(low), ratio), max(float(high), ratio), LEVEL, "extrapolated"),
        _share(shares),
        (best[0], best[1]),
    )


def _check_arms(present: Flags, half: NDArray[np.int64]) -> None:
    fewest = min(int((present[half == h] == p).sum()) for h in (0, 1) for p in (True, False))
    if fewest < max(LEAST_ARM, 8):
        raise InputError(
            f"Only {fewest} simulated runs of one half have a document, or don't have it; to "
            "judge it takes 8 of each, so ask for more databases."
        )


def _drawn(values: Array, present: Flags, real: Array, generator: np.random.Generator) -> Array:
    """The real run's ratio by one statistic, from simulated runs that are drawn anew."""
    arms = [np.flatnonzero(present), np.flatnonzero(~present)]
    found = np.empty(DRAWS)
    for draw in range(DRAWS):
        taken = np.concatenate([generator.choice(arm, len(arm)) for arm in arms])
        found[draw] = most_telling(values[taken], present[taken], real).ratios[0]
    return found


def _share(shares: Sequence[tuple[float, int]]) -> Estimate:
    """The average of both halves' shares; both exact intervals hold together at the level."""
    ends = [proportion_limits(k, n, (1 - LEVEL) / 2) for k, n in shares]
    low, high = (float(np.mean([float(end[i]) for end in ends])) for i in (0, 1))
    return Estimate(float(np.mean([k / n for k, n in shares])), low, high, LEVEL)


def _times(logarithm: float) -> str:
    """How many times, as people say it.

    >>> _times(0.5), _times(5.0), _times(40.0)
    ('1.6 times', '150 times', 'over a million times')
    """
    if logarithm > np.log(1e6):
        return "over a million times"
    return f"{float(f'{np.exp(logarithm):.2g}'):,.10g} times"


def interval_shown(estimate: Estimate) -> str:
    """A number with its interval, for people.

    >>> interval_shown(Estimate(4.26, 2.36, 8.27, 0.95))
    '4.3 (2.4 to 8.3)'
    """
    return f"{estimate.estimate:.1f} ({estimate.low:.1f} to {estimate.high:.1f})"


def percent_shown(share: Estimate) -> str:
    """A share with its interval, for people.

    >>> percent_shown(Estimate(0.0, 0.0, 0.143, 0.95))
    '0.0 % (0.0–14.3 %)'
    """
    value, low, high = (f"{100 * each:.1f}" for each in (share.estimate, share.low, share.high))
    return f"{value} % ({low}–{high} %)"


def _view_as_json(view: View) -> dict[str, Any]:
    return {
        "adversary": view.adversary,
        "sees": view.sees,
        "in_words": view.in_words,
        "rebuilt": {
            "documents": {
                each: str(finding.certificate) for each, finding in view.rebuilt.documents.items()
            },
            "parts": {each: len(words) for each, words in view.rebuilt.parts.items()},
            "elsewhere": len(view.rebuilt.elsewhere),
        },
        "documents": [
            {
                "document": each.document,
                "in_words": each.in_words,
                "log_ratio": vars(each.log_ratio),
                "without": vars(each.without),
                "statistics": list(each.statistics),
                "rebuilt": view.rebuilt_of(each.document),
            }
            for each in view.recognised
        ],
    }
