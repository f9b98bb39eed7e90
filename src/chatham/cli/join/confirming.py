"""A party's folder for a session: what was confirmed there, and whether anything was sent.

The folder keeps a copy of the session that was confirmed. The same session isn't asked about again;
a changed one is, and needs another folder if anything was already sent under the old one. The words
of a public list are written there to be read, with how rare each is here, before anybody is asked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chatham.cli.asking import ask_to_take_part, write_for_me_alone
from chatham.cli.paths import check_folder
from chatham.errors import InputError
from chatham.federation.locking import FolderLock
from chatham.federation.party.ledger import read_ledger
from chatham.federation.session import Session, read_session
from chatham.federation.words.rules import WordRules
from chatham.learners.words import printable

if TYPE_CHECKING:
    from chatham.corpus import Corpus
    from chatham.federation.program import Program

CONFIRMED, LISTED = "session.toml", "listed-words.tsv"
RARE = 10
"""A word that fewer documents have points to them."""


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
        """Keep other processes out of this folder; whoever doesn't take part leaves none behind."""
        check_folder(self.folder)
        with FolderLock(self.folder) as lock:
            try:
                yield
            except BaseException:
                lock.withdraw()
                raise

    def confirm(self, program: Program, corpus: Corpus, yes: bool, quiet: bool) -> None:
        """Show what will be computed and ask, unless this session was confirmed before.

        Documents that can't take part in any case are refused here.
        """
        from chatham.federation.book import Book
        from chatham.federation.join import concerns
        from chatham.federation.program import check_told

        page = Book.beside(self.key, self._identity).page(self.session, corpus)
        self.warnings = [*concerns(self.session, len(corpus)), *page.concerns()]
        is_confirmed = self._before is not None and self._before.hash == self.session.hash
        listed = self._listed(corpus)
        if not quiet:
            self._show(corpus, is_confirmed, listed)
        check_told(program, corpus, page)
        if not is_confirmed and not yes:
            ask_to_take_part()
        write_for_me_alone(self.folder / CONFIRMED, self.session.to_toml())

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

    def _show(self, corpus: Corpus, is_confirmed: bool, listed: list[tuple[str, str]]) -> None:
        """On standard error: only results go to standard output."""
        from chatham.cli.output import print_rows
        from chatham.cli.session.view import in_words

        if is_confirmed:
            print("You confirmed this session before; it continues.", file=sys.stderr)
        else:
            if self._before is not None:
                print("The session has changed since you confirmed it.\n", file=sys.stderr)
            rows = [*in_words(self.session, self.me), *listed, ("You bring", _brought(corpus))]
            print_rows(rows, errors=True)
        for sentence in self.warnings:
            print(f"\nWarning: {sentence}", file=sys.stderr)

    def _listed(self, corpus: Corpus) -> list[tuple[str, str]]:
        """The words of a public list in a file, with how many documents here have each."""
        rules = WordRules.of(self.session.vocabulary)
        words = rules.rules.words
        if words is None:
            return []
        table = rules.offered(corpus)
        here = dict(zip(table.words, table.frequencies.tolist(), strict=True))
        lines = [f"{printable(word)}\t{here.get(word, 0)}" for word in words]
        write_for_me_alone(self.folder / LISTED, "\n".join(["word\tdocuments here", *lines]) + "\n")
        rare = sum(0 < number < RARE for number in here.values())
        return [
            (
                "Listed",
                f"{len(here):,} of the {len(words):,} words of the list are in your documents, "
                f"{rare:,} of them in fewer than {RARE}. Read them, with how many have each, in "
                f"{self.folder / LISTED}: of every word you count here the others learn totals.",
            )
        ]


def _brought(corpus: Corpus) -> str:
    return f"{len(corpus):,} documents with {corpus.n_words:,} different words."
