"""Taking part in gossip as one agent: its process, from its documents to its model.

The protocol is `exchange`'s, the wire is `links`'; here they meet the clock and the documents. An
agent that has nothing under way sleeps for a while, as long on average as its last exchange and
update took, so that others find it free about half of the time; then it calls. Who is away isn't
called, and whoever is slow answers when it has time.
"""

from __future__ import annotations

import asyncio
import os
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons.secure.keys import Identity
from chatham.corpus import Corpus, Vectorizer, read_corpus
from chatham.corpus.readers.sources import Bag
from chatham.corpus.text.tokens import Tokenizer
from chatham.errors import CheckpointError, InputError, ProtocolError, SessionError
from chatham.federation.addresses import check_port
from chatham.federation.locking import FolderLock
from chatham.federation.normed.linking import direct_key_of
from chatham.federation.party.ledger import Ledger, read_ledger
from chatham.federation.pinning import rows_hash
from chatham.federation.tls import Credentials, check_direct
from chatham.federation.words import recounted
from chatham.gossip.agent import starting_topics
from chatham.gossip.agents_file import Agents
from chatham.gossip.exchange import Effect, Exchanges, InTheOpen, Keep, Message, Show, State, Sum
from chatham.gossip.links import Links
from chatham.gossip.masked import UnderMasks
from chatham.gossip.schedule import share_of
from chatham.gossip.state_file import StateFile
from chatham.learners.documents import Documents
from chatham.learners.fitted import Fitted
from chatham.learners.lda import LDA
from chatham.learners.online_lda import expected_counts, step_size, topics_of
from chatham.model.intake import columns_where, opened_where, where_in
from chatham.model.topic_model import TopicModel
from chatham.notes import ChathamWarning

Array = NDArray[np.float64]

SHORTEST, RESTING = 0.01, 0.2
"""Seconds, on average, between two calls; of an agent that has no update to make just now."""
PATIENCE = 60.0
"""Seconds that an exchange may take before it is given up, if nobody has promised anything."""
FAREWELL = 600.0
"""Seconds that an agent waits for neighbours that are away, once everybody's updates are done."""
MOST_DOUBLED = 6

GIVEN = (
    "My statistics: how many tokens of each word have each topic in my documents and in those that "
    "were averaged into them; as they are."
)
AVERAGED = (
    "The average of my statistics and a neighbour's, who can subtract its own: so mine as they are."
)
MASKED = (
    "My statistics, under masks: the total over an agent and its neighbours is all they see of it."
)
MASKED_AVERAGE = "The average over me and my neighbours: each of them can subtract its own."


@dataclass(frozen=True)
class Standing:
    """Where an agent is: what `tell` is called with."""

    updates: int
    of: int
    """How many updates make it settled."""
    exchanges: int
    waiting: Sequence[str] = ()
    """The neighbours for whom it waits, if it can't go on without them."""
    trouble: str = ""
    """A sentence about what is wrong with a neighbour, when that is noticed."""


Tell = Callable[[Standing], None]


