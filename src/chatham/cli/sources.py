"""Documents of a command: where they are, how they are read, and read for a model that is there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.corpus import Corpus
    from chatham.ensembles.summary import Summary
    from chatham.model.topic_model import TopicModel

STANDARD_INPUT = Path("-")


def as_reading(
    encoding: str | None,
    format: str | None,
    delimiter: str | None,
    no_header: bool,
    skip_bad_rows: bool,
) -> dict[str, Any]:
    """How files are read, as arguments of the readers."""
    return {
        "encoding": encoding,
        "format": format,
        "delimiter": delimiter,
        "header": not no_header,
        "skip_bad_rows": skip_bad_rows,
    }


def source_of(files: Path | Sequence[Path]) -> Path | list[Path]:
    """What a reader takes: one path, or several."""
    if isinstance(files, Path):
        return files
    return files[0] if len(files) == 1 else list(files)


def called(files: Path | Sequence[Path]) -> str:
    """What is being read, for people.

    >>> called(Path("news/a.csv")), called([Path("a.csv"), Path("b.csv")]), called([Path("-")])
    ('a.csv', '2 files', 'standard input')
    """
    source = source_of(files)
    if isinstance(source, list):
        return f"{len(source):,} files"
    return "standard input" if source == STANDARD_INPUT else source.name


def read_for_model(
    files: Path | Sequence[Path],
    model: TopicModel | Summary,
    reading: dict[str, Any],
    progress: Any,
    keep_texts: bool = False,
) -> Corpus:
    """Counts keep their own words; in texts the model's words are counted, as in its training."""
    from chatham.corpus import read_baskets
    from chatham.model.intake import read_like_training, where_in

    source = source_of(files)
    if "basket" in reading:
        return read_baskets(source, **reading, vocabulary=list(model.vocabulary))
    where, others = where_in(reading)
    others |= {"keep_texts": keep_texts, "progress": progress}
    return read_like_training(source, model.vocabulary, model.vectorizer, where, **others)
