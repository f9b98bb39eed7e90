"""The same documents in every form that people have them in give the same corpus."""

import gzip
import io
import json
import lzma
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from chatham.corpus import read_baskets, read_corpus
from chatham.errors import InputError
from tests.corpus.refusing import refused
from tests.corpus.tables import IDS, LABELS, TEXTS, assert_same_counts, expected, table

__all__ = ["expected"]

HALVES = (slice(0, 2), slice(2, 5))


def csv(**how):
    return table().to_csv(index=False, **how).encode()


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def zipped(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def excel(frame, **how):
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False, **how)
    return buffer.getvalue()


def objects():
    return table().to_json(orient="records", force_ascii=False).encode()


def lines():
    return table().to_json(orient="records", lines=True, force_ascii=False).encode()


def xz(folder):
    return written(folder / "a.csv.xz", lzma.compress(csv()[:50]) + lzma.compress(csv()[50:])), {}


def xz_with_padding(folder):
    packed = lzma.compress(csv()[:9]) + bytes(8) + lzma.compress(csv()[9:]) + bytes(4)
    return written(folder / "a.csv.xz", packed), {}


def spreadsheet(folder):
    return written(folder / "a.xlsx", excel(table())), {}


def spreadsheet_with_blank_rows(folder):
    return written(folder / "a.xlsx", excel(table(), startrow=3)), {}


def array(folder):
    return written(folder / "a.json", objects()), {}


def spread_array(folder):
    content = json.dumps(json.loads(objects()), indent=4).encode()
    return written(folder / "a.json", b"\xef\xbb\xbf\n " + content + b" \n"), {}


def lines_called_json(folder):
    return written(folder / "a.json", lines()), {}


def array_of_utf_16(folder):
    return written(folder / "a.json", objects().decode().encode("utf-16")), {}


def pipes(folder):
    return written(folder / "a.csv", csv(sep="|")), {}


def named_delimiter(folder):
    return written(folder / "a.dump", csv(sep="~")), {"delimiter": "~"}


def named_tab(folder):
    return written(folder / "a.txt", csv(sep="\t")), {"delimiter": "tab"}


def named_format(folder):
    return written(folder / "dump", lines()), {"format": "jsonl"}


def archive(folder):
    return zipped(folder / "a.zip", {"a.csv": csv()}), {}


def archive_of_a_mac(folder):
    rest = {"__MACOSX/._a.csv": b"\0", ".DS_Store": b"\0", "data/": b"", "data/.x.csv": b"a\nb"}
    return zipped(folder / "a.zip", {**rest, "data/a.csv": csv(), "data/me.txt": b"read me"}), {}


def archive_of_parquet(folder):
    halves = {f"{n}.parquet": parquet(table()[half]) for n, half in enumerate(HALVES)}
    return zipped(folder / "a.zip", halves), {}


def archive_from_windows(folder):
    return zipped(folder / "a.zip", {"data\\a.jsonl": lines()}), {}


def folder_of_parquet(folder):
    for number, half in enumerate(HALVES):
        written(folder / f"f/deep/{number}/part.parquet", parquet(table()[half]))
    return folder / "f", {}


def folder_of_anything(folder):
    written(folder / "f/0.csv", table()[HALVES[0]].to_csv(index=False).encode())
    rest = table()[HALVES[1]].to_json(orient="records").encode()
    written(folder / "f/1.json", rest)
    return folder / "f", {}


def chosen_in_a_folder(folder):
    written(folder / "f/a.csv", csv())
    written(folder / "f/long.txt", b"tea " * 9999)
    return folder / "f", {"format": "csv"}


def pattern(folder):
    folder_of_parquet(folder)
    return str(folder / "f/**/*.parquet"), {}


def several(folder):
    one = written(
        folder / "1.csv.gz", gzip.compress(table()[HALVES[0]].to_csv(index=False).encode())
    )
    other = written(folder / "0.xlsx", excel(table()[HALVES[1]]))
    return [one, other], {}


def data_frame(folder):
    return table(), {}


