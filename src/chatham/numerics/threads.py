"""Our own threads over fixed blocks, so that results never depend on how many there are.

Kernels are compiled to release the interpreter's lock; blocks are cut by the data alone and
reduced in their order. BLAS stays at one thread meanwhile: a threaded BLAS changes the last bits,
and two sets of threads on the same cores cost more than they bring.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Item = TypeVar("Item")
Result = TypeVar("Result")

_pool: ContextVar[ThreadPoolExecutor | None] = ContextVar("chatham_threads", default=None)

BLOCKS = 32
"""Into how many blocks work is cut: enough to keep many cores busy, few enough to be cheap."""


@contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Let `each` use `n_jobs` threads (None: one; -1: one for each core), and BLAS one."""
    count = thread_count(n_jobs)
    with threadpool_limits(1, user_api="blas"):
        if count == 1:
            token = _pool.set(None)
            try:
                yield
            finally:
                _pool.reset(token)
        else:
            with ThreadPoolExecutor(count) as pool:
                token = _pool.set(pool)
                try:
                    yield
                finally:
                    _pool.reset(token)


def thread_count(n_jobs: int | None) -> int:
    """How many threads scikit-learn's `n_jobs` stands for: None is one, -1 every core."""
    if n_jobs is None:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return n_jobs if n_jobs > 0 else max(1, (cores or 1) + 1 + n_jobs)


def each(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """`[work(item) for item in items]`, on the threads that `threads` set up, results in order."""
    pool = _pool.get()
    if pool is None or len(items) < 2:
        return [work(item) for item in items]
    return list(pool.map(work, items))


def blocks(indptr: NDArray[Any], count: int = BLOCKS) -> list[tuple[int, int]]:
    """Cut the rows of a CSR matrix into at most `count` ranges of about equal numbers of nonzeros.

    >>> import numpy as np
    >>> blocks(np.array([0, 9, 10, 11, 13]), 2)
    [(0, 1), (1, 4)]
    """
    n_rows = len(indptr) - 1
    load = np.asarray(indptr, dtype=np.int64) + np.arange(n_rows + 1)  # an empty row costs too
    marks = np.searchsorted(load, np.linspace(0, load[-1], count + 1))
    marks[0], marks[-1] = 0, n_rows
    edges = np.unique(marks)
    return [(int(first), int(last)) for first, last in pairwise(edges)]
