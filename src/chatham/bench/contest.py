"""Contenders take turns at the same task; the best try of each is kept."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits

Run = Callable[[], tuple[float, float]]
"""One try: the seconds it took and the quality it reached."""


@dataclass(frozen=True)
class Result:
    """What one contender reached: its speed against the first peer, and the quality beside it."""

    task: str
    corpus: str
    topics: int
    threads: int
    contender: str
    seconds: float
    quality: float
    ratio: float | None = None
    """How many times as fast as the peer; 1 for the peer itself, None where there is no peer."""
    note: str = ""


@dataclass(frozen=True)
class Contender:
    """One way to do the task; ratios are against the one marked as the peer."""

    name: str
    run: Run
    is_peer: bool = False
    note: str = ""


def contest(
    task: str, corpus: str, topics: int, threads: int, contenders: list[Contender], tries: int
) -> list[Result]:
    """Every contender in turn, `tries` times over; the quickest try of each, against the peer's."""
    best: dict[str, tuple[float, float]] = {}
    with threadpool_limits(threads):
        for _ in range(tries):
            for contender in contenders:
                gc.collect()
                tried = contender.run()
                best[contender.name] = min(tried, best.get(contender.name, tried))
    peer = next((best[c.name][0] for c in contenders if c.is_peer), None)
    return [
        Result(
            task, corpus, topics, threads, c.name, *best[c.name],
            ratio=None if peer is None else peer / best[c.name][0], note=c.note,
        )
        for c in contenders
    ]  # fmt: skip


@contextmanager
def stopwatch() -> Iterator[list[float]]:
    """The seconds that the block took, in a list of one when it is over."""
    seconds: list[float] = []
    began = time.perf_counter()
    yield seconds
    seconds.append(time.perf_counter() - began)


def installed(module: str) -> Any:
    """A peer, or None where it isn't installed."""
    try:
        return __import__(module)
    except ImportError:
        return None
