"""What people write after an option, as the values that the library takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.wording import OPTIONS, as_options
from chatham.errors import InputError
from chatham.naming import value_shown

if TYPE_CHECKING:
    from chatham.commons.privacy import Privacy

LONGEST_NGRAM = 5


OWN_OPTIONS = {"n_components": "-k", "random_state": "--seed", "n_jobs": "--jobs"}
"""Parameters that have options of their own where a model is fitted or merged."""


def as_settings(
    pairs: Iterable[str],
    given: Mapping[str, Any] | None = None,
    own_options: Mapping[str, str] = OWN_OPTIONS,
) -> dict[str, Any]:
    """`NAME=VALUE` pairs: numbers, true, false, None and lists as such, anything else as text.

    What has an option of its own is refused, and so is what `given` has by another option.

    >>> as_settings(["l2_weights=0.1", "constraint=none", "missing=None", "alpha=[1, 2]"])
    {'l2_weights': 0.1, 'constraint': 'none', 'missing': None, 'alpha': [1, 2]}
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(
                f"{value_shown(pair)} must be NAME=VALUE, such as l2_weights=0.1.",
                param_hint="--set",
            )
        settings[name.strip().replace("-", "_")] = as_value(value.strip())
    for name in settings:
        if name in own_options:
            raise typer.BadParameter(f"Give {name} with {own_options[name]}.", param_hint="--set")
        if name in (given or {}):
            raise typer.BadParameter(
                f"{name} is also given with {OPTIONS[name]}; leave one of them out.",
                param_hint="--set",
            )
    return settings


def as_value(written: str) -> Any:
    """A number, true, false, None or a list as such, anything else as text; empty is None.

    Lower-case 'none' stays a text, since learners have choices of that name.
    """
    if written in ("", "None"):
        return None
    if written.lower() in ("true", "false"):
        return written.lower() == "true"
    try:
        return json.loads(written)
    except ValueError:
        return written


def check_anchors(anchors: Sequence[str] | None, model: str, set_too: bool) -> None:
    """Refuse anchors for a learner that has none, without a word, or also given with --set."""
    if not anchors:
        return
    from chatham.model.registry import known

    learner = known(model.lower())
    if learner is None or "anchors" not in learner._parameter_names():
        raise typer.BadParameter(
            f"Anchors are for --model anchor, but the model is {model}.", param_hint="--anchors"
        )
    if set_too:
        raise typer.BadParameter(
            "Anchors are also given with --set; leave one of them out.", param_hint="--anchors"
        )
    for written in anchors:
        if not all(part.strip() for part in written.split(",")):
            raise typer.BadParameter(
                f"{value_shown(written)} has a topic without a word; write as in 'nasa orbit, "
                "god'.",
                param_hint="--anchors",
            )


def as_anchors(anchors: Iterable[str], vocabulary: Iterable[str]) -> list[list[str]]:
    """The words of each topic: commas separate topics, blanks the words of a topic.

    But what is in the vocabulary as a whole, as a title may be, is one word; and if words of the
    vocabulary contain blanks, blanks don't separate.

    >>> as_anchors(["nasa orbit, god"], ["god", "nasa", "orbit"])
    [['nasa', 'orbit'], ['god']]
    >>> as_anchors(["Shining, The", "Toy Story, Emma"], ["Emma", "Shining, The", "Toy Story"])
    [['Shining, The'], ['Toy Story'], ['Emma']]
    """
    words = {str(word) for word in vocabulary}
    have_blanks = any(" " in word for word in words)
    parts = [
        part.strip()
        for written in anchors
        for part in ([written] if written.strip() in words else written.split(","))
    ]
    return [[part] if have_blanks or part in words else part.split() for part in parts]


def as_limit(written: str | None, option: str) -> int | float | None:
    """A number of documents (5) or a share of them (0.5, 50%)."""
    if written is None:
        return None
    try:
        limit = as_number(written.strip())
    except ValueError:
        limit = -1
    if limit < 0 or (isinstance(limit, float) and not limit <= 1):
        raise typer.BadParameter(
            f"{value_shown(written)} must be a number of documents, such as 5, or a share of them, "
            "such as 0.5 or 50%.",
            param_hint=option,
        )
    return limit


