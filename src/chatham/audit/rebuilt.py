"""Rebuilding inside the audit: sessions are run, and a curious party tries to get documents back.

Each session has a database of the audited size, with the documents in question, shared by as many
parties as the audit says. The curious party sees all totals, whatever the audit's adversary sees:
every session has parties. It takes off its own part if it has one, and carries out all attacks
(`rebuilding`), which need no document to begin with. The truth is used only afterwards, to see
whose documents were found.

It is done twice: as sessions send by default, and with exact totals, which all parties would have
to agree to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.audit.audited_corpus import AuditedCorpus
from chatham.audit.intervals import Estimate, clopper_pearson
from chatham.audit.mechanisms import FitMechanism
from chatham.audit.rebuilding import Effort, Exposed, Finding, Known, findings_of, rebuild
from chatham.corpus import Corpus
from chatham.naming import plural
from chatham.numerics.threads import threads

Rows = NDArray[np.int64]

SESSIONS = 3
"""Run as they are by default; with exact totals one is enough to see what they give away."""
THOROUGH = Effort(rows=2, documents=100)
BRIEF = Effort(rows=1, documents=5)
"""With exact totals every equation has a solution, and each takes a while: a few show it."""


@dataclass(frozen=True)
class RebuiltDocument:
    """What the curious party has of a document, and why it may be sure."""

    document: str
    """Its id."""
    whole: bool
    """Whether it has all words with their counts; else some words that are there together."""
    words: int
    """How many words it has of it."""
    certificate: str
    """What it saw, and how probable that is by chance."""


@dataclass(frozen=True)
class RebuiltSession:
    """What came of one session."""

    documents: int
    """How many the others had."""
    found: tuple[RebuiltDocument, ...]
    """The whole ones first, then those with most words."""
    wrong: int
    """Findings that are about none of them."""

    @property
    def whole(self) -> tuple[str, ...]:
        """The ids of documents that were got back whole."""
        return tuple(each.document for each in self.found if each.whole)

    @property
    def parts(self) -> tuple[str, ...]:
        """The ids of those of which some words are known to be together."""
        return tuple(each.document for each in self.found if not each.whole)


@dataclass(frozen=True)
class Rebuilt:
    """What a curious party gets back: of the session as it is audited, and with exact totals."""

    sessions: tuple[RebuiltSession, ...]
    exact_totals: bool
    """Whether the audited sessions have exact totals themselves."""
    exact: RebuiltSession
    private: bool = False
    """Whether they are differentially private."""
    level: float = 0.95

    @property
    def succeeded(self) -> Estimate:
        """The share of sessions in which anything was got back."""
        found = sum(bool(each.found) for each in self.sessions)
        return clopper_pearson(found, len(self.sessions), level=self.level)

    @property
    def in_words(self) -> str:
        """What was found, in two or three sentences."""
        n = len(self.sessions)
        share = self.succeeded
        usual = "with that privacy" if self.private else "as sessions are by default"
        how = "with exact totals" if self.exact_totals else usual
        interval = f"(interval for their share: {100 * share.low:.0f}–{100 * share.high:.0f} %)"
        if share.estimate == 0:
            said = (
                f"In none of {plural(n, 'session')} {how} {interval} did a curious party get back "
                "any document or part of one by the attacks that we know."
            )
        else:
            whole = max(len(each.whole) for each in self.sessions)
            parts = max(len(each.parts) for each in self.sessions)
            of = self.sessions[0].documents
            said = (
                f"In {round(share.estimate * n)} of {plural(n, 'session')} {how} {interval} a "
                f"curious party got documents back: up to {whole:,} of {of:,} whole, and words of "
                f"up to {parts:,} more that are there together."
            )
        if self.exact_totals:
            return said
        one = self.exact
        return (
            f"{said} Had totals been exact, it would have had at least "
            f"{len(one.whole):,} of {one.documents:,} whole, and words of {len(one.parts):,} more."
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms: ids and numbers of words, no words."""
        return {
            "summary": self.in_words,
            "exact_totals": self.exact_totals,
            "sessions_with_findings": vars(self.succeeded),
            "sessions": [_as_json(each) for each in self.sessions],
            "with_exact_totals": _as_json(self.exact),
        }


