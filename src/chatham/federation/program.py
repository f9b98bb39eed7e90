"""One model of several parties' documents, nothing pooled: the program that every party runs.

They agree on a vocabulary by sums, weight words by document frequencies that are sums, fit by sums,
and score the model and make tables of it by sums (measures and tables are local statistics plus a
sum, as learners are); so all arrive at the same model, scores and tables. They are those of the
pooled documents over the agreed words where totals are exact and rows draw nothing (LDA's do); by
default most sums carry noise or leave rare words out.

What follows from totals is computed by each party for itself, and different machines may differ in
its last bit. Between sums that is detected and corrected (see `party`); `with_agreed_numbers` does
so after the last one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.corpus import Corpus, Vectorizer
from chatham.corpus.corpus import derived
from chatham.corpus.text.weighting import document_frequencies, inverse_document_frequencies
from chatham.errors import InputError, SessionError, UnknownLearnerError
from chatham.federation.join import Meet, Tell, about_this, begin, connect, meeting
from chatham.federation.locking import FolderLock
from chatham.federation.normed.linking import links_of
from chatham.federation.scores import ScoreRules
from chatham.federation.session import Session, read_session
from chatham.federation.tables import TableRule, TableRules
from chatham.federation.words import agree_vocabulary, recounted
from chatham.federation.words.names import agree_names
from chatham.federation.words.rules import WordRules
from chatham.groups.cells import MOST_GROUPS, Cells, in_order
from chatham.groups.sums import CellSums, sum_tables, untold
from chatham.groups.tables import Figures, figures_of, no_table, table_of_cells
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evaluate import evaluate
from chatham.measures.measure import NEEDS, Measure
from chatham.measures.registry import measures_named
from chatham.measures.subject import Subject
from chatham.model.fit import fit_learner, learner_for_text, weighs_by_idf
from chatham.model.registry import estimator_class, known, learner_named
from chatham.model.topic_model import TopicModel
from chatham.notes import FewDocumentsWarning
from chatham.numerics.threads import threads
from chatham.wording import Either, say

if TYPE_CHECKING:
    from chatham.federation.book import Page
    from chatham.learners.base import TopicLearner


@dataclass(frozen=True, eq=False)
class Program:
    """What a session's parties compute, checked in full before anything is read or leaves."""

    session: Session
    words: WordRules
    learner: TopicLearner
    measures: list[Measure]
    tables: TableRules


def program_of(session: str | Path | Session | Program, n_jobs: int | None = None) -> Program:
    """The program of a session; a program is returned as it is."""
    if isinstance(session, Program):
        return session
    session = session if isinstance(session, Session) else read_session(session)
    words = WordRules.of(session.vocabulary)
    learner = _learner(session, n_jobs)
    return Program(session, words, learner, check_score(session), check_tables(session))


def _learner(session: Session, n_jobs: int | None) -> TopicLearner:
    kind = known(session.algorithm.lower())
    if kind is None:
        raise UnknownLearnerError(
            say(
                "There is no learner called {name!r} here, and the session is for it; {how}.",
                name=session.algorithm,
                how=Either(
                    "register its class with ch.register",
                    "if an installed package offers it, join with --learner and its name",
                ),
            )
        )
    parameters = {"random_state": session.seed, "n_jobs": n_jobs, **session.parameters}
    parameters.pop("weighting", None)  # it concerns words, not the learner
    learner = learner_for_text(kind, parameters, between_parties=True)
    learner._check_between_parties(session.exact_totals_know)
    learner._check_privacy(session.promised)
    return learner


def check_told(program: Program, corpus: Corpus, page: Page) -> None:
    """Refuse, before anything leaves, documents that the learner or tables will refuse in any case.

    Of the learner that is known where the counts are all there is: in texts, other words may yet be
    found.
    """
    program.tables.check(corpus)
    if corpus.texts is None and not program.session.exact_totals_know:
        program.learner._check_told(program.words.counted(corpus).counts, page.told)


def fit_together(
    session: str | Path | Session | Program,
    corpus: Corpus,
    *,
    key: str | Path,
    folder: str | Path,
    direct_key: str | Path | None = None,
    plain: bool = False,
    tell: Tell | None = None,
    n_jobs: int | None = -1,
) -> TopicModel:
    """Agree on a vocabulary, then fit the session's algorithm; the same model at every party.

    `corpus` holds this party's documents, preferably read with `read_for(session, ...)`, which
    counts words as the session says. The rest is as for `join`. If the session says so (`score`), a
    share of every party's documents is held out, and the model's `scores` are a table like
    `evaluate`'s, over the documents of all parties.
    """
    program = program_of(session, n_jobs)
    session = program.session
    links = links_of(session, Path(key), None if direct_key is None else Path(direct_key))
    with FolderLock(Path(folder)):
        connection, page = connect(session, corpus, key=key, folder=folder, tell=tell)
        try:
            check_told(program, corpus, page)
            meet = meeting(connection, folder, plain, links, page)
            begin(meet, page, len(corpus))
            model = fit_and_score(meet, program, [corpus])
            connection.finish()  # a party that was stopped at the end may still need what I have
            return model
        finally:
            if links is not None:
                links.close()


