"""Pictures of topics: of all that is a model, the same bytes again, and nothing runs in them."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.errors import InputError
from chatham.plots.interactive import literal
from chatham.plots.picture import PLOTLY
from tests.conftest import plant

pytest.importorskip("matplotlib")
pytest.importorskip("plotly")

COUNTS = plant(n=120, d=30, k=4, seed=1)[0]
WORDS = [f"word{place:02}" for place in range(30)]
TAGS = ["html", "head", "meta", "meta", "meta", "title", "style", "body", "div", "script", "script",
        "div", "script"]  # fmt: skip
OF_TOPICS = ("map", "words", "matrix", "similarity")
HOSTILE = [
    "<script>alert(1)</script>", "</script><b>", "$x^2$ $", "%{x}", "<br>", "&lt;i&gt;", "a\\b_{c}",
    "שלום", "مرحبا", "日本語", "\u202eevil", '"quo\'ted"', "<a href='//x.y'>z</a>", "{{}}",
]  # fmt: skip


def of(model, name, *rest, **options):
    return getattr(ch.plots, name)(model, *rest, **options)


def fit(learner="lda", k=4, counts=COUNTS, words=WORDS, **settings):
    settings = {"n_components": k, "random_state": 0, **settings}
    if learner in ("lda", "nmf"):
        settings.setdefault("max_iter", 10)
    return ch.fit(learner, counts, vocabulary=words, **settings)


@pytest.fixture(scope="module")
def model():
    return fit()


LEARNERS = ["anchor", "kmeans", "lda", "nmf", "online-lda", "plsa", "svd"]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", OF_TOPICS)
def test_every_learner_s_model_has_every_picture(learner, name, tmp_path):
    picture = of(fit(learner), name)
    for ending in ("html", "png", "svg", "pdf"):
        picture.save(tmp_path / f"a.{ending}")
    assert len(picture.table)


@pytest.mark.parametrize("name", OF_TOPICS)
@pytest.mark.parametrize("k", [1, 2, 200])
def test_any_number_of_topics(name, k, tmp_path):
    topics = np.random.default_rng(k).dirichlet(np.full(300, 0.05), k)
    picture = of(topics, name, vocabulary=[f"w{place:03}" for place in range(300)])
    picture.save(tmp_path / "a.svg")
    picture.save(tmp_path / "a.html")
    width, height = picture.matplotlib().get_size_inches()
    assert max(width, height) < 40
    assert np.isfinite(picture.table.select_dtypes("number").to_numpy(float)).any() or k == 1


@pytest.mark.parametrize("name", ["map", "matrix", "similarity"])
def test_topics_from_elsewhere(name, tmp_path):
    lists = [["cat", "purr", "milk"], ["dog", "bark"], ["milk", "tea"], []]
    of(lists, name).save(tmp_path / "a.html")
    sparse = sp.csr_array(np.array([[3, 1, 0], [0, 0, 1.0]]))
    of(sparse, name, vocabulary=["a", "b", "c"]).save(tmp_path / "a.svg")
    with pytest.raises(InputError, match="have no probabilities"):
        ch.plots.words(lists)


@pytest.mark.parametrize("name", ["map", "similarity"])
def test_any_documents(name, model, tmp_path):
    empty = sp.csr_array((3, 30))
    some = sp.vstack([COUNTS[:40], empty])
    for documents in (COUNTS, some, COUNTS[:1], ch.Simulated([COUNTS[:50], COUNTS[50:]])):
        of(model, name, documents).save(tmp_path / "a.svg")
    with pytest.raises(InputError, match="No document has any word"):
        of(model, name, empty)


@pytest.mark.parametrize("method", ["pca", "tsne", "lle"])
def test_the_same_bytes_again(method, tmp_path, model):
    made = []
    for time in range(2):
        for n_jobs, ending in ((1 + time, "svg"), (1, "html"), (1, "png"), (1, "pdf")):
            file = tmp_path / f"{time}.{ending}"
            ch.plots.map(model, COUNTS, method=method, n_jobs=n_jobs).save(file)
            made.append(file.read_bytes())
    assert made[:4] == made[4:]


@pytest.mark.parametrize("name", ["words", "matrix", "similarity"])
def test_other_pictures_are_the_same_bytes_again_too(name, tmp_path, model):
    for ending in ("svg", "html"):
        for time in range(2):
            of(model, name).save(tmp_path / f"{time}.{ending}")
        first, second = ((tmp_path / f"{time}.{ending}").read_bytes() for time in range(2))
        assert first == second


def test_numbers_and_names_are_the_model_s():
    edited = fit().drop([1])
    edited.names[3] = "child custody"
    assert ch.plots.map(edited).table["topic"].tolist() == [0, 2, 3]
    assert ch.plots.map(edited).table["name"].tolist()[2] == "child custody"
    assert sorted(ch.plots.similarity(edited).table.columns) == [0, 2, 3]
    assert sorted(ch.plots.matrix(edited).table.columns) == [0, 2, 3]
    assert set(ch.plots.words(edited, [3, 0]).table["topic"]) == {0, 3}
    figure = ch.plots.words(edited, [3]).matplotlib()
    assert figure.axes[0].get_title(loc="left") == "3  child custody"
    with pytest.raises(InputError, match="no topic 1; the model has the topics 0, 2 and 3"):
        ch.plots.words(edited, [1])


def test_the_table_of_words_is_the_model_s(model):
    table, own = ch.plots.words(model, n=5).table, model.top_words(5)
    assert table[["topic", "rank", "word"]].values.tolist() == (
        own[["topic", "rank", "word"]].values.tolist()
    )
    np.testing.assert_allclose(table["score"], own["score"])
    bars = ch.plots.words(model, n=5).matplotlib().axes[1].patches
    expected = own[own["topic"] == 1]["score"]
    np.testing.assert_allclose([bar.get_width() for bar in bars], expected)


def test_matrix_has_the_topics_probabilities(model):
    table = ch.plots.matrix(model).table
    columns = [WORDS.index(word) for word in table.index]
    np.testing.assert_allclose(table.to_numpy(), model.topics[table.columns][:, columns].T)
    assert set(model.top_words(3)["word"]) == set(table.index)


def test_similarity_is_symmetric_and_by_chance(model):
    table = ch.plots.similarity(model, COUNTS).table
    values = table.to_numpy()
    assert (table.index == table.columns).all()
    assert np.isnan(np.diag(values)).all()
    np.testing.assert_allclose(values, values.T)


def hostile_model():
    rng = np.random.default_rng(0)
    counts = rng.poisson(2, (40, len(HOSTILE))) + np.eye(40, len(HOSTILE), dtype=int)
    model = fit(k=3, counts=counts, words=HOSTILE)
    model.names[0], model.names[1], model.names[2] = HOSTILE[0], "$\\frac{1}", "<b>שלום</b> 12 $x$"
    return model


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
@pytest.mark.parametrize("name", OF_TOPICS)
def test_words_and_names_are_text_and_nothing_else(name, tmp_path):
    picture = of(hostile_model(), name, title="<img src=x onerror=alert(1)> $y$")
    picture.save(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text("utf-8")
    own = Tags()
    own.feed(page.replace(_plotly_js(), ""))
    assert own.tags == TAGS
    for text in _texts(json.loads(picture.plotly().to_json())):
        tags = set(re.findall(r"<[^>]*>", text))
        assert tags <= {"<b>", "</b>", "<br>"}, text
        assert "$" not in text
        assert "\u202e" not in text
    for ending in ("svg", "png", "pdf"):
        picture.save(tmp_path / f"a.{ending}")
    drawn = (tmp_path / "a.svg").read_text("utf-8")
    assert "<script" not in drawn
    assert "<img" not in drawn


class Tags(HTMLParser):
    """The tags of a page, in their order."""

    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)


def _plotly_js():
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


def _texts(value):
    """All strings in a figure that Plotly shows."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in ("hovertemplate", "texttemplate", "bdata", "template"):
                yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def test_text_is_literal():
    assert literal("a<b>&amp;$") == "a&lt;b&gt;&amp;amp;&#36;"
    assert literal("שלום") == "\u2068שלום\u2069"
    assert literal("\u202ex") == literal("\\u202ex")


