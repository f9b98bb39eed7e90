"""Agents that gossip: who they are, who talks to whom, and how all learn; one file for all of them.

The file is TOML. It has a table for each agent: what its public file says (`chatham keygen`), and
the names of its neighbours. The words that all count are in a file beside it, of which it has the
hash. Its own hash plays the part that a session's has: it is in every frame, and the two ends of a
link compare it before anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons.fixed_point import MOST_BITS
from chatham.errors import InputError, SessionError
from chatham.federation.session import (
    Member,
    canonical,
    check_members,
    check_value,
    is_text,
    read_toml,
    toml_of,
    toml_pairs,
)
from chatham.gossip.exchange import Plan
from chatham.gossip.graph import Graph, neighbour_lists
from chatham.gossip.schedule import Schedule, waking_neighbourhoods, waking_nodes
from chatham.learners.settings.learned import SMALLEST
from chatham.wording import clause

Array = NDArray[np.float64]

FORMAT = 1
MOST_UPDATES, MOST_TOPICS, MOST_SWEEPS = 10**6, 10**4, 10**4
LARGEST_FILE = 2**26
"""Bytes of a file of words."""
FRACTION_BITS = 30
_ID, _HASH = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Agents:
    """What all agents have agreed on."""

    id: str
    """32 hexadecimal digits, drawn for this network, so that no other has the same hash."""
    topics: int
    alpha: float | tuple[float, ...]
    """The prior of documents' weights: one number for all topics, or one for each."""
    updates: int
    """How many local updates an average agent makes until it is settled."""
    words: str
    """The file with the vocabulary, beside this one."""
    words_sha256: str
    agents: tuple[Member, ...]
    neighbours: tuple[tuple[str, ...], ...]
    """The names of each agent's neighbours, in the order of `agents`."""
    kappa: float = 0.7
    offset: float = 0.0
    """Steps are (t + offset)^−kappa."""
    smoothing: float = 0.01
    sweeps: int = 20
    burn_in: int = 10
    seed: int = 0
    """Of the topics that all begin from. Draws are keyed by a secret of each agent."""
    private: bool = False
    """Whether an agent sums with all its neighbours at once, under masks."""
    fraction_bits: int = FRACTION_BITS
    """Of masked sums."""
    format: int = FORMAT

    def __post_init__(self) -> None:
        _check(self)
        order = [self._place(name) for name in self.graph.names]
        object.__setattr__(self, "agents", tuple(self.agents[i] for i in order))
        object.__setattr__(
            self, "neighbours", tuple(tuple(sorted(self.neighbours[i])) for i in order)
        )

    def _place(self, name: str) -> int:
        return [member.name for member in self.agents].index(name)

    @cached_property
    def hash(self) -> bytes:
        """A hash of everything in it, in whatever order agents and neighbours are listed."""
        return sha256(b"chatham agents 1" + canonical(self.as_plain())).digest()

    @cached_property
    def graph(self) -> Graph:
        """Who talks to whom; agents are numbered in the order of their names."""
        names = [member.name for member in self.agents]
        lists: Mapping[Any, Any] = dict(zip(names, self.neighbours, strict=True))
        try:
            return neighbour_lists(lists)
        except InputError as error:
            raise SessionError(f"The agents' neighbours don't fit: {clause(error)}.") from None

    @cached_property
    def schedule(self) -> Schedule:
        """Which exchanges are expected how often."""
        return waking_neighbourhoods(self.graph) if self.private else waking_nodes(self.graph)

    @cached_property
    def keys(self) -> list[bytes]:
        """Everybody's public key."""
        return [bytes.fromhex(member.key) for member in self.agents]

    @cached_property
    def prior(self) -> Array:
        """α, one number for each topic."""
        return np.broadcast_to(np.asarray(self.alpha, dtype=np.float64), (self.topics,)).copy()

    @cached_property
    def plan(self) -> Plan:
        """How long each agent learns: in the same time those with more exchanges make more updates,
        each of which counts for less."""
        paces = self.schedule.corrections.tolist()
        enough = tuple(max(1, math.ceil(self.updates / pace - 1e-9)) for pace in paces)
        return Plan(self.graph, enough, tuple(paces), everybody=self.private)

    def index_of(self, name: str) -> int:
        """The number of the agent of this name."""
        if name not in self.graph.names:
            raise SessionError(
                f"There is no agent called {name!r} in the agents' file; it has "
                f"{', '.join(self.graph.names)}."
            )
        return self.graph.names.index(name)

    def as_plain(self) -> dict[str, Any]:
        """As a file holds it."""
        plain: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "format", "id", "topics", "alpha", "updates", "kappa", "offset", "smoothing",
                "sweeps", "burn_in", "seed", "private", "fraction_bits", "words", "words_sha256",
            )
        }  # fmt: skip
        if isinstance(self.alpha, tuple):
            plain["alpha"] = list(self.alpha)
        plain["agent"] = [
            {**member.as_plain(), "neighbours": list(near)}
            for member, near in zip(self.agents, self.neighbours, strict=True)
        ]
        return plain

    def to_toml(self) -> str:
        """The text of an agents' file."""
        plain = self.as_plain()
        members = plain.pop("agent")
        lines = [f"{name} = {toml_of(value)}" for name, value in plain.items()]
        for member in members:
            lines += ["", "[[agent]]", *toml_pairs(member)]
        return "\n".join(lines) + "\n"