FORMS = [
    xz, xz_with_padding, spreadsheet, spreadsheet_with_blank_rows, array, spread_array,
    lines_called_json, array_of_utf_16, pipes, named_delimiter, named_tab, named_format, archive,
    archive_of_a_mac, archive_of_parquet, archive_from_windows, folder_of_parquet,
    folder_of_anything, chosen_in_a_folder, pattern, several, data_frame,
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_gives_the_same_corpus(form, tmp_path, expected):
    source, how = form(tmp_path)
    corpus = read_corpus(source, **how, text="text", stop_words=None)
    assert_same_counts(corpus, expected)
    assert corpus.ids.tolist() == IDS
    assert corpus.labels.tolist() == LABELS
    assert corpus.texts == TEXTS
    assert list(corpus.metadata["year"]) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_baskets_take_the_same_tables(form, tmp_path):
    source, how = form(tmp_path)
    corpus = read_baskets(source, **how, basket="id", item="year", min_df=1)
    assert corpus.ids.tolist() == IDS
    assert corpus.vocabulary.tolist() == ["1", "2", "3", "4", "5"]


def without_header_csv(folder):
    return written(folder / "a.csv", csv(header=False)), {}


def without_header_tsv(folder):
    return written(folder / "a.tsv", csv(header=False, sep="\t")), {}


def without_header_xlsx(folder):
    return written(folder / "a.xlsx", excel(table(), header=False)), {}


def without_header_in_a_zip(folder):
    return zipped(folder / "a.zip", {"a.csv": csv(header=False)}), {}


@pytest.mark.parametrize(
    "form",
    [without_header_csv, without_header_tsv, without_header_xlsx, without_header_in_a_zip],
    ids=lambda form: form.__name__,
)
def test_columns_without_a_header_go_by_number(form, tmp_path, expected):
    source, how = form(tmp_path)
    corpus = read_corpus(source, **how, header=False, id=1, label="2", text=4, stop_words=None)
    assert_same_counts(corpus, expected)
    assert corpus.ids.tolist() == IDS
    assert corpus.labels.tolist() == LABELS
    assert list(corpus.metadata["3"]) == [1, 2, 3, 4, 5]
    assert not any("header" in note for note in corpus.notes)


@pytest.mark.parametrize(
    ("content", "format"),
    [(csv(), "csv"), (lines(), "jsonl"), (objects(), "json"), (parquet(table()), "parquet")],
    ids=["csv", "jsonl", "json", "parquet"],
)
def test_standard_input_with_a_format(content, format, monkeypatch, expected):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    corpus = read_corpus("-", format=format, stop_words=None)
    assert_same_counts(corpus, expected)
    # What came can't come again, but is the same source.
    assert read_corpus(Path("-"), format=format).ids.tolist() == IDS


def test_standard_input_without_a_format(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(csv())))
    assert "pass format=, one of 'csv'" in refused("-")


def test_a_file_called_minus_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "-", csv())
    assert read_corpus("-", format="csv").ids.tolist() == IDS


@pytest.mark.parametrize("in_an_archive", [False, True])
@pytest.mark.parametrize("suffix", [".eml", "", ".md"])
def test_files_of_any_extension_are_documents_with_labels(suffix, in_an_archive, tmp_path):
    documents = {
        f"sci.space/1{suffix}": b"orbit",
        f"rec.autos/deep/2{suffix}": b"car",
        f"3{suffix}": b"",
        f".git/4{suffix}": b"hidden",
        "rec.autos/picture": b"\x89PNG\0\0",
        "rec.autos/news.npz": b"counts",
    }
    if in_an_archive:
        source = zipped(tmp_path / "a.zip", documents)
    else:
        source = tmp_path / "f"
        for name, content in documents.items():
            written(source / name, content)
    corpus = read_corpus(source)
    ids = [f"3{suffix}", f"rec.autos/deep/2{suffix}", f"sci.space/1{suffix}"]
    assert corpus.ids.tolist() == ids
    assert corpus.texts == ["", "car", "orbit"]
    assert corpus.labels.tolist() == [None, "rec.autos", "sci.space"]
    assert any(note.startswith("Left out 2 other files (") for note in corpus.notes)


def test_folders_that_all_files_share_are_no_labels(tmp_path):
    """As an archive that was made of a folder has one around everything."""
    texts = {"a/tea.txt": "tea", "b/c/milk.txt": "milk", "rum.txt": "rum"}
    around = zipped(tmp_path / "a.zip", {f"all/of/{name}": text for name, text in texts.items()})
    corpus = read_corpus(around)
    assert corpus.labels.tolist() == ["a", "b", None]
    assert corpus.ids.tolist() == ["all/of/a/tea.txt", "all/of/b/c/milk.txt", "all/of/rum.txt"]
    assert (
        read_corpus(zipped(tmp_path / "b.zip", {"all/a.txt": "tea", "all/b.txt": "x"})).labels
        is None
    )
    tables = {f"all/{place}/t.csv": f"text\n{place} with milk\n" for place in ("a", "b")}
    assert read_corpus(zipped(tmp_path / "c.zip", tables)).labels.tolist() == ["a", "b"]