def test_a_page_needs_nothing_else(tmp_path, model):
    ch.plots.map(model).save(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text("utf-8")
    assert "default-src 'none'" in page
    own = page.replace(_plotly_js(), "")
    assert not re.search(r"(src|href)\s*=\s*[\"']?\s*(https?:)?//", own)
    assert "https://" not in own


def test_a_notebook_shows_both_and_no_library(model):
    picture = ch.plots.map(model)
    bundle = picture._repr_mimebundle_()
    assert set(bundle) == {"text/plain", PLOTLY, "image/png"}
    assert len(json.dumps(bundle)) < 500_000
    assert repr(picture) == bundle["text/plain"] == "Picture: A map of 4 topics"


def test_without_one_library_the_other_is_shown(model, monkeypatch):
    import sys

    picture = ch.plots.map(model)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "plotly.graph_objects", None)
        assert set(picture._repr_mimebundle_()) == {"text/plain", "image/png"}
        with pytest.raises(InputError, match="need Plotly"):
            picture.plotly()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib", None)
        bundle = picture._repr_mimebundle_()
        assert set(bundle) == {"text/plain", PLOTLY, "text/html"}
        assert "newPlot" in bundle["text/html"]


def test_a_model_in_a_notebook_has_its_map():
    model = hostile_model()
    page = model._repr_html_()
    assert page.count("<circle") == 3
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<circle" not in fit(k=1)._repr_html_()
    assert fit("svd", k=3)._repr_html_().count("<circle") == 3