class Membership:
    """One agent's part in the agents' file: who it is, its keys and its folder, all checked."""

    def __init__(
        self,
        agents: Agents,
        name: str,
        key: str | Path,
        folder: str | Path,
        direct_key: str | Path | None = None,
    ) -> None:
        self.agents, self.name, self.folder = agents, name, Path(folder)
        self.me = agents.index_of(name)
        self.identity = Identity.load(Path(key))
        if self.identity.public != agents.keys[self.me]:
            raise SessionError(
                f"'{key}' isn't the key of {name} in the agents' file; give the key that chatham "
                "keygen made for it, or the name that belongs to this key."
            )
        check_direct(agents.agents)
        path = direct_key_of(Path(key)) if direct_key is None else Path(direct_key)
        self.credentials = Credentials(agents.agents[self.me], path)
        if any(each < self.me for each in self.neighbours):
            check_port(agents.agents[self.me])

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The numbers of its neighbours."""
        return self.agents.graph.neighbours[self.me]

    @property
    def updates(self) -> int:
        """How many updates make it settled."""
        return self.agents.plan.updates[self.me]


def read_for(words: Sequence[str], source: Any, **reading: Any) -> Corpus:
    """An agent's documents, in which these words are counted and no others.

    The other arguments are those of `read_corpus` that say where things are (`text`, `encoding`).
    """
    where, others = where_in(reading)
    contents, columns = opened_where(source, where), columns_where(where)
    if isinstance(contents, Bag):
        return recounted(read_corpus(contents, **columns, **others), words)
    counting: dict[str, Any] = {"vocabulary": list(words), "stop_words": None, "keep_texts": False}
    return read_corpus(contents, **columns, **counting, **others)


def gossip_together(
    membership: Membership,
    corpus: Corpus,
    *,
    tell: Tell | None = None,
    n_jobs: int | None = -1,
) -> TopicModel:
    """Gossip with the neighbours until all agents have settled; the model that this one has then.

    `corpus` has this agent's documents over the words that all count. If the process is stopped,
    call this again with the same documents and folder: it goes on where it was.
    """
    with FolderLock(membership.folder):
        agent = _Agent(membership, corpus, tell or (lambda standing: None), n_jobs)
        if not agent.exchanges.state.finished:
            asyncio.run(agent.live())
        return agent.model()


class _Agent:
    """The process: exchanges, links, documents and the clock."""

    def __init__(
        self, membership: Membership, corpus: Corpus, tell: Tell, n_jobs: int | None
    ) -> None:
        self._membership, self._agents = membership, membership.agents
        self._me, self._tell, self._n_jobs = membership.me, tell, n_jobs
        self._corpus, self._documents = corpus, Documents(corpus.counts)
        self._shape = self._agents.topics, len(corpus.vocabulary)
        self._secret = membership.identity.derive(b"gossip draws" + self._agents.hash)
        self._file = StateFile(membership.folder, self._agents.hash, rows_hash(corpus), self._shape)
        self._ledger = Ledger(membership.folder)
        self.exchanges = Exchanges(
            self._me, self._agents.plan, self._begun(), self._sum
        )  # fmt: skip
        self._rng = np.random.default_rng()
        self._differences: dict[int, str] = {}
        self._complaints: dict[int, str] = {}
        self._untold: list[str] = []
        """Troubles with neighbours that nobody was told of yet."""
        self._failure: BaseException | None = None
        self._fruitless = 0
        self._cycle = 0.0

    @cached_property
    def _links(self) -> Links:
        me = self._membership
        return Links(self._agents, me.me, me.identity, me.credentials, self._shape, self)

    @cached_property
    def _news(self) -> asyncio.Event:
        return asyncio.Event()

    def _begun(self) -> State:
        """Where this agent was left, or where all begin: topics alike, as heavy as its documents.

        The mean over agents is then as heavy as those of an average agent, though nobody is told.
        """
        state = self._file.read()
        if state is not None:
            return state
        if any(line["event"] == "shown" for line in read_ledger(self._membership.folder)):
            raise CheckpointError(
                f"Statistics left '{self._membership.folder}' before, and its state is gone: "
                "begun anew, this agent would count twice. Bring the file back; without it all "
                "agents must begin again, with a new id in their file."
            )
        k, d = self._shape
        tokens = float(self._documents.data.sum())
        if tokens == 0:
            raise InputError(
                "None of the words that the agents count is in these documents; see that the file "
                "is the right one, and its columns."
            )
        state = State(starting_topics(k, d, self._agents.seed) * (tokens / k))
        self._file.keep(state)
        return state

    # -- the clock

    async def live(self) -> None:
        """Until this agent may leave."""
        try:
            await self._links.begin()
            await self._work()
            self._do(self.exchanges.leave())
        finally:
            await self._links.close()

    async def _work(self) -> None:
        rested, rest, deadline, under_way = time.monotonic(), self._rest(), 0.0, b""
        ended: float | None = None
        while not self.exchanges.finished:
            while self._untold:
                self._report(self._untold.pop(0))
            if self._failure is not None:
                raise self._failure
            self._news.clear()
            now = time.monotonic()
            if self.exchanges.state.due:
                self._do(self.exchanges.moved(await asyncio.to_thread(self._updated)))
                self._cycle = time.monotonic() - now
                self._report()
                continue
            if self.exchanges.ending:
                ended = now if ended is None else ended
                if now - ended > FAREWELL:
                    self._leave_without()
                    return
            open_ = self.exchanges.calling or self.exchanges.joining or b""
            if open_ != under_way:
                under_way, deadline = open_, now + PATIENCE
                if not open_:
                    rested, rest = now, self._rest()
            wake = rested + rest * self._usual
            if open_ and now >= deadline:
                self._do([*self.exchanges.give_up(), *self.exchanges.forget()])
            elif self.exchanges.idle and not self.exchanges.ending and now >= wake:
                if not self._call():
                    rested, rest = now, self._rest()
                continue
            self._report()
            await self._wait(min(deadline if open_ else wake, now + 1.0) - now)

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), max(seconds, 0.001))

    def _call(self) -> bool:
        """Call somebody who is there, if anybody is."""
        there = [each for each in self.exchanges.partners() if set(each) <= self._links.open]
        if not there:
            return False
        members = there[int(self._rng.integers(len(there)))]
        self._do(self.exchanges.call(os.urandom(32), members))
        return True

    def _rest(self) -> float:
        """Drawn anew each time, so that two agents don't keep calling each other at once."""
        return float(self._rng.exponential()) * 2.0 ** min(self._fruitless, MOST_DOUBLED)

    @property
    def _usual(self) -> float:
        """Seconds between two calls: there is no hurry where nothing is to be learned just now."""
        idle = self.exchanges.settled or self.exchanges.ahead
        return max(RESTING if idle else SHORTEST, self._cycle)

    def _leave_without(self) -> None:
        names = self._names(self.exchanges.missing)
        warnings.warn(
            f"All agents have done their updates, and {names} stayed away for "
            f"{FAREWELL / 60:.0f} minutes; this agent leaves without a word from there.",
            ChathamWarning,
            stacklevel=2,
        )

    # -- the documents

    def _updated(self) -> Array:
        """The local update, eq. 2: a step towards what my documents are expected to hold."""
        state, agents = self.exchanges.state, self._agents
        number, pace = state.updates + 1, float(agents.schedule.corrections[self._me])
        seed = sha256(self._secret + number.to_bytes(8, "big")).digest()[:8]
        expected = expected_counts(
            self._documents, topics_of(state.statistics, agents.smoothing), agents.prior,
            sweeps=agents.sweeps, burn_in=agents.burn_in, seed=int.from_bytes(seed, "big"),
            n_jobs=self._n_jobs,
        )  # fmt: skip
        share = share_of(self._step, number, pace, pace)
        return state.statistics + share * (expected - state.statistics)

    def _step(self, t: float) -> float:
        return step_size(t, kappa=self._agents.kappa, offset=self._agents.offset)

    def model(self) -> TopicModel:
        """Topics from the statistics as they are, largest first."""
        agents, state = self._agents, self.exchanges.state
        prior = agents.prior if isinstance(agents.alpha, tuple) else agents.alpha
        learner = LDA(
            agents.topics, alpha=prior, beta=agents.smoothing, learn_priors=False,
            random_state=agents.seed,
        )  # fmt: skip
        learner.n_features_in_ = self._shape[1]
        topics, sizes = topics_of(state.statistics, agents.smoothing), state.statistics.sum(axis=1)
        more = {"alpha_": agents.prior, "beta_": agents.smoothing}
        learner._keep(Fitted(topics, sizes, [], state.updates, more))
        words = self._corpus.vocabulary
        return TopicModel(learner, words, vectorizer=Vectorizer(Tokenizer(), words))

    # -- what the protocol asks for

    def _sum(self, caller: int, members: tuple[int, ...], exchange: bytes) -> Sum:
        if not self._agents.private:
            return InTheOpen(caller, members, self._shape)
        group = sorted({caller, *members})
        about = self._agents.hash + exchange
        keys = [self._agents.keys[each] for each in group]
        identity, bits = self._membership.identity, self._agents.fraction_bits
        return UnderMasks(identity, self._me, group, keys, about, self._shape, bits)

    def _do(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Keep):
                self._file.keep(effect.state)
            elif isinstance(effect, Show):
                self._show(effect)
            else:
                self._links.send(effect.to, effect.message)

    def _show(self, shown: Show) -> None:
        open_, masked = (AVERAGED, MASKED_AVERAGE) if shown.averaged else (GIVEN, MASKED)
        meaning = masked if self._agents.private else open_
        names = [self._agents.agents[each].name for each in shown.to]
        number = self.exchanges.state.exchanges
        self._ledger.showing(shown.exchange, number, names, meaning, shown.array)

    # -- what the links tell (`Ears`)

    def linked(self, peer: int) -> None:
        """There is a link: say what may have been lost with the one before."""
        self._differences.pop(peer, None)
        self._complaints.pop(peer, None)
        self._try(lambda: self.exchanges.linked(peer))

    def hear(self, peer: int, message: Message) -> None:
        """A neighbour says something; if it breaks the rules, the link is closed."""
        calling = self.exchanges.calling
        self._try(lambda: self.exchanges.hear(peer, message))
        if message.kind == "busy" and calling == message.exchange:
            self._fruitless += 1
        elif message.kind in ("give", "average"):
            self._fruitless = 0

    def lost(self, peer: int) -> None:
        """A link is gone."""
        self._try(lambda: self.exchanges.lost(peer))

    def differs(self, peer: int, sentence: str) -> None:
        """A neighbour has another file. If no neighbour has the same, the mistake is mine, or else
        there is nobody to go on with."""
        self.complains(peer, sentence)
        self._differences[peer] = sentence
        if set(self._differences) == set(self._membership.neighbours):
            self._fail(SessionError(sentence))

    def complains(self, peer: int, sentence: str) -> None:
        """Said once, not at every attempt."""
        if self._complaints.get(peer) != sentence:
            self._complaints[peer] = sentence
            self._untold.append(sentence)
            self._news.set()

    def _try(self, ask: Callable[[], list[Effect]]) -> None:
        """What an exchange can't go on with ends it; what this agent can't go on with ends it."""
        try:
            self._do(ask())
        except ProtocolError:
            self._do([*self.exchanges.give_up(), *self.exchanges.forget()])
            raise
        except Exception as error:  # it would end a link's task and nothing else
            self._fail(error)
        finally:
            self._news.set()

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self._news.set()

    def _report(self, trouble: str = "") -> None:
        state, waiting = self.exchanges.state, tuple[int, ...]()
        if self.exchanges.ending:
            waiting = self.exchanges.missing
        elif state.promise is not None:
            waiting = (state.promise.caller,)
        elif not any(set(each) <= self._links.open for each in self.exchanges.partners()):
            waiting = tuple(each for each in self._links.neighbours if each not in self._links.open)
        elif self.exchanges.settled:
            everybody = range(self._agents.graph.n)
            waiting = tuple(each for each in everybody if each not in self.exchanges.all_settled)
        names = tuple(self._agents.agents[each].name for each in waiting)
        of = self._membership.updates
        self._tell(Standing(state.updates, of, state.exchanges, names, trouble))

    def _names(self, peers: Sequence[int]) -> str:
        return " and ".join(self._agents.agents[each].name for each in peers)
