"""Names of topics: each has one by itself, until somebody gives it another.

A name that nobody gave is the words that tell most about the topic, by relevance with λ = 0.6, of
five ways that were tried (`experiments/results/naming.md`). It follows from the topics
alone, so that all who have a model call its topics the same, and nothing needs to be kept. Numbers
never change; a name belongs to a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from chatham.errors import InputError
from chatham.naming import plural, value_shown

WORDS = 3
"""How many words a name has that nobody gave."""
CANDIDATES = 4 * WORDS
"""From how many of a topic's words they are taken."""
LONGEST = 60
"""Characters of a name."""
NO_WORDS = "no words"
SHORTEST_STEM = 4
LONGEST_ENDING = 3


class Names(MutableMapping[int, str]):
    """What the topics of a model are called, by their numbers.

    Names are given by assignment, and `del` gives a topic the one back that it has by itself.

    >>> import chatham as ch
    >>> texts = ["Wheat and corn rose.", "Corn and wheat fell.", "Loan rates.", "Rates of a loan."]
    >>> model = ch.fit("nmf", texts, n_components=2, random_state=0)
    >>> model.names[1] = "banks"
    >>> model.names.given, model.names[1]
    ({1: 'banks'}, 'banks')
    >>> del model.names[1]
    >>> model.names.given
    {}
    """

    def __init__(
        self,
        numbers: Sequence[int],
        words: Callable[[], Sequence[Sequence[str]]],
        given: dict[int, str],
    ) -> None:
        """Names of the topics with these numbers; `words` tell most about each, best first."""
        self._numbers = [int(number) for number in numbers]
        self._words = words
        self._given = given
        self._automatic: dict[int, str] | None = None

    @property
    def given(self) -> dict[int, str]:
        """The names that somebody gave."""
        return {number: self._given[number] for number in self._numbers if number in self._given}

    def __getitem__(self, number: int) -> str:
        self._check_number(number)
        return self._given[number] if number in self._given else self._by_itself()[number]

    def __setitem__(self, number: int, name: str) -> None:
        self._check_number(number)
        name = checked_name(name)
        others = {each: called for each, called in self.items() if each != number}
        same = next((each for each, called in others.items() if called == name), None)
        if same is not None:
            raise InputError(
                f"Topic {same} is called {value_shown(name)} already; give topic {number} another "
                "name."
            )
        self._given[int(number)] = name
        self._automatic = None

    def __delitem__(self, number: int) -> None:
        self._check_number(number)
        self._given.pop(number, None)
        self._automatic = None

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _by_itself(self) -> dict[int, str]:
        if self._automatic is None:
            names = automatic_names(self._words(), set(self.given.values()))
            self._automatic = dict(zip(self._numbers, names, strict=True))
        return self._automatic

    def _check_number(self, number: Any) -> None:
        if isinstance(number, bool) or number not in self._numbers:
            raise InputError(
                f"There is no topic {value_shown(number)}; the model has "
                f"{numbers_listed(self._numbers)}."
            )


def numbers_listed(numbers: Sequence[int]) -> str:
    """The numbers of topics, in few words.

    >>> numbers_listed([0, 1, 2]), numbers_listed([0, 1, 3, 5]), numbers_listed([4])
    ('the topics 0 to 2', 'the topics 0, 1, 3 and 5', 'the topic 4')
    """
    first, last = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return f"the topic {first}"
    if list(numbers) == list(range(first, last + 1)):
        return f"the topics {first} to {last}"
    if len(numbers) > 2 * CANDIDATES:
        return f"{plural(len(numbers), 'topic')} with numbers from {first} to {last}"
    return f"the topics {', '.join(map(str, numbers[:-1]))} and {last}"


def checked_name(name: Any) -> str:
    """A name without blanks around it, if it can be one: of printable characters, in one line."""
    if not isinstance(name, str):
        raise InputError(f"A topic's name is a text. Got {value_shown(name)} instead.")
    stripped = name.strip()
    if not 0 < len(stripped) <= LONGEST or not stripped.isprintable():
        raise InputError(
            f"A topic's name has from 1 to {LONGEST} printable characters in one line; this one "
            f"has {plural(len(stripped), 'character')}"
            + ("." if stripped.isprintable() else ", and some can't be printed.")
        )
    return stripped


def checked_given(given: Any, numbers: int) -> dict[int, str]:
    """Names as a file holds them, of topics that have any of so many numbers; else an error."""
    if not isinstance(given, Mapping) or not 0 < len(given) <= numbers:
        raise InputError("its names of topics are not names by number.")
    names: dict[int, str] = {}
    for written, name in given.items():
        number = int(written) if isinstance(written, str) and written.isdecimal() else -1
        if not 0 <= number < numbers or str(number) != written:
            raise InputError("it names a topic that it doesn't have.")
        if checked_name(name) != name:
            raise InputError("a name of a topic has blanks around it.")
        names[number] = name
    return names


def automatic_names(words: Sequence[Sequence[str]], taken: set[str]) -> list[str]:
    """A name for each topic from the words that tell most about it, best first; no two the same.

    Words that differ in their endings alone, as *court* and *courts*, count as one.

    >>> automatic_names([["court", "courts", "judge", "law"], ["tea", "milk"], ["tea", "milk"]], set())
    ['court, judge, law', 'tea, milk', 'tea, milk (2)']
    """  # noqa: E501
    names: list[str] = []
    taken = set(taken)
    for listed in words:
        name = _unlike(_told_apart(listed), taken)
        taken.add(name)
        names.append(name)
    return names


def _told_apart(words: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for word in words:
        if not any(are_alike(word, other) for other in chosen):
            chosen.append(word)
    return chosen


def are_alike(word: str, other: str) -> bool:
    """Whether one word is the other with another ending, or has it as one of several words.

    >>> are_alike("courts", "court"), are_alike("supreme court", "court"), are_alike("car", "cart")
    (True, True, False)
    """
    shorter, longer = sorted((word.casefold(), other.casefold()), key=len)
    if shorter in longer.split():
        return True
    stem = max(len(shorter) - LONGEST_ENDING + 1, SHORTEST_STEM)
    return shorter[:stem] == longer[:stem] and len(longer) - stem <= LONGEST_ENDING


def _unlike(words: Sequence[str], taken: set[str]) -> str:
    """The first words, and as many more as it takes to be unlike the names that are taken."""
    for n in range(min(WORDS, len(words)), len(words) + 1):
        name = _joined(words[:n])
        if name not in taken:
            return name
    name, number = _joined(words[:WORDS]), 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"


def _joined(words: Sequence[str]) -> str:
    """Words with commas between them, as many as a name has room for."""
    if not words:
        return NO_WORDS
    room = LONGEST - len(" (9999)")
    separator = "; " if any("," in word for word in words) else ", "
    kept = [n for n in range(1, len(words) + 1) if len(separator.join(words[:n])) <= room]
    name = separator.join(words[: kept[-1]]) if kept else f"{words[0][: room - 1]}…"
    return "".join(letter if letter.isprintable() else "·" for letter in name)
