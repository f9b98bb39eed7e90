import logging

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

import chatham as ch
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from tests.measures.elsewhere.test_anything import TEXTS, TOKENS, rows_sum_to_one


@pytest.fixture(scope="module")
def vectorizer():
    return CountVectorizer().fit(TEXTS)


def test_scikit_learns_lda(vectorizer):
    model = LatentDirichletAllocation(2, random_state=0, doc_topic_prior=0.3)
    model.fit(vectorizer.transform(TEXTS))
    subject = as_subject(model, vectorizer.get_feature_names_out())
    expected = model.components_ / model.components_.sum(axis=1, keepdims=True)
    assert np.allclose(subject.distributions, expected, atol=1e-12)
    assert subject.alpha.tolist() == [0.3, 0.3]
    assert subject.name == "LatentDirichletAllocation"
    with pytest.raises(InputError, match="get_feature_names_out"):
        as_subject(model)


def test_scikit_learns_pipeline_is_taken_apart(vectorizer):
    pipeline = make_pipeline(CountVectorizer(), TfidfTransformer(), NMF(2, random_state=0))
    with pytest.raises(InputError, match="fit it first"):
        as_subject(pipeline)
    subject = as_subject(pipeline.fit(TEXTS))
    assert subject.vocabulary.tolist() == vectorizer.get_feature_names_out().tolist()
    assert rows_sum_to_one(subject)
    weighted = pipeline[-1].components_
    assert (subject.ordering.argmax(axis=1) == weighted.argmax(axis=1)).all()
    plain = weighted / pipeline[1].idf_
    expected = plain / plain.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(subject.distributions, expected, atol=1e-12)


def test_a_pipelines_topics_score_as_the_same_ones_of_ours(vectorizer):
    """Both over plain words, and shown in the order that idf gave them."""
    corpus = ch.read_corpus(ch.sample_corpus().rows(range(300)), min_df=5)
    texts = [" ".join(np.repeat(corpus.vocabulary, row)) for row in corpus.counts.toarray()]
    words = {word: column for column, word in enumerate(corpus.vocabulary)}
    theirs = make_pipeline(
        TfidfVectorizer(vocabulary=words, norm=None, token_pattern=r"\S+", lowercase=False),
        NMF(4, random_state=0),
    ).fit(texts)
    assert theirs[0].get_feature_names_out().tolist() == corpus.vocabulary.tolist()
    ours = ch.fit("nmf", corpus, n_components=4, constraint="none", loss="absolute",
                  init=theirs[-1].components_, max_iter=1, tol=0, random_state=0)  # fmt: skip
    ours.estimator.components_ = theirs[-1].components_
    measures = ["npmi", "completion"]
    found = [
        ch.evaluate(each, corpus, measures=measures, held_out=corpus) for each in (theirs, ours)
    ]
    assert found[0]["value"][0] == pytest.approx(found[1]["value"][0], abs=1e-12)
    assert found[0]["value"][1] == pytest.approx(found[1]["value"][1], abs=0.02)  # own weights


def test_scikit_learn_knows_the_columns_of_a_frame(vectorizer):
    counts = vectorizer.transform(TEXTS).toarray()
    frame = pd.DataFrame(counts, columns=vectorizer.get_feature_names_out())
    subject = as_subject(NMF(2, random_state=0).fit(frame))
    assert subject.vocabulary.tolist() == list(frame)


def test_negative_components_are_refused(vectorizer):
    model = TruncatedSVD(2, random_state=0).fit(vectorizer.transform(TEXTS).astype(float))
    with pytest.raises(InputError, match="negative"):
        as_subject(model, vectorizer.get_feature_names_out())


@pytest.fixture(scope="module")
def gensim_corpus():
    corpora = pytest.importorskip("gensim.corpora")
    logging.getLogger("gensim").setLevel(logging.ERROR)
    dictionary = corpora.Dictionary(TOKENS)
    return dictionary, [dictionary.doc2bow(tokens) for tokens in TOKENS]


@pytest.mark.parametrize("name", ["LdaModel", "LdaMulticore", "Nmf", "HdpModel"])
def test_gensims_models(gensim_corpus, name):
    import gensim.models

    dictionary, bags = gensim_corpus
    options = {"random_state": 0} | ({} if name == "HdpModel" else {"num_topics": 2})
    options |= {"workers": 1} if name == "LdaMulticore" else {}
    kind = getattr(gensim.models, name, None) or __import__("gensim.models.nmf").models.nmf.Nmf
    model = kind(bags, id2word=dictionary, **options)
    subject = as_subject(model)
    assert rows_sum_to_one(subject)
    assert subject.vocabulary.tolist() == [dictionary[place] for place in range(len(dictionary))]
    shown = model.show_topics(1, num_words=3, formatted=False)
    number, pairs = shown[0]
    assert set(subject.top_words(3)[number]) == {word for word, _ in pairs}
    if name.startswith("Lda"):
        assert subject.alpha.tolist() == pytest.approx([0.5, 0.5])


def test_gensim_without_words_needs_them(gensim_corpus):
    from gensim.models import LdaModel, LsiModel

    dictionary, bags = gensim_corpus
    nameless = LdaModel(bags, num_topics=2, random_state=0)
    with pytest.raises(InputError, match="id2word"):
        as_subject(nameless)
    words = [dictionary[place] for place in range(len(dictionary))]
    assert as_subject(nameless, words).vocabulary.tolist() == words
    with pytest.raises(InputError, match="LsiModel"):
        as_subject(LsiModel(bags, id2word=dictionary, num_topics=2))


@pytest.mark.parametrize("kind", ["LDAModel", "HDPModel"])
def test_tomotopys_models(kind):
    tomotopy = pytest.importorskip("tomotopy")
    model = getattr(tomotopy, kind)(seed=1, **({"k": 2} if kind == "LDAModel" else {}))
    with pytest.raises(InputError, match="train it first"):
        as_subject(model)
    for tokens in TOKENS * 5:
        model.add_doc(tokens)
    model.train(50, workers=1)
    subject = as_subject(model)
    assert rows_sum_to_one(subject)
    assert subject.shares.sum() == pytest.approx(1)
    alive = getattr(model, "live_k", model.k)
    assert subject.n_topics == alive
    best = [word for word, _ in model.get_topic_words(0, top_n=2)]
    assert set(subject.top_words(2)[0]) == set(best)
    if kind == "LDAModel":
        assert np.allclose(subject.alpha, model.alpha)
