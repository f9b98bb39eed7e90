"""The page: why one topic takes most documents, and what each setting does about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from inference_study.markdown import NOTHING, listed, markdown, number, signed
from inference_study.records import Record
from nmf_default_study.corpora import HELD_OUT, SHORTEST
from nmf_default_study.diagnosis import RULES
from nmf_default_study.ways import (
    AS_BEFORE,
    EVEN,
    FREE,
    MAIN,
    MOST,
    NOISED,
    OTHERS,
    TOGETHER,
    TOL,
    Way,
)

COLUMNS = {
    "largest": "largest topic",
    "nmi": "NMI",
    "ari": "ARI",
    "npmi": "NPMI",
    "npmi_unseen": "NPMI, unseen",
    "completion": "completion",
    "diversity": "diversity",
}
OWN = {"own_largest": "largest topic", "own_nmi": "NMI", "own_ari": "ARI"}
BETTER_IF_LESS = ("largest",)
LOOKED_AT = 20
"""Topics whose words are printed, at most."""


def page(records: Sequence[Record], diagnoses: Sequence[Record]) -> str:
    """The whole page, in Markdown; parts of the study that weren't run are left out."""
    parts = [
        "# Which of NMF's settings suit text",
        "Written by `nmf_default.py`; what we make of it is in [the README](../README.md).",
        "## What was done",
        listed(_method(records)),
    ]
    if diagnoses:
        parts += ["## Topics or weights?", DIAGNOSIS, _diagnosis(diagnoses)]
    if _of(records, MAIN):
        parts += [
            "## The main settings",
            _table(records, MAIN, COLUMNS),
            f'Against "{AS_BEFORE}", with the same documents and seed: the mean difference (least '
            "to most; in how many trials better).",
            _gaps(records, MAIN, AS_BEFORE),
            "## The same by the learner's own weights",
            "The main topic is the largest of `estimator.transform`, not of the shares of plain "
            "words that `model.transform` gives.",
            _table(records, MAIN, OWN),
        ]
    if _of(records, EVEN):
        parts += [
            "## Topics with a penalty, on the simplex",
            _table(records, EVEN, COLUMNS),
            f'Against "{FREE}":',
            _gaps(records, EVEN, FREE),
        ]
    if _of(records, TOGETHER):
        parts += [
            "## Between three parties, with noised totals",
            _table(records, TOGETHER, COLUMNS),
            _gaps(records, TOGETHER, NOISED),
        ]
    if _of(records, OTHERS):
        shown = [way for way in MAIN if way.name in (AS_BEFORE, FREE)]
        first = [record for record in records if record["k"] == records[0]["k"]]
        others = {record["corpus"] for record in _of(records, OTHERS)}
        both = [record for record in first if record["corpus"] in others]
        parts += ["## Other settings", _table(both, (*shown, *OTHERS), COLUMNS)]
    if _of(records, MAIN):
        parts += ["## Topics to look at", _topics(records)]
    return "\n\n".join(parts) + "\n"


DIAGNOSIS = (
    "Topics of two fits, and for each of them weights by three rules: on the simplex, to one at "
    "most, and free. In the flattest: the share of the documents' weights that the topic with the "
    "least ‖T‖² gets; of badly and of well explained documents (the halves by what is left of "
    "them). Mean over seeds (least–most)."
)


def _method(records: Sequence[Record]) -> list[str]:
    sizes = {record["corpus"]: (record["documents"], record["words"]) for record in records}
    shown = "; ".join(f"{name} {n:,} × {d:,}" for name, (n, d) in sizes.items())
    seeds = len({record["seed"] for record in records})
    return [
        f"Training documents × words: {shown}. A fifth ({HELD_OUT:.0%}) is held out, others for "
        f"each of {seeds} seeds, which the fit gets too. Documents of fewer than {SHORTEST} tokens "
        "are left out, and of Reuters those with several subjects.",
        f"If nothing else is said: tf-idf, relative loss, nndsvd, `tol={TOL:g}`, "
        f"`max_iter={MOST}`, so that when a fit stops hardly matters.",
        "Largest topic, NMI and ARI: of training documents by their main topic in "
        "`model.transform`; NPMI of the ten first words in training documents, and in unseen ones; "
        "completion: the mean log-probability of the hidden halves of unseen documents. All by "
        "`ch.evaluate`, but for the first three.",
        "Figures are means over seeds (least–most); one without brackets is of one seed. Settings "
        "that lack a corpus or a number of topics weren't tried there.",
        "A penalty of a share of a topic's size is that share of Σ‖x‖⁻²/k: what Σw²‖x‖⁻² of a "
        "topic would be if all topics were alike and every document had one. Beside 1 + log of "
        "counts, completion is that of plain counts under these topics.",
    ]


