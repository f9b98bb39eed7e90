"""What a person sees and confirms before an agent says its first word to a neighbour."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from chatham.cli.asking import ask_to_take_part, write_for_me_alone
from chatham.cli.ledger.view import AGENTS
from chatham.cli.output import print_rows
from chatham.federation.locking import FolderLock

if TYPE_CHECKING:
    from chatham.corpus import Corpus
    from chatham.gossip.taking_part import Membership

IN_THE_OPEN = (
    "Every exchange shows the neighbour your statistics as they are: how many tokens of each word "
    "have each topic. Summed over topics these are word counts. After your first update they are "
    "those of your documents: a neighbour learns how often each word occurs in all of them "
    "together, to the last one, and later what changes. Nothing hides it; whom you don't trust "
    "with that shouldn't be your neighbour."
)
UNDER_MASKS = (
    "An agent sums with all its neighbours at once, under masks: each sees the total alone, never "
    "your statistics by themselves. But neighbourhoods overlap, and statistics change by little "
    "between two exchanges: who is in two of them, or compares notes with somebody who is, can "
    "subtract the totals, and all of a neighbourhood but you can subtract theirs. The totals have "
    "exact word counts in them."
)


def confirm(membership: Membership, corpus: Corpus, yes: bool, quiet: bool) -> None:
    """Show who the neighbours are and what they will see, and ask, unless it was confirmed.

    Nobody is asked without having been shown what it is about, however quiet the command is.
    """
    with FolderLock(membership.folder) as lock:
        try:
            confirmed = _confirmed(membership.folder / AGENTS, membership)
            asked = not confirmed and not yes
            if asked or not quiet:
                _show(membership, corpus, confirmed)
            if asked:
                ask_to_take_part()
            write_for_me_alone(membership.folder / AGENTS, membership.agents.to_toml())
        except BaseException:
            lock.withdraw()
            raise


def _confirmed(path: Path, membership: Membership) -> bool:
    from chatham.gossip.agents_file import read_agents

    return path.exists() and read_agents(path).hash == membership.agents.hash


def _show(membership: Membership, corpus: Corpus, confirmed: bool) -> None:
    """On standard error: only results go to standard output."""
    if confirmed:
        print("You confirmed these agents before; it continues.", file=sys.stderr)
    else:
        print_rows(in_words(membership, corpus), errors=True)


def in_words(membership: Membership, corpus: Corpus) -> list[tuple[str, str]]:
    """What a person confirms, in rows of a heading and sentences."""
    agents = membership.agents
    near = [agents.agents[each] for each in membership.neighbours]
    others = len(agents.agents) - len(near) - 1
    keys = [(member.fingerprint, member.name) for member in near]
    return [
        ("Agents", agents.id),
        ("Hash", agents.hash.hex()),
        ("You", membership.name),
        ("Neighbours", f"{len(near)}: {', '.join(member.name for member in near)}."),
        *((("" if i else "Keys"), f"{key}  {name}") for i, (key, name) in enumerate(keys)),
        ("Others", f"{others:,} that you reach through these."),
        ("Network", f"{agents.schedule}."),
        ("Model", _model(membership, corpus)),
        ("Shows", UNDER_MASKS if agents.private else IN_THE_OPEN),
        ("Stays", "The documents, their number, their order, and what belongs to a single one."),
        ("You bring", f"{len(corpus):,} documents with {int(corpus.counts.sum()):,} tokens."),
    ]


def _model(membership: Membership, corpus: Corpus) -> str:
    agents = membership.agents
    return (
        f"LDA of {agents.topics:,} topics over {len(corpus.vocabulary):,} words that all agreed "
        f"on, by gossip: {membership.updates:,} updates here, each after an exchange."
    )
