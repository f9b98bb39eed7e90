"""Which base topic went where in a merge, and how far the parties agree.

A base topic goes to every merged topic that takes at least a quarter of it, and mainly to the one
that takes most. A party has a merged topic if one of its base topics goes there: so topics are
shared by all, by some, or had by one party alone. How far the parties that have a topic agree on it
is the mean similarity of their own versions of it, two by two, over the words that both have; a
party's version is the mean of its base topics, each as large as its part in the merged one.

A base topic is *lost* if what the merged topics make of it is hardly like it: then its party's
documents are about something that the merge doesn't show.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.ensembles.alignment import Aligned
from chatham.ensembles.starts import plain_topics, similarity
from chatham.naming import plural

Array = NDArray[np.float64]

GOES = 0.25
"""The least part of a base topic that counts as going to a merged one."""
LOST = 0.5
"""Below this similarity a base topic is not found again in the merged ones."""

ALL, SOME, ONE, NONE = "all", "some", "one", "none"


@dataclass(frozen=True, eq=False)
class Agreement:
    """Where base topics went, and whose merged topics are; see `topics` and `base`."""

    names: list[str]
    has: NDArray[np.bool_]
    """Which party (row) has which merged topic."""
    party_shares: Array
    """Of each party's documents (row), the share of each merged topic."""
    agreed: Array
    """The mean similarity of the parties' versions of each topic; NaN if only one has it."""
    base: pd.DataFrame
    """A row for each base topic: party, topic (its number there), share, goes_to, part, also_in
    (other merged topics that take a quarter of it or more), similarity, lost."""

    @property
    def kinds(self) -> list[str]:
        """Whether all parties have a topic, some, one alone, or none more than a little of it."""
        return [self._kind(int(number)) for number in self.has.sum(axis=0)]

    def _kind(self, number: int) -> str:
        if number == 0:
            return NONE
        if number == len(self.names):
            return ALL
        return ONE if number == 1 else SOME

    @property
    def topics(self) -> pd.DataFrame:
        """A row for each merged topic: topic, shared_by, parties, agreement, each party's share."""
        return pd.DataFrame(
            {
                "topic": np.arange(self.has.shape[1]),
                "shared_by": self.kinds,
                "parties": [tuple(self._having(topic)) for topic in range(self.has.shape[1])],
                "agreement": self.agreed,
                **dict(zip(self.names, self.party_shares, strict=True)),
            }
        )

    def _having(self, topic: int) -> list[str]:
        return [name for name, has in zip(self.names, self.has[:, topic], strict=True) if has]

    def sentences(self) -> list[str]:
        """The report in a few sentences."""
        kinds, parties = self.kinds, len(self.names)
        told = []
        if parties > 1:
            told.append(
                f"Of {plural(len(kinds), 'topic')}, all {parties} parties have {kinds.count(ALL)}, "
                f"some {kinds.count(SOME)}, one alone {kinds.count(ONE)}."
            )
        if kinds.count(NONE):
            told.append(
                f"{plural(kinds.count(NONE), 'topic')} took less than a quarter of any base topic: "
                "fewer topics may do."
            )
        lost = self.base[self.base["lost"]]
        if len(lost):
            listed = ", ".join(f"{row.party} {row.topic}" for row in lost.itertuples())
            told.append(
                f"{plural(len(lost), 'base topic')} can't be found again in the merged ones "
                f"({listed}); ask for more topics to keep them."
            )
        else:
            told.append("Every base topic can be found again in the merged ones.")
        return told

    def as_plain(self) -> dict[str, Any]:
        """For machines."""
        topics = [
            {
                "topic": number,
                "shared_by": kind,
                "parties": self._having(number),
                "agreement": None if np.isnan(self.agreed[number]) else float(self.agreed[number]),
                "shares": dict(
                    zip(self.names, map(float, self.party_shares[:, number]), strict=True)
                ),
            }
            for number, kind in enumerate(self.kinds)
        ]
        return {"topics": topics, "base_topics": self.base.to_dict(orient="records")}


def agreement_of(together: Aligned, shares: list[Array], topics: Array) -> Agreement:
    """The report of a merge with these topics (plain words) and p(y|z) of each party."""
    parties = range(len(together.summaries))
    went = [mine >= GOES for mine in shares]
    sizes = [each.sizes for each in together.summaries]
    return Agreement(
        names=list(together.names),
        has=np.stack([each.any(axis=0) for each in went]),
        party_shares=np.stack(
            [size / size.sum() @ mine for size, mine in zip(sizes, shares, strict=True)]
        ),
        agreed=_agreed(together, shares, went),
        base=pd.concat([_base(together, party, shares[party], topics) for party in parties],
                       ignore_index=True),
    )  # fmt: skip


def _agreed(together: Aligned, shares: list[Array], went: list[NDArray[np.bool_]]) -> Array:
    k = shares[0].shape[1]
    versions = []
    for party, (mine, goes) in enumerate(zip(shares, went, strict=True)):
        sizes = together.summaries[party].sizes[:, None]
        versions.append((sizes * mine * goes).T @ plain_topics(together, party))
    alike: list[list[float]] = [[] for _ in range(k)]
    for first, second in combinations(range(len(shares)), 2):
        common = together.observed[first] & together.observed[second]
        for topic in range(k):
            if versions[first][topic].any() and versions[second][topic].any():
                pair = versions[first][topic], versions[second][topic]
                alike[topic].append(similarity(*pair, common))
    return np.array([np.mean(each) if each else np.nan for each in alike])


def _base(together: Aligned, party: int, shares: Array, topics: Array) -> pd.DataFrame:
    summary, known = together.summaries[party], together.observed[party]
    own = plain_topics(together, party)
    told = topics / topics[:, known].sum(axis=1, keepdims=True)
    mixed = shares @ told
    alike = np.array([similarity(*pair, known) for pair in zip(own, mixed, strict=True)])
    main = shares.argmax(axis=1)
    return pd.DataFrame(
        {
            "party": together.names[party],
            "topic": summary.numbers,
            "share": summary.shares,
            "goes_to": main,
            "part": shares[np.arange(len(main)), main],
            "also_in": [
                tuple(topic for topic in np.flatnonzero(row >= GOES).tolist() if topic != first)
                for row, first in zip(shares, main, strict=True)
            ],
            "similarity": alike,
            "lost": alike < LOST,
        }
    )
