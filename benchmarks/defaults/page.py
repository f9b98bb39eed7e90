"""The page: what was done, where ours are first and where not, and a table for each cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.contest import machine
from benchmarks.defaults.cells import Row
from benchmarks.defaults.contenders import (
    CONTENDERS,
    GENSIM_CHUNK,
    GENSIM_PASSES,
    GENSIM_UPDATES,
    N_WORDS,
    SWEEPS,
    VARIATIONAL_ROUNDS,
)
from benchmarks.defaults.documents import HELD_OUT, Parts
from benchmarks.defaults.standing import (
    JUDGED,
    QUESTIONS,
    Question,
    Standing,
    Values,
    field_of,
    first_of,
    standings,
    within,
)

COLUMNS = {**JUDGED, "own_completion": "completion, own weights", "largest": "largest topic"}
OUTCOMES = ("first", "within the spread", "missed")
NOTHING = "–"


def page_of(rows: Sequence[Row], corpora: Mapping[str, Parts]) -> str:
    """The whole page, in Markdown."""
    in_order = _in_order(rows, corpora)
    sections = [
        "# `ch.fit`'s defaults beside the peers",
        "The output of `python -m benchmarks.defaults`; what we make of it is in "
        "[the README](README.md).",
        _corpora(corpora),
        _method(),
        f"Measured on: {machine()}.",
        "## Where ours are first",
        *_verdicts(in_order),
        *_tables(in_order),
    ]
    return "\n\n".join(sections) + "\n"


def _in_order(rows: Sequence[Row], corpora: Mapping[str, Parts]) -> list[Row]:
    names, contenders = list(corpora), list(CONTENDERS)
    return sorted(
        rows,
        key=lambda row: (
            names.index(row.cell.corpus), row.cell.k, contenders.index(row.cell.contender),
            row.cell.seed,
        ),
    )  # fmt: skip


def _corpora(corpora: Mapping[str, Parts]) -> str:
    lines = [
        [
            name, f"{len(parts.train):,}", f"{len(parts.test):,}", f"{parts.train.n_words:,}",
            f"{parts.train.n_tokens:,.0f}", _classes(parts), parts.fingerprint,
        ]
        for name, parts in corpora.items()
    ]  # fmt: skip
    head = ["corpus", "training documents", "held out", "words", "training tokens"]
    return _markdown([*head, "documents with one label (classes)", "fingerprint"], lines)


def _classes(parts: Parts) -> str:
    if parts.classes is None:
        return NOTHING
    known = [label for label in parts.classes if label is not None]
    return f"{len(known):,} ({len(set(known))})"


def _method() -> str:
    return _listed(
        [
            "Documents are read by `read_corpus` as it is (of Reuters and ACL, title and text); "
            f"{HELD_OUT:.0%} are held out, the same for every seed and everyone, copies of a "
            "document on one side. Seeds are the learners' own.",
            "Ours: `ch.fit(name, corpus, n_components=k, random_state=seed)` and nothing else. "
            "Beside them, out of the contest, stands our LDA otherwise: *from anchors* is "
            '`init="anchor"`, and *with even priors* is α = β = 1/k, not learned.',
            "scikit-learn NMF: the usual recipe, rows weighted by tf-idf and scaled to length one, "
            "and its defaults. Words are shown in the order of its components. How they are to be "
            "read is open, so completion takes them both as they are and with the idf divided out, "
            "main topics both the largest weight as it is and the largest share of plain words, "
            "and the better counts.",
            f"scikit-learn LDA: {VARIATIONAL_ROUNDS} rounds over all documents (its default). "
            f"tomotopy LDA: {SWEEPS:,} sweeps (its default is 10). gensim LDA: {GENSIM_PASSES} "
            f"passes, or as many as make {GENSIM_UPDATES} updates of {GENSIM_CHUNK:,} documents "
            "(its default is one pass). All else as they have it, priors too.",
            f"NPMI: of the {N_WORDS} top words of each topic as its library displays them, within "
            "all documents of the corpus.",
            "Completion: log-probability of a word in the hidden halves of held-out documents. "
            "Weights are found by maximum likelihood for everybody's topics alike, which are "
            "mixed with 1 % of the uniform distribution, so that a zero costs everybody the same. "
            "*Own weights*: with those that the library itself gives the seen halves; shown, not "
            "judged.",
            "NMI: of labels and main topics, over the training documents with exactly one label; "
            "largest topic: the share of the training documents that have the same main topic. "
            "Both by each library's own inference.",
            "A cell is the mean over seeds (the lowest to the highest). **Bold** is the first, * "
            "is within the spread of the first: its best seed reaches the first's worst.",
        ]
    )


def _verdicts(rows: Sequence[Row]) -> list[str]:
    found = [(question, standings(rows, question)) for question in QUESTIONS]
    lines = [
        [question.name, JUDGED[measure], *(_count(of, measure, outcome) for outcome in OUTCOMES)]
        for question, of in found
        for measure in JUDGED
        if any(each.measure == measure for each in of)
    ]
    parts = [_markdown(["question", "measure", *OUTCOMES], lines)]
    for question, of in found:
        parts += _missed(question, of)
    return parts


def _count(of: Sequence[Standing], measure: str, outcome: str) -> str:
    return str(sum(each.measure == measure and each.outcome == outcome for each in of))


def _missed(question: Question, of: Sequence[Standing]) -> list[str]:
    missed = [each for each in of if each.outcome == "missed"]
    if not missed:
        return [f"{question.name}: nothing missed."] if of else []
    return [f"{question.name}, missed:", _listed(_miss(each) for each in missed)]


def _miss(each: Standing) -> str:
    first, ours = each.values[each.first], each.values[each.ours]
    return (
        f"{JUDGED[each.measure]}, {each.corpus}, k = {each.k}: {each.first} "
        f"{_shown(each.measure, first)}, {each.ours} {_shown(each.measure, ours)}, "
        f"{first.mean - ours.mean:.3f} behind"
    )


def _tables(rows: Sequence[Row]) -> list[str]:
    cells: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        cells.setdefault((row.cell.corpus, row.cell.k), []).append(row)
    parts = []
    for (corpus, k), of_cell in cells.items():
        parts += [f"## {corpus}, {k} topics", _table(of_cell)]
    return parts


def _table(rows: Sequence[Row]) -> str:
    fields = {measure: field_of(rows, measure) for measure in COLUMNS}
    fields = {measure: field for measure, field in fields.items() if field}
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row.cell.contender, []).append(row)
    lines = [
        [
            name,
            *(_marked(measure, field, name) for measure, field in fields.items()),
            _iterations(of),
            str(len(of)),
        ]
        for name, of in by_name.items()
    ]
    head = ["contender", *(COLUMNS[measure] for measure in fields), "iterations", "seeds"]
    return _markdown(head, lines)


def _marked(measure: str, field: Mapping[str, Values], name: str) -> str:
    shown = _shown(measure, field[name])
    if measure == "largest" or not CONTENDERS[name].competes:
        return shown
    competing = {each: values for each, values in field.items() if CONTENDERS[each].competes}
    if name == first_of(competing):
        return f"**{shown}**"
    return f"{shown} *" if name in within(competing) else shown


def _shown(measure: str, values: Values) -> str:
    numbers = [values.mean, min(values.each), max(values.each)]
    if measure == "largest":
        mean, low, high = (f"{100 * number:.0f}" for number in numbers)
        return f"{mean} % ({low} to {high})" if low != high else f"{mean} %"
    mean, low, high = (f"{number:.3f}".replace("-", "−") for number in numbers)
    return f"{mean} ({low} to {high})" if low != high else mean


def _iterations(rows: Sequence[Row]) -> str:
    """How many there were, and whether the most that are allowed ended a fit."""
    numbers = sorted({row.notes["iterations"] for row in rows})
    shown = f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
    unconverged = sum(bool(row.notes.get("unconverged")) for row in rows)
    return f"{shown}, {unconverged} unconverged" if unconverged else shown


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
