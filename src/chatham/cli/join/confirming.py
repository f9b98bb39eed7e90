"""A party's folder for a session: what was confirmed there, and whether anything was sent.

The folder keeps a copy of the session that was confirmed. The same session isn't asked about again;
a changed one is, and needs another folder if anything was already sent under the old one. Next to
the key is a list of the sessions that were joined with it; it serves to warn a party before it
takes part again with other documents: two totals can be subtracted.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.paths import check_folder, unwritable
from chatham.errors import InputError
from chatham.federation.party.ledger import read_ledger
from chatham.federation.session import Session, read_session

if TYPE_CHECKING:
    from chatham.corpus import Corpus

CONFIRMED, LOCK = "session.toml", "in-use"


class PartyFolder:
    """One party's folder for one session."""

    def __init__(
        self, folder: Path, session: Session, key: Path, direct_key: Path | None = None
    ) -> None:
        from chatham.commons.secure.keys import Identity
        from chatham.federation.normed.linking import links_of

        self.folder, self.session, self.key = folder, session, key
        self.direct_key = direct_key
        self._identity = Identity.load(key)
        self.me = session.index_of(self._identity.public)
        links_of(session, key, direct_key)  # refuses now what would prevent links later
        self.warnings: list[str] = []
        """What the party was warned of before it joined."""
        self._before = self._confirmed_before()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes out of this folder: two of one party would keep ending epochs."""
        check_folder(self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise unwritable(self.folder, error) from None
        try:
            _lock(descriptor, self.folder)
            yield
        finally:
            os.close(descriptor)

    def confirm(self, corpus: Corpus, yes: bool, quiet: bool) -> None:
        """Show what will be computed and ask, unless this session was confirmed before."""
        from chatham.federation.join import concerns
        from chatham.federation.pinning import rows_hash

        documents = self._identity.derive(b"joined" + rows_hash(corpus)).hex()
        self.warnings = [*concerns(self.session, len(corpus)), *self._joined_before(documents)]
        is_confirmed = self._before is not None and self._before.hash == self.session.hash
        if not quiet:
            self._show(corpus, is_confirmed)
        if not is_confirmed and not yes:
            self._ask()
        self._keep(len(corpus), documents)

    def farewell(self) -> str:
        """What to say when it is interrupted."""
        done = sum(line["event"] == "came" for line in read_ledger(self.folder))
        return (
            f"Stopped after {done:,} complete rounds. The others wait; run the same command again, "
            "and it resumes where it stopped."
        )

    def _confirmed_before(self) -> Session | None:
        path = self.folder / CONFIRMED
        if not path.exists():
            return None
        before = read_session(path)
        left = any(line["event"] != "hello" for line in read_ledger(self.folder))
        begun = left or any((self.folder / "rounds").glob("*.agreed"))
        if begun and before.hash != self.session.hash:
            raise InputError(
                f"'{self.folder}' belongs to another session ({before.id[:8]}…, hash "
                f"{before.hash.hex()[:16]}…), of which something was sent already; give this one "
                "another folder with --folder."
            )
        return before

    def _show(self, corpus: Corpus, is_confirmed: bool) -> None:
        """On standard error: only results go to standard output."""
        from chatham.cli.output import print_rows
        from chatham.cli.session.view import in_words

        if is_confirmed:
            print("You confirmed this session before; it continues.", file=sys.stderr)
        else:
            if self._before is not None:
                print("The session has changed since you confirmed it.\n", file=sys.stderr)
            rows = [*in_words(self.session, self.me), ("You bring", _brought(corpus))]
            print_rows(rows, errors=True)
        for sentence in self.warnings:
            print(f"\nWarning: {sentence}", file=sys.stderr)

    def _ask(self) -> None:
        try:
            agreed = typer.confirm("\nTake part?", err=True)
        except typer.Abort:  # nobody is there to answer, or somebody pressed Ctrl-C
            typer.echo("\nTo take part without being asked, give --yes.", err=True)
            agreed = False
        if not agreed:
            typer.echo("Nothing was sent.", err=True)
            raise typer.Exit(1)

    def _keep(self, documents: int, corpus: str) -> None:
        try:
            (self.folder / CONFIRMED).write_text(self.session.to_toml(), "utf-8")
            this = (self.session.hash.hex(), corpus)
            if not any((li.get("session"), li.get("corpus")) == this for li in self._history()):
                now = datetime.now(UTC).isoformat(timespec="seconds")
                line = {
                    "time": now,
                    "session": self.session.hash.hex(),
                    "documents": documents,
                    "corpus": corpus,
                }
                with open(self._history_file, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise InputError(
                f"What was confirmed can't be kept in '{self.folder}' and next to '{self.key}': "
                f"{error.strerror}."
            ) from None

    # -- sessions that were joined before

    @property
    def _history_file(self) -> Path:
        return self.key.with_name(self.key.name + ".joined")

    def _history(self) -> list[dict[str, Any]]:
        lines = []
        with suppress(OSError):
            for line in self._history_file.read_text("utf-8", errors="replace").splitlines():
                with suppress(ValueError):
                    lines.append(json.loads(line))
        return [line for line in lines if isinstance(line, dict)]

    def _joined_before(self, corpus: str) -> list[str]:
        """A warning, since the totals of two sessions can be subtracted and show what changed."""
        others = [line for line in self._history() if line.get("corpus") != corpus]
        if not others:
            return []
        last = others[-1]
        which = "this" if last.get("session") == self.session.hash.hex() else "another"
        return [
            f"With this key you took part in {which} session on {str(last.get('time', ''))[:10]}, "
            f"with other documents ({last.get('documents')} of them). If the other parties' "
            "documents are the same as then, the two totals differ by what changed here: a few "
            "documents that were added or removed can be recognised."
        ]


def _brought(corpus: Corpus) -> str:
    return f"{len(corpus):,} documents with {corpus.n_words:,} different words, which stay here."


def _lock(descriptor: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on this system; then only the relay's epochs separate them
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError(
            f"Another chatham join is running in '{folder}'; wait for it, or stop it first."
        ) from None
