"""All models of all corpora: anchors once, then topics and scores for every number of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from chatham.errors import InputError
from chatham.numerics.threads import threads
from hulls_study.anchors import (
    FEWEST_DOCUMENTS,
    GREEDY,
    METHODS,
    TSNE,
    Words,
    cleaned_up,
    greedy_order,
    hull_order,
    words_of,
)
from hulls_study.documents import Parts
from hulls_study.scores import Array, scores_of, together
from inference_study.records import Record, Records

FEWEST_TOPICS = 5


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    topics: tuple[int, ...] = (5, 10, 15, 20, 25, 30, 40, 50, 60)
    starts: int = 1
    """From how many random starts t-SNE is run; the first is the one that models are made of."""
    seed: int = 0
    n_jobs: int = 1


@dataclass(frozen=True)
class Found:
    """A corpus's anchors by method, in their order, and the records of its models."""

    orders: Mapping[str, list[int]]
    """Of a hull all corners."""
    starts: Sequence[list[int]]
    """t-SNE's corners from every start."""
    cleaned: int
    """How many greedy anchors the clean-up pass would replace."""
    models: Sequence[Record]

    @property
    def common(self) -> int:
        """The largest number of topics that all methods have a model of."""
        sizes = {m["k"] for m in self.models}
        return max(k for k in sizes if all(self.has(method, k) for method in METHODS))

    def model(self, method: str, k: int) -> Record:
        """One model's scores."""
        return next(m for m in self.models if m["method"] == method and m["k"] == k)

    def has(self, method: str, k: int) -> bool:
        """Say whether there is such a model."""
        return any(m["method"] == method and m["k"] == k for m in self.models)


def study(plan: Plan, corpora: Mapping[str, Parts], keep: Path | None) -> dict[str, Found]:
    """Every corpus's anchors and models; what is kept already isn't done again."""
    records = Records(keep)
    with threads(plan.n_jobs):
        return {name: _of_corpus(plan, name, parts, records) for name, parts in corpora.items()}


def _of_corpus(plan: Plan, name: str, parts: Parts, records: Records) -> Found:
    counted = _Counted(parts)
    about = {"corpus": name, "sizes": parts.sizes, "fewest": FEWEST_DOCUMENTS, "seed": plan.seed}
    starts = [
        _order(plan, records, counted, {"anchors": TSNE, **about, "seed": plan.seed + start})
        for start in range(plan.starts)
    ]
    orders = {
        TSNE: starts[0],
        **{m: _order(plan, records, counted, {"anchors": m, **about}) for m in METHODS[1:]},
    }
    _check_corners(name, orders, min(plan.topics))
    models = [
        _model(plan, records, counted, {"method": method, "k": k, **about}, orders[method][:k])
        for k in plan.topics
        for method in METHODS
        if k <= len(orders[method])
    ]
    asked = {"cleaned": max(plan.topics), **about}
    if not records.has(asked):
        records.add(asked, {"number": cleaned_up(counted.words, orders[GREEDY], plan.seed)})
    return Found(orders, starts, records.get(asked)["number"], models)


def _check_corners(name: str, orders: Mapping[str, list[int]], fewest: int) -> None:
    for method, order in orders.items():
        if len(order) < fewest:
            raise InputError(
                f"The hull of {name} by {method} has {len(order)} corners and the smallest model "
                f"{fewest} topics; ask for smaller models too."
            )


class _Counted:
    """A corpus's counts, made when the first model asks for them."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    @cached_property
    def words(self) -> Words:
        return words_of(self.parts.train)

    @cached_property
    def documents(self) -> Array:
        return together(self.parts.train)


def _order(plan: Plan, records: Records, counted: _Counted, asked: dict[str, Any]) -> list[int]:
    method, seed, most = asked["anchors"], asked["seed"], max(plan.topics)
    if method == GREEDY:
        asked = {**asked, "most": most}
    if not records.has(asked):
        words = counted.words
        greedy = method == GREEDY
        order = greedy_order(words, most, seed) if greedy else hull_order(words, method, seed)
        records.add(asked, {"order": order})
    return list(records.get(asked)["order"])


def _model(
    plan: Plan, records: Records, counted: _Counted, asked: dict[str, Any], anchors: list[int]
) -> Record:
    if not records.has(asked):
        found = scores_of(
            counted.words, anchors, counted.documents, counted.parts.held_out, plan.n_jobs
        )
        records.add(asked, found)
    return records.get(asked)
