"""Should a long document say more about co-occurrence than a short one, and which are too short?

Anchor words from a co-occurrence that is the mean over documents, as in the source, or over tokens;
with all documents that have a pair, or with those of ten words or more. Planted corpora tell how
far the topics are from the truth, real ones how well unseen documents are completed and whether top
words belong together. Every seed draws another corpus, or holds out other documents.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.corpus.synthetic.planting import planted_topics
from inference_study.markdown import bold, listed, markdown, number
from inference_study.records import Record, Records
from refinement_study.documents import HELD_OUT, SAMPLE, SAMPLE_WORDS, SHORTEST, SOURCES, Parts
from refinement_study.documents import _read as read_source
from refinement_study.planted import l1_error
from refinement_study.scores import scores_of
from shared_options import add_places

Array = NDArray[np.float64]

WAYS = {
    "documents": {"mean_over": "documents"},
    "documents, 10 words": {"mean_over": "documents", "min_length": 10},
    "tokens": {"mean_over": "tokens"},
    "tokens, 10 words": {"mean_over": "tokens", "min_length": 10},
}
SWEEPS = (0, 20)
REAL = ("20 Newsgroups", "Reuters", "ACL", "NIPS", "AP", "KOS")
DOCUMENTS = 10_000
"""Of a real corpus at most: the first ones."""
PLANTED = {
    "equal": "60 words each",
    "mixed": "3 words or 120, half of them each",
    "log-normal": "median 30, σ = 1.2, at least 2",
}
K, D, N, PRIOR, ANCHOR = 10, 300, 3000, 0.15, 0.02


def lengths_of(kind: str, rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    """The documents' lengths."""
    if kind == "equal":
        return np.full(n, 60)
    if kind == "mixed":
        return np.where(rng.random(n) < 0.5, 3, 120)
    return np.maximum(np.rint(np.exp(rng.normal(np.log(30), 1.2, n))), 2).astype(np.int64)


def draw(kind: str, seed: int, n: int) -> tuple[NDArray[np.int64], Array]:
    """A planted corpus: counts and topics."""
    rng = np.random.default_rng(seed)
    topics, _ = planted_topics(
        K, D, concentration=0.1, anchor_probability=ANCHOR, random_state=seed
    )
    weights = rng.dirichlet(np.full(K, PRIOR), n)
    lengths = lengths_of(kind, rng, n)
    pairs = zip(lengths, weights @ topics, strict=True)
    return np.array([rng.multinomial(length, words) for length, words in pairs]), topics


def planted_cells(seeds: Sequence[int], n: int, kept: Records) -> Iterator[Record]:
    """The distance from the truth, for each kind, seed, way and number of sweeps."""
    for kind in PLANTED:
        for seed in seeds:
            counts = None
            for way, settings in WAYS.items():
                for sweeps in SWEEPS:
                    asked = {"planted": kind, "seed": seed, "way": way, "sweeps": sweeps, "n": n}
                    if not kept.has(asked):
                        if counts is None:
                            counts, topics = draw(kind, seed, n)
                        model = ch.AnchorWords(K, refine=sweeps, random_state=0, **settings)
                        kept.add(asked, {"l1": l1_error(model.fit(counts).components_, topics)})
                    yield kept.get(asked)


def parts_of(
    name: str, folder: Path | None, words: int, seed: int, documents: int = DOCUMENTS
) -> Parts:
    """A corpus in two; unlike in other studies, short documents stay among those to learn from."""
    if folder is None:
        corpus = ch.sample_corpus(max_features=min(words, SAMPLE_WORDS))
    else:
        source = replace(SOURCES[name], words=words, documents=documents)
        corpus = read_source(folder, source)
    train, unseen = corpus.split(HELD_OUT, random_state=seed)
    long_enough = np.asarray(unseen.counts.sum(axis=1)).ravel() >= SHORTEST
    return Parts(name, train, unseen.rows(long_enough))


def real_cells(given: argparse.Namespace, kept: Records) -> Iterator[Record]:
    """Completion and coherence, for each corpus, seed, number of topics, way and sweeps."""
    for seed in range(given.seeds):
        for name in given.corpora if given.data else [SAMPLE]:
            parts = None
            for k in given.topics:
                for way, settings in WAYS.items():
                    for sweeps in SWEEPS:
                        asked = {"corpus": name, "seed": seed, "k": k, "way": way, "sweeps": sweeps,
                                 "words": given.words}  # fmt: skip
                        if not kept.has(asked):
                            parts = parts or parts_of(name, given.data, given.words, seed)
                            kept.add(asked, score(parts, k, sweeps, settings))
                        yield kept.get(asked)