def as_number(written: str) -> int | float:
    """A number, or a share in per cent.

    >>> as_number("5"), as_number("0.5"), as_number("50%")
    (5, 0.5, 0.5)
    """
    if written.endswith("%"):
        return float(written[:-1]) / 100
    return int(written) if written.isdecimal() else float(written)


def as_ngrams(written: str) -> tuple[int, int]:
    """`2` for words and pairs, `2-3` for pairs and triples only."""
    shortest, dash, longest = written.partition("-")
    try:
        lengths = (int(shortest), int(longest)) if dash else (1, int(written))
    except ValueError:
        lengths = (0, 0)
    if not 1 <= lengths[0] <= lengths[1] <= LONGEST_NGRAM:
        raise typer.BadParameter(
            f"{value_shown(written)} must be the longest length, such as 2, or shortest-longest, "
            f"such as 2-3; the longest can be {LONGEST_NGRAM}.",
            param_hint="--ngrams",
        )
    return lengths


def as_sizes(written: str) -> list[int]:
    """One number of topics, or several different ones with commas between them.

    >>> as_sizes("20"), as_sizes("10, 20,40")
    ([20], [10, 20, 40])
    """
    try:
        sizes = [int(part) for part in written.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1 or len(set(sizes)) < len(sizes):
        raise typer.BadParameter(
            f"{written!r} must be a number of topics of at least 1, or several different ones with "
            "commas between them, such as 10,20,40.",
            param_hint="-k",
        )
    return sizes


def as_levels(written: str | None) -> list[int] | None:
    """Numbers of supertopics, with commas between the levels."""
    if written is None:
        return None
    try:
        return [int(part) for part in written.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"{value_shown(written)} must be whole numbers with commas between them, such as 10,3.",
            param_hint="--levels",
        ) from None


def as_choice(written: str, choices: Iterable[str], option: str) -> str:
    """One of the choices, and nothing else."""
    listed = list(choices)
    if written not in listed:
        raise typer.BadParameter(
            f"{value_shown(written)} must be one of {', '.join(listed)}.", param_hint=option
        )
    return written


def as_stop_words(written: str) -> str | None:
    """`auto`, a language or a file that exists, or several with commas; None for `none`."""
    from chatham.corpus.text.stop_words import AUTO, NONE, choices_in, language_code

    if written.lower() == NONE:
        return None
    choices = [each.lower() if each.lower() == AUTO else each for each in choices_in(written)]
    for each in choices:
        if each != AUTO and language_code(each) is None and not Path(each).is_file():
            raise typer.BadParameter(_not_stop_words(each), param_hint="--stop-words")
    return ",".join(choices)


def _not_stop_words(written: str) -> str:
    from chatham.corpus.text.stop_words import NONE, stop_word_languages

    if written.lower() == NONE:
        return "none stands alone; leave it out, or the others."
    return (
        f"{value_shown(written)} is neither a file nor a language with stop words; give auto, "
        f"none, a file of words, or one of {', '.join(stop_word_languages())}."
    )


def as_privacy(written: str | None) -> Privacy | None:
    """What --dp promises."""
    if written is None:
        return None
    from chatham.commons.privacy import HONEST, Privacy

    try:
        values = dict(pair.split("=", 1) for pair in written.replace(" ", "").split(","))
        honest = int(values.pop("honest", HONEST))
        numbers = {name: float(value) for name, value in values.items()}
    except ValueError:
        numbers = {}
    if set(numbers) != {"epsilon", "delta"}:
        raise typer.BadParameter(
            f"'{written}' must say epsilon=E,delta=D and perhaps honest=H, all numbers.",
            param_hint="--dp",
        )
    try:
        return Privacy(numbers["epsilon"], numbers["delta"], honest)
    except InputError as error:
        raise typer.BadParameter(as_options(error), param_hint="--dp") from None
