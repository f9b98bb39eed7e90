"""On the way from a file to a model a corpus is built once, and parameters are checked once."""

from collections import Counter

import pandas as pd
import pytest

import chatham as ch
from chatham.commons import Simulated
from chatham.corpus import Corpus
from chatham.federation.join import read_for
from chatham.federation.program import fit_and_score, program_of
from chatham.federation.session import Member, Session
from chatham.learners.settings.base import Settings
from tests.cli.conftest import PETS
from tests.cli.federation import texts


@pytest.fixture
def counted(monkeypatch):
    """How often a corpus was built and parameters were checked; counting changes neither."""
    times = Counter()
    build, check = Corpus.__post_init__, Settings._check_parameters

    def built(corpus):
        times["built"] += 1
        build(corpus)

    def checked(settings):
        times["checked"] += 1
        check(settings)

    monkeypatch.setattr(Corpus, "__post_init__", built)
    monkeypatch.setattr(Settings, "_check_parameters", checked)
    return times


ONCE = {"built": 1, "checked": 1}
LEARNERS = ("nmf", "lda", "plsa", "kmeans", "svd", "anchor")


@pytest.mark.parametrize("weighting", ["auto", "counts", "tfidf"])
@pytest.mark.parametrize("learner", ["nmf", "lda"])
def test_a_command_from_a_table_to_a_model(run, news, counted, learner, weighting):
    words = ("--model", learner, "-k", 2, "--weighting", weighting, "--set", "max_iter=5")
    result = run("fit", news, *words, "--max-features", 5, "--quiet")
    assert result.exit_code == 0, result.output
    assert counted == ONCE


def test_anchors_are_checked_with_the_words_of_the_documents(run, news, counted):
    words = ("--model", "anchor", "-k", 2, "--set", "min_anchor_df=1", "--quiet")
    assert run("fit", news, *words, "--anchors", "cats, dogs").exit_code == 0
    assert counted == {"built": 1, "checked": 2}
    refused = run("fit", news, *words, "--anchors", "cats, dogs, bark")
    assert refused.exit_code == 1
    assert "3 anchors were given for 2 topics" in refused.output


def test_parameters_are_refused_before_anything_is_read(run, news, counted):
    result = run("fit", news, "-k", 2, "--set", "max_iter=0")
    assert result.exit_code == 2
    assert counted == {"checked": 1}


@pytest.mark.parametrize("learner", LEARNERS)
def test_texts_and_files(news, counted, learner):
    for documents in (PETS, news, str(news), pd.DataFrame({"text": PETS})):
        counted.clear()
        ch.fit(learner, documents, n_components=2, random_state=0)
        assert counted == ONCE


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_corpus_and_counts(news, counted, learner):
    corpus = ch.read_corpus(news)
    for documents, own in ((corpus, {}), (corpus.counts, {"vocabulary": corpus.vocabulary})):
        counted.clear()
        model = ch.fit(learner, documents, n_components=2, random_state=0, **own)
        model.weights  # noqa: B018 - it takes the documents in again
        assert counted == {"checked": 1}


def test_an_estimator_checks_itself(counted):
    ch.NMF(2, random_state=0).fit([[1, 0], [0, 1]])
    assert counted == {"checked": 1}


def test_reading(tmp_path, news, counted):
    baskets = pd.DataFrame({"who": [1, 1, 2, 3], "what": ["tea", "milk", "tea", "rum"]})
    corpus = ch.read_corpus(PETS, stop_words=None)
    for read in (
        lambda: ch.read_corpus(news, weighting="tfidf", max_features=5, keep_texts=False),
        lambda: ch.read_corpus(corpus.counts, vocabulary=corpus.vocabulary, weighting="tfidf"),
        lambda: ch.read_baskets(baskets, basket="who", item="what", max_features=2, least=1),
    ):
        counted.clear()
        read()
        assert counted == {"built": 1}


def test_what_is_made_of_a_corpus(counted):
    corpus = ch.read_corpus(PETS)
    counted.clear()
    ch.read_corpus(corpus, weighting="tfidf", stop_words="en", max_features=4)
    ch.read_corpus(corpus, vocabulary=["cats", "tea"])
    corpus.parties(n=2)
    corpus.split()
    assert not counted


def test_parties(counted):
    """A party's corpus is the one that it read; the model's words are counted in it."""
    agreed = Session(
        id="ab" * 16,
        relay="http://127.0.0.1:1",
        parties=tuple(Member(f"Party {i}", f"{i:x}" * 64) for i in range(3)),
        algorithm="nmf",
        parameters={"n_components": 3, "max_iter": 5},
        vocabulary={"stop_words": "none", "min_df": 6, "own_df": 3},
        seed=1,
        score={"measures": ["npmi", "perplexity"], "held_out": 0.2},
    )
    program = program_of(agreed)
    corpora = [read_for(agreed, texts(n, seed=seed)) for seed, n in enumerate((40, 25, 30))]
    model = fit_and_score(lambda rows, about: Simulated(rows), program, corpora)
    assert model.estimator is program.learner
    assert counted == {"built": 3, "checked": 1}
