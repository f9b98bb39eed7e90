"""What `chatham gossip` prints at the end: the topics, how it went, where things are."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chatham.cli.ledger.view import Crossed, crossed
from chatham.cli.output import console, print_json, topic_table, topics_as_json
from chatham.learners.words import printable
from chatham.naming import plural

if TYPE_CHECKING:
    from chatham.corpus import Corpus
    from chatham.gossip.taking_part import Membership
    from chatham.model.topic_model import TopicModel


@dataclass
class Gossiped:
    """What an agent read, and the model that it reached."""

    membership: Membership
    corpus: Corpus
    model: TopicModel
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    seconds: float = 0.0
    output: Path | None = None

    def save(self, output: Path) -> None:
        """The model."""
        self.model.save(output)
        self.output = output

    @property
    def left(self) -> Crossed:
        """Everything that neighbours were shown."""
        return crossed(self.membership.folder)


def print_as_json(gossiped: Gossiped, words: int) -> None:
    """Everything, as one JSON document."""
    model, shown, membership = gossiped.model, gossiped.left.shown, gossiped.membership
    print_json(
        {
            "agents": membership.agents.hash.hex(),
            "agent": membership.name,
            "documents": gossiped.corpus.n_documents,
            "words": len(model.vocabulary),
            "algorithm": model.algorithm,
            "parameters": model.parameters,
            "seed": model.seed,
            "updates": int(model.estimator.n_iter_),
            "shown": sum(each.times for each in shown),
            "bytes": sum(each.bytes for each in shown),
            "seconds": round(gossiped.seconds, 3),
            "saved": None if gossiped.output is None else str(gossiped.output),
            "notes": list(gossiped.notes),
            "warnings": list(gossiped.warnings),
            "topics": topics_as_json(model, model.top_word_lists(words)),
        }
    )


def print_for_people(gossiped: Gossiped, words: int, quiet: bool) -> None:
    """The topics and how it went; only the topics if quiet."""
    screen, model = console(), gossiped.model
    screen.print(topic_table(model, model.top_word_lists(words)))
    if not quiet:
        screen.print(f"\n{_how_it_went(gossiped)}", soft_wrap=True)
        screen.print(_where_it_is(gossiped), soft_wrap=True)


def _how_it_went(gossiped: Gossiped) -> str:
    shown, agents = gossiped.left.shown, gossiped.membership.agents
    size = sum(each.bytes for each in shown)
    return (
        f"LDA of {len(agents.agents)} agents over {len(gossiped.model.vocabulary):,} words, by "
        f"gossip: {plural(int(gossiped.model.estimator.n_iter_), 'update')}; neighbours were shown "
        f"statistics {sum(each.times for each in shown):,} times, {size / 1e6:,.1f} MB; "
        f"{gossiped.seconds:.1f} s in all."
    )


def _where_it_is(gossiped: Gossiped) -> str:
    folder = shlex.quote(str(gossiped.membership.folder))
    ledger = f"what neighbours were shown is in the ledger: chatham ledger {folder}"
    if gossiped.output is None:
        return f"Not saved; give -o FOLDER to keep the model. And {ledger}"
    saved = shlex.quote(str(gossiped.output))
    return f"{printable(f'Saved in {saved}; see it with: chatham topics {saved}')}\nAnd {ledger}"
