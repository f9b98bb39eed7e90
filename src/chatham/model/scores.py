"""The scores of a model that parties scored together, in a file beside the model's own two.

Whoever has only the model can't compute them again, since they are over everybody's documents. The
file says which session they are of, and by a hash which model: those of another aren't read. Every
byte of it is checked, as of the model's own files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatham.errors import ModelFileError
from chatham.model.packing import check_size, described
from chatham.model.plain import finite

if TYPE_CHECKING:
    import pandas as pd

FILE = "scores.json"
MOST_BYTES = 1 << 24
TYPES: dict[str, tuple[type, ...]] = {
    "measure": (str,),
    "value": (int, float, type(None)),
    "higher_is_better": (bool,),
    "per_topic": (list, type(None)),
    "settings": (dict,),
    "source": (str,),
}
"""What a score has, as `evaluate` gives it."""


def packed(scores: pd.DataFrame, arrays_sha256: str) -> bytes:
    """The file's content: what the session says of scores, the scores, and whose they are."""
    about = {name: value for name, value in scores.attrs.items() if name != "skipped"}
    content = {
        **about,
        "scores": scores.to_dict("records"),
        "skipped": scores.attrs.get("skipped", {}),
        "arrays_sha256": arrays_sha256,
    }
    return (json.dumps(finite(content), indent=1, allow_nan=False) + "\n").encode("ascii")


def read(folder: Path, arrays_sha256: Any) -> pd.DataFrame | None:
    """The scores of the model in the folder; None if nobody has scored it."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        check_size(path, MOST_BYTES, "a model's scores")
        content = described(path.read_bytes(), path, "model's scores")
    except OSError as error:
        raise ModelFileError(f"'{path}' could not be read: {error.strerror or error}.") from error
    records, skipped = content.pop("scores", None), content.pop("skipped", None)
    if content.pop("arrays_sha256", arrays_sha256) != arrays_sha256:
        raise ModelFileError(f"'{path}' has the scores of another model; delete it, or move it.")
    if not _are_scores(records) or not _is_of_strings(skipped):
        raise ModelFileError(
            f"'{path}' doesn't hold scores as a fit of several parties leaves them: it is damaged, "
            "or something else; without it the model can be loaded."
        )
    return _table(records, {**content, "skipped": skipped})


def _table(records: list[dict[str, Any]], attrs: dict[str, Any]) -> pd.DataFrame:
    import pandas as pd

    table = pd.DataFrame(records, columns=list(TYPES))
    table["value"] = table["value"].astype("float64")
    table.attrs.update(attrs)
    return table


def _are_scores(records: Any) -> bool:
    return isinstance(records, list) and all(map(_is_score, records))


def _is_score(record: Any) -> bool:
    if not isinstance(record, dict) or set(record) != set(TYPES):
        return False
    values = record["per_topic"] or []
    return all(isinstance(record[name], kinds) for name, kinds in TYPES.items()) and all(
        _is_number(value) for value in [record["value"], *values]
    )


def _is_number(value: Any) -> bool:
    """A number that a float holds, or none."""
    if isinstance(value, bool):
        return False
    return value is None or isinstance(value, float) or (type(value) is int and abs(value) < 2**63)


def _is_of_strings(values: Any) -> bool:
    if not isinstance(values, Mapping):
        return False
    return all(isinstance(value, str) for value in values.values())