def test_tables_in_folders_get_their_labels_from_them(tmp_path):
    for place, text in (("b", "tea"), ("a/x", "milk")):
        written(tmp_path / place / "t.csv", f"text\n{text}\n{text}\n".encode())
    corpus = read_corpus(tmp_path, max_df=1.0)
    assert corpus.texts == ["milk", "milk", "tea", "tea"]
    assert corpus.labels.tolist() == ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("table_rows", "read"), [(9, "Read 2 .txt files"), (9999, "Left out 2 other files (.txt)")]
)
def test_a_folder_of_both_is_what_most_of_it_is(table_rows, read, tmp_path):
    written(tmp_path / "list.csv", b"text\n" + b"tea with milk\n" * table_rows)
    for number in range(2):
        written(tmp_path / f"{number}.txt", b"milk " * 99)
    corpus = read_corpus(tmp_path, max_df=1.0)
    assert any(note.startswith(read) for note in corpus.notes)
    assert any("pass format= to choose" in note for note in corpus.notes)


def test_files_with_other_columns_share_what_all_have(tmp_path):
    written(tmp_path / "1.csv", b"id,text,n\n1,tea,7\n")
    written(tmp_path / "2.csv", b"text,id,extra\nmilk,2,x\n")
    corpus = read_corpus(str(tmp_path / "*.csv"))
    assert corpus.ids.tolist() == ["1", "2"]
    assert corpus.texts == ["tea", "milk"]
    assert "Columns that not all files have are left out: 'n', 'extra'." in corpus.notes


def test_counts_are_one_file(tmp_path):
    for name in ("docword.a.txt", "docword.b.txt"):
        written(tmp_path / name, b"1\n1\n1\n1 1 1\n")
    assert "Counts can't be read from several files" in refused(
        [tmp_path / "docword.a.txt", tmp_path / "docword.b.txt"], vocabulary=["tea"]
    )


@pytest.mark.parametrize(
    ("name", "how", "said"),
    [
        ("a.csv", {"format": "cvs"}, "format='cvs' is not a format; choose one of 'csv'"),
        ("a.json", {"delimiter": ";"}, "delimiter=';' is for csv and tsv, and this is json"),
        ("a.jsonl", {"header": False}, "header=False is for csv, tsv and xlsx, and this is jsonl"),
        ("a.csv", {"delimiter": "ab"}, "delimiter='ab' must be one character"),
        ("a.csv", {"delimiter": '"'}, "must be one character"),
        ("a.csv", {"delimiter": ""}, "must be one character"),
    ],
)
def test_what_makes_no_sense_is_refused(name, how, said, tmp_path):
    assert said in refused(written(tmp_path / name, csv()), **how)


@pytest.mark.parametrize("source", [["tea"], table()], ids=["list", "table"])
@pytest.mark.parametrize("how", [{"format": "csv"}, {"header": False}, {"encoding": "utf-8"}])
def test_only_files_are_read_in_some_way(source, how):
    assert "say how files are read" in refused(source, **how)


@pytest.mark.parametrize("start", ["", '{"a": 1} {'])
def test_json_that_is_no_array(start, tmp_path):
    content = f'{start}"text": "Dear Anna"}}'.encode()
    assert "isn't a JSON object" in refused(written(tmp_path / "a.json", content))


@pytest.mark.parametrize(
    ("content", "item"),
    [
        ('[{"text": "tea"}, 5]', 2),
        ('[{"text": "tea"}, {"text": ', 2),
        ('[{"text": "tea"} {"text": "milk"}]', 2),
        ('[{"text": "tea"}] x', 2),
        ('["tea", {"text": "milk"}]', 2),
        ('["tea", "milk",]', 3),
        ("[" * 100_000, 1),
        ("[5]", 1),
    ],
)
def test_an_array_says_which_item_is_wrong(content, item, tmp_path):
    path = written(tmp_path / "a.json", content.encode())
    assert f"Item {item} of the array" in refused(path)


