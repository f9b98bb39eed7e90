"""The page: perplexity and time by topics, parties and documents, classes, and the claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ensembles_study.corpora import CANDIDATES, FOLDS
from ensembles_study.study import MERGES, POOLED, WORDS, Plan
from ensembles_study.ways import ALPHA_SUM, BETA, SWEEPS, TOL
from inference_study.markdown import NOTHING, listed, markdown
from inference_study.records import Record

Array = NDArray[np.float64]

OF = {name: POOLED[kind] for kind, ways in MERGES.items() for name in ways}
"""Each ensemble's model of all documents."""
WAYS = [way for kind, name in POOLED.items() for way in (name, *MERGES[kind])]
HIDDEN, FOLDED = "perplexity", "folded in"
MEASURES = {
    HIDDEN: "hidden halves, given the others",
    FOLDED: "whole documents, given themselves",
}


@dataclass(frozen=True)
class Group:
    """The folds of one case, with one number of parties."""

    corpus: str
    documents: int
    k: int
    parties: int
    records: Sequence[Record]

    def model(self, record: Record, way: str) -> Record:
        """What was found by this way."""
        ensembles: Record = record["ensembles"][str(self.parties)]
        found: Record = ensembles[way] if way in OF else record["pooled"][way]
        return found

    def values(self, way: str, name: str) -> list[float]:
        """A number of each fold."""
        return [float(self.model(record, way)[name]) for record in self.records]

    def by_fold(self, way: str, name: str) -> dict[int, float]:
        """The same by the fold's number."""
        folds = (record["fold"] for record in self.records)
        return dict(zip(folds, self.values(way, name), strict=True))

    def quicker(self, way: str, together: bool) -> list[float]:
        """How many times as long the model of all documents takes as the ensemble."""
        return [
            self.model(record, OF[way])["seconds"] / _took(self.model(record, way), together)
            for record in self.records
        ]


def _took(ensemble: Record, together: bool) -> float:
    """All parties' seconds, or the slowest party's, and the merge's."""
    return float(ensemble["bases" if together else "slowest"] + ensemble["merge"])


def groups(found: Iterable[Record], parties: int | None = None) -> list[Group]:
    """Records by case, and by number of parties (or of one number)."""
    cells: dict[tuple[str, int, int, int], list[Record]] = {}
    for record in found:
        for number in record["parties"] if parties is None else [parties]:
            key = (record["corpus"], record["documents"], record["k"], number)
            cells.setdefault(key, []).append(record)
    return [Group(*key, records) for key, records in cells.items()]


def by_topics(found: Sequence[Record], plan: Plan) -> list[Group]:
    """The cases of Figure 6."""
    return groups([each for each in found if each["documents"] == plan.documents], plan.parties)


def by_parties(found: Sequence[Record], plan: Plan) -> list[Group]:
    """The cases of Figure 7."""
    return groups(each for each in found if each["whole"])


def by_documents(found: Sequence[Record], plan: Plan) -> list[Group]:
    """One corpus, with other numbers of documents."""
    sized = {each["corpus"] for each in found if each["documents"] != plan.documents}
    same = [each for each in found if each["corpus"] in sized and each["k"] == plan.at]
    return sorted(groups(same, plan.parties), key=lambda group: group.documents)