def _of(records: Iterable[Record], ways: Iterable[Way]) -> list[Record]:
    names = {way.name for way in ways}
    return [record for record in records if record["way"] in names]


def _spread(values: Sequence[float]) -> str:
    """Mean, least and most.

    >>> _spread([0.1, 0.3]), _spread([]), _spread([-0.5])
    ('0.200 (0.100–0.300)', '–', '−0.500')
    """
    if not values:
        return NOTHING
    mean = number(float(np.mean(values)))
    if len(values) == 1:
        return mean
    return f"{mean} ({number(min(values))}–{number(max(values))})"


def _values(records: Iterable[Record], **asked: Any) -> Callable[[str], list[float]]:
    chosen = [record for record in records if all(record[key] == asked[key] for key in asked)]
    return lambda name: [record[name] for record in chosen if name in record]


def _table(records: Sequence[Record], ways: Iterable[Way], columns: dict[str, str]) -> str:
    rows = []
    for corpus, k in dict.fromkeys((record["corpus"], record["k"]) for record in records):
        for way in ways:
            values = _values(records, corpus=corpus, k=k, way=way.name)
            cells = [_spread(values(name)) for name in columns]
            if any(cell != NOTHING for cell in cells):
                rows.append([corpus, k, way.name, *cells])
    return markdown(["", "k", "setting", *columns.values()], rows)


def _gaps(records: Sequence[Record], ways: Iterable[Way], base: str) -> str:
    names = ("largest", "nmi", "ari", "npmi", "npmi_unseen", "completion")
    tried = {record["way"] for record in records} - {base}
    rows = [
        [way.name, *(_gap(records, way.name, base, name) for name in names)]
        for way in ways
        if way.name in tried
    ]
    return markdown(["setting", *(COLUMNS[name] for name in names)], rows)


def _gap(records: Sequence[Record], way: str, base: str, name: str) -> str:
    found = {
        (record["corpus"], record["k"], record["seed"], record["way"]): record[name]
        for record in records
        if name in record
    }
    gaps = [
        value - found[*key[:3], base]
        for key, value in found.items()
        if key[3] == way and (*key[:3], base) in found
    ]
    if not gaps:
        return NOTHING
    sign = -1 if name in BETTER_IF_LESS else 1
    better = sum(sign * gap > 0 for gap in gaps)
    extent = f"{signed(min(gaps))} to {signed(max(gaps))}"
    return f"{signed(float(np.mean(gaps)))} ({extent}; {better} of {len(gaps)})"


def _diagnosis(diagnoses: Sequence[Record]) -> str:
    head = [
        "", "topics of", "flattest ‖T‖²", "median ‖T‖²", "median ‖x‖²", "weights", "explained",
        "Σw, median", "in the flattest", "of badly explained", "of well explained",
        "largest topic", "NMI",
    ]  # fmt: skip
    names = [
        "explained", "sum", "in the flattest", "of the badly explained", "of the well explained",
        "largest", "nmi",
    ]  # fmt: skip
    rows = []
    for corpus, way in dict.fromkeys((each["diagnosis"], each["topics of"]) for each in diagnoses):
        chosen = [
            each for each in diagnoses if (each["diagnosis"], each["topics of"]) == (corpus, way)
        ]
        sizes = [
            f"{np.mean([each[name] for each in chosen]):.4f}"
            for name in ("flattest", "median topic", "median document")
        ]
        for rule in RULES.values():
            cells = [
                _spread([each[rule][name] for each in chosen if name in each[rule]])
                for name in names
            ]
            rows.append([corpus, way, *sizes, rule, *cells])
    return markdown(head, rows)


def _topics(records: Sequence[Record]) -> str:
    """The first words of one fit's topics, side by side, the largest first."""
    parts = []
    for corpus in dict.fromkeys(record["corpus"] for record in records):
        chosen = {
            record["way"]: record
            for record in records
            if record["corpus"] == corpus
            and record["k"] == records[0]["k"]
            and record["seed"] == records[0]["seed"]
            and record["way"] in (AS_BEFORE, FREE)
        }
        if len(chosen) == 2:
            pairs = zip(*(chosen[way]["topics"][:LOOKED_AT] for way in (AS_BEFORE, FREE)),
                        strict=True)  # fmt: skip
            parts += [f"### {corpus}", markdown([AS_BEFORE, FREE], list(pairs))]
    return "\n\n".join(parts)
