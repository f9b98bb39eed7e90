"""Sentences for people that name parameters: one object, spelt as Python or a command spells them.

The library says `min_df=`, the command line `--min-df`. A sentence knows which of its words
are parameters, so nobody has to find them in it again.

>>> sentence = say("No word is left with {min_df=}: lower {limit}, or pass {vocabulary=}.",
...                min_df=5, limit=Parameter("min_df"))
>>> print(sentence)
No word is left with min_df=5: lower min_df, or pass vocabulary=.
>>> sentence.spelt(lambda name: "--" + name.replace("_", "-"))
'No word is left with --min-df 5: lower --min-df, or pass --vocabulary.'
>>> sentence.parameters
('min_df', 'vocabulary')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from string import Formatter
from typing import Any, Self

from chatham.naming import value_shown

Spelling = Callable[[str], str | None]
"""A parameter's name as an option of a command; None where there is no such option."""


@dataclass(frozen=True)
class Either:
    """What is said differently in Python and on the command line."""

    python: Any
    command: Any
    """What the command line says, whose options it names itself."""

    def __str__(self) -> str:
        return str(self.python)

    def spelt(self, option: Spelling) -> str:
        """What the command line says."""
        return spelt(self.command, option)


@dataclass(frozen=True)
class Parameter:
    """A parameter's name in a sentence: `min_df`, `min_df=`, `min_df=5` or, quoted, `'min_df'`."""

    name: str
    value: str | None = None
    """What stands after the equals sign; None where there is none."""
    quoted: bool = False
    """A name between quotation marks is the name itself, on the command line too."""

    def __str__(self) -> str:
        if self.quoted:
            return repr(self.name)
        return self.name if self.value is None else f"{self.name}={self.value}"

    def spelt(self, option: Spelling) -> str:
        """As an option of the command, if there is one."""
        name = None if self.quoted else option(self.name)
        # What is true or false is an option alone, with a name that says which.
        value = "" if self.value in (None, "True", "False") else self.value
        return str(self) if name is None else f"{name} {value}".rstrip()


@dataclass(frozen=True)
class Otherwise:
    """Advice to give parameters, and other advice where a command has no option for them."""

    advice: Sentence
    otherwise: str

    def __str__(self) -> str:
        return str(self.advice)

    def spelt(self, option: Spelling) -> str:
        """What can be done with the command."""
        given = all(option(name) for name in self.advice.parameters)
        return self.advice.spelt(option) if given else self.otherwise


class Sentence(str):
    """A sentence as Python says it, which can also be spelt for a command line."""

    parts: tuple[Any, ...]

    def __new__(cls, *parts: Any) -> Self:
        """The sentence of texts, parameters and other sentences end to end."""
        sentence = super().__new__(cls, "".join(str(part) for part in parts))
        sentence.parts = parts
        return sentence

    def spelt(self, option: Spelling) -> str:
        """The sentence with parameters as options."""
        return "".join(spelt(part, option) for part in self.parts)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that it mentions, each once."""
        return tuple(dict.fromkeys(_parameters_in(self.parts)))


def say(template: str, **values: Any) -> Sentence:
    """A sentence with holes: `{name}` is the value of that name or, without one, a parameter.

    `{name=}` is always a parameter, with its value behind it if there is one; `{name=5}` has its
    own, and `{name!r}` is the parameter's name in quotation marks. Values are formatted as by
    `str.format`, but `!r` never shows what may be a document (`value_shown`); those that are
    themselves sentences, or errors with one, keep their parameters.
    """
    parts: list[Any] = []
    for text, name, spec, conversion in Formatter().parse(template):
        parts.append(text)
        if name is not None:
            parts.append(_filled(name, spec or "", conversion, values))
    return Sentence(*parts)


def spelt(message: Any, option: Spelling) -> str:
    """A sentence, an error or anything else as text, with parameters spelt as options."""
    message = sentence_of(message)
    return message.spelt(option) if hasattr(message, "spelt") else str(message)


def sentence_of(message: Any) -> Any:
    """An error's or a warning's sentence; anything else as it is."""
    if isinstance(message, Exception) and len(message.args) == 1:
        return message.args[0]
    return message


def clause(message: Any) -> Sentence:
    """A sentence, or an error's, to stand inside another one: without its full stop.

    >>> clause(say("Lower {min_df}."))
    'Lower min_df'
    """
    message = sentence_of(message)
    *parts, last = message.parts if isinstance(message, Sentence) else (str(message),)
    return Sentence(*parts, last.removesuffix(".") if isinstance(last, str) else last)


def _filled(name: str, spec: str, conversion: str | None, values: dict[str, Any]) -> Any:
    name, equals, literal = name.partition("=")
    if name not in values or literal:
        return Parameter(name, literal if equals else None, quoted=conversion == "r")
    value = sentence_of(values[name])
    if isinstance(value, Parameter) and conversion == "r":
        return Parameter(value.name, quoted=True)
    if isinstance(value, Sentence | Either | Otherwise | Parameter):
        return value
    if conversion == "r":
        value = value_shown(value)
    text = format(value, spec)
    return Parameter(name, text) if equals else text


def _parameters_in(parts: tuple[Any, ...]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Parameter):
            yield part.name
        elif isinstance(part, Sentence):
            yield from _parameters_in(part.parts)
        elif isinstance(part, Otherwise):
            yield from part.advice.parameters
        elif isinstance(part, Either):
            yield from _parameters_in((part.python, part.command))
