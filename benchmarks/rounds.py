"""How long a round takes between real processes on loopback, masked and plain, and what it holds.

    python benchmarks/rounds.py                      all sizes, 3 and 10 parties: a table
    python benchmarks/rounds.py --memory             memory of relay and party over 500 rounds
    python benchmarks/rounds.py --parties 3 --bytes 1000 --rounds 200

A relay and M parties, each a process; the relay is `chatham relay`, with all that it does between a
socket and a sum. A round is what `Connection.round` does, from words to the total that all have
signed. *Plain* is the same relay and the same messages without masks, tags and signatures. Times
are the slowest party's, the median over rounds after two that aren't counted, the better of several
tries; the two kinds take turns.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from chatham.cli import app
from chatham.cli.demo.parties import free_port
from chatham.commons.secure import frames
from chatham.commons.secure import masks as masked
from chatham.commons.secure.keys import Identity
from chatham.federation.party.connection import Connection
from chatham.federation.party.http_link import HttpLink
from chatham.federation.session import Member, Session

SIZES = {"1 kB": 1_000, "1.6 MB": 1_600_000, "40 MB": 40_000_000}
ROUNDS = {1_000: 300, 1_600_000: 40, 40_000_000: 5}
WARM = 2


def main() -> None:
    """Read the command line, measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parties", type=int, nargs="*", default=[3, 10])
    parser.add_argument("--bytes", type=int, nargs="*", default=list(SIZES.values()))
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    asked = parser.parse_args()
    if asked.memory:
        return memory(asked.parties[0], asked.bytes[0], asked.rounds or 500)
    print("| parties | bytes | plain (ms) | masked (ms) | ratio | masked MB/s |")
    print("|---|---|---|---|---|---|")
    for parties in asked.parties:
        for size in asked.bytes:
            rounds = asked.rounds or ROUNDS.get(size, 20)
            tries = [
                [np.median(measured(parties, size, rounds, plain)[0]) for plain in (True, False)]
                for _ in range(asked.tries)
            ]
            plain, hidden = np.min(tries, axis=0)
            rate = 2 * parties * size / hidden / 1e6
            print(
                f"| {parties} | {size:,} | {plain * 1e3:.1f} | {hidden * 1e3:.1f} "
                f"| {hidden / plain:.2f} | {rate:,.0f} |",
                flush=True,
            )
    return None


def memory(parties: int, size: int, rounds: int) -> None:
    """Print the memory of relay and party along the way, in MB."""
    _, held = measured(parties, size, rounds, False, every=max(rounds // 10, 1))
    print("| round | party (MB) | relay (MB) |")
    print("|---|---|---|")
    for number, party, relay in held:
        print(f"| {number} | {party:.1f} | {relay:.1f} |")


def measured(
    parties: int, size: int, rounds: int, plain: bool, every: int = 0
) -> tuple[np.ndarray, list[tuple[int, float, float]]]:
    """Seconds of each round, and memory every so many rounds."""
    start = multiprocessing.get_context("fork")
    identities = [Identity.new() for _ in range(parties)]
    with tempfile.TemporaryDirectory() as folder:
        session = Session(
            id="ab" * 16,
            relay=f"http://127.0.0.1:{free_port()}",
            parties=tuple(Member(f"P{i}", one.public.hex()) for i, one in enumerate(identities)),
            algorithm="none",
            two_parties_know=True,
        )
        relay = start.Process(target=run_relay, args=(session, Path(folder), plain))
        relay.start()
        told: Any = start.SimpleQueue()
        around = [
            start.Process(
                target=run_party,
                args=(session, i, one, Path(folder), size, rounds, plain, every, relay.pid, told),
            )
            for i, one in enumerate(identities)
        ]
        for process in around:
            process.start()
        found = [told.get() for _ in around]
        for process in around:
            process.join()
        relay.terminate()
        relay.join()
    times = np.max([times for times, _ in found], axis=0)
    return times, next((held for _, held in found if held), [])


def run_relay(session: Session, folder: Path, plain: bool) -> None:
    """The relay's process: the command that people run."""
    if plain:
        make_plain()
    file = folder / "session.toml"
    file.write_text(session.to_toml(), "utf-8")
    port = session.relay.rpartition(":")[2]
    app(["relay", str(file), "--folder", str(folder / "relay"), "--port", port, "--quiet"])


def run_party(
    session: Session,
    index: int,
    identity: Identity,
    folder: Path,
    size: int,
    rounds: int,
    plain: bool,
    every: int,
    relay: int,
    told: Any,
) -> None:
    """A party's process: the same words in each round, so that only the round is measured."""
    if plain:
        make_plain()
    connection = Connection(session, identity, HttpLink(session), folder / f"party{index}")
    words = np.arange(size // 8, dtype=np.uint64)
    times, held = [], []
    for number in range(rounds + WARM):
        begun = time.perf_counter()
        connection.round(words, bytes(32), bytes(32))
        times.append(time.perf_counter() - begun)
        if every and index == 0 and number % every == 0:
            held.append((number, memory_of(os.getpid()), memory_of(relay)))
        last = folder / f"party{index}" / "rounds" / f"{number:06d}.total"
        last.unlink()  # what is replayed after a crash needn't fill the disk here
    told.put((times[WARM:], held))


def make_plain() -> None:
    """In this process nothing is masked, tagged or signed."""

    def cover(self: Any, words: Any, round_: int, digest: bytes) -> Any:
        return np.concatenate([words, np.zeros(masked.TAG, np.uint64)])

    masked.Masks.cover = cover  # type: ignore[method-assign]
    masked.Masks.uncover = lambda self, words, round_, digest: words[: -masked.TAG].copy()  # type: ignore[method-assign, assignment]
    frames.is_signed = lambda public, signature, message: True  # type: ignore[attr-defined]
    Identity.sign = lambda self, message: bytes(64)  # type: ignore[method-assign]


def memory_of(process: int) -> float:
    """Resident memory in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main()
