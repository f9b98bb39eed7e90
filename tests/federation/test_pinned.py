"""Whoever comes back with other documents is refused: in every way in, at every stage."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("uvicorn")

import chatham as ch
from chatham.errors import ChangedError
from chatham.federation.book import save_identity
from chatham.federation.pinning import rows_hash
from chatham.federation.relay.service import relay_app
from tests.cli.federation import texts
from tests.federation.parties import http_relay, together

NAMES = range(3)
TEXTS = [texts(35, seed=seed) for seed in NAMES]
WORDS = sorted(set(TEXTS[0][0].split()))
RULES = {"stop_words": "none", "min_df": 6, "own_df": 3}


class StoppedError(Exception):
    """The process ends here."""


def stop_at(round_):
    def tell(told):
        if told.round >= round_:
            raise StoppedError

    return tell


@pytest.fixture
def met(tmp_path):
    """`met(way, given, round_)`: three parties take part with what is given, up to a round; those
    that are given nothing stay away."""
    rules = {"algorithm": "plsa", "parameters": {"n_components": 2, "max_iter": 3}}

    def made(session):
        return replace(session, vocabulary=RULES, **rules)

    with http_relay(lambda s: relay_app([made(s)], tmp_path / "relay")) as (plain, identities):

        def run(way, given, round_=10**6):
            session = made(plain)
            programs = []
            for place, identity in enumerate(identities):
                if given[place] is None:
                    continue
                key, folder = tmp_path / f"{place}.key", tmp_path / str(place)
                if not key.exists():
                    save_identity(identity, key)
                options = {"key": key, "folder": folder, "tell": stop_at(round_)}
                programs.append(lambda i=place, o=options: way(session, given[i], **o))
            return together(*programs)

        yield run


def by_rows(session, rows, **options):
    party = ch.join(session, rows, **options)
    return ch.PLSA(2, max_iter=8, random_state=0).fit(party)


def by_session(session, corpus, **options):
    return ch.fit_together(session, corpus, n_jobs=1, **options)


def counted(documents):
    return ch.read_corpus(documents, stop_words=None, min_df=1, max_df=1.0)


def as_read(documents):
    from chatham.federation.words.rules import WordRules

    return WordRules.of(RULES).read(documents, {})


def changed(documents):
    """One document has one word more, which others have too."""
    return [f"{documents[0]} {documents[1].split()[0]}", *documents[1:]]


def one_wide(make):
    """Corpora with the same words in the same columns."""
    words = sorted({word for each in TEXTS for text in each for word in text.split()})
    return lambda documents: make(ch.read_corpus(documents, stop_words=None, vocabulary=words))


WAYS = {
    "join with a matrix": (by_rows, one_wide(lambda corpus: corpus.counts)),
    "join with a corpus": (by_rows, one_wide(lambda corpus: corpus)),
    "fit_together with a corpus": (by_session, counted),
    "fit_together with what read_for read": (by_session, as_read),
}


@pytest.mark.parametrize("round_", [2, 5])
@pytest.mark.parametrize("name", WAYS)
def test_who_comes_back_with_other_documents_is_refused(met, name, round_):
    """In the vocabulary's rounds, of which there are more than two, and after."""
    way, make = WAYS[name]
    first = met(way, [make(each) for each in TEXTS], round_)
    assert all(isinstance(error, StoppedError) for error in first), first
    (error,) = met(way, [None, make(changed(TEXTS[1])), None])
    assert isinstance(error, ChangedError)
    assert error.kind == "corpus"
    assert not any(isinstance(e, Exception) for e in met(way, [make(each) for each in TEXTS]))


def test_every_part_of_a_corpus_is_in_its_hash():
    corpus = counted(TEXTS[0])
    tokenizer = replace(corpus.vectorizer.tokenizer, stop_words=frozenset({"bamel"}))
    others = [
        corpus,
        corpus.counts,
        corpus.rows(slice(1, None)),
        sp.csr_array(corpus.counts * 2),
        replace(corpus, vocabulary=corpus.vocabulary[::-1].copy()),
        replace(corpus, texts=None),
        replace(corpus, texts=[f"{corpus.texts[0]} rareword", *corpus.texts[1:]]),
        replace(corpus, texts=[corpus.texts[0] + corpus.texts[1], "", *corpus.texts[2:]]),
        replace(corpus, vectorizer=replace(corpus.vectorizer, tokenizer=tokenizer)),
    ]
    assert len({rows_hash(each) for each in others}) == len(others)
    assert rows_hash(corpus) == rows_hash(counted(TEXTS[0]))


def test_a_function_that_splits_is_in_the_hash_by_what_it_does():
    """Counts and texts are the same under both, and the words that are agreed on later aren't."""

    def by(split):
        return ch.read_corpus(TEXTS[0], stop_words=None, tokenizer=split, vocabulary=WORDS)

    whole, marked = by(str.split), by(lambda text: [*text.split(), "rareword"])
    assert (whole.counts.toarray() == marked.counts.toarray()).all()
    assert rows_hash(whole) != rows_hash(marked)
    assert rows_hash(whole) == rows_hash(by(lambda text: text.split()))
    assert rows_hash(whole) != rows_hash(by(lambda text: [*text.split(), ""]))
    assert rows_hash(replace(whole, texts=None)) == rows_hash(replace(marked, texts=None))


def test_who_comes_back_splitting_otherwise_is_refused(met):
    """Its counts are as before; those of the words agreed on would not be."""

    def read(documents, split=str.split):
        return ch.read_corpus(documents, stop_words=None, tokenizer=split, vocabulary=WORDS)

    met(by_session, [read(each) for each in TEXTS], 5)
    other = read(TEXTS[1], lambda text: [*text.split(), "rareword"])
    assert (read(TEXTS[1]).counts.toarray() == other.counts.toarray()).all()
    (error,) = met(by_session, [None, other, None])
    assert isinstance(error, ChangedError)


def test_words_that_counts_leave_out_are_documents_too(met):
    """They may be counted once they are agreed on, so they are pinned with the texts."""

    def pruned(documents):
        return ch.read_corpus(documents, stop_words=None, min_df=4)

    before = pruned(TEXTS[1])
    rare = [f"{TEXTS[1][0]} rareword", *TEXTS[1][1:]]
    assert np.array_equal(pruned(rare).counts.toarray(), before.counts.toarray())
    met(by_session, [pruned(each) for each in TEXTS], 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (error,) = met(by_session, [None, pruned(rare), None])
    assert isinstance(error, ChangedError)
