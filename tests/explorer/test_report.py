"""A report: one file, small enough, without a request, and redacted if it is to be."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.explorer.assembling import one_script, page_files
from chatham.explorer.explore import Exploration
from chatham.explorer.report import MOST_BYTES, report_page
from tests.explorer.conftest import TEXTS

PLANTED = "zanzibarquagga"


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def planted_corpus(corpus):
    table = corpus.metadata.assign(secret=[f"{PLANTED} column {row}" for row in range(len(corpus))])
    return ch.Corpus(
        corpus.counts, corpus.vocabulary, ids=[f"{PLANTED}-{row}" for row in range(len(corpus))],
        labels=[f"{PLANTED} {row % 3}" for row in range(len(corpus))],
        texts=[f"{text} {PLANTED}" for text in corpus.texts], metadata=table,
        vectorizer=corpus.vectorizer,
    )  # fmt: skip


def test_a_redacted_report_has_nothing_that_isnt_in_the_model(model, corpus, tmp_path):
    path = tmp_path / "report.html"
    assert ch.report(model, planted_corpus(corpus), path, redacted=True) == 0
    page = path.read_text("utf-8")
    assert PLANTED not in page
    assert data_of(page)["documents"] == {"total": 0, "source": "none"}
    alone, _ = report_page(model)
    assert page == alone  # documents don't change a byte of it


def test_without_documents_no_text_is_in_it(model, corpus):
    page, kept = report_page(model, planted_corpus(corpus), documents=False)
    data = data_of(page)
    assert kept == 0
    assert data["documents"]["rows"] == []
    assert f"{PLANTED} column" not in page
    assert f"{PLANTED}-" not in page
    for words in ("bold & brave", "recipe yeast"):
        assert words not in page


def test_documents_are_the_ones_with_most_of_each_topic(model, corpus):
    page, kept = report_page(model, corpus)
    data = data_of(page)
    assert kept == len(corpus) == data["documents"]["kept"]
    assert "<script>window.exploded" not in page
    assert len(page.encode()) < MOST_BYTES


def test_a_large_corpus_is_cut_until_it_fits():
    words = ["tea", "rum"]
    texts = [f"tea {'milk ' * 3000}" if row % 2 else f"rum {'ice ' * 3000}" for row in range(60)]
    corpus = ch.read_corpus(texts, vocabulary=words)
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    whole, _ = report_page(model, corpus, documents=False)
    most = len(whole.encode()) + 60_000
    page, kept = report_page(model, corpus, most=most)
    assert 0 < kept < 40
    assert len(page.encode()) <= most
    assert all(each["cut"] for each in data_of(page)["documents"]["rows"])
    with pytest.raises(InputError, match="MB"):
        report_page(model, corpus, most=1000)


def test_nothing_in_it_points_anywhere(model, corpus):
    page, _ = report_page(model, corpus)
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "default-src 'none'" in page
    assert "unsafe" not in page.split("</head>")[0]


def test_the_same_model_makes_the_same_bytes(model, corpus):
    assert report_page(model, corpus) == report_page(model, corpus)


def test_a_notebook_shows_it_in_a_frame_of_its_own(model):
    shown = Exploration(report_page(model)[0])._repr_html_()
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    assert "allow-same-origin" not in shown
    assert "<script" not in shown.split("srcdoc=")[1]


def test_the_page_is_small_and_its_scripts_are_plain():
    files = page_files()
    assert sum(len(text.encode()) for text in files.values()) < 150_000
    for name, text in files.items():
        assert not re.search(
            r"\b(eval|Function)\(|innerHTML|outerHTML|insertAdjacentHTML|https?://(?!www\.w3\.org)",
            text,
        ), name
    script = one_script()
    assert not re.search(r"^(import|export) ", script, re.M)


def test_counts_alone_make_a_report():
    model = ch.fit("nmf", np.eye(3) + 1, vocabulary=["a", "b", "</script>"], n_components=1)
    page, kept = report_page(model, model_counts())
    assert kept == 2
    assert data_of(page)["words"]["word"] == ["</script>", "a", "b"]


def model_counts():
    return ch.Corpus(np.array([[2, 1, 0], [0, 0, 1]]), ["a", "b", "</script>"])


def test_what_each_document_has_for_itself_is_no_group(model):
    table = pd.DataFrame({"title": [f"{PLANTED} {row}" for row in range(12)], "text": TEXTS[:12]})
    for how in ({}, {"label": "title"}):
        corpus = ch.read_corpus(table, text="text", min_df=1, max_df=1.0, **how)
        page, _ = report_page(model, corpus, documents=False)
        assert f"{PLANTED} 3" not in page


def test_half_a_character_stops_no_report(model, tmp_path):
    texts = ["rocket \ud800 moon", "bread oven"]
    assert ch.report(model, texts, tmp_path / "report.html") == 2
    pieces = data_of((tmp_path / "report.html").read_text("utf-8"))["documents"]["rows"][0][
        "pieces"
    ]
    assert "".join(piece[0] for piece in pieces) == texts[0]