def fit_and_score(meet: Meet, session: Session | Program, corpora: Sequence[Corpus]) -> TopicModel:
    """The whole program, for the holders whose documents are here: fit, then scores and tables."""
    program = program_of(session)
    session, rules = program.session, ScoreRules.of(program.session.score)
    corpora = [program.tables.with_columns_alone(corpus) for corpus in corpora]
    parts = [rules.split(corpus, session.seed) for corpus in corpora]
    fitted, held_out = [part for part, _ in parts], [part for _, part in parts]
    model = fit_between(meet, program, fitted)
    if rules.measures:
        rows = {"corpus": fitted, "held_out": held_out} if rules.held_out else {"corpus": fitted}
        evidence = {
            kind: meet(counted_as(session, part, model.vocabulary), about_this(kind.encode()))
            for kind, part in rows.items()
        }
        model.scores = _scores(model, program.measures, evidence, program.learner.n_jobs)
        model.scores.attrs.update({"session": session.hash.hex(), **session.score})
    if program.tables.rules:
        model.tables = _tables(meet, program, model, fitted)
    return model


def fit_between(meet: Meet, session: Session | Program, corpora: Sequence[Corpus]) -> TopicModel:
    """The fit, for the holders whose documents are here: a real party has only its own.

    `meet(rows, about)` makes a commons from these holders' rows of any kind.
    """
    program = program_of(session)
    session, rules, learner = program.session, program.words, program.learner
    offers = [rules.offered(corpus) for corpus in corpora]
    agreed = agree_vocabulary(meet(offers, about_this(b"words")), policy=rules.policy)
    if not len(agreed.words):
        raise InputError(
            "The parties have no word in common that occurs in enough of their documents and not "
            "in too many; lower min_df or min_parties in the session's vocabulary, or raise max_df."
        )
    counts = counted_as(session, corpora, agreed.words)
    vectorizer = Vectorizer(rules.tokenizer, agreed.words)
    if weighs_by_idf(learner, session.parameters.get("weighting", "auto")):
        vectorizer = _tfidf(vectorizer, meet(list(counts), about_this(agreed.hash)))
    rows = [vectorizer.weigh(matrix) for matrix in counts]
    commons = meet(rows, about_this(agreed.hash))
    model = fit_learner(learner, commons, vocabulary=agreed.words, vectorizer=vectorizer)
    return with_agreed_numbers(model, commons)


def counted_as(session: Session, corpora: Sequence[Corpus], words: Any) -> list[Any]:
    """Each corpus's counts over these words, as the session counts them."""
    return [each.counts for each in _recounted(session, corpora, words)]


def _recounted(session: Session, corpora: Sequence[Corpus], words: Any) -> list[Corpus]:
    rules = WordRules.of(session.vocabulary)
    return [recounted(rules.counted(corpus), words) for corpus in corpora]


def count_word_documents(rows: Any, memory: Memory) -> tuple[NDArray[Any], NDArray[Any]]:
    """The document frequency of each word, and the number of documents."""
    return document_frequencies(sp.csr_array(rows)), np.array([rows.shape[0]])


def _tfidf(vectorizer: Vectorizer, commons: Commons) -> Vectorizer:
    """Weight by tf-idf, with the document frequencies over all parties' documents."""
    frequencies, (n,) = commons.sum(count_word_documents)
    idf = inverse_document_frequencies(frequencies, n)
    return Vectorizer(vectorizer.tokenizer, vectorizer.vocabulary, "tfidf", idf)


TAKEN = frozenset(
    {"words", "topics", "anchors", "correlations", "held_out", "reference", "corpus", "weights"}
)
"""What measures need that parties have: labels, texts in order and truth are none of it."""
OF_SOME = frozenset({"anchors", "correlations"})
"""What of it only some learners leave behind, such as anchor words, whose co-occurrence parties
have summed."""


def check_score(session: Session) -> list[Measure]:
    """The measures of a session; refused if the parties couldn't compute them together."""
    rules = ScoreRules.of(session.score)
    if not rules.measures:
        return []
    try:
        measures = measures_named(rules.measures)
    except InputError as error:
        raise SessionError(
            say("The session's score can't be computed: {error}", error=error)
        ) from None
    for measure in measures:
        for need in NEEDS:
            if need in measure.needs - TAKEN:
                raise SessionError(
                    f"The measure {measure.name!r} needs {NEEDS[need]}, which the parties of a "
                    "session don't share; choose another."
                )
            if need in measure.needs & OF_SOME and not _leaves(session.algorithm, f"{need}_"):
                raise SessionError(
                    f"The measure {measure.name!r} needs {NEEDS[need]}, and no model of "
                    f"{session.algorithm!r} has that; choose another, or fit anchor words."
                )
        if measure.tells_exactly and not session.exact_totals_know:
            raise SessionError(
                say(
                    "The measure {measure!r} is computed from totals that give documents away by "
                    "being exact; choose another, or let all parties know ({exact_totals_know}).",
                    measure=measure.name,
                )
            )
        if "held_out" in measure.needs and not rules.held_out:
            raise SessionError(
                f"The measure {measure.name!r} needs held-out documents; say which share is held "
                "out."
            )
    if len({measure.name for measure in measures}) < len(measures):
        raise SessionError("The session's score names a measure twice.")
    return measures


