"""Topics of other tools arrive as they are there, and what is no topic is refused in a sentence."""

import contextlib
import io
import json
import logging
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline

import chatham as ch
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.elsewhere.files import read_topics

TEXTS = ["cats purr cats sleep", "kittens purr", "dogs bark", "puppies bark at dogs", "cats purr"]
TOKENS = [text.split() for text in TEXTS]
WORDS = ["cats", "dogs", "purr", "bark"]
TOPICS = np.array([[3.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 2.0]])


def rows_sum_to_one(subject):
    return np.allclose(subject.distributions.sum(axis=1), 1, atol=1e-12)


# --- plain forms ---------------------------------------------------------------------------------


def test_a_subject_is_itself():
    subject = as_subject([["a"]])
    assert as_subject(subject) is subject


def test_our_model_and_our_learner_are_the_same():
    corpus = ch.read_corpus(TEXTS, stop_words=None, min_df=1, max_df=1.0)
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    both = as_subject(model), as_subject(model.estimator, vocabulary=corpus.vocabulary)
    assert both[0].estimator is both[1].estimator is model.estimator
    assert (both[0].topics == both[1].topics).all()
    assert as_subject(model, name="mine").name == "mine"


def test_lists_of_words():
    subject = as_subject([["purr", "cats"], (), np.array(["bark"])])
    assert subject.n_topics == 3
    assert subject.top_words(1) == [["purr"], [], ["bark"]]
    assert subject.vocabulary.tolist() == ["bark", "cats", "purr"]
    assert subject.topics is None
    with pytest.raises(InputError, match="no probabilities"):
        _ = subject.distributions


@pytest.mark.parametrize(
    "form",
    [
        lambda: as_subject(TOPICS, WORDS),
        lambda: as_subject((TOPICS, WORDS)),
        lambda: as_subject([TOPICS.tolist(), WORDS]),
        lambda: as_subject(TOPICS.astype(int).tolist(), np.array(WORDS)),
        lambda: as_subject(pd.DataFrame(TOPICS, columns=WORDS)),
        lambda: as_subject(sp.csr_array(TOPICS), pd.Index(WORDS)),
        lambda: as_subject({"topic-word-matrix": TOPICS}, WORDS),
    ],
)
def test_arrays_in_every_form(form):
    subject = form()
    assert subject.distributions.tolist() == [[0.75, 0, 0.25, 0], [0, 0.5, 0, 0.5]]
    assert subject.vocabulary.tolist() == WORDS


def test_numbers_of_unlike_kinds():
    frame = pd.DataFrame({"a": [1, 0], "b": pd.array([3.0, 2.0], dtype="Float64")})
    for given in (frame, frame.astype(object)):
        assert as_subject(given).distributions.tolist() == [[0.25, 0.75], [0.0, 1.0]]
    longest = "x" * 500
    assert as_subject([[longest]]).top_words(1) == [[longest]]


def test_a_topic_of_zeros_stays_one():
    subject = as_subject([[0, 0], [1, 3]], ["a", "b"])
    assert subject.distributions.tolist() == [[0, 0], [0.25, 0.75]]
    assert subject.top_words(5) == [[], ["b", "a"]]


def test_documents_are_weighed_by_maximum_likelihood():
    """Topics that share no word: a topic's weight is the share of its words in the document."""
    subject = as_subject(TOPICS, WORDS)
    counts = sp.csr_array(np.array([[3, 1, 0, 0], [0, 0, 0, 5]]))
    assert np.allclose(subject.weights(counts), [[0.75, 0.25], [0, 1]], atol=1e-6)