def test_pictures_over_time_and_by_group(tmp_path):
    import pandas as pd

    when = pd.DataFrame({"date": [f"{2010 + row % 5 + (row % 5 > 1)}" for row in range(120)]})
    labels = [f"$<b>group</b> {row % 5}" for row in range(120)]
    corpus = ch.Corpus(COUNTS, WORDS, labels=labels, metadata=when)
    model = ch.fit("lda", corpus, n_components=4, random_state=0, max_iter=10)
    for picture in (
        ch.plots.over_time(model, corpus),
        ch.plots.by_group(model, corpus, "label"),
        ch.plots.over_time(model.over_time(corpus)),
        ch.plots.by_group(model.by_group(corpus, "label")),
    ):
        for ending in ("html", "svg"):
            picture.save(tmp_path / f"a.{ending}")
        for text in _texts(json.loads(picture.plotly().to_json())):
            assert set(re.findall(r"<[^>]*>", text)) <= {"<b>", "</b>", "<br>"}
    figure = ch.plots.over_time(model, corpus).plotly()
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    table = model.over_time(corpus)
    assert len(lines) == 4
    assert list(lines[0].y)[2] is None  # a gap
    shares = table[(table["topic"] == 0) & table["start"].notna()]["share"].dropna()
    np.testing.assert_allclose([y for y in lines[0].y if y is not None], shares)
    with pytest.raises(InputError, match="needs documents"):
        ch.plots.over_time(model)


def test_a_picture_of_supertopics(tmp_path):
    model = fit("anchor", refine=0, min_anchor_df=0.0)
    picture = ch.plots.hierarchy(model, [2])
    for ending in ("html", "svg"):
        picture.save(tmp_path / f"a.{ending}")
    (flows,) = picture.plotly().data
    assert len(flows.node.label) == 6
    tree = model.estimator.hierarchy([2])
    for link in zip(flows.link.source, flows.link.target, flows.link.value, strict=True):
        parent, child, value = link[0] - 4, link[1], link[2]
        expected = tree.prevalence(2)[parent] * tree.levels[0].topics[parent, child]
        assert value == pytest.approx(expected)
    with pytest.raises(InputError, match="no correlations to build a hierarchy"):
        ch.plots.hierarchy(fit(), [2])


def test_directions_have_one_order_of_words():
    directions = fit("svd", k=3)
    for name in ("words", "matrix"):
        with pytest.raises(InputError, match="no order of words by 'uplift'"):
            of(directions, name, by="uplift")


def test_another_ending_is_refused(model, tmp_path):
    with pytest.raises(InputError, match=r"must end in one of \.html, \.png, \.svg, \.pdf"):
        ch.plots.map(model).save(tmp_path / "a.gif")


def test_no_file_of_the_room_hides_a_function(model):
    import importlib
    import pkgutil

    from chatham import plots

    for module in pkgutil.iter_modules(plots.__path__):
        importlib.import_module(f"chatham.plots.{module.name}")
    for name in plots.__all__:
        assert callable(getattr(plots, name)), name
