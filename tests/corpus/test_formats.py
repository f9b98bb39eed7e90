"""Every way in gives the same corpus."""

import codecs
import gzip

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from chatham.corpus import read_corpus
from tests.corpus.tables import IDS, LABELS, TEXTS, assert_same_counts, table


def write_csv(path):
    table().to_csv(path, index=False)


def write_semicolons(path):
    table().to_csv(path, index=False, sep=";")


def write_tsv(path):
    table().to_csv(path, index=False, sep="\t")


def write_jsonl(path):
    table().to_json(path, orient="records", lines=True, force_ascii=False)


def write_parquet(path):
    table().to_parquet(path, index=False)


WRITERS = {
    "a.csv": write_csv,
    "a.csv.gz": write_csv,
    "A.CSV": write_csv,
    "b.csv": write_semicolons,
    "a.tsv": write_tsv,
    "a.tsv.gz": write_tsv,
    "a.jsonl": write_jsonl,
    "a.ndjson": write_jsonl,
    "a.jsonl.gz": write_jsonl,
    "a.parquet": write_parquet,
}


@pytest.fixture
def expected():
    return read_corpus(TEXTS, stop_words=None)


@pytest.mark.parametrize("name", WRITERS)
def test_tables_give_the_same_corpus(name, tmp_path, expected):
    WRITERS[name](tmp_path / name)
    corpus = read_corpus(tmp_path / name, stop_words=None)
    assert_same_counts(corpus, expected)
    assert corpus.ids.tolist() == IDS
    assert corpus.labels.tolist() == LABELS
    assert corpus.texts == TEXTS
    assert corpus.metadata.to_dict("list") == {"year": [1, 2, 3, 4, 5]}


def test_a_data_frame_and_a_series(expected):
    corpus = read_corpus(table(), stop_words=None)
    assert_same_counts(corpus, expected)
    assert corpus.ids.tolist() == IDS
    series = read_corpus(pd.Series(TEXTS, index=IDS), stop_words=None)
    assert_same_counts(series, expected)
    assert series.ids.tolist() == IDS


def test_lists_take_labels_and_ids_as_lists(expected):
    corpus = read_corpus(TEXTS, label=LABELS, id=IDS, stop_words=None)
    assert_same_counts(corpus, expected)
    assert corpus.labels.tolist() == LABELS
    assert corpus.ids.tolist() == IDS


def test_iterators_and_arrays_are_lists_too(expected):
    assert_same_counts(read_corpus(iter(TEXTS), stop_words=None), expected)
    assert_same_counts(read_corpus(np.array(TEXTS), stop_words=None), expected)


@pytest.mark.parametrize("name", ["lines.txt", "lines.txt.gz"])
def test_one_document_a_line_blank_lines_included(name, tmp_path):
    lines = [text.replace("\n", " ") for text in TEXTS]
    content = ("\r\n".join(lines) + "\r\n").encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    corpus = read_corpus(tmp_path / name, stop_words=None)
    assert corpus.texts == lines
    assert corpus.ids.tolist() == ["0", "1", "2", "3", "4"]
    assert corpus.empty.tolist() == [False, False, True, False, False]


def test_a_folder_with_sub_folders_for_labels(tmp_path):
    for name, text in [
        ("b/2.txt", "tea"),
        ("a/1.txt", "milk"),
        ("a/deep/0.txt", ""),
        ("z.txt", "x"),
    ]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "a" / "readme.md").write_text("not a document")
    corpus = read_corpus(tmp_path)
    assert corpus.ids.tolist() == ["a/1.txt", "a/deep/0.txt", "b/2.txt", "z.txt"]
    assert corpus.labels.tolist() == ["a", "a", "b", None]
    assert corpus.empty.tolist() == [False, True, False, True]


def test_a_flat_folder_has_no_labels(tmp_path):
    (tmp_path / "1.txt").write_text("tea")
    (tmp_path / "2.txt.gz").write_bytes(gzip.compress(b""))
    corpus = read_corpus(tmp_path)
    assert corpus.labels is None
    assert corpus.texts == ["tea", ""]


def write_npz(path, counts):
    sp.save_npz(path, counts)
    return path.with_name("bag.vocab.txt")


def write_csc(path, counts):
    return write_npz(path, counts.tocsc())


def write_coo(path, counts):
    return write_npz(path, counts.tocoo())


def write_mtx(path, counts):
    scipy.io.mmwrite(path, counts)
    return path.with_name("bag.vocab.txt")