def test_words_that_no_topic_has_favour_none():
    """The third word tells nothing: the rest decide; a document of it alone is half and half."""
    subject = as_subject([[1, 0, 0], [0, 1, 0], [0, 0, 0]], ["a", "b", "strange"])
    counts = sp.csr_array(np.array([[1, 0, 9], [0, 0, 1], [1, 1, 0]]))
    weights = subject.weights(counts)
    assert np.isfinite(weights).all()
    assert weights[0, 0] > 10 * weights[0, 1]
    assert weights[1, 0] == pytest.approx(weights[1, 1])
    assert np.allclose(weights[2], [0.5, 0.5, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("model", "vocabulary", "said"),
    [
        ([["a", "b", "a"]], None, "'a' twice"),
        ([[], []], None, "no word"),
        ([], None, "no word"),
        (["a b c"], None, "single string"),
        ([["a", 3]], None, "isn't a word"),
        ([["a", ""]], None, "isn't a word"),
        ([3, 4], None, "lists of words"),
        (TOPICS, None, "vocabulary="),
        (TOPICS, "cats", "vocabulary="),
        (TOPICS, WORDS[:3], "list of 4 words"),
        (TOPICS.T, WORDS, "transpose"),
        (TOPICS, ["a", "a", "b", "c"], "same word twice"),
        (-TOPICS, WORDS, "negative"),
        (TOPICS * np.nan, WORDS, "finite"),
        (TOPICS * 0, WORDS, "zeros only"),
        (np.zeros((0, 4)), WORDS, "K×V"),
        (np.ones(4), WORDS, "K×V"),
        (np.array([["a", "b"]]), ["a", "b"], "numbers only"),
        (np.array([["1", "2"]]), ["a", "b"], "numbers only"),
        (np.array([["1", 2]], dtype=object), ["a", "b"], "numbers only"),
        (np.array([[1 + 2j, 1]]), ["a", "b"], "numbers only"),
        (sp.csr_array([[1 + 2j, 1]]), ["a", "b"], "numbers only"),
        (np.array([[3, 4]], dtype="datetime64[s]"), ["a", "b"], "numbers only"),
        (np.array([[3, 4]], dtype="timedelta64[s]"), ["a", "b"], "numbers only"),
        (pd.DataFrame({"a": ["1"], "b": [2.0]}), None, "numbers only"),
        ([["a", "x" * 501]], None, "'xxx.* has 501 characters; at most 500"),
        (TOPICS, ["x" * 501, "a", "b", "c"], "501 characters"),
        ({"topics": [["a"]], "topic-document-matrix": np.array([["1"]])}, None, "numbers only"),
        ({"words": []}, None, "topic-word-matrix"),
        ({"topics": ["ab"]}, None, "lists of words"),
        ({"topics": [["a"]], "topic-document-matrix": [[1], [2]]}, None, "row for each"),
        (object(), None, "can't be read from object"),
        (TruncatedSVD(), None, "isn't fitted"),
    ],
)
def test_what_is_no_topic_is_refused(model, vocabulary, said):
    with pytest.raises(InputError, match=said):
        as_subject(model, vocabulary)


# --- OCTIS ---------------------------------------------------------------------------------------


def test_octis_without_a_vocabulary_has_words_alone():
    """Document weights .8 .4 / .2 .6: the topics' shares are .6 and .4."""
    output = {
        "topics": [["cats", "purr"], ["dogs", "bark"]],
        "topic-word-matrix": TOPICS,
        "topic-document-matrix": np.array([[0.8, 0.4], [0.2, 0.6]]),
    }
    subject = as_subject(output)
    assert subject.topics is None
    assert subject.shares.tolist() == pytest.approx([0.6, 0.4])
    whole = as_subject(output, WORDS)
    assert whole.distributions[0].tolist() == [0.75, 0, 0.25, 0]
    assert whole.shares.tolist() == pytest.approx([0.6, 0.4])


# --- scikit-learn --------------------------------------------------------------------------------


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
    expected = pipeline[-1].components_
    assert (subject.distributions.argmax(axis=1) == expected.argmax(axis=1)).all()


def test_scikit_learn_knows_the_columns_of_a_frame(vectorizer):
    counts = vectorizer.transform(TEXTS).toarray()
    frame = pd.DataFrame(counts, columns=vectorizer.get_feature_names_out())
    subject = as_subject(NMF(2, random_state=0).fit(frame))
    assert subject.vocabulary.tolist() == list(frame)


def test_negative_components_are_refused(vectorizer):
    model = TruncatedSVD(2, random_state=0).fit(vectorizer.transform(TEXTS).astype(float))
    with pytest.raises(InputError, match="negative"):
        as_subject(model, vectorizer.get_feature_names_out())


# --- gensim and tomotopy -------------------------------------------------------------------------


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


# --- files ---------------------------------------------------------------------------------------


def written(folder, name, content):
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, encoding="utf-8")
    return path


def test_a_model_folder(tmp_path):
    model = ch.fit("nmf", TEXTS, n_components=2, random_state=0)
    model.save(tmp_path / "m")
    subject = read_topics(tmp_path / "m")
    assert (subject.topics == as_subject(model).topics).all()
    assert subject.name == "m"
    with pytest.raises(InputError):
        read_topics(tmp_path)


