"""Files that would fill the memory, or lead elsewhere, are refused by name, before they can."""

import io
import lzma
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chatham.corpus import read_corpus
from chatham.corpus.readers import delimited, files, sources, spreadsheets
from chatham.errors import FileError, InputError
from tests.corpus.refusing import file, refused
from tests.corpus.test_many_forms import excel, zipped

LIMIT = 3 * 2**20
SECRET = "Dear Anna, nobody may ever read this letter of mine"


@pytest.fixture
def low_limit(monkeypatch):
    monkeypatch.setattr(files, "LARGEST_UNPACKED", LIMIT)


@pytest.fixture
def low_bomb(monkeypatch):
    monkeypatch.setattr(files, "SMALLEST_BOMB", 2**16)


def packed(name, folder, content):
    if name == "a.txt.gz":
        import gzip

        return file(folder, name, gzip.compress(content))
    if name == "a.txt.xz":
        return file(folder, name, lzma.compress(content))
    return zipped(folder / name, {"a.txt": content})


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt.xz", "a.zip"])
def test_nothing_is_made_of_what_goes_beyond_the_limit(name, tmp_path, low_limit):
    path = packed(name, tmp_path, b"tea\n" * 2**23)
    tracemalloc.start()
    message = refused(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "unpacks to more than 3,145,728 bytes, which is the limit" in message
    assert name in message
    assert peak < 8 * LIMIT


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt.xz", "a.zip"])
def test_what_unpacks_to_too_many_times_its_size_is_a_bomb(name, tmp_path, low_bomb):
    assert "unpacks to more than 250 times its size" in refused(
        packed(name, tmp_path, b" " * 2**24)
    )


def test_files_of_an_archive_count_together(tmp_path, low_limit):
    each = {f"{number}.txt": bytes(range(32, 127)) * 6000 for number in range(6)}
    assert "unpacks to more than 3,145,728" in refused(zipped(tmp_path / "a.zip", each))
    ignored = {**{f"{name}.bin": text for name, text in each.items()}, "a.txt": b"tea"}
    assert read_corpus(zipped(tmp_path / "a.zip", ignored)).texts == ["tea"]


def test_an_archive_that_lies_about_its_sizes_is_damaged(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.txt": b"tea " * 1000})
    content = bytearray(path.read_bytes())
    for where in (content.find(b"PK\x01\x02") + 24, 22):
        content[where : where + 4] = struct.pack("<I", 10)
    path.write_bytes(content)
    assert "is damaged or isn't .zip" in refused(path)


@pytest.mark.parametrize("name", ["in.zip", "in.csv.gz", "in.xlsx", "deep/in.XZ", "in.tar"])
def test_archives_in_archives_are_refused(name, tmp_path):
    message = refused(zipped(tmp_path / "a.zip", {"a.csv": b"text\ntea\n", name: b"PK"}))
    assert "archives in archives aren't read" in message


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "..\\evil.txt"]
)
def test_names_that_lead_outside_are_refused_and_nothing_is_written(name, tmp_path):
    path = tmp_path / "deep" / "a.zip"
    message = refused(zipped(path, {name: b"tea"}))
    assert "leads outside of it" in message
    assert sorted(found.name for found in tmp_path.rglob("*")) == ["a.zip", "deep"]


def test_reading_an_archive_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    read_corpus(zipped(tmp_path / "a.zip", {"b/a.txt": b"tea"}))
    assert [found.name for found in tmp_path.rglob("*")] == ["a.zip"]


def test_names_in_an_archive_are_not_repeated_as_they_are(tmp_path):
    path = zipped(tmp_path / "a.zip", {f"{SECRET}\n{SECRET}.txt": b"\xff"})
    assert "(a file with a name of 107 characters) in" in refused(path)


def test_endings_that_are_none_are_not_shown(tmp_path):
    names = {"1.txt": b"tea", f"2.{SECRET}": b"milk", "3.npz": b"counts"}
    corpus = read_corpus(zipped(tmp_path / "a.zip", names))
    assert "Left out 2 other files (another ending, .npz)" in corpus.summary()
    corpus = read_corpus(zipped(tmp_path / "a.zip", {f"2.{SECRET}": b"milk"}))
    assert "Read 1 file, one document each." in corpus.notes
    assert SECRET not in corpus.summary()


def test_patterns_go_round_no_circle_of_links(tmp_path):
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "loop").symlink_to(tmp_path / "f")
    for name in ("a.csv", ".b.csv"):
        (tmp_path / "f" / name).write_text("text\ntea\n")
    assert len(read_corpus(str(tmp_path / "**/*.csv"))) == 1