def page(found: Sequence[Record], plan: Plan) -> str:
    """The whole page, in Markdown."""
    topics, parties = by_topics(found, plan), by_parties(found, plan)
    parts = [
        "# Ensembles of topic models",
        "Written by `ensembles.py`; what we make of it is in [the README](../README.md). Figures: "
        "[perplexity and time](ensembles.png), [classes](ensembles_classes.png).",
        "## What was done", listed(_method(found, plan)),
        "## What differs from the source", listed(_differences(found, plan)),
        f"## By the number of topics, {plan.parties} parties (Fig. 6)",
        "A number is the mean over folds, with the least and the most in brackets; the first "
        "column of numbers says of how many folds.",
        *_tables(topics, ["", "T"], lambda group: [group.corpus, group.k]),
        f"## By the number of parties, {plan.at} topics (Fig. 7)",
        *_tables(parties, ["", "C"], lambda group: [group.corpus, group.parties]),
    ]  # fmt: skip
    if sized := by_documents(found, plan):
        parts += [
            f"## By the number of documents, {plan.at} topics, {plan.parties} parties",
            *_tables(sized, ["", "documents"], lambda group: [group.corpus, group.documents]),
        ]
    parts += [f"## Classes, {plan.at} topics (Fig. 8)", CLASSES, _classes(found)]
    if published := [each for each in found if each["published"]]:
        parts += ["## What `ch.publish` would tell", PUBLISHED, _published(published, plan)]
    parts += ["## The source's claims, counted", claims(found, plan)]
    return "\n\n".join(parts) + "\n"


CLASSES = (
    "Accuracy in % of logistic regression for each pair of classes, by words (frequencies) or by "
    "p(t|d): the mean over pairs and folds (the standard deviation over pairs), and how much that "
    "is above the accuracy by the model of all documents, and by words: the mean over folds, with "
    "the least and the most in brackets."
)
PUBLISHED = (
    "The same parties' models, in the first fold, merged from what Chatham publishes (no word that "
    "fewer than five of a party's documents have, no topic that fewer than five carry), beside the "
    "exact summaries. Perplexities are over the words that are published. Where fewer topics are "
    "told than the merge is to have, there is none. Seconds are of all parties."
)


def _method(found: Sequence[Record], plan: Plan) -> list[str]:
    sizes = {
        (each["corpus"], each["documents"]): (each["trained"], each["tokens"])
        for each in found
        if each["fold"] == 0
    }
    shown = "; ".join(
        f"{name} {trained:,} documents, {tokens:,.0f} tokens"
        for (name, _), (trained, tokens) in sizes.items()
    )
    number = len({each["fold"] for each in found})
    return [
        f"Learned from, in the first fold: {shown}. {plan.words:,} words with the highest "
        f"information gain by the classes, of the {CANDIDATES:,} commonest.",
        f"{number} of {FOLDS} folds{_unequal(found)}, each with a seed and a dealing of its own; "
        "equal documents are in one fold. Documents are dealt to parties at random.",
        f"LDA: α = {ALPHA_SUM:g}/T, β = {BETA}, {SWEEPS} sweeps, in both phases. PLSA: until the "
        f"log-likelihood changes by less than {TOL:g} of itself. T topics in every model. LDA-E "
        "rescaled divides counts by 2C and rounds up.",
        "Perplexity is eq. 16, with a hundredth of the uniform distribution in all topics, so that "
        "no word is impossible. The source doesn't say how p(w) of a new document is found, so it "
        "is done in two ways: half of a document's tokens given the weights of the other half; and "
        "all of them given weights that were found with them.",
        "Seconds are of the processor, of one thread. Fits and merges of a cell follow one "
        "another; other work on the same processor makes all of them slower, so look at ratios. "
        "*parallel* is the slowest party and the merge, *sum* all parties and the merge.",
    ]


def _unequal(found: Sequence[Record]) -> str:
    """Say so if not all cases have all folds."""
    numbers = {len(group.records) for group in groups(found)}
    return " (the last not of all cases: see the tables)" if len(numbers) > 1 else ""


