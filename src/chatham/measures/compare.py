"""Several models side by side: which is best by each measure, and by how much (eq. 1.35)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evaluate import evaluate, read_once
from chatham.model.intake import where_in
from chatham.naming import value_shown
from chatham.notes import ChathamWarning

LARGEST_DIFFERENCE = 0.001
"""Models whose shares of known words differ by more have scores that can't be compared."""

FIXED = ("measure", "higher_is_better", "best", "second", "delta")


def compare(models: Mapping[str, Any], corpus: Any = None, **options: Any) -> pd.DataFrame:
    """One row per measure: each model's value, the best and the second best, and the lead ∆.

    `options` are those of `evaluate`, the same for all models; texts and files are read once for
    all of them. ∆ = |best − second| / |second| (eq. 1.35, whose sign the source reverses where
    lower is better). Where the two best are equal none is best, and ∆ is 0; where the second best
    is exactly 0, ∆ is infinite. A model for which a measure can't be computed has None there.

    >>> models = {"a": [["tea", "ice"], ["tea", "ice"]], "b": [["tea", "ice"], ["sea", "sky"]]}
    >>> table = compare(models, measures=["topic_diversity"])
    >>> table[["measure", "a", "b", "best", "delta"]].values.tolist()
    [['topic_diversity', 0.5, 1.0, 'b', 1.0]]
    """
    if not isinstance(models, Mapping) or len(models) < 2:
        raise InputError("compare needs at least two models, as a mapping from names to models.")
    reserved = sorted(set(map(str, models)) & set(FIXED))
    if reserved:
        raise InputError(
            f"A model can't be called {value_shown(reserved[0])}, which is a column of the table."
        )
    subjects = {
        str(name): as_subject(model, options.get("vocabulary")) for name, model in models.items()
    }
    where, options = where_in(options)
    rows = {
        kind: read_once(documents, list(subjects.values()), where)
        for kind, documents in {"corpus": corpus, **options}.items()
        if kind in ("corpus", "held_out", "reference")
    }
    options = {**options, **rows}
    return comparison({name: evaluate(each, **options) for name, each in subjects.items()})


def comparison(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The same from tables that `evaluate` returned, by the models' names."""
    better: dict[str, bool] = {}
    for table in tables.values():
        _check_names(table["measure"])
        better |= dict(zip(table["measure"], table["higher_is_better"], strict=True))
    values = {
        name: dict(zip(table["measure"], table["value"], strict=True))
        for name, table in tables.items()
    }
    rows = []
    for measure, higher in better.items():
        scores = {name: values[name].get(measure) for name in tables}
        rows.append([measure, higher, *scores.values(), *_lead(scores, higher)])
    columns = ["measure", "higher_is_better", *tables, "best", "second", "delta"]
    result = _with_none(pd.DataFrame(rows, columns=columns))
    result.attrs["skipped"] = {
        name: dict(table.attrs.get("skipped", {})) for name, table in tables.items()
    }
    _warn_of_words(tables)
    return result


def _check_names(measures: pd.Series) -> None:
    repeated = measures[measures.duplicated()]
    if len(repeated):
        raise InputError(
            f"The measure {value_shown(repeated.iloc[0])} appears twice; compare by one setting at "
            "a time."
        )


def _warn_of_words(tables: Mapping[str, pd.DataFrame]) -> None:
    """Warn if models know different shares of the words, since each is scored on those it knows."""
    known_shares = {
        name: [s["known_words"] for s in table.get("settings", []) if "known_words" in s]
        for name, table in tables.items()
    }
    shares = {name: min(each) for name, each in known_shares.items() if each}
    if shares and max(shares.values()) - min(shares.values()) > LARGEST_DIFFERENCE:
        listed = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        warnings.warn(
            f"The models know different shares of the words ({listed}), and each is scored on "
            "those it knows: errors, likelihoods and perplexities can't be compared.",
            ChathamWarning,
            stacklevel=3,
        )


def _with_none(table: pd.DataFrame) -> pd.DataFrame:
    """None where a value is missing; pandas would write NaN into a column of numbers."""
    for name in table.columns:
        if table[name].isna().any():
            table[name] = table[name].astype(object).where(table[name].notna(), None)
    return table


def _lead(scores: Mapping[str, float | None], higher: bool) -> tuple[str | None, str | None, Any]:
    scored = [(score, name) for name, score in scores.items() if score is not None]
    if len(scored) < 2:
        return None, None, None
    ordered = sorted(scored, key=lambda pair: -pair[0] if higher else pair[0])
    (best, winner), (second, runner_up) = ordered[:2]
    if best == second:
        return None, None, 0.0
    return winner, runner_up, abs(best - second) / abs(second) if second else math.inf


def ranking(table: pd.DataFrame) -> pd.DataFrame:
    """How often each model is best, its mean lead when it is, and its mean rank (Table 1.5).

    Infinite leads, over a second best of exactly 0, are left out of the mean.

    >>> models = {"a": [["tea", "ice"], ["tea", "ice"]], "b": [["tea", "ice"], ["sea", "sky"]]}
    >>> ranking(compare(models, measures=["topic_diversity"])).values.tolist()
    [['b', 1, 1.0, 1.0], ['a', 0, None, 2.0]]
    """
    names = [column for column in table.columns if column not in FIXED]
    ranks = pd.DataFrame([_ranks(row, names) for _, row in table.iterrows()], columns=names)
    rows: list[list[Any]] = []
    for name in names:
        deltas = table.loc[table["best"] == name, "delta"]
        leads = [lead for lead in deltas if math.isfinite(lead)]
        mean = sum(leads) / len(leads) if leads else None
        valid_ranks = ranks[name].dropna()
        rank = float(valid_ranks.mean()) if len(valid_ranks) else None
        rows.append([name, int((table["best"] == name).sum()), mean, rank])
    rows.sort(key=lambda row: (-row[1], math.inf if row[3] is None else row[3]))
    return _with_none(
        pd.DataFrame(rows, columns=["model", "times_best", "mean_delta", "mean_rank"])
    )


def _ranks(row: pd.Series, names: list[str]) -> list[float]:
    values = pd.Series([row[name] for name in names], dtype=np.float64)
    return list(values.rank(ascending=not row["higher_is_better"]))
