"""How far is a model by fixed-point sums from the one by plain sums? docs/communication.md's table.

Three parties hold the bundled sample, by community; totals are exact, so that rounding is all that
differs. Both fits begin from the same seed.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import chatham as ch

BITS = (10, 20, 31, 40)
LEARNERS: dict[str, Callable[..., Any]] = {
    "NMF": lambda k, t: ch.NMF(k, max_iter=t, tol=0, random_state=0),
    "PLSA": lambda k, t: ch.PLSA(k, max_iter=t, tol=0, random_state=0),
    "anchor words, exact, in double precision": lambda k, t: ch.AnchorWords(
        k, refine=t, precision="double", random_state=0
    ),
    "SVD (scales its sums itself)": lambda k, t: ch.SVD(k, random_state=0),
}


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--topics", type=int, default=10, metavar="K", help="(10)")
    parser.add_argument("--iterations", type=int, default=20, help="or sweeps of refinement (20)")
    parser.add_argument("--words", type=int, help="at most so many (all)")
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="for precision.md; printed if not given"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit everything, and write the page."""
    given = options().parse_args(arguments)
    corpus = ch.sample_corpus(max_features=given.words)
    parts = [party.counts for party in corpus.parties(by="community").values()]
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that so few iterations don't settle
        for name, learner in LEARNERS.items():
            rows.append([name, *differences(learner, parts, given.topics, given.iterations)])
            print(*rows[-1], file=sys.stderr, flush=True)
    written = page(corpus, len(parts), given, rows)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "precision.md").write_text(written, encoding="utf-8")
    return 0


def differences(learner: Callable[..., Any], parts: list[Any], k: int, t: int) -> list[str]:
    """By fraction bits, how far the models are apart."""

    def fitted(**kind: Any) -> Any:
        return learner(k, t).fit(ch.Simulated(parts, **kind))

    plain = fitted()
    return [
        shown(plain, fitted(secure=True, exact_totals=True, fraction_bits=bits)) for bits in BITS
    ]


def shown(plain: Any, rounded: Any) -> str:
    """The largest difference as a share of the largest entry, in one digit.

    >>> from types import SimpleNamespace as Model
    >>> one, other = (Model(components_=np.array([[0.5, each]])) for each in (0.25, 0.2501))
    >>> shown(one, other)
    '2e-4'
    """
    if not np.array_equal(getattr(plain, "anchors_", None), getattr(rounded, "anchors_", None)):
        return "different anchors"
    apart = np.abs(plain.components_ - rounded.components_).max()
    mantissa, exponent = f"{apart / np.abs(plain.components_).max():.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def page(
    corpus: ch.Corpus, parties: int, given: argparse.Namespace, rows: Sequence[Sequence[str]]
) -> str:
    """The page, in Markdown."""
    lines = [
        "# Models by fixed-point sums",
        "",
        "Written by `precision.py`. The largest difference from the model fitted by plain sums, "
        f"as a share of the largest entry: {len(corpus):,} documents, {corpus.n_words:,} words, "
        f"{parties} parties, {given.topics} topics, {given.iterations} iterations, or sweeps of "
        "refinement.",
        "",
        f"| fraction bits | {' | '.join(map(str, BITS))} |",
        "|---" * (1 + len(BITS)) + "|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
