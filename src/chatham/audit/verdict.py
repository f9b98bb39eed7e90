"""The verdict: what samples say of each document, ranked by risk, and no figure without interval.

For each document and statistic: the p-value of Kolmogorov and Smirnov's test, as it is and after
Holm's correction for all documents and statistics together; the area under the curve; a lower bound
on ε. One of the statistics is learned from all others, on databases other than those it is tried
on. For each document: how many guesses about it are right, and further figures (`figures`). For all
of them together: the area and the true positives at few false positives of the same attack.

A document is *exposed* if its corrected p-value is at most α: of audits in which no document makes
a difference, a share of at most α calls any exposed. It is *doubtful* if that is so only after a
correction for its own statistics: a share of up to α of documents are so by chance. Of all others
nothing was found, which is no proof that there is nothing to find.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from chatham.audit.epsilon import epsilon_from_samples
from chatham.audit.figures import MEANINGS, DocumentFigures, figures_of
from chatham.audit.guessing import Guessing, guess_all
from chatham.audit.intervals import Estimate
from chatham.audit.learned import LEARNED, MEANING, Learned, learn
from chatham.audit.membership import Attacked, MembershipRisk, document_auc, pooled_risk
from chatham.audit.samples import Samples
from chatham.audit.statistics import STATISTICS
from chatham.audit.two_sample import holm, two_sample
from chatham.errors import InputError
from chatham.measures.settings import check_share

EXPOSED, DOUBTFUL, NOTHING = "exposed", "doubtful", "nothing found"
ALPHA = 0.05
LEAST_ARM = 16
"""The fewest databases with a document, and without it, that are judged: bounds on ε need eight in
either half."""
EPSILON = (
    "ε is distributional: it holds while the rest of the database is as random as it was here, and "
    "is a lower bound, so a small one proves nothing. Without noise of its own the mechanism has "
    "no other ε."
)


@dataclass(frozen=True)
class Finding:
    """What one statistic says of one document."""

    statistic: str
    p: float
    """Kolmogorov and Smirnov's test, by permutations, not corrected."""
    p_holm: float
    """The same after Holm's correction for all documents and statistics."""
    auc: Estimate
    """How often the statistic is higher with the document than without it; ½ tells nothing, and
    less than ½ as much as more."""
    epsilon: Estimate
    """A lower bound on ε; the bounds of all statistics of a document hold together."""


@dataclass(frozen=True)
class DocumentVerdict:
    """What is known of one document."""

    document: str
    """Its id."""
    outcome: str
    """"exposed", "doubtful" or "nothing found"."""
    right: Estimate
    """How many of an adversary's guesses are right, where half would be by chance."""
    p: float
    """The least p of its statistics, not corrected."""
    p_holm: float
    """The least corrected one."""
    epsilon: Estimate
    """The greatest lower bound on ε, corrected for the number of statistics."""
    findings: tuple[Finding, ...]
    """By statistic, the least p first."""
    figures: DocumentFigures
    """Advantages, distances and true positives, in either half by what the other one chose."""
    databases_with: int
    databases_without: int

    @property
    def in_words(self) -> str:
        """The verdict as one sentence."""
        share = percent(self.right)
        databases = self.databases_with + self.databases_without
        if self.outcome == EXPOSED and self.right.low <= 0.5:
            return (
                f"It leaves a trace that isn't chance (p = {_p_shown(self.p_holm)}); with "
                f"{databases:,} databases an adversary who has it is right in {share} of guesses."
            )
        if self.outcome == EXPOSED:
            return (
                "An adversary who has this document can tell whether it is among yours: right in "
                f"{share} of guesses, where 50 % would be chance."
            )
        if self.outcome == DOUBTFUL:
            return (
                f"In doubt: right in {share} of guesses; its p-value of {_p_shown(self.p)} may be "
                f"chance among so many documents. More than {databases:,} databases would tell."
            )
        return f"Nothing found with {databases:,} databases: right in {share} of guesses."

    @property
    def details(self) -> str:
        """The verdict, and below it a line for each further figure."""
        lines = [f"{name}: {interval_shown(each)}" for name, each in self.figures.by_name.items()]
        return "\n".join([self.in_words, *(line.replace("_", " ") for line in lines)])


