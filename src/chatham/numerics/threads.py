"""Our own threads over fixed blocks, so that results never depend on how many there are.

Kernels are compiled to release the interpreter's lock; blocks are cut by the data alone and
reduced in their order. BLAS stays at one thread meanwhile: a threaded BLAS changes the last bits,
and two sets of threads on the same cores cost more than they gain.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from itertools import pairwise
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Item = TypeVar("Item")
Result = TypeVar("Result")

_pool: ContextVar[ThreadPoolExecutor | None] = ContextVar("chatham_threads", default=None)

BLOCK, MOST_BLOCKS = 2**16, 64
"""The approximate number of cells per block, and the maximum number of blocks: handing one to a
thread costs some tens of microseconds, so a block must be worth it."""


@contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Let `each` use `n_jobs` threads (None: one; -1: one per core), and BLAS one."""
    count = thread_count(n_jobs)
    with _single_blas, nullcontext() if count == 1 else ThreadPoolExecutor(count) as pool:
        token = _pool.set(pool)
        try:
            yield
        finally:
            _pool.reset(token)


class _SingleBlas:
    """BLAS at one thread while any fit is inside: the first in sets it, the last out resets it.

    The limit is the whole process's, and fits may overlap in the caller's threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limits = threadpool_limits(1, user_api="blas")
            self._inside += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limits.restore_original_limits()


_single_blas = _SingleBlas()


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


def blocks(indptr: NDArray[Any], count: int | None = None) -> list[tuple[int, int]]:
    """Cut the rows of a CSR matrix into at most `count` ranges of about equal numbers of nonzeros.

    Without a count their number follows from the size of the matrix.

    >>> import numpy as np
    >>> blocks(np.array([0, 9, 10, 11, 13]), 2)
    [(0, 1), (1, 4)]
    """
    n_rows = len(indptr) - 1
    load = np.asarray(indptr, dtype=np.int64) + np.arange(n_rows + 1)  # an empty row costs too
    count = count or min(max(int(load[-1]) // BLOCK, 1), MOST_BLOCKS)
    marks = np.searchsorted(load, np.linspace(0, load[-1], count + 1))
    marks[0], marks[-1] = 0, n_rows
    edges = np.unique(marks)
    return [(int(first), int(last)) for first, last in pairwise(edges)]