def _differences(found: Sequence[Record], plan: Plan) -> list[str]:
    corpora = dict.fromkeys(each["corpus"] for each in found)
    return [
        f"At most {plan.documents:,} documents of each corpus, unless the page says more, in place "
        f"of up to 73,000; {len({each['fold'] for each in found})} of {FOLDS} folds; topics from "
        f"{plan.topics[0]} to {plan.topics[-1]} in {len(plan.topics)} steps in place of ten. "
        f"Of its corpora only 20 Newsgroups is at hand; here: {', '.join(corpora)} (of Reuters the "
        "articles with one subject). Stop words are left out, and of newsgroups also headers and "
        "quotes, so documents are short.",
        "PLSA is Chatham's: it takes documents as frequencies, so that all count alike, and its "
        "weights' step has an E-step of its own.",
        "Summaries are exact, made from a fit's last state as in the source: every topic, every "
        "word. Those of PLSA are in whole tokens, as `ch.publish` has them. Merges are "
        "`ch.merge`, which starts from base topics that differ, not at random. New documents get "
        "the source's α, the same for every topic, also from LDA-E.",
        f"The source doesn't say with how many topics it varies C, nor with how many it classifies "
        f"documents: {plan.at} here. It varies C further.",
    ]


def _tables(
    cases: Sequence[Group], head: Sequence[str], label: Callable[[Group], list[object]]
) -> list[str]:
    """Perplexity by both measures, then time."""
    parts = []
    for measure, said in MEASURES.items():
        rows = [
            [*label(group), len(group.records),
             *(spread(group.values(way, measure), 0) for way in WAYS)]
            for group in cases
        ]  # fmt: skip
        parts += [f"Perplexity of {said}:", markdown([*head, "folds", *WAYS], rows)]
    pooled, ensembles = list(POOLED.values()), list(OF)
    times = [
        [
            *label(group),
            *(spread(group.values(way, "seconds"), 2) for way in pooled),
            *(spread(group.quicker(way, together), 2) for way in ensembles
              for together in (False, True)),
        ]
        for group in cases
    ]  # fmt: skip
    columns = [f"{way}, s" for way in pooled]
    columns += [f"{way}, {kind}" for way in ensembles for kind in ("parallel", "sum")]
    said = "Seconds of the models of all documents, and how many times as quick ensembles are:"
    return [*parts, said, markdown([*head, *columns], times)]


def _classes(found: Sequence[Record]) -> str:
    rows = []
    whole = [each for each in found if "accuracy" in each]
    for corpus in dict.fromkeys(each["corpus"] for each in whole):
        mine = [each["accuracy"] for each in whole if each["corpus"] == corpus]
        for space in mine[0]:
            values = 100 * np.array([each[space] for each in mine])
            accuracy = f"{values.mean():.1f} ({values.mean(axis=0).std():.1f})"
            cells = [corpus, len(mine), values.shape[1], space, accuracy]
            for of in (OF.get(space.partition(", C = ")[0]), WORDS if space != WORDS else None):
                cells.append(
                    _gap(values, 100 * np.array([each[of] for each in mine])) if of else ""
                )
            rows.append(cells)
    head = ["", "folds", "pairs", "features", "accuracy", "above all documents'", "above words'"]
    return markdown(head, rows)


def _gap(values: Array, others: Array) -> str:
    """How much is gained over others in the mean over pairs: over folds the mean, least, most."""
    gaps = (values - others).mean(axis=1)
    shown = f"{gaps.mean():+.1f}"
    if len(gaps) > 1:
        shown += f" ({gaps.min():+.1f} to {gaps.max():+.1f})"
    return shown.replace("-", "−")


def _published(found: Sequence[Record], plan: Plan) -> str:
    rows = []
    for each in found:
        for name, told in each["published"].items():
            kind = f"{name}-E"
            exact = each["ensembles"][str(plan.parties)][kind]
            rows.append([each["corpus"], kind, *_told(told, plan), f"{exact['merge']:.2f}"])
    head = [
        "", "", "topics told", "words told by a party", "publishing, s", "words of the merge",
        "hidden halves, published", "exact", "whole documents, published", "exact",
        "merge of published, s", "of exact, s",
    ]  # fmt: skip
    return markdown(head, rows)


