"""Sentences for people that name parameters: one object, spelt as Python or a command spells them.

The library speaks of `min_df=`, the command line of `--min-df`. A sentence knows which of its words
are parameters, so nobody has to find them in it again.

>>> sentence = say("No word is left: lower {min_df} (now {min_df=5}), or pass {vocabulary=}.")
>>> print(sentence)
No word is left: lower min_df (now min_df=5), or pass vocabulary=.
>>> sentence.spelt(lambda name: "--" + name.replace("_", "-"))
'No word is left: lower --min-df (now --min-df 5), or pass --vocabulary.'
>>> sentence.parameters
('min_df', 'vocabulary')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from string import Formatter
from typing import Any, Self

Spelling = Callable[[str], str]
"""A parameter's name as an option of a command."""


@dataclass(frozen=True)
class Either:
    """What is said differently in Python and on the command line."""

    python: str
    command: str

    def __str__(self) -> str:
        return self.python

    def spelt(self, option: Spelling) -> str:
        """What the command line says, whose options it names itself."""
        return self.command


@dataclass(frozen=True)
class Parameter:
    """A parameter's name in a sentence: `min_df`, `min_df=` or `min_df=5`."""

    name: str
    value: str | None = None
    """What stands after the equals sign; None where there is none."""

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value}"

    def spelt(self, option: Spelling) -> str:
        """As a command has it."""
        return f"{option(self.name)} {self.value or ''}".rstrip()


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
        """The names of the parameters it speaks of, each once."""
        return tuple(dict.fromkeys(_parameters_in(self.parts)))


def say(template: str, **values: Any) -> Sentence:
    """A sentence with holes: `{name}` is the value of that name or, without one, a parameter.

    Values are formatted as by `str.format`; those that are themselves sentences, or errors with
    one, keep their parameters.
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


def _filled(name: str, spec: str, conversion: str | None, values: dict[str, Any]) -> Any:
    if name not in values:
        key, equals, value = name.partition("=")
        return Parameter(key, value if equals else None)
    value = sentence_of(values[name])
    if isinstance(value, Sentence | Either | Parameter):
        return value
    return format(Formatter().convert_field(value, conversion), spec)  # type: ignore[arg-type]


def _parameters_in(parts: tuple[Any, ...]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Parameter):
            yield part.name
        elif isinstance(part, Sentence):
            yield from _parameters_in(part.parts)
