"""Frozen vectors of our own formats, good and bad ones, and `make.py`, which made them."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def load(name: str) -> Any:
    """The vectors of one module, as they were frozen."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