def test_words_a_line(tmp_path):
    path = written(tmp_path, "t.txt", "\ufeffcats purr  sleep\r\n\r\nNew York, dogs , bark,\r\n")
    subject = as_subject(path)
    assert subject.top_words(9) == [["cats", "purr", "sleep"], ["New York", "dogs", "bark"]]
    assert subject.name == "t"


def test_mallets_weights(tmp_path):
    """As MALLET writes them: every word in every topic, and beta in every weight."""
    lines = ["0\tcats\t3.01", "0\tnull\t0.01", "0\t2019\t1.01", "0\t\"\t0.01",
             "1\tcats\t0.01", "1\tnull\t2.01", "1\t2019\t0.01", "1\t\"\t0.01"]  # fmt: skip
    subject = read_topics(written(tmp_path, "weights.txt", "\n".join(lines) + "\n"))
    place = subject.vocabulary.tolist().index
    assert subject.distributions[0, place("cats")] == pytest.approx(3.01 / 4.04)
    assert subject.distributions[1, place("null")] == pytest.approx(2.01 / 2.04)
    assert subject.top_words(1) == [["cats"], ["null"]]


def test_mallets_keys(tmp_path):
    keys = "1\t0.75\tdogs bark \n0\t0,25\tcats purr sleep \n2\t1\t\n"
    subject = read_topics(written(tmp_path, "keys.txt", keys))
    assert subject.top_words(9) == [["cats", "purr", "sleep"], ["dogs", "bark"], []]
    assert subject.shares.tolist() == [0.125, 0.375, 0.5]


def test_json_of_lists_and_of_octis(tmp_path):
    lists = written(tmp_path, "a.json", json.dumps([["cats", "purr"], ["dogs"]]))
    assert read_topics(lists).top_words(2) == [["cats", "purr"], ["dogs"]]
    output = {"topics": [["cats"], ["dogs"]], "topic-word-matrix": TOPICS.tolist()}
    octis = written(tmp_path, "b.json", json.dumps(output))
    assert read_topics(octis).topics is None
    assert read_topics(octis, vocabulary=WORDS).distributions[0, 0] == 0.75


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_tables(tmp_path, index, separator):
    path = tmp_path / ("t.csv" if separator == "," else "t.tsv")
    pd.DataFrame(TOPICS, columns=WORDS).to_csv(path, index=index, sep=separator)
    subject = read_topics(path)
    assert subject.vocabulary.tolist() == WORDS
    assert subject.distributions[0].tolist() == [0.75, 0, 0.25, 0]


def test_arrays_in_files(tmp_path):
    np.savez(tmp_path / "a.npz", topics=TOPICS, vocabulary=np.array(WORDS))
    np.save(tmp_path / "b.npy", TOPICS)
    for name in ("a.npz", "b.npy"):
        given = {"vocabulary": WORDS} if name == "b.npy" else {}
        assert read_topics(tmp_path / name, **given).distributions[0, 0] == 0.75
    with pytest.raises(InputError, match=r"b\.vocab\.txt"):
        read_topics(tmp_path / "b.npy")
    written(tmp_path, "b.vocab.txt", "\n".join(WORDS) + "\n")
    assert read_topics(tmp_path / "b.npy").vocabulary.tolist() == WORDS


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


