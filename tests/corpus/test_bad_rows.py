"""Rows that can't be parsed: an error says which, and they are left out and counted if asked to."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.corpus import read_corpus
from chatham.corpus.readers.delimited import read_csv
from chatham.corpus.readers.files import Held
from chatham.corpus.readers.sources import Reading
from tests.corpus.refusing import file, refused
from tests.corpus.test_many_forms import excel, written, zipped

ROWS = "id,text\n1,tea\n2,milk\n"


def skipped(source, **how):
    corpus = read_corpus(source, skip_bad_rows=True, stop_words=None, **how)
    return corpus.texts, [note for note in corpus.notes if note.startswith("Left out")]


BAD = [
    ("a.csv", ROWS + '3,"cut o', "line 4", ["tea", "milk"]),
    ("a.csv", ROWS + '3,"cut\n\no\nff', "line 4", ["tea", "milk"]),
    ("a.csv", ROWS + "3\n4,rum\n", "line 4", ["tea", "milk", "rum"]),
    ("a.csv", ROWS + "3,a,b\n4,rum\n", "line 4", ["tea", "milk", "rum"]),
    ("a.csv", ROWS + '3,"a"b\n4,rum\n', "line 4", ["tea", "milk", "rum"]),
    ("a.csv", ROWS + '3,"a\n4,rum\n5,ale\n', "line 4", ["tea", "milk", "rum", "ale"]),
    ("a.csv", ROWS + '3,"a\n4,"rum" x\n5,ale\n', "line 4", ["tea", "milk", "ale"]),
    ("a.csv", (ROWS + "3,caf").encode() + b"\xe9\n4,rum\n", "line 4", ["tea", "milk", "rum"]),
    ("a.tsv", ROWS.replace(",", "\t") + "3\n", "line 4", ["tea", "milk"]),
    ("a.tsv", ROWS.replace(",", "\t") + '3\t"x\n4\n', "line 5", ["tea", "milk", '"x']),
    ("a.jsonl", '{"text": "tea"}\n{"text": "cut o', "line 2", ["tea"]),
    ("a.jsonl", b'{"text": "caf\xe9"}\n{"text": "tea"}\n', "line 1", ["tea"]),
    ("a.jsonl", "[" * 100_000 + '\n{"text": "tea"}\n', "line 1", ["tea"]),
    ("a.json", '[{"text": "tea"}, 7, {"text": "milk"}]', "item 2", ["tea", "milk"]),
    ("a.json", '[{"text": "tea"}, {"text": "cut o', "item 2", ["tea"]),
    ("a.txt", b"tea\ncaf\xe9\nmilk\n", "line 2", ["tea", "milk"]),
]


@pytest.mark.parametrize(("name", "content", "where", "texts"), BAD)
def test_bad_rows_are_left_out_and_counted(name, content, where, texts, tmp_path):
    path = file(tmp_path, name, content)
    found, notes = skipped(path, **({} if name == "a.txt" else {"text": "text"}))
    assert found == texts
    assert len(notes) == 1
    assert f"of {name} that can't be parsed" in notes[0]
    assert f"on {where}." in notes[0]


@pytest.mark.parametrize(("name", "content", "where", "texts"), BAD)
def test_without_the_option_the_error_says_where_and_names_it(
    name, content, where, texts, tmp_path
):
    message = refused(file(tmp_path, name, content))
    if "isn't valid utf-8" in message:
        assert "at byte" in message
        return
    assert where in message.lower()
    assert "skip_bad_rows=True" in message


def test_in_archives_and_folders(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.csv": ROWS + "3\n", "b/c.csv": ROWS + "4,x,y\n"})
    texts, notes = skipped(path)
    assert texts == ["tea", "milk"] * 2
    assert len(notes) == 2
    folder = tmp_path / "f"
    written(folder / "a.txt", b"tea")
    written(folder / "b.txt", b"caf\xe9")
    assert "isn't valid utf-8" in refused(folder)
    texts, notes = skipped(folder)
    assert texts == ["tea"]
    assert notes == ["Left out 1 file in another encoding."]


def test_rows_of_a_spreadsheet_wider_than_its_header(tmp_path):
    import pandas as pd

    frame = pd.DataFrame([["text", None], ["tea", None], ["milk", "note"], ["rum", None]])
    path = written(tmp_path / "a.xlsx", excel(frame, header=False))
    message = refused(path)
    assert "Row 3 of" in message
    assert "skip_bad_rows=True" in message
    assert skipped(path) == (
        ["tea", "rum"], ["Left out 1 row of a.xlsx that can't be parsed, on row 3."]
    )  # fmt: skip


def lines_of_prose(row, *marks):
    return "\n".join(f"so {mark} says {row}" for mark in marks)


def test_a_text_of_several_lines_that_is_cut_off_is_one_row(tmp_path):
    """A few of its lines have as many commas as a row."""
    texts = [lines_of_prose(row, "he", "she, too,", "it") for row in range(3)]
    rows = "".join(f'{row},x,"{text}"\n' for row, text in enumerate(texts))
    cut = f'3,x,"{lines_of_prose(3, "he", "she, too,", "it", "one", "", "all")}\n\nand'
    content = f"id,label,text\n{rows}{cut}"
    line = content.count("\n", 0, content.index('3,x,"')) + 1
    found, notes = skipped(file(tmp_path, "a.csv", content), text="text")
    assert found == texts
    assert notes == [f"Left out 1 row of a.csv that can't be parsed, on line {line}."]


def test_a_slip_among_rows_costs_one_row_and_so_does_each_bad_one_behind_it(tmp_path):
    content = 'id,text\n1,"tea\n2,milk\n\n3\n4,rum\n5,ale\n'
    path = file(tmp_path, "a.csv", content)
    assert skipped(path, text="text") == (
        ["milk", "rum", "ale"],
        ["Left out 2 rows of a.csv that can't be parsed, the first on line 2."],
    )
    assert "Skipped 1 blank line of a.csv." in read_corpus(path, skip_bad_rows=True).notes


def test_two_slips_one_behind_the_other_keep_the_rows_between_in_order(tmp_path):
    content = 'id,text\n1,"tea\n2,milk\n3,"rum"x\n4\n5,"gin\n6,ale\n7,port\n'
    found, notes = skipped(file(tmp_path, "a.csv", content), text="text")
    assert found == ["milk", "ale", "port"]
    assert "Left out 4 rows" in notes[0]


@pytest.mark.parametrize(
    ("encoding", "damage"), [("utf-16", b"\x00"), ("utf-16", b"x\xd8y"), ("gbk", b"\x81\x20")]
)
def test_what_is_no_character_costs_its_row_in_any_encoding(encoding, damage, tmp_path):
    content = ROWS.encode(encoding) + "3,".encode(encoding).removeprefix(b"\xff\xfe") + damage
    path = file(tmp_path, "a.csv", content)
    said = refused(path, encoding=encoding, text="text")
    assert "isn't valid" in said
    assert "where few rows are in another, pass skip_bad_rows=True to leave such rows out" in said
    found, notes = skipped(path, encoding=encoding, text="text")
    assert found == ["tea", "milk"]
    assert notes == ["Left out 1 row of a.csv that can't be parsed, on line 4."]


def test_nothing_is_said_where_nothing_is_bad(tmp_path):
    assert skipped(file(tmp_path, "a.csv", ROWS)) == (["tea", "milk"], [])


@pytest.mark.parametrize(
    ("header", "said"), [("caf\udce9,text", "bytes that are no characters"), ('"a,b', "malformed")]
)
def test_a_bad_header_is_an_error_in_any_case(header, said, tmp_path):
    content = f"\n{header}\n1,tea\n".encode("utf-8", "surrogateescape")
    assert said in refused(file(tmp_path, "a.csv", content), skip_bad_rows=True)


def test_nothing_but_bad_rows(tmp_path):
    assert "There are no documents" in refused(
        file(tmp_path, "a.csv", "id,text\n1\n"), skip_bad_rows=True
    )


cells = st.text(alphabet='abc "é\n,;&', max_size=8).filter(lambda cell: "\r" not in cell)
breaks = st.sampled_from(["only one", "a,b,c,d", '1,"a"b,c', '"', 'x,"y', "1,caf\udce9,z"])


@settings(max_examples=80, deadline=None)
@given(
    good=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=8),
    bad=st.lists(st.tuples(st.integers(0, 8), breaks), max_size=3),
)
def test_good_rows_around_bad_ones_are_all_read(good, bad):
    """Whatever stands between them: a lone quotation mark costs no good row its place.

    Good rows are quoted, so that a lone mark before one never ends in it by chance.
    """
    lines = [
        ",".join('"' + cell.replace('"', '""') + '"' for cell in ("row", *row[1:])) for row in good
    ]
    for place, line in bad:
        lines.insert(min(place, len(lines)), line)
    content = "a,b,c\n" + "\n".join(lines) + "\n"
    held = Held(content.encode("utf-8", "surrogateescape"), Path("a.csv"), "a.csv")
    table = read_csv(held, Reading(skip_bad_rows=True))
    read = list(zip(*(table.frame[name] for name in "abc"), strict=True))
    missing = [row for row in good if ("row", *row[1:]) not in read]
    lone = any(line in ('"', 'x,"y') for _, line in bad)
    assert lone or not missing
    assert bool(table.notes and any("can't be parsed" in n for n in table.notes)) >= bool(
        bad and not lone
    )


@settings(max_examples=60, deadline=None)
@given(
    content=st.one_of(
        st.binary(max_size=300),
        st.text(alphabet='id,text\n\r"\t;|{}[]:1é\0', max_size=300).map(str.encode),
        st.binary(max_size=300).map(gzip.compress),
    ),
    name=st.sampled_from([
        "a.csv", "a.tsv", "a.jsonl", "a.json", "a.txt", "a.xlsx", "a.zip", "a.parquet", "a.csv.gz",
        "a.csv.xz", "a.npz", "a.mtx", "docword.a.txt", "a.dat",
    ]),
    how=st.fixed_dictionaries({}, optional={
        "skip_bad_rows": st.booleans(), "header": st.booleans(),
        "delimiter": st.sampled_from([",", "tab", "|", "x"]),
        "format": st.sampled_from(["csv", "tsv", "json", "jsonl", "txt", "xlsx", "parquet", "mtx"]),
    }),
)  # fmt: skip
def test_any_bytes_end_in_a_corpus_or_in_one_sentence(content, name, how, tmp_path_factory):
    import warnings

    from chatham.errors import InputError

    path = file(tmp_path_factory.mktemp("any"), name, content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            corpus = read_corpus(path, **how)
        except InputError as error:
            refusal = str(error)
        else:
            refusal = ""
    assert "\n" not in refusal
    if refusal:
        return
    assert corpus.counts.shape == (len(corpus.ids), len(corpus.vocabulary))
    assert json.dumps(corpus.vocabulary.tolist()).encode()
