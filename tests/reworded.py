"""What users get from Chatham when every sentence in it is another one.

    python -m tests.reworded OUT.json [--reworded]

With `--reworded`, every error, note and warning is given other words in another order as it is
made; parameters, options and paths stay, since they aren't wording. Then a broad set of things is
done through the library and the command line, with the refusals, notes and warnings that come of
it. What is written down is everything but the sentences: results, files, exit codes, classes and
kinds, how many sentences there were, and which parameters and options each names. It is the same
with any wording, or something hangs on one.
"""

from __future__ import annotations

import argparse
import codecs
import hashlib
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reworded_cases import SAMPLE, commands, digest, files, library, sample, sessions

OPTION = re.compile(r"(?<![\w/-])--?[a-z][\w-]*")
SENTENCES = ("notes", "warnings", "skipped")
"""Where JSON has sentences."""


# -- other words


class Reworded(str):
    """Words that have been replaced already."""


def reword(text: str) -> Reworded:
    """Other words in another order; what names a parameter, an option or a path stays.

    >>> reword("Lower it, or pass min_df=.")
    'min_df=. CNFF BE ,VG YBJRE'
    """
    before, middle, after = re.fullmatch(r"([,;:.]?\s*)(.*?)(\s*)", text).groups()
    words = " ".join(map(_another, reversed(middle.split())))
    return Reworded(f"{before}{words}{after}")


def _another(word: str) -> str:
    if re.search(r"[=_/]|\B-", word):
        return word
    turned = codecs.encode(word, "rot13").upper()
    return turned[-1:] + turned[:-1] if turned[-1:] in ".,;:" else turned


def reword_everything() -> None:
    """Give every sentence that is made from now on other words; nothing else is imported yet."""
    import chatham.errors as errors

    init = errors.ChathamError.__init__
    errors.ChathamError.__init__ = lambda error, *said, **more: init(  # type: ignore[method-assign]
        error, *map(_reworded, said), **more
    )
    warnings.warn = _warning(warnings.warn)  # type: ignore[assignment]
    _reword_sentences()
    _reword_notes()
    _reword_progress()


def _reworded(part: Any) -> Any:
    """A text in other words; a sentence is made of such, and what is no text or a table stays."""
    if type(part) is str:
        return part if "\n" in part.strip() else reword(part)
    if type(part).__name__ == "Either":
        return type(part)(_reworded(part.python), _reworded(part.command))
    return part


def _warning(warn: Callable[..., None]) -> Callable[..., None]:
    def another(message: Any, *given: Any, stacklevel: int = 1, **more: Any) -> None:
        ours = sys._getframe(1).f_globals.get("__name__", "").startswith("chatham")
        warn(_reworded(message) if ours else message, *given, stacklevel=stacklevel + 1, **more)

    return another


def _reword_sentences() -> None:
    from chatham.wording import Sentence

    new = Sentence.__new__
    Sentence.__new__ = staticmethod(  # type: ignore[assignment]
        lambda kind, *parts: new(kind, *map(_reworded, parts))
    )


def _reword_notes() -> None:
    """Notes that are plain texts; in place, since the list is added to later."""
    from chatham.corpus.corpus import Corpus

    checked = Corpus.__post_init__

    def another(corpus: Corpus) -> None:
        corpus.notes[:] = map(_reworded, corpus.notes)
        checked(corpus)

    Corpus.__post_init__ = another  # type: ignore[method-assign]


def _reword_progress() -> None:
    from chatham.federation.party.voice import Voice

    ask = Voice.ask
    Voice.ask = lambda voice, frame, body, step, *more: ask(  # type: ignore[method-assign]
        voice, frame, body, reword(step), *more
    )


# -- what is written down


def of_library(work: Callable[[], Any]) -> dict[str, Any]:
    """The result of some work, or the refusal, and what was warned of."""
    from chatham.errors import ChathamError

    found: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found["result"] = plain(work())
        except ChathamError as error:
            found["refused"] = [type(error).__name__, getattr(error, "kind", ""), *named_in(error)]
    found["warned"] = [[each.category.__name__, *named_in(each.message)] for each in caught]
    return found


def named_in(message: Any) -> list[str]:
    """The parameters that a message knows of, and options and paths that stand in it."""
    parameters = getattr(message, "parameters", ())
    paths = [word for word in str(message).split() if "/" in word]
    return [*sorted(parameters), *options_in(str(message)), *(["a path"] * len(paths))]


def options_in(sentence: str) -> list[str]:
    """The options that a sentence names, in whatever order."""
    return sorted(OPTION.findall(sentence))


def plain(value: Any) -> Any:
    """A result as JSON: models and corpora by what they hold, notes by kind and parameters."""
    import chatham as ch

    if isinstance(value, ch.Corpus):
        notes = [[getattr(note, "kind", ""), *named_in(note)] for note in value.notes]
        return {"counts": digest(value.counts.toarray()), "words": list(value.vocabulary),
                "notes": notes}  # fmt: skip
    if isinstance(value, ch.TopicModel):
        return digest(value.topics)
    if hasattr(value, "attrs"):
        skipped = {name: named_in(why) for name, why in value.attrs["skipped"].items()}
        return {"scores": value.drop(columns="source").to_json(), "skipped": skipped}
    return value


def of_command(*words: object) -> dict[str, Any]:
    """All that a command does and says but for the sentences: exit code, output, files."""
    from tests.command import chatham

    before = set(Path().rglob("*"))
    said = chatham(*words)
    files = sorted(set(Path().rglob("*")) - before)
    return {
        "code": said.code,
        "out": as_json(said.out) or [line_of(line) for line in said.out.splitlines()],
        "errors": [line_of(line, sentence=True) for line in said.errors.splitlines()],
        "files": {str(file): file_of(file) for file in files if file.is_file()},
    }


def as_json(text: str) -> Any:
    """What a command printed for machines, sentences replaced by what they name."""
    try:
        return without_sentences(json.loads(text))
    except ValueError:
        return None


def without_sentences(value: Any, name: str = "") -> Any:
    """The same JSON with, where sentences stand, the options in them."""
    if name == "seconds":
        return None
    if isinstance(value, dict):
        return {
            key: without_sentences(each, name if name in SENTENCES else key)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [without_sentences(each, name) for each in value]
    return options_in(value) if name in SENTENCES and isinstance(value, str) else value


def line_of(line: str, sentence: bool = False) -> Any:
    """A line of output; of a note or an error which of them it is, and the options in it."""
    head = line.split(" ", 1)[0]
    if sentence or head == "-":
        return [head if head in ("Note:", "Error:", "Usage:", "-") else "", *options_in(line)]
    return re.sub(r"\d+\.\d s in all", "", line)


def file_of(path: Path) -> str:
    """What tells a file, without the version that wrote it."""
    content = re.sub(rb'"(chatham|version|library)": "[^"]*"', b"", path.read_bytes())
    return hashlib.sha256(content).hexdigest()


# -- all of it


def outcomes() -> dict[str, Any]:
    """Everything, by what was done."""
    files()
    sessions()
    found = {name: of_library(work) for name, work in library()}
    found |= {words: of_command(*words.split()) for words in commands()}
    return found | {SAMPLE: sample()}


def main() -> None:
    """Write the outcomes into a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--reworded", action="store_true")
    given = parser.parse_args()
    out = given.out.resolve()
    if given.reworded:
        reword_everything()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        found = outcomes()
        os.chdir(out.parent)
    out.write_text(json.dumps(found, indent=1, default=str), "utf-8")


if __name__ == "__main__":
    main()