def score(parts: Parts, k: int, sweeps: int, settings: dict[str, Any]) -> Record:
    """One model."""
    model = ch.AnchorWords(k, refine=sweeps, random_state=0, **settings).fit(parts.train.counts)
    scores = scores_of(model.components_, model.alpha_, parts, 1)
    lengths = np.asarray(parts.train.counts.sum(axis=1)).ravel()
    size = {
        "documents": len(parts.train), "words": parts.train.n_words,
        "median": float(np.median(lengths)), "under10": float((lengths < 10).mean()),
        "longest": float(lengths.max() / lengths.sum()),
    }  # fmt: skip
    return {name: round(scores[name], 5) for name in ("completion", "npmi")} | size


def shown(values: Sequence[float]) -> str:
    """The mean, and the least and the most of the seeds."""
    return f"{number(mean(values))} ({number(min(values))} to {number(max(values))})"


def table(records: Sequence[Record], row: str, measure: str, sweeps: int, least: bool) -> str:
    """A row for each corpus, a column for each way; the best mean in bold."""
    rows = []
    chosen = [r for r in records if r["sweeps"] == sweeps]
    for name in dict.fromkeys((r[row], r.get("k", K)) for r in chosen):
        cells = {
            way: [r[measure] for r in chosen if (r[row], r.get("k", K), r["way"]) == (*name, way)]
            for way in WAYS
        }
        best = (min if least else max)(mean(values) for values in cells.values())
        shown_cells = [bold(shown(values), mean(values) == best) for values in cells.values()]
        rows.append([f"{name[0]}, K = {name[1]}", *shown_cells])
    return markdown(["corpus", *WAYS], rows)


def differences(records: Sequence[Record], measure: str, sweeps: int) -> str:
    """Tokens minus documents, in pairs of the same corpus, topics and seed."""
    of: dict[Any, dict[str, float]] = {}
    for r in records:
        if r["sweeps"] == sweeps:
            of.setdefault((r["corpus"], r["k"], r["seed"]), {})[r["way"]] = r[measure]
    gains = [cell["tokens"] - cell["documents"] for cell in of.values()]
    won = sum(gain > 0 for gain in gains)
    return (
        f"Tokens minus documents: {number(mean(gains))} on average ({number(min(gains))} to "
        f"{number(max(gains))}); above zero in {won} of {len(gains)}."
    )


def page(given: argparse.Namespace, planted: list[Record], real: list[Record]) -> str:
    """The page."""
    sizes = {r["corpus"]: r for r in real}
    corpora = [
        f"{name}: {r['documents']:,} documents to learn from, {r['words']:,} words, median length "
        f"{r['median']:.0f}, {r['under10']:.0%} of them under 10 words, the longest has "
        f"{r['longest']:.2%} of all tokens."
        for name, r in sizes.items()
    ]
    parts = [
        "# Co-occurrence: the mean over documents, or over tokens",
        "Written by `document_lengths.py`; what we make of it is in "
        "[docs/anchors.md](../../docs/anchors.md).",
        listed([
            f"Each cell: the mean over {given.seeds} seeds (least to most). Sweeps: of refinement.",
            f"Planted: {K} topics with an anchor each over {D} words, {given.planted:,} documents, "
            f"Dirichlet {PRIOR}; the mean ℓ1 distance of matched topics from the truth. "
            + "; ".join(f"{kind}: {what}" for kind, what in PLANTED.items()) + ".",
            f"Real: {HELD_OUT:.0%} of the documents held out by the seed (those of {SHORTEST} "
            f"words or more are scored); at most {DOCUMENTS:,} documents, {given.words:,} words. "
            "Completion is the log-probability of an unseen token with the model's own α.",
            *corpora,
        ]),
    ]  # fmt: skip
    for sweeps in SWEEPS:
        parts += [f"## Planted topics, {sweeps} sweeps: ℓ1 error",
                  table(planted, "planted", "l1", sweeps, least=True)]  # fmt: skip
    for measure, called in (("completion", "completion"), ("npmi", "NPMI")):
        for sweeps in SWEEPS:
            parts += [f"## Real corpora, {sweeps} sweeps: {called}",
                      table(real, "corpus", measure, sweeps, least=False),
                      differences(real, measure, sweeps)]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="FOLDER",
                        help="where the corpora are; the bundled sample if not given")  # fmt: skip
    parser.add_argument("--corpora", nargs="+", choices=REAL, default=list(REAL))
    parser.add_argument("--topics", type=int, nargs="+", default=[20], metavar="K")
    parser.add_argument("--words", type=int, default=2000, help="of a real corpus at most (2000)")
    parser.add_argument("--planted", type=int, default=N, help=f"planted documents ({N})")
    parser.add_argument("--seeds", type=int, default=3)
    add_places(parser, "the page, which is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment and write its page."""
    given = options().parse_args(arguments)
    kept = Records(given.keep)
    try:
        with warnings.catch_warnings(action="ignore"):
            planted = list(planted_cells(range(given.seeds), given.planted, kept))
            real = list(real_cells(given, kept))
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(given, planted, real)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "document_lengths.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
