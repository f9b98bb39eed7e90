"""Damaged bytes in any format end in a corpus or in one clear error, never in anything else."""

import gzip
import lzma
import random
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from chatham.corpus import Corpus, read_corpus
from chatham.errors import InputError

TEXTS = ["tea with milk and sugar", "coffee, no milk", "", 'she said "tea"\nand left'] * 4
N_TRIALS = 150


def write_all(folder):
    """Write one good file of each format."""
    frame = pd.DataFrame({"id": range(len(TEXTS)), "text": TEXTS})
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_csv(folder / "a.tsv", index=False, sep="\t")
    frame.to_json(folder / "a.jsonl", orient="records", lines=True)
    frame.to_parquet(folder / "a.parquet")
    (folder / "a.txt").write_text("\n".join(TEXTS))
    (folder / "b.csv.gz").write_bytes(gzip.compress((folder / "a.csv").read_bytes()))
    (folder / "a.csv.xz").write_bytes(lzma.compress((folder / "a.csv").read_bytes()))
    frame.to_json(folder / "a.json", orient="records")
    frame.to_excel(folder / "a.xlsx", index=False)
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / "a.csv", "b/a.csv")
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.6, (8, 5)))
    sp.save_npz(folder / "a.npz", counts)
    scipy.io.mmwrite(folder / "a.mtx", counts)
    coo = counts.tocoo()
    triples = zip(coo.row + 1, coo.col + 1, coo.data, strict=True)
    lines = [8, 5, coo.nnz, *(f"{i} {j} {n}" for i, j, n in triples)]
    (folder / "docword.a.txt").write_text("\n".join(map(str, lines)))
    for name in ("a.vocab.txt", "vocab.a.txt"):
        (folder / name).write_text("a\nb\nc\nd\ne\n")


def damaged(content, rng):
    """Cut, overwrite or lengthen."""
    broken = bytearray(content)
    way = rng.random()
    if way < 0.3:
        return bytes(broken[: rng.randrange(len(broken))])
    if way < 0.8:
        for _ in range(rng.choice([1, 2, 5, 30])):
            broken[rng.randrange(len(broken))] = rng.choice([rng.randrange(256), 255, 0, 34, 57])
        return bytes(broken)
    place = rng.randrange(len(broken))
    broken[place:place] = rng.randbytes(rng.randrange(1, 20))
    return bytes(broken)


@pytest.mark.parametrize(
    "name",
    [
        "a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.txt", "b.csv.gz", "a.npz", "a.mtx",
        "docword.a.txt", "a.json", "a.xlsx", "a.zip", "a.csv.xz",
    ],
)  # fmt: skip
def test_damaged_files_are_read_or_refused(name, tmp_path):
    write_all(tmp_path)
    content = (tmp_path / name).read_bytes()
    assert isinstance(read_corpus(tmp_path / name), Corpus)
    rng = random.Random(0)
    outcomes = []
    for _ in range(N_TRIALS):
        (tmp_path / name).write_bytes(damaged(content, rng))
        outcomes.append(outcome(tmp_path / name))
    assert "refused" in outcomes
    assert set(outcomes) <= {"read", "refused"}


def outcome(path):
    """Say how reading went; any other error than ours fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            corpus = read_corpus(path)
        except InputError as error:
            return "refused" if "\n" not in str(error) else "refused in several lines"
    assert corpus.counts.shape == (len(corpus.ids), len(corpus.vocabulary))
    return "read"
