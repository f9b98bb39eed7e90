"""Is a first run, with no options at all, as good as one by somebody who knows the file?

Each corpus is read twice in its own form: as `chatham fit FILE` reads it, guessing columns, stop
words and baskets; and with the options that its description asks for. Both readings get the same
model (LDA), and NPMI is measured of both on the documents as the right options read them. Files
are read whole, so that guesses are made as a user's; then the same evenly spaced documents of both
are fitted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

import chatham as ch
from inference_study.records import Records
from shared_options import add_places

TITLED = {"text": ["title", "text"], "id": "id"}
RIGHT: dict[str, dict[str, Any]] = {
    "20newsgroups_clean.parquet": {"text": "text", "label": "label", "id": "id"},
    "reuters21578.parquet": TITLED | {"label": "labels"},
    "newsarticles.parquet": TITLED | {"label": "label"},
    "enron_ham.parquet": {"text": "text", "label": "owner", "id": "id"},
    "bbc_raw.parquet": {"text": "text", "label": "label", "id": "id"},
    "acl_abstracts_2016on.parquet": TITLED | {"label": "venue"},
    "nips12_bow.meta.parquet": {"text": ["title", "abstract"], "id": "id"},
    "poliblog5k.meta.parquet": {"text": "text", "label": "blog", "id": "id"},
    "movielens1m_movies.parquet": {"text": "title", "id": "item"},
    "movielens1m_ratings.parquet": {"basket": "user", "item": "item", "rating": "rating"},
    "nips12_bow.npz": {"id": "id"},
    "poliblog5k.npz": {"id": "id", "label": "rating"},
    "ap.npz": {},
    "kos.npz": {},
    "acl_abstracts.npz": {},
}
"""What the corpora's description says of each file; stop words are those of English."""
REWRITTEN = ("docword.kos.txt", "kos.mtx")
"""The counts of kos.npz, as UCI's bag of words and as Matrix Market."""
COLUMNS = ("documents", "words", "of these read alike", "npmi, no options", "npmi, right options")
MOST_DOCUMENTS, CLOSE = 2000, 0.05


def files(folder: Path, scratch: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The corpora, each with the options that are right for it."""
    for name, options in RIGHT.items():
        counts = name.endswith(".npz")
        words = {"vocabulary": folder / name.replace(".npz", ".vocab.txt")} if counts else {}
        yield folder / name, {**options, **words}
    _rewrite(folder, scratch)
    for name in REWRITTEN:
        yield scratch / name, {"vocabulary": folder / "kos.vocab.txt"}


def _rewrite(folder: Path, scratch: Path) -> None:
    counts = sp.coo_array(sp.load_npz(folder / "kos.npz"))
    scipy.io.mmwrite(scratch / "kos.mtx", counts, field="integer")
    triples = np.column_stack([counts.row + 1, counts.col + 1, counts.data]).astype(int)
    sizes = "\n".join(map(str, [*counts.shape, counts.nnz]))
    np.savetxt(scratch / "docword.kos.txt", triples, "%d", header=sizes, comments="")
    for name in ("vocab.kos.txt", "kos.vocab.txt"):
        (scratch / name).write_text((folder / "kos.vocab.txt").read_text("utf-8"), "utf-8")


def read_rightly(path: Path, options: dict[str, Any]) -> ch.Corpus:
    """As somebody reads it who knows what is in it."""
    if "basket" in options:
        return ch.read_baskets(path, **options)
    stop_words = "auto" if "vocabulary" in options else "en"
    return ch.read_corpus(path, stop_words=stop_words, **options)


def compared(path: Path, options: dict[str, Any], k: int, sweeps: int, seed: int) -> dict[str, Any]:
    """Both readings, and a model of each."""
    first, right = ch.read_corpus(path), read_rightly(path, options)
    alike = _alike(first, right)
    step = max(1, -(-len(right) // MOST_DOCUMENTS))
    first, right = (corpus.rows(np.arange(0, len(corpus), step)) for corpus in (first, right))
    best = _npmi(right, right, k, sweeps, seed)
    return {
        "documents": len(right),
        "words": right.n_words,
        "of these read alike": int(alike),
        "npmi, no options": best if alike else _npmi(first, right, k, sweeps, seed),
        "npmi, right options": best,
    }


def _alike(one: ch.Corpus, other: ch.Corpus) -> bool:
    """The same words and counts: then the same seed gives the same model, to the bit."""
    if one.vocabulary.tolist() != other.vocabulary.tolist():
        return False
    return one.counts.shape == other.counts.shape and (one.counts != other.counts).nnz == 0


def _npmi(corpus: ch.Corpus, reference: ch.Corpus, k: int, sweeps: int, seed: int) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few sweeps hardly ever converge
        model = ch.fit("lda", corpus, n_components=k, max_iter=sweeps, random_state=seed)
    words = model.top_word_lists(10)
    return float(ch.evaluate(words, reference, measures=["npmi"])["value"][0])


def page(rows: Sequence[dict[str, Any]]) -> str:
    """A row for each file: the mean of its seeds."""
    names = list(dict.fromkeys(row["file"] for row in rows))
    lines = ["# First runs", "", __doc__.split("\n\n", 1)[1].strip(), ""]
    lines += ["| file | documents fitted | words | read alike | NPMI, no options | NPMI, right |",
              "|---|---|---|---|---|---|"]  # fmt: skip
    close = 0
    for name in names:
        own = [row for row in rows if row["file"] == name]
        plain, right = (float(np.mean([row[column] for row in own])) for column in COLUMNS[3:])
        close += plain >= right - CLOSE * abs(right)
        alike = "yes" if all(row["of these read alike"] for row in own) else "no"
        lines.append(
            f"| `{name}` | {own[0]['documents']:,} | {own[0]['words']:,} | {alike} | {plain:.3f} | "
            f"{right:.3f} |"
        )
    k, sweeps = rows[0]["k"], rows[0]["sweeps"]
    seeds = len({row["seed"] for row in rows})
    lines += ["", (
        f"LDA with {k} topics and {sweeps} sweeps over at most {MOST_DOCUMENTS:,} documents of "
        f"each file, means over {seeds} seed{'s' * (seeds > 1)}. Where both readings are alike in "
        f"every count, they give the same model, which was fitted once. In {close} of {len(names)} "
        f"files the run without options is within {CLOSE:.0%} of the other, or above it."
    )]  # fmt: skip
    return "\n".join(lines) + "\n"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER", required=True, help="where the corpora are")
    add("--topics", type=int, default=20, metavar="K", help="(20)")
    add("--sweeps", type=int, default=60, metavar="N", help="(60)")
    add("--seeds", type=int, default=1, help="(1)")
    add_places(parser, "first_runs.md; printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    given = options().parse_args(arguments)
    records, found = Records(given.keep), []
    try:
        with tempfile.TemporaryDirectory() as scratch:
            for path, right in files(given.data, Path(scratch)):
                for seed in range(given.seeds):
                    asked = {"file": path.name, "k": given.topics, "sweeps": given.sweeps,
                             "seed": seed}  # fmt: skip
                    if not records.has(asked):
                        records.add(asked, compared(path, right, given.topics, given.sweeps, seed))
                    found.append(records.get(asked))
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(found)
    if given.output is None:
        sys.stdout.write(written)
    else:
        (given.output / "first_runs.md").write_text(written, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