def _leaves(algorithm: str, attribute: str) -> bool:
    """Whether the fits of a learner leave this behind: learned, or worked out from what was."""
    learner = estimator_class(learner_named(algorithm))
    return attribute in learner.learned or hasattr(learner, attribute)


def _scores(
    model: TopicModel, measures: list[Measure], evidence: dict[str, Any], n_jobs: int | None
) -> pd.DataFrame:
    """A measure that fails is left out and its reason given: the model is there all the same."""
    subject = _agreed_subject(model, evidence["corpus"])
    with warnings.catch_warnings():
        # Parties were warned before they joined, also about few held-out documents.
        warnings.simplefilter("ignore", FewDocumentsWarning)
        table = evaluate(subject, measures=measures, **evidence, n_jobs=n_jobs, strict=False)
    for settings in table["settings"]:
        settings.pop("known_words", None)  # the counts are over the model's words only
    return table


def _agreed_subject(model: TopicModel, commons: Commons) -> Subject:
    """The model as what is measured, with the numbers that follow from its topics agreed too."""
    subject = as_subject(model)
    topics, prevalence, alpha = commons.agreed(subject.topics, subject.prevalence, subject.alpha)
    return replace(subject, topics=topics, prevalence=prevalence, alpha=alpha)


WORDS_OF_A_CELL, LEVEL = 5, 0.95
"""Of each topic in a cell, how many words are told, and how sure its interval is."""


def check_tables(session: Session) -> TableRules:
    """The tables of a session; refused if the parties couldn't make them together."""
    rules = TableRules.of(session.tables)
    if rules.rules and estimator_class(learner_named(session.algorithm)).directions:
        raise SessionError(
            f"Documents have no shares of the directions of {session.algorithm!r}, so there are no "
            "tables of them; leave these out, or fit topics."
        )
    return rules


def _tables(
    meet: Meet, program: Program, model: TopicModel, corpora: Sequence[Corpus]
) -> dict[str, pd.DataFrame]:
    """A table for each column; one that can't be made is empty and says why, at all parties."""
    rows = [
        derived(corpus, vectorizer=None, texts=None, digests=None)
        for corpus in _recounted(program.session, corpora, model.vocabulary)
    ]
    commons = meet(rows, about_this(b"tables"))
    with warnings.catch_warnings(), threads(program.learner.n_jobs):
        warnings.simplefilter("ignore", FewDocumentsWarning)  # parties were warned already
        subject = _agreed_subject(model, commons)
        cells = [rule.cells or _agreed_cells(meet, rule, rows) for rule in program.tables.rules]
        known = tuple(each for each in cells if each.names)
        with commons.fitting():
            sums = dict(zip(known, sum_tables(commons, subject, known), strict=True))
        return {
            each.column: _table(commons, subject, each, sums.get(each), program.session)
            for each in cells
        }


def _agreed_cells(meet: Meet, rule: TableRule, rows: Sequence[Corpus]) -> Cells:
    """The spans or groups that two parties have enough documents of; there may be none."""
    offers = meet([rule.offered(each) for each in rows], about_this(b"of " + rule.column.encode()))
    names = agree_names(offers, MOST_GROUPS)
    return Cells(rule.column, in_order(names) if rule.every is None else tuple(names), rule.every)


def _table(
    commons: Commons, subject: Subject, cells: Cells, sums: CellSums | None, session: Session
) -> pd.DataFrame:
    skipped = untold(cells.every) if sums is None else None
    if sums is None:
        table = no_table(cells)
    else:
        made = figures_of(sums, subject, WORDS_OF_A_CELL, LEVEL)
        agreed = commons.agreed(made.share, made.low, made.high, made.words)
        table = table_of_cells(sums, Figures(*agreed), subject, cells)
    table.attrs.update({"session": session.hash.hex(), "skipped": skipped})
    return table


def with_agreed_numbers(model: TopicModel, commons: Commons) -> TopicModel:
    """The model, with the numbers of the roster's first party where any party's differ."""
    estimator, vectorizer = model.estimator, model.vectorizer
    names = [name for name, value in vars(estimator).items() if _is_fitted(name, value)]
    idf = () if vectorizer is None or vectorizer.idf is None else (vectorizer.idf,)
    agreed = commons.agreed(*(getattr(estimator, name) for name in names), *idf)
    for name, value in zip(names, agreed, strict=False):
        setattr(estimator, name, value)
    if idf:
        vectorizer = replace(vectorizer, idf=agreed[-1])
    return TopicModel(estimator, model.vocabulary, vectorizer=vectorizer)


def _is_fitted(name: str, value: Any) -> bool:
    floats = isinstance(value, np.ndarray) and value.dtype == np.float64
    return name.endswith("_") and (floats or isinstance(value, float))
