"""How many bits of the products keep the anchors? The list in docs/anchors.md.

Parties who may not tell exact totals add up products with the co-occurrence, in as few bits as
anchors need, since digits enough would give rows away. So: how many of the anchors by the full
matrix of the same rows, each party without the words that too few of its own documents have, are
also those by products in so many bits? Nothing in it is random.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import scipy.sparse as sp

import chatham as ch
from chatham.commons.precision import Budget
from chatham.federation.words import agree_vocabulary, recounted
from chatham.federation.words.rules import WordRules
from chatham.learners.anchor import products
from chatham.learners.documents import Documents, with_words
from refinement_study.documents import SAMPLE, SOURCES

BITS = (40, 28, 26, 24, 22, 20)
CORPORA = ("KOS", "NIPS")
HOLDERS = 3
REFUSED = "too few eigenvalues"
POLICY = {"own_df": 5, "min_parties": 2, "min_df": 5}
"""How parties agree on words: a session's default rules."""


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {', '.join(SOURCES[name].file for name in CORPORA)} are; the bundled sample "
        "alone if not given",
    )  # fmt: skip
    parser.add_argument("--topics", type=int, default=20, metavar="K", help="(20)")
    parser.add_argument("--words", type=int, help="of each corpus, at most so many (5000)")
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="for product_bits.md; printed if not given"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare anchors, and write the page."""
    given = options().parse_args(arguments)
    rows = []
    for name, parts in parties(given.data, given.words):
        rows.append([name, *anchors_kept(parts, given.topics)])
        print(*rows[-1], file=sys.stderr, flush=True)
    written = page(rows, given.topics)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "product_bits.md").write_text(written, encoding="utf-8")
    return 0


def parties(folder: Path | None, words: int | None) -> Iterator[tuple[str, list[sp.csr_array]]]:
    """Each corpus at its parties: the sample's communities, and a third of the rows for each."""
    communities = list(ch.sample_corpus(max_features=words).parties(by="community").values())
    rules = WordRules.of({"stop_words": "en", **POLICY})
    offered = ch.Simulated([rules.offered(each) for each in communities])
    agreed = agree_vocabulary(offered, policy=POLICY).words
    yield SAMPLE, [sp.csr_array(recounted(each, agreed).counts) for each in communities]
    for name in CORPORA if folder is not None else ():
        assert folder is not None
        source = SOURCES[name]
        counts = ch.read_corpus(folder / source.file, max_features=words or source.words).counts
        yield name, [sp.csr_array(counts[start::HOLDERS]) for start in range(HOLDERS)]


def anchors_kept(parts: list[sp.csr_array], k: int) -> list[int | str]:
    """By bits, how many anchors are those by the full matrix; or that too little is left of it."""
    told = [with_words(part, products.words_of_enough(Documents(part))) for part in parts]
    learner = ch.AnchorWords(k, refine=0, mean_over="documents", precision="double", random_state=0)
    kept: list[int | str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that projections didn't settle
        wanted = set(learner.fit(ch.Simulated(told)).anchors_.tolist())
        for bits in BITS:
            with patch.object(products, "PAIR_PRODUCTS", Budget(bits, "as asked")):
                kept.append(_in_common(learner, parts, wanted))
    return kept


def _in_common(learner: ch.AnchorWords, parts: list[sp.csr_array], wanted: set[int]) -> int | str:
    try:
        found = learner.fit(ch.Simulated(parts, secure=True)).anchors_
    except ch.InputError as error:
        if "eigenvalues" not in str(error):
            raise
        return REFUSED
    return len(wanted & set(found.tolist()))


def page(rows: Sequence[Sequence[object]], k: int) -> str:
    """The page, in Markdown."""
    lines = [
        "# Anchors by products in few bits",
        "",
        f"Written by `product_bits.py`. {k} topics, {HOLDERS} parties: how many of the anchors by "
        "the full matrix of the same rows are also those by products in so many fraction bits.",
        "",
        f"| bits | {' | '.join(map(str, BITS))} |",
        "|---" * (1 + len(BITS)) + "|",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