def write_full_mtx(path, counts):
    scipy.io.mmwrite(path, counts.toarray())
    return path.with_name("bag.vocab.txt")


def write_mtx_gz(path, counts):
    write_mtx(path.with_name("bag.mtx"), counts)
    path.write_bytes(gzip.compress(path.with_name("bag.mtx").read_bytes()))
    return path.with_name("bag.vocab.txt")


def write_docword(path, counts):
    coo = counts.tocoo()
    lines = [*counts.shape, coo.nnz]
    lines += [f"{i + 1} {j + 1} {n}" for i, j, n in zip(coo.row, coo.col, coo.data, strict=True)]
    content = "\n".join(map(str, lines)).encode() + b"\n"
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path.with_name("vocab.bag.txt")


BAGS = [
    ("bag.npz", write_npz),
    ("bag.npz", write_csc),
    ("bag.npz", write_coo),
    ("bag.mtx", write_mtx),
    ("bag.mtx", write_full_mtx),
    ("bag.mtx.gz", write_mtx_gz),
    ("docword.bag.txt", write_docword),
    ("docword.bag.txt.gz", write_docword),
]


@pytest.mark.parametrize(("name", "write"), BAGS)
def test_counted_words_give_the_same_counts(name, write, tmp_path, expected):
    words = write(tmp_path / name, expected.counts)
    words.write_text("\n".join(expected.vocabulary) + "\n", encoding="utf-8")
    corpus = read_corpus(tmp_path / name)
    assert_same_counts(corpus, expected)
    assert corpus.counts.dtype.kind == "i"
    assert corpus.vectorizer is None
    assert corpus.texts is None


@pytest.mark.parametrize(("name", "write"), BAGS)
def test_a_table_beside_the_counts_describes_the_rows(name, write, tmp_path, expected):
    write(tmp_path / name, expected.counts)
    table().to_parquet(tmp_path / "bag.meta.parquet")
    corpus = read_corpus(tmp_path / name, vocabulary=expected.vocabulary, text="text")
    assert corpus.ids.tolist() == IDS
    assert corpus.labels.tolist() == LABELS
    assert corpus.texts == TEXTS
    assert corpus.metadata["year"].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "kind", [sp.csr_array, sp.csr_matrix, sp.csc_matrix, sp.coo_array, np.asarray]
)
def test_matrices_with_a_vocabulary(kind, expected):
    matrix = kind(expected.counts.toarray().astype(float))
    corpus = read_corpus(matrix, vocabulary=expected.vocabulary)
    assert_same_counts(corpus, expected)
    assert corpus.counts.dtype == np.int64


def test_pattern_matrix_market_counts_ones(tmp_path):
    (tmp_path / "p.mtx").write_text(
        "%%MatrixMarket matrix coordinate pattern general\n%c\n\n2 2 2\n1 2\n2 1\n"
    )
    corpus = read_corpus(tmp_path / "p.mtx", vocabulary=["a", "b"])
    assert corpus.counts.toarray().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_byte_order_marks_are_heeded(mark, encoding, tmp_path):
    content = table().to_csv(index=False)
    (tmp_path / "a.csv").write_bytes(mark + content.encode(encoding))
    assert read_corpus(tmp_path / "a.csv").ids.tolist() == IDS


def test_an_encoding_can_be_given(tmp_path):
    (tmp_path / "a.txt").write_bytes("crème brûlée".encode("cp1252"))
    corpus = read_corpus(tmp_path / "a.txt", encoding="cp1252", stop_words=None)
    assert corpus.vocabulary.tolist() == ["brûlée", "crème"]


def test_large_fields_and_embedded_newlines(tmp_path):
    long = 'tea "and"\n' * 30_000
    pd.DataFrame({"text": [long, "milk"]}).to_csv(tmp_path / "a.csv", index=False)
    corpus = read_corpus(tmp_path / "a.csv", stop_words=None)
    assert corpus.texts == [long, "milk"]
    assert corpus.counts.sum(axis=1).tolist() == [60_000, 1]


def test_tsv_without_quoting(tmp_path):
    (tmp_path / "a.tsv").write_text('text\tyear\n"tea\t1\nsay "milk"\t2\n')
    corpus = read_corpus(tmp_path / "a.tsv", stop_words=None)
    assert corpus.texts == ['"tea', 'say "milk"']
    assert any("plain characters" in note for note in corpus.notes)