def read_agents(path: str | Path) -> Agents:
    """Read and check an agents' file."""
    return agents_of(read_toml(path, "agents"), str(path))


def agents_of(plain: Mapping[str, Any], name: str = "The agents' file") -> Agents:
    """Agents from what a file holds."""
    fields = dict(plain)
    if fields.get("format", FORMAT) != FORMAT:
        raise SessionError(
            f"{name} is of format {str(fields['format'])[:20]}, and this version of Chatham reads "
            f"format {FORMAT}; install the version that the others have."
        )
    tables = fields.pop("agent", None)
    known = set(Agents.__dataclass_fields__) - {"agents", "neighbours"}
    needed = {"id", "topics", "alpha", "updates", "words", "words_sha256"}
    if unknown := set(fields) - known:
        raise SessionError(f"{name} has unknown fields: {', '.join(sorted(unknown))}.")
    missing = needed - set(fields)
    if missing or not isinstance(tables, list) or not tables:
        raise SessionError(f"{name} lacks {', '.join(sorted(missing)) or '[[agent]]'}.")
    try:
        near = tuple(tuple(each["neighbours"]) for each in tables)
        members = tuple(
            Member(**{key: value for key, value in each.items() if key != "neighbours"})
            for each in tables
        )
    except (TypeError, KeyError):
        raise SessionError(
            f"{name} has an agent with other fields than name, key, address, certificate and "
            "neighbours; give each of them."
        ) from None
    if isinstance(fields["alpha"], list):
        fields["alpha"] = tuple(fields["alpha"])
    return Agents(agents=members, neighbours=near, **fields)


def read_words(agents: Agents, beside: Path) -> list[str]:
    """The vocabulary, one word a line, from the file beside the agents' own."""
    path = beside.parent / agents.words
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise SessionError(f"The words in '{path}' can't be read: {error.strerror}.") from None
    if len(content) > LARGEST_FILE:
        raise SessionError(f"'{path}' is too large for a list of words.")
    if (found := sha256(content).hexdigest()) != agents.words_sha256:
        raise SessionError(
            f"'{path}' isn't the list of words that the agents agreed on: its SHA-256 is "
            f"{found[:16]}…, and their file says {agents.words_sha256[:16]}…; get the list that "
            "the others have."
        )
    try:
        words = [line.strip() for line in content.decode("utf-8").splitlines()]
    except ValueError:
        raise SessionError(f"'{path}' isn't a list of words in UTF-8.") from None
    words = [word for word in words if word]
    if len(words) < 2 or len(set(words)) < len(words):
        raise SessionError(f"'{path}' must have at least two words, one a line, each once.")
    if len(words) < agents.topics:
        raise SessionError(
            f"{agents.topics:,} topics need at least as many words, and '{path}' has "
            f"{len(words):,}; choose fewer topics."
        )
    return words


def _check(agents: Agents) -> None:
    if not isinstance(agents.id, str) or not _ID.fullmatch(agents.id):
        raise SessionError("id must be 32 hexadecimal digits, drawn for these agents.")
    if not isinstance(agents.words_sha256, str) or not _HASH.fullmatch(agents.words_sha256):
        raise SessionError("words_sha256 must be the SHA-256 of the file of words, in hexadecimal.")
    if not isinstance(agents.words, str) or not agents.words or not is_text(agents.words):
        raise SessionError("words must be the name of the file of words.")
    for name, least, most in (
        ("topics", 1, MOST_TOPICS), ("updates", 1, MOST_UPDATES), ("sweeps", 1, MOST_SWEEPS),
        ("burn_in", 0, MOST_SWEEPS), ("seed", 0, 2**32 - 1), ("fraction_bits", 0, MOST_BITS),
    ):  # fmt: skip
        number = getattr(agents, name)
        if type(number) is not int or not least <= number <= most:
            raise SessionError(f"{name} must be a whole number from {least} to {most}.")
    if agents.burn_in >= agents.sweeps:
        raise SessionError("burn_in must be less than sweeps: some sweeps must count.")
    alphas = agents.alpha if isinstance(agents.alpha, tuple) else (agents.alpha,)
    if isinstance(agents.alpha, tuple) and len(alphas) != agents.topics:
        raise SessionError(f"alpha must be one number, or one for each of {agents.topics} topics.")
    for name, numbers, lowest in (
        ("alpha", alphas, SMALLEST), ("kappa", (agents.kappa,), 0.0),
        ("offset", (agents.offset,), 0.0), ("smoothing", (agents.smoothing,), SMALLEST),
    ):  # fmt: skip
        for number in numbers:
            if type(number) not in (int, float) or not lowest <= number <= 1e6:
                raise SessionError(f"{name} must be a number from {lowest:g} to 1,000,000.")
    if type(agents.private) is not bool:
        raise SessionError("private must be true or false.")
    for each in agents.neighbours:
        check_value("neighbours", list(each))
        if not all(isinstance(name, str) for name in each):
            raise SessionError("neighbours must be a list of agents' names.")
    check_members(agents.agents)
    names = {member.name for member in agents.agents}
    for member, near in zip(agents.agents, agents.neighbours, strict=True):
        if len(set(near)) < len(near):
            raise SessionError(f"Agent {member.name} lists a neighbour twice; list it once.")
    if len(names) < 2:
        raise SessionError("Gossip needs at least two agents; alone, use chatham fit.")
    _ = agents.schedule  # refuses graphs in which nobody could sum, or not all be reached
