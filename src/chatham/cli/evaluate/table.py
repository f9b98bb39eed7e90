"""What `chatham evaluate` computed, for machines: tables for files, and one JSON document.

And the settings of measures, as far as a person wants to see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from chatham.cli.output import plain, print_json
from chatham.cli.wording import as_options
from chatham.learners.words import printable
from chatham.plots.panels import shown

if TYPE_CHECKING:
    from chatham.cli.evaluate.input import Inputs

FIRST_WORDS = 10
"""Top words per topic in JSON."""

NESTED = {".jsonl": ("per_topic", "settings"), ".parquet": ("per_topic",)}
"""Columns whose values a file can hold as they are. A column of Parquet has one type, but the
settings of different measures don't; there and in CSV they are written as JSON."""
LONGEST_SETTING = 24
HIDDEN = ("documents", "epsilon", "measured_on")
"""Settings that are always the same, or are elsewhere in the table."""
ONLY_SHOWN = {"accuracy": ("bag_of_words", "commonest_class")}
"""The settings to show of measures that have too many; the rest is in --json."""
SUMMED_UP = {"n_words": "top words", "window": "window", "smoothing": "smoothing"}
"""Settings that values depend on most, and their names below a comparison."""


@dataclass
class Findings:
    """What was measured, and what there is to say about it."""

    inputs: Inputs
    tables: dict[str, pd.DataFrame]
    compared: pd.DataFrame | None
    """Several models side by side; None for one model."""
    stability: float | None
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    saved: Path | None = None
    picture: Path | None = None


def as_table(findings: Findings, ending: str) -> pd.DataFrame:
    """The scores, or the comparison, as a file with this extension can hold them."""
    if findings.compared is None:
        table = next(iter(findings.tables.values())).copy()
    else:
        table = _with_settings(findings, findings.compared)
    for column in ("per_topic", "settings"):
        if column in table:
            nested = column in NESTED.get(ending, ())
            table[column] = [_cell(value, nested) for value in table[column]]
    return table


def _cell(value: Any, nested: bool) -> Any:
    if value is None or nested:
        return plain(value)
    return json.dumps(plain(value), ensure_ascii=False)


def _with_settings(findings: Findings, compared: pd.DataFrame) -> pd.DataFrame:

    settings = common_settings(findings.tables.values())
    return compared.assign(settings=compared["measure"].map(settings.__getitem__))


def print_as_json(findings: Findings) -> None:
    """Everything, as one JSON document, in which all numbers are finite."""
    from chatham.measures.compare import ranking

    compared, ranked = findings.compared, None
    if compared is not None:
        ranked = plain(ranking(compared).to_dict("records"))
        compared = plain(_with_settings(findings, compared).to_dict("records"))
    print_json(
        {
            "documents": _documents(findings.inputs),
            "files": {kind: str(path) for kind, path in findings.inputs.files.items()},
            "models": [_model_as_json(findings, name) for name in findings.tables],
            "comparison": compared,
            "ranking": ranked,
            "stability": findings.stability,
            "notes": list(findings.notes),
            "warnings": list(findings.warnings),
            "saved": None if findings.saved is None else str(findings.saved),
            "picture": None if findings.picture is None else str(findings.picture),
        }
    )


def _model_as_json(findings: Findings, name: str) -> dict[str, Any]:
    subject, table = findings.inputs.subjects[name], findings.tables[name]
    return {
        "model": name,
        "topics": subject.n_topics,
        "words": subject.top_words(FIRST_WORDS),
        "measures": plain(table.to_dict("records")),
        "skipped": {name: as_options(why) for name, why in table.attrs["skipped"].items()},
    }


def _documents(inputs: Inputs) -> dict[str, int | None]:
    """How many documents of each kind; None if there are none of it."""
    kinds = {"corpus": inputs.corpus, "held_out": inputs.held_out, "reference": inputs.reference}
    return {kind: None if corpus is None else len(corpus) for kind, corpus in kinds.items()}


def settings_in_words(measure: str, settings: Mapping[str, Any]) -> str:
    """Settings and notes that are short enough to be read in passing.

    >>> settings_in_words("npmi", {"n_words": 10, "window": "document", "windows": 1200})
    '10 words, window document, windows 1,200'
    """
    names = ONLY_SHOWN.get(measure, tuple(settings))
    listed = {name: settings[name] for name in names if name not in HIDDEN and settings.get(name)}
    written = {name: _written(value) for name, value in listed.items()}
    short = {name: text for name, text in written.items() if len(text) <= LONGEST_SETTING}
    return printable(", ".join(_phrase(name, text) for name, text in short.items()))


def _phrase(name: str, text: str) -> str:
    return f"{text} words" if name == "n_words" else f"{name.replace('_', ' ')} {text}"


def _written(value: Any) -> str:
    value = plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return shown(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def common_settings(tables: Iterable[pd.DataFrame]) -> dict[str, dict[str, Any]]:
    """Each measure's settings in which all models agree; others come from the models' data."""
    common: dict[str, dict[str, Any]] = {}
    for table in tables:
        for measure, settings in zip(table["measure"], table["settings"], strict=True):
            values = plain(settings)
            before = common.get(measure, values)
            common[measure] = {k: v for k, v in before.items() if k in values and values[k] == v}
    return common


def summed_up(settings: Mapping[str, Mapping[str, Any]]) -> str:
    """The settings of several measures in a line: the commonest value, then the exceptions.

    >>> summed_up({"npmi": {"n_words": 10}, "umass": {"n_words": 10}, "overlap": {"n_words": 5}})
    'top words 10 (overlap 5)'
    """
    parts = []
    for name, label in SUMMED_UP.items():
        values = {m: _written(own[name]) for m, own in settings.items() if own.get(name)}
        if values:
            listed = list(values.values())
            commonest = max(dict.fromkeys(listed), key=listed.count)
            others = [f"{m} {value}" for m, value in values.items() if value != commonest]
            parts.append(f"{label} {commonest}" + (f" ({', '.join(others)})" if others else ""))
    return "; ".join(parts)