@dataclass(frozen=True)
class Verdict:
    """What taking part would give away, document by document."""

    documents: tuple[DocumentVerdict, ...]
    """The most exposed first."""
    pooled: MembershipRisk
    """The same attack over all documents together (LiRA; Carlini et al. 2022)."""
    statistics: tuple[str, ...]
    neighbours: str
    """Which databases are neighbours, in words."""
    adversary: str
    """What the adversary sees and has, in words."""
    alpha: float
    level: float
    parameters: dict[str, Any] = field(repr=False)
    """What was run on what: the plan, which has the corpus's hash, in JSON's terms."""
    samples_sha256: str = ""
    """A hash of all that was observed."""

    @property
    def exposed(self) -> tuple[DocumentVerdict, ...]:
        """The documents of which something was found."""
        return tuple(each for each in self.documents if each.outcome == EXPOSED)

    @property
    def in_words(self) -> str:
        """The whole in two sentences."""
        n, exposed = len(self.documents), len(self.exposed)
        found = (
            f"{exposed:,} of {n:,} documents are exposed"
            if exposed != 1
            else f"1 of {n:,} documents is exposed"
        )
        if exposed:
            shares = sorted((each.right for each in self.exposed), key=lambda each: each.estimate)
            least, most = percent(shares[0]), percent(shares[-1])
            found += ": whoever has it" if exposed == 1 else ": whoever has one of them"
            found += " can tell whether it is among yours, right in "
            found += f"{most} of guesses" if exposed == 1 else f"{least} to {most} of guesses"
        doubtful = sum(each.outcome == DOUBTFUL for each in self.documents)
        more = f"; {doubtful:,} more in doubt" if doubtful else ""
        rates = " and ".join(
            f"{percent(each)} at {100 * rate:g} % false alarms"
            for rate, each in self.pooled.true_positives.items()
        )
        return (
            f"{found}{more}. Of all documents that are in a database, the attack recognises "
            f"{rates}; it orders a database with a document before one without it in "
            f"{percent(self.pooled.auc)} of cases, where 50 % would be chance."
        )

    def table(self) -> pd.DataFrame:
        """One row for each document, the most exposed first."""
        rows = [
            {
                "document": each.document,
                "outcome": each.outcome,
                **_columns("right", each.right),
                "p": each.p,
                "p_holm": each.p_holm,
                "statistic": each.findings[0].statistic,
                **_columns("auc", each.findings[0].auc),
                "epsilon_low": each.epsilon.low,
                **_all_columns(each.figures.by_name),
                "databases_with": each.databases_with,
                "databases_without": each.databases_without,
            }
            for each in self.documents
        ]
        return pd.DataFrame(rows)

    def by_statistic(self) -> pd.DataFrame:
        """One row for each document and statistic."""
        rows = [
            {
                "document": each.document,
                "statistic": finding.statistic,
                "p": finding.p,
                "p_holm": finding.p_holm,
                **_columns("auc", finding.auc),
                "epsilon_low": finding.epsilon.low,
            }
            for each in self.documents
            for finding in each.findings
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms; what has no upper end has null there."""
        return {
            "summary": self.in_words,
            "neighbours": self.neighbours,
            "adversary": self.adversary,
            "epsilon": EPSILON,
            "alpha": self.alpha,
            "level": self.level,
            "statistics": {name: meaning_of(name) for name in self.statistics},
            "figures": MEANINGS,
            "pooled": {
                "auc": as_json(self.pooled.auc),
                "true_positives": {
                    f"{rate:g}": as_json(each) for rate, each in self.pooled.true_positives.items()
                },
            },
            "documents": [_document_as_json(each) for each in self.documents],
            "parameters": self.parameters,
            "samples_sha256": self.samples_sha256,
        }


def judge(
    samples: Samples,
    ids: Sequence[str],
    *,
    adversary: str,
    alpha: float = ALPHA,
    level: float = 0.95,
    only: Collection[str] | None = None,
) -> Verdict:
    """The verdict of samples whose targets have these ids; of `only` some of them at need, so that
    they are corrected for, and pooled, as if nobody had asked about the others."""
    check_share("alpha", alpha, above_zero=True, below_one=True)
    check_share("level", level, above_zero=True, below_one=True)
    names = [*samples.statistics, LEARNED]
    chosen = [i for i, each in enumerate(ids) if only is None or each in only]
    guessing = guess_all(samples, seed=samples.plan.seed)
    # The bounds on ε of all statistics of a document have to hold together.
    joint = 1 - (1 - level) / len(names)
    arms = [_arms(samples, target) for target in chosen]
    learned = [_learned(samples, target, guessing, level, joint) for target in chosen]
    p = np.array([[*two_sample(*arm).p, each.p] for arm, each in zip(arms, learned, strict=True)])
    corrected = holm(p)
    documents = []
    for number, target in enumerate(chosen):
        findings = [
            Finding(statistic, float(p[number, s]), float(corrected[number, s]), auc, epsilon)
            for s, (statistic, auc, epsilon) in enumerate(
                _told(samples.statistics, arms[number], learned[number], level, joint)
            )
        ]
        figures = figures_of(
            arms[number],
            (guessing.choices[0][target], guessing.choices[1][target]),
            learned[number].advantage,
            level=level,
            seed=samples.plan.seed,
        )
        right = guessing.share_right(target, level=level)
        sizes = arms[number][0].shape[1], arms[number][1].shape[1]
        documents.append(_judged(str(ids[target]), findings, right, figures, sizes, alpha))
    documents.sort(key=_risk)
    return Verdict(
        tuple(documents),
        pooled_risk(_about(guessing.attacked, chosen), level=level, seed=samples.plan.seed),
        tuple(names),
        samples.neighbours,
        adversary,
        alpha,
        level,
        samples.plan.described,
        _hash(samples),
    )


def meaning_of(statistic: str) -> str:
    """What a statistic of a verdict is, in a sentence."""
    return MEANING if statistic == LEARNED else STATISTICS[statistic].meaning


def _arms(samples: Samples, target: int) -> tuple[Any, Any]:
    """Statistics × databases with the document, and without it."""
    values, has_it = samples.features(target)
    fewest = int(min(has_it.sum(), (~has_it).sum()))
    if fewest < LEAST_ARM:
        raise InputError(
            f"Only {fewest} databases have a document, or don't have it; to judge it takes "
            f"{LEAST_ARM} of each, so ask for more databases."
        )
    return values[has_it].T, values[~has_it].T


def _about(attacked: Attacked, chosen: Sequence[int]) -> Attacked:
    """What was said of these documents."""
    columns = list(chosen)
    return replace(
        attacked, ratios=attacked.ratios[:, columns], included=attacked.included[:, columns]
    )


def _learned(
    samples: Samples, target: int, guessing: Guessing, level: float, joint: float
) -> Learned:
    """The learned statistic of a document, in the same halves as guesses."""
    records = samples.records()
    chosen = records.target == target
    half = guessing.attacked.half[records.database[chosen]]
    return learn(records.values[chosen], records.present[chosen], half, level=level, joint=joint)


def _told(
    names: Sequence[str], arms: tuple[Any, Any], learned: Learned, level: float, joint: float
) -> Iterator[tuple[str, Estimate, Estimate]]:
    """Each statistic with its area and its bound on ε, the learned one last."""
    present, absent = arms
    flags = np.repeat([True, False], [present.shape[1], absent.shape[1]])
    scores = np.concatenate([present, absent], axis=1).T
    aucs = document_auc(scores, np.repeat(flags[:, None], len(names), axis=1), level=level)
    for s, name in enumerate(names):
        bound = epsilon_from_samples(present[s], absent[s], level=joint)
        yield name, aucs[s], replace(bound, level=level)
    yield LEARNED, learned.auc, learned.epsilon


def _judged(
    name: str,
    findings: list[Finding],
    right: Estimate,
    figures: DocumentFigures,
    sizes: tuple[int, int],
    alpha: float,
) -> DocumentVerdict:
    findings.sort(key=lambda each: each.p)
    p, corrected = findings[0].p, min(each.p_holm for each in findings)
    alone = p * len(findings)
    outcome = EXPOSED if corrected <= alpha else DOUBTFUL if alone <= alpha else NOTHING
    epsilon = max((each.epsilon for each in findings), key=lambda each: each.low)
    return DocumentVerdict(
        name, outcome, right, p, corrected, epsilon, tuple(findings), figures, *sizes
    )


def _risk(each: DocumentVerdict) -> tuple[int, float, float]:
    order = (EXPOSED, DOUBTFUL, NOTHING)
    return order.index(each.outcome), -each.right.low, each.p


def _hash(samples: Samples) -> str:
    digest = sha256()
    for batch in range(samples.plan.batches):
        digest.update(samples.contents(batch))
    return digest.hexdigest()


def percent(share: Estimate) -> str:
    """A share with its interval, for people.

    >>> percent(Estimate(0.931, 0.902, 0.951, 0.95))
    '93 % (90–95 %)'
    """
    digits = 1 if share.high < 0.095 or share.high - share.low < 0.02 else 0
    ends = (share.estimate, share.low, share.high)
    value, low, high = (f"{100 * each:.{digits}f}" for each in ends)
    return f"{value} % ({low}–{high} %)"


def interval_shown(figure: Estimate) -> str:
    """A figure with its interval, and why it may promise more than it holds."""
    caveat = f", {figure.caveat}" if figure.caveat else ""
    return f"{figure.estimate:.3f} ({figure.low:.3f} to {figure.high:.3f}{caveat})"


def _p_shown(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-4 else f"{p:.0e}"


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.estimate, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _all_columns(estimates: Mapping[str, Estimate]) -> dict[str, float]:
    columns: dict[str, float] = {}
    for name, each in estimates.items():
        columns |= _columns(name, each)
    return columns


def as_json(estimate: Estimate) -> dict[str, Any]:
    """An estimate in JSON's terms."""
    ends = {"estimate": estimate.estimate, "low": estimate.low, "high": estimate.high}
    finite = {name: value if math.isfinite(value) else None for name, value in ends.items()}
    return {**finite, "level": estimate.level, "caveat": estimate.caveat}


def _document_as_json(each: DocumentVerdict) -> dict[str, Any]:
    return {
        "document": each.document,
        "outcome": each.outcome,
        "in_words": each.in_words,
        "right": as_json(each.right),
        "p": each.p,
        "p_holm": each.p_holm,
        "epsilon": as_json(each.epsilon),
        "figures": {name: as_json(figure) for name, figure in each.figures.by_name.items()},
        "databases_with": each.databases_with,
        "databases_without": each.databases_without,
        "findings": [
            {
                "statistic": finding.statistic,
                "p": finding.p,
                "p_holm": finding.p_holm,
                "auc": as_json(finding.auc),
                "epsilon": as_json(finding.epsilon),
            }
            for finding in each.findings
        ],
    }
