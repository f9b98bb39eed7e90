"""What Chatham raises: one base class, so that a caller can catch everything of ours at once.

A sentence is for people, and may be reworded at any time. Programs look at an error's class, its
`kind` and the parameters that it mentions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatham.wording import sentence_of


class ChathamError(Exception):
    """Anything that Chatham refuses or can't do; its message is one sentence for a person.

    `kind` is a word for programs, where a class alone doesn't say enough.
    """

    def __init__(self, *sentence: Any, kind: str = "") -> None:
        super().__init__(*sentence)
        self.kind = kind

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that it mentions."""
        return getattr(sentence_of(self), "parameters", ())


class InputError(ChathamError, ValueError):
    """The input breaks a rule: the message names the input, the rule, and what to do."""


class CountedError(InputError):
    """Texts are needed, but here the words are already counted."""


class FileError(InputError):
    """The file at `path` can't be read."""

    def __init__(self, *sentence: Any, path: Path | None = None) -> None:
        super().__init__(*sentence)
        self.path = path


class ModelFileError(InputError):
    """A model folder that is missing, damaged, or not Chatham's."""


class SummaryFileError(InputError):
    """A published summary that is missing, damaged, wrongly signed, or not Chatham's."""


class UnknownLearnerError(InputError):
    """The model's learner is needed, and its class isn't known here."""


class HolderError(ChathamError, RuntimeError):
    """A statistic failed where the rows are: the message names the holder and what was computed.

    `step` is the qualified name of the function that failed.
    """

    def __init__(self, *sentence: Any, step: str = "", kind: str = "") -> None:
        super().__init__(*sentence, kind=kind)
        self.step = step


class ProtocolError(ChathamError, RuntimeError):
    """A message from outside breaks the protocol between parties; it was not used."""


class TotalError(ProtocolError):
    """A total isn't the sum of what the parties sent: nobody may act on it."""


class MistakenError(ProtocolError):
    """What a party itself signed is wrong: its mistake, and the others wait until it comes back.

    `parties` are those in question, by their index in the roster; none if nobody can tell.
    """

    def __init__(self, parties: Sequence[int], *sentence: Any) -> None:
        super().__init__(*sentence)
        self.parties = tuple(parties)


class RefusalError(ChathamError, RuntimeError):
    """A party refuses to take part in a round, so that nobody can go on in this session.

    `party` is its index in the roster, `round` the round, `kind` the word that it said.
    """

    def __init__(self, party: int, round_: int, *sentence: Any, kind: str = "") -> None:
        super().__init__(*sentence, kind=kind)
        self.party, self.round = party, round_


class ChangedError(InputError):
    """This party isn't as the others know it: it stops, and they wait; `kind` says what differs."""


class SessionError(InputError):
    """A session file, or one of agents, that is missing, damaged, or asks for the impossible."""


class Refused(ProtocolError):  # noqa: N818 - a refusal is what it is
    """The relay refuses a message; `why` is one word for programs."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence, kind=why)
        self.why = why


class CheckpointError(ChathamError, RuntimeError):
    """A party's own file can't be written, or has been changed since; it is never used then."""


class LinkError(ChathamError, RuntimeError):
    """The relay can't be reached just now."""
