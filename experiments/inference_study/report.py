"""The page on documents whose weights are known: the source's settings and its claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import chatham as ch
from chatham.learners.inference.padd import ROUNDS
from inference_study.cases import CONCENTRATION, FEWER_ROUNDS, REFINED, UNSEEN, Plan
from inference_study.markdown import NOTHING, bold, listed, markdown, number, signed
from inference_study.records import Record
from inference_study.scores import PRIOR, SHOWN
from inference_study.study import TOLD, TRUE_A, TRUTH, contestants
from inference_study.tables import (
    ANY,
    PRINTED,
    cells,
    mean_gap,
    over_sizes,
    times_best,
)  # fmt: skip
from inference_study.ways import SHOWN as WAYS_SHOWN
from inference_study.ways import WAYS

MANY = 25
"""From so many topics on SPI is the best on SS, the source says."""
JUDGED = ("f1_of_topics", "l1_of_weights", "linf_of_weights", "hellinger")
CASES = ("SS", "SR", "FR, seen", "FR, unseen")
TITLES = {
    "SS": "Semi-synthetic documents (Fig. 4.3)",
    "SR": "Semi-real documents (Fig. 4.4)",
    "FR, seen": "Real documents, seen in training (Table 4.1)",
    "FR, unseen": "Real documents, not seen (Table 4.1)",
}


def page(plan: Plan, corpora: Mapping[str, ch.Corpus], records: Sequence[Record]) -> str:
    """Documents whose weights are known."""
    parts = [
        "# Weights of documents whose weights are known",
        "Written by `inference.py`; what we make of it is in [the README](../README.md). Figures: "
        "[SS](inference_ss.png), [SR](inference_sr.png), [FR, unseen](inference_fr.png).",
        "## What was done",
        listed(_method(plan, corpora, records)),
        "## The source's claims",
        *_claims(records),
    ]
    parts += ["## PADD by rounds", *_rounds(records, corpora)]
    for case in CASES:
        parts += [f"## {TITLES[case]}", *_means(records, corpora, case), _by_size(records, case)]
    return "\n\n".join(parts) + "\n"


def _method(plan: Plan, corpora: Mapping[str, ch.Corpus], records: Sequence[Record]) -> list[str]:
    sizes = [
        f"{name} ({len(corpus):,} documents of {corpus.n_tokens / len(corpus):,.0f} tokens on "
        f"average, {corpus.n_words:,} words)"
        for name, corpus in corpora.items()
    ]
    seconds = sum(record.get("seconds", 0.0) for record in records)
    return [
        f"Corpora: {'; '.join(sizes)}. K: {_sizes(records)}. Seed {plan.seed}.",
        f"SS: B₀ and A₀ by AnchorWords(refine=0, min_anchor_df={plan.min_anchor_df:g}), "
        f"compositions from Dir({CONCENTRATION:g}/K), {plan.documents:,} documents of the average "
        f'length. SPI and PADD are told A₀ as in the source; "{TRUE_A.strip(", ")}": the moments '
        "of the drawn compositions, as others are told the true α.",
        f"SR: topics by AnchorWords(refine={REFINED}, beta={plan.beta:g}), compositions from the "
        "logistic normal with mean and covariance of the corpus's posterior weights (floored at "
        "0.001): we have no CTM. A and α are those of the drawn compositions.",
        f"FR: {UNSEEN:.0%} unseen; topics and A₀ from the rest by AnchorWords(refine=0), α fitted "
        f"to A₀. The truth is Gibbs with the topics fixed, {plan.long.burn_in} sweeps and then "
        f"{plan.long.samples} samples (the source: 200 and 1,000), for {plan.real:,} seen "
        "documents and all unseen ones; its row in the tables is there for its prior distance. "
        "PADD's dual is learned on all seen ones and then fixed.",
        f"Gibbs as a contestant: {plan.chain.burn_in} sweeps and {plan.chain.samples} samples, as "
        "in LDA.transform. Posterior: 30 steps, the same α. Random: uniform on the simplex.",
        "Prominent topics: the fewest that make 0.8. KL: found weights mixed with 1e-6 of uniform. "
        "Prior distance: ‖A − (1/M) Σ wwᵀ‖_F, A being what PADD is told.",
        f"The inferences took {seconds / 60:.1f} minutes in all.",
    ]


def _claims(records: Sequence[Record]) -> list[str]:
    many, few = range(MANY, ANY.stop), range(MANY)
    best = [
        [f"{what}{among}", *_times(records, case, ways, sizes)]
        for what, case, ways, among, sizes in (
            (f"SS, K ≥ {MANY}", "SS", PRINTED, ", the source's four", many),
            (f"SS, K < {MANY}", "SS", PRINTED, ", the source's four", few),
            ("SR", "SR", PRINTED, ", the source's four", ANY),
            *((case, case, PRINTED[:-1], ", the source's three", ANY) for case in CASES[2:]),
            *((case, case, contestants(case), ", all ways", ANY) for case in CASES),
        )
    ]
    return [
        "Who is best, in how many cells (a corpus and a K):",
        markdown(["cells", *(SHOWN[measure] for measure in JUDGED)], best),
        "Mean difference over all corpora and K (of ℓ1, ℓ∞ and Hellinger, negative is better):",
        markdown(["difference", *(SHOWN[measure] for measure in JUDGED)], _gaps(records)),
    ]


def _times(records: Sequence[Record], case: str, ways: Sequence[str], sizes: range) -> list[str]:
    counted = [times_best(records, case, measure, ways, sizes) for measure in JUDGED]
    return [_most_first(times) or NOTHING for times in counted]


def _most_first(times: Mapping[str, int]) -> str:
    most_first = sorted(times.items(), key=lambda item: -item[1])
    return ", ".join(f"{WAYS_SHOWN[way]} {number}" for way, number in most_first if number)


def _gaps(records: Sequence[Record]) -> list[list[str]]:
    pairs = [
        (case, *pair)
        for case in ("SS", "SR")
        for pair in (("padd", "gibbs"), ("spi", "gibbs"), ("tli", "padd"), ("posterior", "gibbs"))
    ]
    pairs += [(case, *pair) for case in CASES[2:] for pair in (("tli", "padd"), ("spi", "padd"),
              ("least-squares", "padd"))]  # fmt: skip
    return [
        [
            f"{case}: {WAYS_SHOWN[way]} − {WAYS_SHOWN[other]}",
            *(signed(mean_gap(records, case, measure, way, other)) for measure in JUDGED),
        ]
        for case, way, other in pairs
        if cells(records, case, JUDGED[0])
    ]


def _rounds(records: Sequence[Record], corpora: Iterable[str]) -> list[str]:
    """What reaching A₀ does to weights: from least squares, no round at all, to all rounds."""
    whole = "FR, unseen"
    steps = [(0, whole, "least-squares"), *((n, f"{whole}, rounds: {n}", "padd") for n in
             FEWER_ROUNDS), (ROUNDS, whole, "padd")]  # fmt: skip
    measures = [*JUDGED, PRIOR]
    rows = [
        [corpus, rounds, *(number(over_sizes(records, case, corpus, way, m)) for m in measures)]
        for corpus in corpora
        for rounds, case, way in steps
    ]
    return [
        "Unseen real documents, mean over K: each round of the dual brings the weights' moments "
        "nearer A₀. None is least squares.",
        markdown(["corpus", "rounds", *(SHOWN[measure] for measure in measures)], rows),
    ]


def _means(records: Sequence[Record], corpora: Iterable[str], case: str) -> list[str]:
    rows = []
    for corpus in corpora:
        for shown_case, ways in ((case, (*WAYS, TRUTH)), (case + TRUE_A, TOLD)):
            for way in ways:
                values = [over_sizes(records, shown_case, corpus, way, name) for name in SHOWN]
                if any(value is not None for value in values):
                    name = WAYS_SHOWN.get(way, way) + shown_case.removeprefix(case)
                    rows.append([corpus, name, *map(number, values)])
    return ["Mean over K:", markdown(["corpus", "way", *SHOWN.values()], rows)]


def _by_size(records: Sequence[Record], case: str) -> str:
    """F1 and ℓ1 by K."""
    lines = []
    for measure in JUDGED[:2]:
        for cell in cells(records, case, measure):
            best = cell.best(contestants(case), measure)
            shown = [bold(number(cell.values.get(way)), way == best) for way in WAYS]
            lines.append([SHOWN[measure], cell.corpus, cell.k, *shown])
    lines.sort(key=lambda line: (line[0] != SHOWN[JUDGED[0]], line[1]))
    return markdown(["measure", "corpus", "K", *(WAYS_SHOWN[way] for way in WAYS)], lines)


def _sizes(records: Sequence[Record]) -> str:
    return ", ".join(map(str, sorted({record["k"] for record in records})))
