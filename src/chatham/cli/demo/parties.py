"""A relay and several parties as separate processes on this machine, for `chatham demo`.

They are the same commands that parties on several machines run: `chatham relay`, and `chatham join`
for each party, with its own key, file of texts and folder.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from chatham.cli.app import ERROR
from chatham.corpus import Corpus
from chatham.errors import ChathamError, InputError
from chatham.federation.party.ledger import read_ledger
from chatham.federation.session import LOOPBACK, Member, Session
from chatham.naming import plural

Stage = Callable[[str], None]
Process = subprocess.Popen[bytes]

LOOK_AGAIN = 0.1
"""Seconds between two checks of how far the parties are."""


class Neighbours:
    """Parties on this machine, each with its key, its texts and its folder, all in one folder."""

    def __init__(self, folder: Path, parties: Mapping[str, Corpus]) -> None:
        from chatham.commons.secure.keys import Identity
        from chatham.federation.book import save_identity

        self.folder, self.names = folder, list(parties)
        self.relay = f"http://{LOOPBACK[1]}:{free_port()}"
        members = []
        for index, (name, corpus) in enumerate(parties.items()):
            home = self.home(index)
            home.mkdir(parents=True)
            identity = Identity.new()
            save_identity(identity, home / "private.key")
            members.append(Member(name, identity.public.hex()))
            write_texts(corpus, home / "texts.csv")
        self._members = tuple(members)

    def home(self, index: int) -> Path:
        """The folder of a party."""
        return self.folder / f"party-{index + 1}"

    def session(self, algorithm: str, seed: int, **parameters: Any) -> Path:
        """Write the file of a session."""
        session = Session(
            id=os.urandom(16).hex(),
            relay=self.relay,
            parties=self._members,
            algorithm=algorithm,
            parameters=parameters,
            vocabulary={"stop_words": "en", "min_parties": 2, "min_df": 10, "own_df": 5},
            seed=seed,
        )
        path = self.folder / f"{algorithm}.toml"
        path.write_text(session.to_toml(), "utf-8")
        return path

    @contextmanager
    def relaying(self, sessions: Sequence[Path]) -> Iterator[None]:
        """A relay for these sessions, until the work is done."""
        port = self.relay.rpartition(":")[2]
        words = ["relay", *sessions, "--folder", self.folder / "relay", "--port", port, "--quiet"]
        with _running([(words, self.folder / "relay.txt")]):
            yield

    def join(self, sessions: Sequence[Path], stage: Stage) -> dict[str, list[Path]]:
        """Have all parties join all sessions at once, and wait; the folders of their models."""
        saved = {session.stem: self._models(session.stem) for session in sessions}
        commands = [
            (self._joining(index, session, model), self.home(index) / f"{session.stem}.txt")
            for session in sessions
            for index, model in enumerate(saved[session.stem])
        ]
        logs, names = [log for _, log in commands], self.names * len(sessions)
        with _running(commands) as processes:
            while any(process.poll() is None for process in processes):
                stage(self._progress(saved))
                _check(processes, names, logs)
                time.sleep(LOOK_AGAIN)
            _check(processes, names, logs)
        stage(self._progress(saved))
        return saved

    def _models(self, name: str) -> list[Path]:
        return [self.home(index) / f"{name}-model" for index in range(len(self.names))]

    def _progress(self, names: Iterable[str]) -> str:
        """So many sums as the report counts in the end: there are more records, one of the roll
        before the first sum and one when all have taken leave."""
        return f"Together: {', '.join(map(self._sums, names))}"

    def _sums(self, name: str) -> str:
        came = sum(line["event"] == "came" for line in read_ledger(self.home(0) / name))
        return f"{name.upper()} {plural(came, 'sum')}"

    def _joining(self, index: int, session: Path, model: Path) -> list[Any]:
        home = self.home(index)
        return [
            "join", session, "--corpus", home / "texts.csv", "--text", "text", "--id", "id",
            "--key", home / "private.key", "--folder", home / session.stem, "-o", model,
            "--yes", "--quiet", "--jobs", 1,
        ]  # fmt: skip


@contextmanager
def neighbourhood(folder: Path | None) -> Iterator[Path]:
    """A folder for everything: one to keep, or a temporary one."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="chatham-demo-") as temporary:
            yield Path(temporary)
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"'{folder}' isn't empty; choose a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    yield folder.resolve()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind((LOOPBACK[1], 0))
        port: int = listener.getsockname()[1]
        return port


def write_texts(corpus: Corpus, path: Path) -> None:
    """Texts with their ids, as a party would have them."""
    import pandas as pd

    if corpus.texts is None:
        raise InputError("Parties need texts, but this corpus has none; read it with its texts.")
    pd.DataFrame({"id": corpus.ids, "text": corpus.texts}).to_csv(path, index=False)


@contextmanager
def _running(commands: Sequence[tuple[Sequence[Any], Path]]) -> Iterator[list[Process]]:
    """Commands of ours, each writing to a file; those still running at the end are stopped."""
    processes: list[Process] = []
    try:
        for words, log in commands:
            with open(log, "ab") as file:
                # -P: nothing is imported from the current folder
                command = [sys.executable, "-P", "-m", "chatham", *map(str, words)]
                processes.append(
                    subprocess.Popen(
                        command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                        env=_environment(),
                    )
                )  # fmt: skip
        yield processes
    finally:
        _stop(processes)


def _environment() -> dict[str, str]:
    """With this copy of Chatham first on the path."""
    ours = str(Path(__file__).resolve().parents[2])
    inherited = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [ours, inherited]))}


def _stop(processes: Sequence[Process]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
            continue
        process.kill()
        process.wait()


def _check(processes: Sequence[Process], names: Sequence[str], logs: Sequence[Path]) -> None:
    """A party that stopped is an error, with the last line of its log."""
    for process, name, log in zip(processes, names, logs, strict=True):
        if process.poll():
            lines = log.read_text("utf-8", errors="replace").strip().splitlines()
            why = lines[-1].removeprefix(ERROR) if lines else f"exit code {process.returncode}"
            raise ChathamError(f"The party {name} stopped: {why}")
