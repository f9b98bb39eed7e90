"""Sampling: run a mechanism on every database of a design (Algorithm 11, steps 3 to 6).

Databases are made and run in batches, which processes share: a fit of a few hundred documents is as
much Python as compiled code, so threads would wait for each other. (Processes are started anew
rather than forked, since forks of a program that has threads may hang; a script that asks for
several must guard its main part, as `multiprocessing` explains.) Each database follows from its
number and the seed, and in every process BLAS has one thread: so the bytes are the same at any
number of processes. The corpus is read, and its vocabulary counted, once, by the caller.

A run that was killed is resumed by running it again: batches that are there are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from os import PathLike
from pathlib import Path
from time import perf_counter

from chatham.audit.mechanisms import Observables
from chatham.audit.neighbours import Database
from chatham.audit.samples import Plan, SampleFolder, Samples, packed
from chatham.numerics.threads import thread_count, threads

Progress = Callable[[int, int], None]
"""Told how many of how many databases are done."""

TRIALS = 3
"""How many fits are timed to estimate the cost."""


@dataclass(frozen=True)
class Cost:
    """What a plan will take."""

    databases: int
    seconds_each: float
    """How long one fit takes on one core."""
    seconds: float
    """How long all will take."""
    bytes: int
    """How much is stored, about."""


def sample(
    plan: Plan,
    folder: str | PathLike[str] | None = None,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Samples:
    """Run what the plan says and return the samples, kept in a folder or in memory.

    In a folder that has some of the plan's batches already only the others are run. `n_jobs` is
    scikit-learn's: None is one process, -1 one for each core.
    """
    if folder is None:
        kept: dict[int, bytes] = {}
        _run(plan, range(plan.batches), kept.__setitem__, n_jobs, progress)
        return Samples(plan, kept.__getitem__)
    files = SampleFolder(Path(folder), plan)
    files.open()
    _run(plan, files.missing(), files.write, n_jobs, progress)
    return Samples(plan, files.read)


def estimate_cost(plan: Plan, *, n_jobs: int | None = None, trials: int = TRIALS) -> Cost:
    """Time a few fits. The first compiles what isn't compiled yet, and doesn't count."""
    run_database(plan, 0)
    numbers = [i * (plan.design.databases - 1) // max(trials - 1, 1) for i in range(trials)]
    began = perf_counter()
    runs = [run_database(plan, number) for number in numbers]
    each = (perf_counter() - began) / trials
    n_all = plan.design.databases
    size = sum(len(packed_alone(plan, *run)) for run in runs) // trials
    return Cost(n_all, each, each * n_all / thread_count(n_jobs), size * n_all)


def run_database(plan: Plan, number: int) -> tuple[Database, Observables]:
    """Run the mechanism on one database."""
    database = plan.database(number)
    with threads(None):
        return database, plan.mechanism(plan.counts[database.rows], database.seed)


def run_batch(plan: Plan, batch: int) -> bytes:
    """Run the mechanism on a batch of databases, and return the batch's file."""
    with threads(None):
        runs = []
        for number in plan.numbers(batch):
            database, seen = run_database(plan, number)
            # What isn't kept needn't wait in memory for the rest of the batch.
            runs.append((database, seen.about(plan.words(database))))
        return packed(plan, batch, runs)


def packed_alone(plan: Plan, database: Database, seen: Observables) -> bytes:
    """What one database takes in a file."""
    return packed(replace(plan, batch=1), 0, [(database, seen)])


def _run(
    plan: Plan,
    batches: Sequence[int],
    keep: Callable[[int, bytes], None],
    n_jobs: int | None,
    progress: Progress | None,
) -> None:
    left = sum(len(plan.numbers(batch)) for batch in batches)
    n_all = plan.design.databases
    done = n_all - left
    for batch, content in _made(plan, batches, min(thread_count(n_jobs), len(batches))):
        keep(batch, content)
        done += len(plan.numbers(batch))
        if progress is not None:
            progress(done, n_all)


def _made(plan: Plan, batches: Sequence[int], processes: int) -> Iterator[tuple[int, bytes]]:
    """Batches' files, in whatever order they are done."""
    if processes <= 1:
        for batch in batches:
            yield batch, run_batch(plan, batch)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (plan,))
    try:
        futures = {pool.submit(_run_here, batch): batch for batch in batches}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_here: list[Plan] = []
"""The plan of this process, which would take long to send with every batch."""


def _begin(plan: Plan) -> None:
    _here[:] = [plan]


def _run_here(batch: int) -> bytes:
    return run_batch(_here[0], batch)