def test_an_array_of_texts_and_an_empty_one(tmp_path):
    path = written(tmp_path / "a.json", b'["tea", "milk"]')
    assert read_corpus(path).texts == ["tea", "milk"]
    assert "There are no documents" in refused(written(tmp_path / "a.json", b" [ ] "))


def test_half_a_character_in_json_is_replaced(tmp_path):
    for name, content in (
        ("a.jsonl", '{"id": "\\ud800", "text": "tea and milk \\ud83d\\ude00 \\udc00"}\n'),
        ("a.json", '[{"id": "\\ud800", "text": "tea and milk \\ud83d\\ude00 \\udc00"}]'),
    ):
        corpus = read_corpus(written(tmp_path / name, content.encode()))
        assert corpus.texts == ["tea and milk \U0001f600 \ufffd"]
        assert corpus.ids.tolist() == ["\ufffd"]


def test_cells_of_a_spreadsheet(tmp_path):
    frame = pd.DataFrame({
        "id": [1, 2, 3], "text": ["tea", 2020, None], "when": pd.to_datetime(["2020-01-01"] * 3),
        "result": ["#N/A", "x", "y"],
    })  # fmt: skip
    path = written(tmp_path / "a.xlsx", excel(frame))
    corpus = read_corpus(path, text="text,result", numbers=True)
    assert corpus.texts == ["tea", "2020\n\nx", "y"]
    assert corpus.ids.tolist() == ["1", "2", "3"]
    assert corpus.metadata["when"].dt.year.tolist() == [2020] * 3


def test_formulas_are_not_computed(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in (["text", "n"], ["tea", "=1+1"], ["=WEBSERVICE(A2)", 3]):
        book.active.append(row)
    book.create_sheet("second")
    book.save(tmp_path / "a.xlsx")
    corpus = read_corpus(tmp_path / "a.xlsx")
    assert corpus.texts == ["tea", ""]
    assert "Of the 2 sheets of a.xlsx the first was read." in corpus.notes


def test_without_openpyxl_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    message = refused(written(tmp_path / "a.xlsx", excel_made_before()))
    assert "needs the extra 'excel'" in message
    assert "chatham[excel]" in message


def excel_made_before():
    return b"PK nothing is read of it"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.txt"])
def test_line_ends_across_blocks_are_as_in_one(name, tmp_path, monkeypatch):
    from chatham.corpus.readers import files

    content = {
        "a.csv": 'text,n\r\n"tea\r\n\rx",1\rmilk,2\n\u00e9\u00e8,3\r\n',
        "a.tsv": "text\tn\r\ntea\t1\rmilk\t2\n\u00e9\u00e8\t3\r",
        "a.jsonl": '{"text": "tea"}\r\n{"text": "milk"}\r\r\n{"text": "\u00e9\u00e8"}',
        "a.txt": "tea\r\n\r\nmilk\r\rsugar\n\u2028x\u00e9\r",
    }[name]
    path = written(tmp_path / name, content.encode())
    whole = read_corpus(path).texts
    for size in range(1, 9):
        monkeypatch.setattr(files, "BLOCK", size)
        assert read_corpus(path).texts == whole
    with_bad_byte = written(path, content.encode() + b"\xff")
    for size in (1, 3, 1000):
        monkeypatch.setattr(files, "BLOCK", size)
        with pytest.raises(InputError, match=f"at byte {len(content.encode())}:"):
            read_corpus(with_bad_byte)


def test_a_header_of_a_spreadsheet_that_may_be_a_document_is_noted(tmp_path):
    frame = pd.DataFrame({"I have cancer": ["tea with milk", "milk without tea"]})
    corpus = read_corpus(written(tmp_path / "a.xlsx", excel(frame)))
    assert any("if it is a document, pass header=False" in note for note in corpus.notes)
    assert "I have cancer" not in corpus.summary()


def test_packed_documents_in_a_folder_and_open_spreadsheets(tmp_path):
    written(tmp_path / "a.eml.gz", gzip.compress(b"tea"))
    written(tmp_path / "~$b.eml", b"milk")
    written(tmp_path / "c.zip", b"PK")
    corpus = read_corpus(tmp_path)
    assert corpus.texts == ["tea"]
    assert corpus.notes[1] == "Left out 1 other file (.zip); pass format= to choose what is read."
