"""All measures of the model, with their values by topic, for the page."""

from __future__ import annotations

import math
import warnings
from typing import Any

from chatham.corpus import Corpus
from chatham.measures.evaluate import evaluate
from chatham.measures.registry import measures_named


def scores_of(model: Any, corpus: Corpus | None) -> dict[str, Any]:
    """`ch.evaluate`'s table as rows, each with what it measures and where it is defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = evaluate(model, corpus)
    rows: list[dict[str, Any]] = table.to_dict(orient="records")  # type: ignore[assignment]
    definitions = {each.name: each.definition for each in measures_named(None)}
    return {
        "measures": [
            {
                "measure": row["measure"],
                "value": _plain(row["value"]),
                "higher_is_better": bool(row["higher_is_better"]),
                "topics": None if row["per_topic"] is None else list(map(_plain, row["per_topic"])),
                "definition": definitions.get(row["measure"], ""),
                "source": row["source"],
            }
            for row in rows
        ],
        "skipped": {name: str(why) for name, why in table.attrs["skipped"].items()},
    }


def _plain(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
