"""Lines that could vanish or be misread: lone quotation marks, byte-order marks, no header."""

import pytest

from chatham.corpus import read_corpus
from chatham.errors import InputError

LINES = ['1\t"Hello wheat market', "2\tcorn price fell", "3\tbank rate", '4\tgoodbye"', "5\tcoast"]


def written(path, content):
    path.write_text(content, encoding="utf-8")
    return path


def said(corpus, words):
    return any(words in note for note in corpus.notes)


def test_lone_quotation_marks_swallow_no_line_of_a_tsv(tmp_path):
    corpus = read_corpus(written(tmp_path / "q.tsv", "\n".join(["id\ttext", *LINES])))
    assert corpus.ids.tolist() == ["1", "2", "3", "4", "5"]
    assert said(corpus, "plain characters")


def test_quotation_marks_of_a_quoted_tsv_are_no_part_of_its_values(tmp_path):
    corpus = read_corpus(written(tmp_path / "q.tsv", 'id\ttext\n"a"\t"tea ""now"""\n"b"\tmilk\n'))
    assert corpus.ids.tolist() == ["a", "b"]
    assert corpus.texts == ['tea "now"', "milk"]
    assert not said(corpus, "span")
    assert not said(corpus, "plain characters")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", "\n".join(["id\ttext", *LINES]).replace("\t", ",")),
        ("q.tsv", 'id\ttext\n1\t"tea\nmilk\n\nsugar"\n2\tcoast\n'),
        ("one.tsv", 'text\n"tea\nmilk\n\nsugar"\ncoast\n'),
    ],
)
def test_fields_that_span_lines_are_said(name, content, tmp_path):
    corpus = read_corpus(written(tmp_path / name, content))
    assert len(corpus) == 2
    assert said(corpus, f"1 quoted field spans several lines of {name}, the longest 4.")


def test_several_fields_that_span_lines(tmp_path):
    corpus = read_corpus(written(tmp_path / "a.csv", 'text,n\n"tea\nx",1\n"milk\n\n",2\n'))
    assert said(corpus, "2 quoted fields span several lines of a.csv, the longest 3.")


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_byte_order_mark_is_no_part_of_the_first_name(encoding, tmp_path):
    content = "\ufeffid,text\n7,tea\n" if encoding != "utf-16" else "id,text\n7,tea\n"
    path = tmp_path / "a.csv"
    path.write_bytes(content.encode("utf-8" if encoding in (None, "utf-8-sig") else encoding))
    assert read_corpus(path, encoding=encoding).ids.tolist() == ["7"]


@pytest.mark.parametrize("first", ["I have cancer", "She is a patient of mine", "x" * 41])
def test_a_document_in_place_of_the_header_is_not_shown(first, tmp_path):
    corpus = read_corpus(written(tmp_path / "a.csv", f"{first},1\nwheat and corn,2\n"))
    assert first not in corpus.summary()
    assert said(corpus, "The text is column 1, a guess")
    assert said(corpus, "The first line was taken as the header; if it is a document")


def test_errors_do_not_show_a_document_in_place_of_the_header(tmp_path):
    path = written(tmp_path / "a.csv", "I have cancer,body\nwheat,corn\n")
    twice = written(tmp_path / "b.csv", "I have cancer,I have cancer\nwheat,2\n")
    corpus = read_corpus(path, text="body")
    for attempt in (
        lambda: read_corpus(path, text="I have cancr"),
        lambda: read_corpus(twice),
        lambda: corpus.parties(by="I have cancr"),
    ):
        with pytest.raises(InputError) as caught:
            attempt()
        assert "I have cancer" not in str(caught.value)


def test_an_ordinary_header_is_named_and_nothing_is_said_of_it(tmp_path):
    corpus = read_corpus(written(tmp_path / "a.csv", "publication year,body\n1999,tea\n"))
    assert said(corpus, "The text is the column 'body'")
    assert not said(corpus, "header")