def _told(told: Record, plan: Plan) -> list[str]:
    if "refused" in told:
        return [told["refused"], *[NOTHING] * 8]
    cells = [
        f"{told['topics']} of {told['of topics']}", f"{told['words']:,.0f} of {plan.words:,}",
        f"{told['publishing']:.2f}",
    ]  # fmt: skip
    if "merge" not in told:
        return [*cells, *[NOTHING] * 6]
    return [
        *cells, f"{told['of words']:,}",
        *(f"{one[measure]:,.0f}" for measure in MEASURES for one in (told, told["exact"])),
        f"{told['merge']:.2f}",
    ]  # fmt: skip


def claims(found: Sequence[Record], plan: Plan) -> str:
    """What the source says of its figures, and in how many cases it is so here."""
    topics, parties = by_topics(found, plan), by_parties(found, plan)
    rows: list[list[object]] = []
    for measure, said in MEASURES.items():
        for way in WAYS:
            rows.append([f"{way}: perplexity falls with every step of T", said,
                         _falling(topics, way, measure)])  # fmt: skip
    for way, of in OF.items():
        for measure, said in MEASURES.items():
            ratios = _ratios(topics, way, of, measure)
            rows.append([f"{way}: perplexity / {of}'s", said, _above(ratios)])
    rescaled = [way for way in OF if f"{OF[way]}-E" != way]
    for way in rescaled:
        for measure, said in MEASURES.items():
            ratios = _ratios(topics, way, f"{OF[way]}-E", measure)
            rows.append([f"{way}: perplexity / without rescaling", said, _above(ratios)])
    for way in OF:
        for number in plan.more:
            for measure, said in MEASURES.items():
                values = _with_parties(parties, way, measure, number, plan.parties)
                called = f"{way}: perplexity with C = {number} / C = {plan.parties}"
                rows.append([called, said, _above(values)])
    for together, said in ((False, "parallel"), (True, "sum")):
        for way in OF:
            values = [v for group in groups(found) for v in group.quicker(way, together)]
            rows.append([f"{way}: quicker than {OF[way]}", said,
                         f"{sum(v > 1 for v in values)} of {len(values)}"])  # fmt: skip
    return markdown(["", "", "in how many cases; the mean, the least and the most"], rows)


def _falling(cases: Sequence[Group], way: str, measure: str) -> str:
    """In how many folds; one in which a number of topics is missing doesn't count."""
    falls, of = 0, 0
    for corpus in dict.fromkeys(group.corpus for group in cases):
        mine = sorted((g for g in cases if g.corpus == corpus), key=lambda group: group.k)
        curves = [group.by_fold(way, measure) for group in mine]
        for fold in set.intersection(*(set(curve) for curve in curves)):
            falls += all(later[fold] < earlier[fold] for earlier, later in pairwise(curves))
            of += 1
    return f"{falls} of {of}"


def _ratios(cases: Iterable[Group], way: str, of: str, measure: str) -> list[float]:
    return [
        one / other
        for group in cases
        for one, other in zip(group.values(way, measure), group.values(of, measure), strict=True)
    ]


def _with_parties(
    cases: Sequence[Group], way: str, measure: str, c: int, usual: int
) -> list[float]:
    """The ratios of perplexities with c parties to those with the usual number."""
    of = {(group.corpus, group.parties): group.values(way, measure) for group in cases}
    return [
        one / other
        for corpus in dict.fromkeys(group.corpus for group in cases)
        for one, other in zip(of[corpus, c], of[corpus, usual], strict=True)
    ]


def _above(ratios: Sequence[float]) -> str:
    if not ratios:
        return NOTHING
    above = sum(ratio > 1 for ratio in ratios)
    return f"above 1 in {above} of {len(ratios)}; {spread(ratios, 2)}"


def spread(values: Sequence[float], digits: int) -> str:
    """The mean, and from the least to the most."""
    mean = f"{np.mean(values):,.{digits}f}"
    if len(values) == 1:
        return mean
    return f"{mean} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"
