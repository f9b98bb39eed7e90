"""What a party would have sent in a session that has taken place, had its documents been others.

The likelihood of a transcript is a product over rounds: of what a party sends, given what all start
the round from. So whoever asks whether a document was there holds the shared states as they were,
and asks of each round what databases with the document would have sent there, and those without it.
That is a mechanism like others, whose database is the party's documents and whose noise and private
draws are new in every run. It costs the party's own steps alone, and needs nobody else's rows.

The rest of the party's documents are what they are in every database, as if the adversary had them;
with fewer around than there were, none would look like those of the real run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.audit.mechanisms import Observables, are_distributions, denominators_of, seen_totals
from chatham.audit.neighbours import CoinFlips, Database, generator, run_seed
from chatham.audit.observing import Round
from chatham.audit.replaying import Replay, Told, rounds_seen
from chatham.audit.rounded_noise import noised_sum
from chatham.commons import Memory
from chatham.commons.fixed_point import decode, encode
from chatham.commons.interface import as_statistics, run_at
from chatham.errors import InputError

Parts = tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class Retold:
    """A session's rounds, with other documents at this party.

    With `among_others` the totals are seen: what all others sent is taken to be what it was, as if
    the adversary knew it. Otherwise it is this party's own part that is seen, by all others
    together.
    """

    replay: Replay = field(repr=False)
    among_others: bool = False

    def __call__(self, database: sp.csr_array, seed: int) -> Observables:
        """What is seen of the same rounds."""
        memory = Memory(0, self.replay.parties, sha256(b"chatham retold %d" % seed).digest())
        rounds = [
            self._round(each, self._sent(each, database, memory)) for each in self.replay.told
        ]
        return self._observables(rounds)

    def really(self) -> Observables:
        """What was seen of the run that really happened."""
        told, parties = self.replay.told, self.replay.parties
        return self._observables(rounds_seen(told, parties, mine=not self.among_others))

    def described(self) -> dict[str, Any]:
        """The session, and what is seen of it."""
        return {
            "session": self.replay.session.hash.hex(),
            "rounds": len(self.replay.told),
            "sees": "totals" if self.among_others else "contributions",
        }

    def _sent(self, each: Told, database: sp.csr_array, memory: Memory) -> Parts:
        """What this party would have sent in a round, on the grid."""
        returned = run_at("This party", each.step, database, memory, each.shared)
        parts, _ = as_statistics(returned)
        if [part.shape for part in parts] != [part.shape for part in each.mine]:
            raise InputError(
                "Other documents of this party would have sent arrays of other shapes, so nothing "
                "can be compared; the learner's statistics depend on the rows."
            )
        return tuple(
            self._rounded(part, deviation, bits, _noise_seed(memory, number))
            for number, (part, deviation, bits) in enumerate(
                zip(parts, each.deviations, each.bits, strict=True)
            )
        )

    def _rounded(self, part: NDArray[Any], deviation: float, bits: int, seed: int) -> NDArray[Any]:
        if part.dtype.kind != "f":
            return part
        if deviation == 0:
            return decode(encode(part, bits, self.replay.parties), bits)
        whole = noised_sum([part], deviation, bits, self.replay.parties, seed)
        return decode(whole.view(np.uint64), bits)

    def _round(self, each: Told, sent: Parts) -> Round:
        (seen,) = rounds_seen([each], self.replay.parties, mine=not self.among_others)
        if self.among_others:
            sent = tuple(
                total - mine + new
                for total, mine, new in zip(each.total, each.mine, sent, strict=True)
            )
        return Round(seen.step, sent, seen.noise, seen.shared, seen.units)

    def _observables(self, rounds: Sequence[Round]) -> Observables:
        estimator = self.replay.model.estimator
        topics = estimator.components_
        return Observables(
            n_words=topics.shape[1],
            topics=topics,
            prevalence=estimator.prevalence_,
            denominators=denominators_of(rounds, topics),
            frequencies=are_distributions(topics),
            totals=tuple(seen_totals(rounds, topics.shape[1])),
        )


def _noise_seed(memory: Memory, number: int) -> int:
    digest = sha256(memory.key + b"%d %d" % (memory.steps, number)).digest()
    return int.from_bytes(digest, "big")


@dataclass(frozen=True)
class InPlace(CoinFlips):
    """Every target is in a database with probability ½, or a copy of another document in its place.

    All documents that aren't in question are in every database, and `size` is that of the corpus:
    so a database is as like the real one as it can be.
    """

    def __post_init__(self) -> None:
        """Refuse what leaves nothing to stand in a document's place."""
        if self.size != self.corpus_size:
            raise InputError("Databases have as many documents as there are; got another size.")
        if self.corpus_size <= max(len(group) for group in self.groups):
            raise InputError(
                f"A party with {self.corpus_size} documents has none left to stand in the place "
                "of those in question; ask about fewer."
            )

    @property
    def neighbours(self) -> str:
        """Which databases are neighbours, in words."""
        return (
            "One database has the document; the other has a copy of a random other document of "
            "this party in its place. At most "
            f"{max(map(len, self.groups))} of {self.size:,} documents are there by a coin each, "
            "and all others in every database, as if the adversary had them."
        )

    def database(self, number: int, seed: int) -> Database:
        """One database of the group that its number belongs to."""
        group = self.groups[number // self.databases_of_group]
        draws = generator(seed, number)
        present = draws.random(len(group)) < 0.5
        others = np.delete(np.arange(self.corpus_size), self.targets[group])
        copies = draws.choice(others, int((~present).sum()))
        rows = np.sort(np.concatenate([others, self.targets[group][present], copies]))
        return Database(rows, group, present, run_seed(draws))