HUGE = npy(np.ones((2, 4))).replace(b"(2, 4)", b"(9999999,99999)")
OBJECTS = npy(np.array([{}], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt", "", "empty"),
        ("a.txt", " \n\n", "empty"),
        ("a.txt", b"\xff\xfe\x00\x01", "UTF-8 at byte 0"),
        ("a.txt", "a\0b c", "no text has"),
        ("a.txt", "cats cats\n", "'cats' twice"),
        ("a.gz", b"no gzip", "gzip"),
        ("w.txt", "0\tcats\t1\n2\tdogs\t1\n", "numbered"),
        ("w.txt", "0\tcats\t1\n0\tcats\t1\n", "same word twice"),
        ("w.txt", "0\tcats\t1\nnonsense\n", "separated by tabs"),
        ("w.txt", "0\tcats\t1\n99999999999999999999\tdogs\t1\n", "separated by tabs"),
        ("w.txt", "0\tcats\t1\n0\tdogs\t-1\n", "negative"),
        ("w.txt", "0\tcats\t1\n0\tdogs\tnan\n", "separated by tabs|finite"),
        ("k.txt", "0\t1\tcats\n0\t1\tdogs\n", "same topic twice"),
        ("k.txt", "0\t1\tcats\n1\tx\tdogs\n", "alpha"),
        ("k.txt", "0\t1\tcats\n1 dogs\n", "separated by tabs"),
        ("a.json", "{", "isn't JSON at line 1"),
        ("a.json", "[" * 100_000, "isn't JSON"),
        ("a.json", "3", "neither"),
        ("a.json", '{"topics": 3}', "topic-word-matrix"),
        ("a.json", "[[1, 2], [3]]", "isn't a word"),
        ("a.json", '[["\\ud800"]]', "half a character"),
        ("a.json", '{"topic-word-matrix": [[1e999]], "vocabulary": ["a"]}', "finite"),
        ("a.json", '{"topic-word-matrix": [["1", "2"]], "vocabulary": ["a", "b"]}', "numbers only"),
        ("a.json", '{"topic-word-matrix": [[1, "2"]], "vocabulary": ["a", "b"]}', "numbers only"),
        ("a.json", '{"topic-word-matrix": [[1, null]], "vocabulary": ["a", "b"]}', "numbers only"),
        ("a.json", json.dumps([["cats", "x" * 2_000_000]]), "2,000,000 characters"),
        ("a.csv", "a,b\n", "a head of words"),
        ("a.csv", "a,b\n1\n", "row 1 has 1 numbers"),
        ("a.csv", "a,b\n1,x\n", "isn't a number"),
        ("a.csv", "a,a\n1,2\n", "same word twice"),
        ("a.csv", 'a,"' + "x" * 200_000 + '"\n1,2\n', "isn't a table"),
        ("a.npy", npy(TOPICS), "words are needed"),
        ("a.npz", b"no zip", "damaged"),
        ("a.npz", zipped(topics=npy(TOPICS)), "'vocabulary'"),
        ("a.npz", zipped(topics=npy(TOPICS), vocabulary=npy(np.arange(4))), "strings"),
        ("a.npz", zipped(topics=npy(TOPICS), vocabulary=OBJECTS), "could run"),
        ("a.npz", zipped(topics=HUGE, vocabulary=npy(np.array(WORDS))), "more than it holds"),
        ("a.npz", zipped(topics=b"junk", vocabulary=npy(np.array(WORDS))), "damaged"),
    ],
)
def test_hostile_files_are_refused_by_name(tmp_path, name, content, said):
    path = written(tmp_path, name, content)
    with pytest.raises(InputError, match=said) as error:
        read_topics(path)
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 400 + len(str(path))


def test_text_has_less_room_than_arrays(tmp_path):
    for name in ("a.txt", "a.json", "a.csv"):
        with (tmp_path / name).open("wb") as file:
            file.truncate((1 << 28) + 1)  # a hole: it takes no room on the disk
        with pytest.raises(InputError, match=r"larger than 268,435,456 bytes.*\.npz"):
            read_topics(tmp_path / name)
    with (tmp_path / "a.npz").open("wb") as file:
        file.truncate((1 << 28) + 1)
    with pytest.raises(InputError, match="damaged"):
        read_topics(tmp_path / "a.npz")


def test_what_isnt_there_is_said(tmp_path):
    with pytest.raises(InputError, match="doesn't exist"):
        read_topics(tmp_path / "none.txt")


def test_damaged_files_never_raise_anything_else(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "x.npz", topics=TOPICS, vocabulary=np.array(WORDS))
    good = {
        "a.npz": (tmp_path / "x.npz").read_bytes(),
        "a.json": json.dumps({"topics": [["a"]], "topic-word-matrix": [[1.5]]}).encode(),
        "a.csv": b"a,b\n1,2\n3,4\n",
        "w.txt": b"0\tcats\t1\n1\tcats\t2.5\n",
        "k.txt": b"0\t0.5\tcats dogs \n1\t0.2\tbark \n",
    }
    for name, content in good.items():
        for _ in range(60):
            hurt = bytearray(content)
            for place in rng.integers(0, len(hurt), rng.integers(1, 6)):
                hurt[place] = rng.integers(0, 256)
            path = written(tmp_path, name, bytes(hurt[: rng.integers(1, len(hurt) + 1)]))
            with contextlib.suppress(InputError):
                assert read_topics(path).n_topics >= 1