def attack_sessions(
    corpus: AuditedCorpus,
    mechanism: FitMechanism,
    pool: Rows,
    targets: Rows,
    size: int,
    *,
    sessions: int = SESSIONS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Rebuilt:
    """Run sessions on documents of the pool, with those in question, and attack each of them."""
    found = []
    steps = sessions + 1
    for number in range(sessions):
        rows = drawn_with(pool, targets, size, seed, number)
        found.append(attack(corpus, mechanism, rows, seed + number))
        if progress is not None:
            progress(number + 1, steps)
    rows = drawn_with(pool, targets, size, seed, 0)
    exact = (
        found[0]
        if mechanism.exact_totals
        else attack(corpus, replace(mechanism, exact_totals=True, privacy=None), rows, seed)
    )
    if progress is not None:
        progress(steps, steps)
    return Rebuilt(tuple(found), mechanism.exact_totals, exact, mechanism.privacy is not None)


def drawn_with(pool: Rows, targets: Rows, size: int, seed: int, number: int) -> Rows:
    """So many of these documents at random, and among them those in question, or as many of these
    as there is room for."""
    draws = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(5, number)))
    chosen = draws.permutation(targets)[:size]
    rest = draws.choice(np.setdiff1d(pool, targets), size - len(chosen), replace=False)
    return np.sort(np.concatenate([chosen, rest]))


def attack(corpus: AuditedCorpus, mechanism: FitMechanism, rows: Rows, seed: int) -> RebuiltSession:
    """One session of these documents, as a curious party sees it, and what it gets back."""
    with threads(None):
        _, heard = mechanism.fitted(corpus.rows[rows], seed)
        known = known_of(corpus, mechanism, rows)
        effort = BRIEF if mechanism.exact_totals else THOROUGH
        findings = rebuild(heard.rounds, known, effort)
    ids = np.array([corpus.ids[row] for row in rows])
    mine = Corpus(corpus.counts[rows], corpus.vocabulary, ids)
    return told(findings, findings_of(findings, mine), len(rows))


def known_of(corpus: AuditedCorpus, mechanism: FitMechanism, rows: Rows) -> Known:
    """What the curious party knows of words, and of its own documents if it has any."""
    by_word = sp.csc_array(corpus.counts[rows])
    by_word.eliminate_zeros()
    own = sp.csr_array(sp.vstack(list(mechanism.own))) if mechanism.own else None
    frequencies = np.diff(by_word.indptr).astype(np.int64)
    return Known(corpus.scale, frequencies, own, mechanism.others)


def told(findings: list[Finding], exposed: Exposed, documents: int) -> RebuiltSession:
    """Findings by document: how many words, and the surest certificate."""
    found = [
        RebuiltDocument(name, True, len(finding.words), str(finding.certificate))
        for name, finding in exposed.documents.items()
    ]
    by_first: dict[int, list[Finding]] = {}
    for finding in findings:
        by_first.setdefault(finding.words[0], []).append(finding)
    by_words = sorted(exposed.parts.items(), key=lambda part: (-len(part[1]), part[0]))
    for name, words in by_words:
        candidates = (each for word in words for each in by_first.get(word, ()))
        about = (each for each in candidates if each.kind == "row" or words.issuperset(each.words))
        surest = min(about, key=lambda each: each.certificate.log10_chance)
        found.append(RebuiltDocument(name, False, len(words), str(surest.certificate)))
    return RebuiltSession(documents, tuple(found), len(exposed.elsewhere))


def _as_json(session: RebuiltSession) -> dict[str, Any]:
    return {
        "documents": session.documents,
        "whole": len(session.whole),
        "parts": len(session.parts),
        "wrong_findings": session.wrong,
        "found": [vars(each) for each in session.found],
    }
