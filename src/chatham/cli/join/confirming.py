"""A party's folder for a session: what was confirmed there, and whether anything was sent.

The folder keeps a copy of the session that was confirmed, and a keyed hash of the documents. The
same session with the same documents isn't asked about again. A changed session is, and needs
another folder if anything was already sent under the old one. Other documents are, since they may
be the wrong file, and can't be changed any more once all have joined. The words of a public list
are written there to be read, with how rare each is here, before anybody is asked.
"""

from __future__ import annotations

import hmac
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chatham.cli.asking import ask_to_take_part, write_for_me_alone
from chatham.cli.paths import check_folder
from chatham.errors import InputError
from chatham.federation.join import check_own
from chatham.federation.locking import FolderLock
from chatham.federation.party.ledger import read_ledger
from chatham.federation.pinning import rows_hash
from chatham.federation.session import Session, read_session
from chatham.federation.tables import TableRules
from chatham.federation.words.rules import WordRules
from chatham.learners.words import printable

if TYPE_CHECKING:
    from chatham.corpus import Corpus
    from chatham.federation.program import Program

CONFIRMED, LISTED, DOCUMENTS = "session.toml", "listed-words.tsv", "documents"
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
        self._tables = TableRules.of(session.tables)
        self.direct_key = direct_key
        self._identity = Identity.load(key)
        self.me = session.index_of(self._identity.public)
        check_own(folder, session, self._identity.public)
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

    def confirm(
        self, program: Program, corpus: Corpus, source: str, yes: bool, quiet: bool
    ) -> None:
        """Show what will be computed and ask, unless this session was confirmed before.

        Documents that can't take part in any case are refused here.
        """
        from chatham.federation.book import Book
        from chatham.federation.join import concerns
        from chatham.federation.program import check_told

        program.tables.check(corpus)
        page = Book.beside(self.key, self._identity).page(self.session, corpus)
        self.warnings = [
            *concerns(self.session, len(corpus)),
            *self._tables.concerns(corpus),
            *page.concerns(),
        ]
        documents = self._hash_of(corpus)
        changed = self._changed(documents)
        listed = self._listed(corpus)
        asked = changed is not None and not yes
        if asked or not quiet:  # nobody is asked without having been shown what it is about
            self._show(changed, [*listed, *self._brought(corpus, source)])
        check_told(program, corpus, page)
        if asked:
            ask_to_take_part()
        write_for_me_alone(self.folder / CONFIRMED, self.session.to_toml())
        write_for_me_alone(self.folder / DOCUMENTS, documents + "\n")

    def _changed(self, documents: str) -> str | None:
        """What is new since it was confirmed; empty if nothing was, None if it is all the same."""
        if self._before is None:
            return ""
        if self._before.hash != self.session.hash:
            return "The session has changed since you confirmed it."
        try:
            confirmed = (self.folder / DOCUMENTS).read_text("utf-8", errors="replace").strip()
        except FileNotFoundError:  # as folders of 0.4.0 are
            return None
        except OSError as error:
            raise InputError(
                f"'{self.folder / DOCUMENTS}' can't be read: {error.strerror}."
            ) from None
        if confirmed != documents:
            return "These aren't the documents with which you confirmed this session."
        return None

    def _hash_of(self, corpus: Corpus) -> str:
        """A keyed hash, so that who reads it can't test guesses."""
        key = self._identity.derive(b"confirmed documents")
        return hmac.digest(key, rows_hash(corpus, self._tables.pinned(corpus)), "sha256").hex()

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

    def _show(self, changed: str | None, brought: list[tuple[str, str]]) -> None:
        """On standard error: only results go to standard output."""
        from chatham.cli.output import print_rows
        from chatham.cli.session.view import in_words

        if changed is None:
            print("You confirmed this session before; it continues.", file=sys.stderr)
        else:
            if changed:
                print(f"{changed}\n", file=sys.stderr)
            print_rows([*in_words(self.session, self.me), *brought], errors=True)
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

    def _brought(self, corpus: Corpus, source: str) -> list[tuple[str, str]]:
        """The documents, and for this party alone how they fall into the tables' cells."""
        documents = (
            f"{len(corpus):,} documents with {corpus.n_words:,} different words, from {source}. "
            "Once all have joined they can't be changed any more."
        )
        columns = [("", rule.brought(corpus)) for rule in self._tables.rules]
        return [("You bring", documents), *columns]