def test_an_encrypted_archive(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.txt": b"tea"})
    content = bytearray(path.read_bytes())
    for where in (content.find(b"PK\x01\x02") + 8, 6):
        content[where] |= 1
    path.write_bytes(content)
    assert "is encrypted" in refused(path)


def test_too_many_files_in_an_archive(tmp_path, monkeypatch):
    from chatham.corpus.readers import archives

    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    path = zipped(tmp_path / "a.zip", {f"{number}.txt": b"" for number in range(3)})
    assert "has 3 files, and 2 are the limit" in refused(path)


def test_an_xz_file_cannot_choose_how_much_memory_it_takes(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_MEMORY", 2**20)
    assert "damaged or isn't xz" in refused(file(tmp_path, "a.txt.xz", lzma.compress(b"tea\n")))


def spreadsheet_with(path, member, edit):
    whole = io.BytesIO(excel(pd.DataFrame({"text": ["tea", "milk"]})))
    with (
        zipfile.ZipFile(whole) as before,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            content = before.read(name)
            after.writestr(name, edit(content) if name == member else content)
    return path


SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_in_a_spreadsheet_are_refused(encoding, tmp_path):
    def laughing(content):
        return (" " * 2**20 + LAUGHS + content.decode()).encode(encoding)

    path = spreadsheet_with(tmp_path / "a.xlsx", SHEET, laughing)
    assert "declares entities" in refused(path)


def test_a_declaration_across_blocks_is_seen(tmp_path, monkeypatch):
    from chatham.corpus.readers import archives

    path = spreadsheet_with(tmp_path / "a.xlsx", SHEET, lambda content: LAUGHS.encode() + content)
    for size in (1, 7, 10, 64):
        monkeypatch.setattr(archives, "BLOCK", size)
        assert "declares entities" in refused(path)


def test_a_row_far_away_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "MOST_ROWS", 1000)
    path = spreadsheet_with(
        tmp_path / "a.xlsx",
        SHEET,
        lambda content: content.replace(b'<row r="3"', b'<row r="99999999999"'),
    )
    assert "more than 1,000 rows" in refused(path)


def test_columns_far_away_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "LARGEST_TABLE", 10_000)
    path = spreadsheet_with(
        tmp_path / "a.xlsx", SHEET, lambda content: content.replace(b'r="A3"', b'r="XFD3"')
    )
    assert "or 10,000 cells, which is the limit" in refused(path)


@pytest.mark.parametrize("member", [SHEET, "xl/workbook.xml", "[Content_Types].xml"])
def test_a_damaged_spreadsheet(member, tmp_path):
    path = spreadsheet_with(
        tmp_path / "a.xlsx", member, lambda content: content[: len(content) // 2]
    )
    assert "damaged or isn't .xlsx" in refused(path)


def test_a_spreadsheet_is_an_archive_with_its_limits(tmp_path, low_limit):
    path = spreadsheet_with(tmp_path / "a.xlsx", SHEET, lambda content: content + b" " * 2**22)
    assert "unpacks to more than 3,145,728 bytes" in refused(path)


def test_a_parquet_value_of_many_rows(tmp_path, low_limit, monkeypatch):
    from chatham.corpus.readers import parquet

    monkeypatch.setattr(parquet, "BATCH", 64)
    pq.write_table(pa.table({"text": [SECRET * 100] * 4000}), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < LIMIT / 10
    assert "unpacks to more than 3,145,728" in refused(tmp_path / "a.parquet")


def test_objects_with_ever_new_names(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_TABLE", 100)
    lines = "".join(f'{{"text": "tea", "{number}": 1}}\n' for number in range(20))
    assert "20 rows of 21 columns" in refused(file(tmp_path, "a.jsonl", lines))


def test_a_quotation_mark_that_swallows_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "LARGEST_FIELD", 1000)
    content = 'id,text\n1,tea\n2,"milk\n' + f"3,{SECRET.replace(',', '')}\n" * 100
    message = refused(file(tmp_path, "a.csv", content))
    assert "a field of more than 1,000 characters in the record that begins on line 3" in message
    corpus = read_corpus(tmp_path / "a.csv", skip_bad_rows=True, max_df=1.0)
    assert len(corpus) == 101
    assert "Left out 1 row of a.csv that can't be parsed, on line 3." in corpus.notes


def test_lone_marks_may_cost_only_so_much(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "MOST_READ_AGAIN", 1000)
    content = 'id,text\n1,"tea\n' + "2,milk\n" * 1000
    assert "lone quotation marks that swallow more than 1,000" in refused(
        file(tmp_path, "a.csv", content), skip_bad_rows=True
    )


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl", "a.tsv"])
def test_a_line_without_end(name, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 2**21)
    path = file(tmp_path, name, "x" * 2**22)
    assert "a line of more than 2,097,152 characters" in refused(path)


@pytest.mark.parametrize("name", ["a.zip", "a.xlsx", "a.txt.xz"])
def test_what_is_not_what_its_name_says(name, tmp_path):
    with pytest.raises(InputError, match="damaged or isn't") as caught:
        read_corpus(file(tmp_path, name, b"PK\3\4" + SECRET.encode()))
    assert SECRET not in str(caught.value)
    if name != "a.xlsx":
        assert isinstance(caught.value, FileError)
        assert caught.value.path == Path(tmp_path / name)


def test_links_in_a_folder_lead_to_files_and_into_no_folder(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.txt").write_text("secret")
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "loop").symlink_to(tmp_path / "f")
    (tmp_path / "f" / "there").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "f" / "a.txt").symlink_to(tmp_path / "elsewhere" / "b.txt")
    (tmp_path / "f" / "gone.txt").symlink_to(tmp_path / "nowhere")
    assert read_corpus(tmp_path / "f").ids.tolist() == ["a.txt"]
