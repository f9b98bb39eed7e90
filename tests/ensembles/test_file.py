"""A summary as a file: there and back, signed, and nothing hostile gets in."""

import dataclasses
import hashlib
import json
import os
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import numpy as safetensors

import chatham as ch
from chatham.commons.secure.keys import Identity
from chatham.ensembles.file import LENGTH, MAGIC, packed, unpacked
from chatham.ensembles.summary import STATISTICS, Summary
from chatham.errors import InputError, SummaryFileError
from chatham.model.schema import vocabulary_hash
from tests.ensembles.parts import published, some_counts

KINDS = sorted(STATISTICS)


@pytest.fixture(scope="module")
def summaries():
    """One of each kind."""
    return {kind: published(kind, some_counts(), name="North", max_iter=30)[1] for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back_bit_for_bit(summaries, kind, tmp_path):
    summary = summaries[kind]
    again = ch.read_summary(ch.write_summary(summary, tmp_path / "ours"))
    assert packed(again) == packed(summary)
    assert (again.topics == summary.topics).all()
    assert again.vocabulary.tolist() == summary.vocabulary.tolist()
    assert (again.kind, again.name, again.documents) == (kind, "North", summary.documents)
    assert again.signer is None


def test_the_tokenizer_comes_along(tmp_path):
    corpus = ch.sample_corpus().rows(slice(0, 200))
    summary = ch.publish(ch.fit("plsa", corpus, n_components=2, max_iter=5), corpus)
    again = ch.read_summary(ch.write_summary(summary, tmp_path / "a"))
    assert again.tokenizer == corpus.vectorizer.tokenizer.to_dict()


def test_the_file_says_what_it_reveals(summaries, tmp_path):
    path = ch.write_summary(summaries["plsa"], tmp_path / "ours")
    described = parts_of(path.read_bytes())[0]
    assert described["reveals"] == summaries["plsa"].reveals
    assert any("subtract the two" in sentence for sentence in described["reveals"])


def test_a_signed_summary_says_whose_it_is(summaries, tmp_path):
    identity = Identity.new()
    path = ch.write_summary(summaries["plsa"], tmp_path / "ours", sign_as=identity)
    signer = ch.read_summary(path).signer
    assert (signer.name, signer.key) == ("North", identity.public.hex())
    nameless = dataclasses.replace(summaries["plsa"], name="")
    with pytest.raises(InputError, match="give it a name"):
        ch.write_summary(nameless, tmp_path / "b", sign_as=identity)


def parts_of(content):
    (length,) = LENGTH.unpack(content[len(MAGIC) : len(MAGIC) + 8])
    start = len(MAGIC) + 8
    return json.loads(content[start : start + length]), content[start + length :]


def joined(described, arrays):
    text = json.dumps(described).encode()
    return MAGIC + struct.pack("<Q", len(text)) + text + arrays


def changed(content, *, announce=True, arrays=(), **fields):
    """The file with other fields and arrays, and hashes that fit, as one who means harm does."""
    described, rest = parts_of(content)
    held = {name: array.copy() for name, array in safetensors.load(rest).items()}
    for name, value in dict(arrays).items():
        before = dict(held)
        held.pop(name, None)
        if value is not None:
            held[name] = value(before) if callable(value) else value
    rest = safetensors.save(held)
    described["arrays_sha256"] = hashlib.sha256(rest).hexdigest()
    if announce:
        described["arrays"] = {name: list(array.shape) for name, array in held.items()}
    for name, value in fields.items():
        described[name] = value(described[name]) if callable(value) else value
        if value is LEFT_OUT:
            del described[name]
    if "vocabulary" in fields and isinstance(described["vocabulary"], list):
        described["vocabulary_sha256"] = vocabulary_hash(described["vocabulary"])
    return joined(described, rest)


LEFT_OUT = object()


@pytest.mark.parametrize(
    "change",
    [
        {"name": "South"},
        {"documents": 61},
        {"library_version": "9.9.9"},
        {"reveals": []},
        {"arrays": {"sizes": np.array([30.0, 30.0])}},
        {"key": "00" * 32},
        {"key": "zz"},
        {"key": 7},
        {"signed": None},
        {"signed": "00" * 64},
    ],
)
def test_a_signature_that_does_not_fit_is_refused(summaries, tmp_path, change):
    path = ch.write_summary(summaries["plsa"], tmp_path / "ours", sign_as=Identity.new())
    ch.read_summary(path)
    path.write_bytes(changed(path.read_bytes(), **change))
    with pytest.raises(SummaryFileError, match=r"signature of .* is not that of its contents"):
        ch.read_summary(path)


def test_a_signature_of_somebody_else_is_not_mine(summaries, tmp_path):
    mine = packed(summaries["plsa"], Identity.new())
    theirs = parts_of(packed(summaries["plsa"], Identity.new()))[0]
    mixed = changed(mine, signed=theirs["signed"])
    with pytest.raises(SummaryFileError, match="signature"):
        unpacked(mixed, tmp_path / "a.summary")


def without_first_word(topics):
    rest = topics * (np.arange(topics.shape[1]) > 0)
    return rest / rest.sum(axis=1, keepdims=True)


HUGE = [10**6, 10**6, 10**6]
HOSTILE = {
    "empty": lambda c: b"",
    "half a first line": lambda c: c[:7],
    "its first line alone": lambda c: c[:16],
    "truncated in the description": lambda c: c[:100],
    "truncated in the arrays": lambda c: c[:-9],
    "more at the end": lambda c: c + b"\0",
    "something else": lambda c: b"PK\3\4" + c,
    "a description of 2^63 bytes": lambda c: MAGIC + struct.pack("<Q", 2**63) + c[24:],
    "not JSON": lambda c: MAGIC + struct.pack("<Q", 5) + b"hello",
    "a list": lambda c: joined([], b""),
    "nested without end": lambda c: MAGIC + struct.pack("<Q", 10**5) + b"[" * 10**5,
    "NaN": lambda c: changed(c, tokens=float("nan")),
    "infinite": lambda c: c.replace(b'"tokens": 2400.0', b'"tokens": 1e9999'),
    "another format": lambda c: changed(c, format="chatham model"),
    "a later version": lambda c: changed(c, format_version=2),
    "a version that is true": lambda c: changed(c, format_version=True),
    "a field too few": lambda c: changed(c, numbers=LEFT_OUT),
    "a field too many": lambda c: changed_more(c),
    "a kind of its own": lambda c: changed(c, kind="svd"),
    "a kind that is a list": lambda c: changed(c, kind=["plsa"]),
    "another kind": lambda c: changed(c, kind="lda"),
    "a word twice": lambda c: changed(c, vocabulary=lambda words: [words[0], *words[:-1]]),
    "a word too long": lambda c: changed(c, vocabulary=lambda w: ["x" * 501, *w[1:]]),
    "half a character": lambda c: changed(c, vocabulary=lambda w: ["\ud800", *w[1:]]),
    "a word that is a number": lambda c: changed(c, vocabulary=lambda w: [3, *w[1:]]),
    "a word too few": lambda c: changed(c, vocabulary=lambda w: w[1:]),
    "no words": lambda c: changed(c, vocabulary=[]),
    "words that are text": lambda c: changed(c, vocabulary="cat"),
    "words with another hash": lambda c: changed(c, vocabulary_sha256="0" * 64),
    "documents that are text": lambda c: changed(c, documents="60"),
    "four documents": lambda c: changed(c, documents=4),
    "documents that are true": lambda c: changed(c, documents=True),
    "no tokens": lambda c: changed(c, tokens=0.0),
    "whole tokens": lambda c: changed(c, tokens=2400),
    "other tokens": lambda c: changed(c, tokens=2401.0),
    "settings that are text": lambda c: changed(c, settings="x"),
    "other settings": lambda c: changed(c, settings={"constraint": "none"}),
    "numbers that fall": lambda c: changed(c, numbers=[1, 0]),
    "a number twice": lambda c: changed(c, numbers=[1, 1]),
    "numbers below zero": lambda c: changed(c, numbers=[-1, 0]),
    "numbers that are text": lambda c: changed(c, numbers="01"),
    "a name in two lines": lambda c: changed(c, name="North\nSouth"),
    "a name that is a number": lambda c: changed(c, name=7),
    "sentences without end": lambda c: changed(c, reveals=["x"] * 41),
    "a sentence without end": lambda c: changed(c, reveals=["x" * 1001]),
    "sentences that are numbers": lambda c: changed(c, reveals=[1]),
    "a tokenizer of text": lambda c: changed(c, tokenizer="x"),
    "a tokenizer unknown": lambda c: changed(c, tokenizer={"lowercase": 3}),
    "absurd shapes": lambda c: with_shapes(c, {"topics": HUGE}),
    "negative shapes": lambda c: with_shapes(c, {"topics": [-1, 8]}),
    "no shapes": lambda c: with_shapes(c, None),
    "another hash of arrays": lambda c: changed(c, arrays_sha256="0" * 64),
    "topics missing": lambda c: changed(c, arrays={"topics": None}),
    "topics missing but announced": lambda c: changed(c, announce=False, arrays={"topics": None}),
    "an array too many": lambda c: changed(c, arrays={"weights": np.ones((60, 2))}),
    "sizes missing": lambda c: changed(c, arrays={"sizes": None}),
    "expected missing": lambda c: changed(c, arrays={"expected": None}),
    "topics NaN": lambda c: changed(c, arrays={"topics": lambda h: h["topics"] * np.nan}),
    "topics negative": lambda c: changed(c, arrays={"topics": lambda h: -h["topics"]}),
    "topics no probabilities": lambda c: changed(c, arrays={"topics": lambda h: 2 * h["topics"]}),
    "topics turned": lambda c: changed(c, arrays={"topics": lambda h: h["topics"].T.copy()}),
    "topics whole": lambda c: changed(c, arrays={"topics": lambda h: np.eye(2, 8, dtype=np.int64)}),
    "topics of half precision": lambda c: changed(
        c, arrays={"topics": lambda h: h["topics"].astype(np.float32)}
    ),
    "no topics": lambda c: changed(c, arrays={"topics": np.ones((0, 8))}),
    "sizes of more documents": lambda c: changed(c, arrays={"sizes": np.array([60.0, 60.0])}),
    "no sizes": lambda c: changed(c, arrays={"sizes": np.zeros(2)}),
    "expected elsewhere": lambda c: changed(
        c, arrays={"expected": lambda h: h["expected"] * [[2.0], [0.0]]}
    ),
    "expected from topics without the word": lambda c: changed(
        c, arrays={"topics": lambda h: without_first_word(h["topics"])}
    ),
    "a likelihood above one": lambda c: changed(c, arrays={"log_likelihood": np.array(1.0)}),
}


def changed_more(content):
    described, rest = parts_of(content)
    return joined({**described, "more": 1}, rest)


def with_shapes(content, shapes):
    described, rest = parts_of(content)
    return joined({**described, "arrays": shapes}, rest)


@pytest.mark.parametrize("harm", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_is_refused_in_one_sentence(summaries, tmp_path, harm):
    path = tmp_path / "x.summary"
    content = packed(summaries["plsa"])
    assert harm(content) != content
    path.write_bytes(harm(content))
    with pytest.raises(SummaryFileError) as refused:
        ch.read_summary(path)
    message = str(refused.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 500


HOSTILE_NMF = {
    "gram not symmetric": {"gram": np.array([[2.0, 1.0], [0.0, 2.0]])},
    "gram without roots": {"gram": np.array([[1.0, 2.0], [2.0, 1.0]])},
    "gram of zeros": {"gram": np.zeros((2, 2))},
    "errors below zero": {"errors": -np.ones(8)},
    "idf alone": {"idf": np.ones(8)},
    "idf of zero": {"idf": np.zeros(8), "document_frequencies": np.full(8, 6.0)},
    "frequencies of few": {"idf": np.ones(8), "document_frequencies": np.full(8, 4.0)},
    "frequencies of all and more": {"idf": np.ones(8), "document_frequencies": np.full(8, 99.0)},
    "frequencies in parts": {"idf": np.ones(8), "document_frequencies": np.full(8, 6.5)},
}


@pytest.mark.parametrize("arrays", HOSTILE_NMF.values(), ids=HOSTILE_NMF.keys())
def test_what_the_merge_of_nmf_trusts_is_checked(summaries, tmp_path, arrays):
    content = changed(packed(summaries["nmf"]), arrays=arrays)
    with pytest.raises(SummaryFileError, match="is damaged"):
        unpacked(content, tmp_path / "x.summary")


def test_alpha_of_lda_is_checked(summaries, tmp_path):
    content = changed(packed(summaries["lda"]), arrays={"alpha": np.zeros(2)})
    with pytest.raises(SummaryFileError, match="'alpha' must be above zero"):
        unpacked(content, tmp_path / "x.summary")


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_a_summary_or_one_error(summaries, tmp_path_factory, data):
    """Bytes changed anywhere: what is read is a summary that was checked, or it is refused."""
    kind = data.draw(st.sampled_from(KINDS))
    content = bytearray(packed(summaries[kind]))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.integers(0, 8))
        content[place : place + length] = data.draw(st.binary(max_size=8))
    path = tmp_path_factory.mktemp("x") / "x.summary"
    path.write_bytes(bytes(content))
    try:
        read = ch.read_summary(path)
    except SummaryFileError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert isinstance(read, Summary)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_value_of_any_field_gives_a_summary_or_one_error(summaries, data):
    content = packed(summaries["plsa"])
    described, rest = parts_of(content)
    name = data.draw(st.sampled_from(sorted(described)))
    described[name] = data.draw(JSON)
    try:
        unpacked(joined(described, rest), "x.summary")
    except SummaryFileError as error:
        assert "\n" not in str(error)  # noqa: PT017


def test_what_is_no_file_is_not_opened(tmp_path):
    with pytest.raises(SummaryFileError, match="There is no summary"):
        ch.read_summary(tmp_path / "nothing.summary")
    os.mkfifo(tmp_path / "pipe.summary")
    with pytest.raises(SummaryFileError, match="not an ordinary file"):
        ch.read_summary(tmp_path / "pipe.summary")
    with pytest.raises(SummaryFileError, match="not an ordinary file"):
        ch.read_summary(tmp_path)
    (tmp_path / "huge.summary").touch()
    os.truncate(tmp_path / "huge.summary", 1 << 40)
    with pytest.raises(SummaryFileError, match="at most"):
        ch.read_summary(tmp_path / "huge.summary")


def test_what_cannot_be_written_leaves_the_older_file(summaries, tmp_path):
    path = ch.write_summary(summaries["plsa"], tmp_path / "a.summary")
    before = path.read_bytes()
    with pytest.raises(SummaryFileError, match="can't be written"):
        ch.write_summary(summaries["lda"], tmp_path / "no" / "a.summary")
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.summary"]
