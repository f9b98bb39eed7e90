"""What is left of a common model if it is differentially private? (Figs. 3.7c and 3.8.)

Section 3.3 of the thesis: parties fit NMF or the SVD together with noise in every total, so that
the whole fit is (ε, δ)-differentially private. Each compares the common model with one of its own
documents alone, on documents that it holds out: by how many percent the error is lower for NMF,
and by how much ‖X − XVVᵀ‖ changes for the SVD. Beside it, no noise, and a session's usual noise.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import norm

import chatham as ch
from audit_study.documents import Audited, read_documents, read_films
from audit_study.options import write
from audit_study.words import minutes
from chatham.plots.palette import BLUE, COLOURS, FAINT, INK
from chatham.plots.panels import MARKERS, style
from inference_study.markdown import listed, markdown
from inference_study.records import Record, Records
from shared_options import add_places
from uplift_study.documents import ENRON, NEWSGROUPS
from uplift_study.parties import Member, of_sizes
from uplift_study.ways import RELATIVE, error, squared_errors

NMF, SVD = "NMF", "SVD"
NOTHING, USUAL = "no noise", "a session's noise"
HONEST = 2
"""How many parties are assumed not to collude: the noise of so many is enough."""
TIME = "With --data it takes some minutes. A run that was stopped goes on with --keep."


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    k: int = 7
    epsilons: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
    delta: float = 0.01
    parties: int = 10
    seeds: int = 3
    min_df: int = 50


@dataclass(frozen=True)
class Noise:
    """What is added to totals."""

    name: str
    epsilon: float | None = None

    def commons(self, parts: Sequence[sp.csr_array], delta: float, seed: int) -> ch.Simulated:
        """Parties in this process, whose totals have this noise."""
        secrets = [b"private learning %d %d" % (seed, party) for party in range(len(parts))]
        if self.epsilon is None:
            return ch.Simulated(
                parts, secure=True, secrets=secrets, exact_totals=self.name == NOTHING
            )
        from chatham.commons.privacy import Privacy

        privacy = Privacy(self.epsilon, delta, honest=HONEST)
        return ch.Simulated(parts, secure=True, secrets=secrets, privacy=privacy)


def noises(plan: Plan) -> list[Noise]:
    """From the most noise to none."""
    private = [Noise(f"ε = {epsilon:g}", epsilon) for epsilon in plan.epsilons]
    return [*private, Noise(USUAL), Noise(NOTHING)]


def learner(what: str, plan: Plan, seed: int) -> Any:
    """NMF on the simplex of documents of length one, or the SVD of rows as they are."""
    if what == SVD:
        return ch.SVD(plan.k, tol=1e-4, max_iter=60, random_state=seed)
    return ch.NMF(plan.k, loss="relative", random_state=seed)


def fitted(what: str, plan: Plan, seed: int, rows: Any) -> Any:
    """A model of a party's rows, or of a commons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # settings that noise makes irrelevant
        return learner(what, plan, seed).fit(rows)


def error_of(what: str, model: Any, rows: sp.csr_array) -> float:
    """NMF: ‖X − WT‖/‖X‖ with the best weights and rows of length one. SVD: ‖X − XVVᵀ‖."""
    if what == NMF:
        return error(RELATIVE, model, rows)
    left = squared_errors(rows, model.transform(rows), model.components_)
    return float(np.sqrt(left.sum()))


def gain(what: str, alone: float, together: float) -> float:
    """NMF: percent by which the error is lower together. SVD: the change of the error, so that
    negative is good, as in the thesis.

    >>> gain(NMF, 0.8, 0.6), gain(SVD, 10.0, 9.0)
    (25.0, -1.0)
    """
    return round(100 * (alone - together) / alone, 12) if what == NMF else together - alone


def compared(
    what: str, rows: sp.csr_array, members: Sequence[Member], noise: Noise, plan: Plan, seed: int
) -> Record:
    """Every party's errors alone and together."""
    began = time.perf_counter()
    parts, tests = [rows[each.train] for each in members], [rows[each.test] for each in members]
    try:
        together = fitted(what, plan, seed, noise.commons(parts, plan.delta, seed))
        errors = [error_of(what, together, test) for test in tests]
    except ch.InputError:  # no direction stands out from the noise, so nothing is explained
        errors = [float(norm(test)) for test in tests]
    return {
        "together": errors,
        "seconds": round(time.perf_counter() - began, 2),
    }


def local(
    what: str, rows: sp.csr_array, members: Sequence[Member], plan: Plan, seed: int
) -> Record:
    """Every party's error with a model of its own."""
    models = [fitted(what, plan, seed, rows[member.train]) for member in members]
    scored = zip(models, members, strict=True)
    return {"alone": [error_of(what, model, rows[member.test]) for model, member in scored]}


def study(plan: Plan, what: str, corpus: Audited, records: Records) -> list[Record]:
    """All noises and seeds for one learner on one corpus; a record has every party's gain."""
    rows, found = corpus.counts, []
    mix = ((1 / plan.parties, plan.parties),)
    for seed in range(plan.seeds):
        members = of_sizes(corpus.size, mix, seed)
        asked = {
            "what": what, "corpus": corpus.name, "noise": "alone", "seed": seed, "k": plan.k,
            "parties": plan.parties, "delta": plan.delta, "shape": list(rows.shape),
        }  # fmt: skip
        if not records.has(asked):
            records.add(asked, local(what, rows, members, plan, seed))
        alone = records.get(asked)["alone"]
        for noise in noises(plan):
            each = {**asked, "noise": noise.name}
            if not records.has(each):
                records.add(each, compared(what, rows, members, noise, plan, seed))
            record = records.get(each)
            pairs = zip(alone, record["together"], strict=True)
            found.append({**record, "alone": alone, "gains": [gain(what, *pair) for pair in pairs]})
    return found


# The page.


def spread(found: Sequence[Record]) -> tuple[float, float, float]:
    """The mean over seeds and parties, and the least and greatest mean of a seed."""
    means = [float(np.mean(record["gains"])) for record in found]
    return float(np.mean(means)), min(means), max(means)


def page(plan: Plan, found: Sequence[Record]) -> str:
    """The whole page, in Markdown."""
    seconds = sum(record["seconds"] for record in found)
    parts = [
        "# Differentially private NMF and SVD (Figs. 3.7c and 3.8)",
        "Written by `private_learning.py`; what we make of it is in [the README](../README.md). "
        "Figure: [private_learning.png](private_learning.png).",
        "## What was done",
        listed(method(plan)),
        f"Common fits and their scores took {minutes(seconds)}.",
    ]
    for what, corpus in _cases(found):
        unit = "Percent by which the held-out error is lower together than alone"
        if what == SVD:
            unit = "Change of ‖X − XVVᵀ‖ on held-out rows, together less alone; negative is good"
        own = [r for r in found if r["what"] == what and r["corpus"] == corpus]
        parts += [f"## {what}, {corpus}", f"{unit}; mean (seeds: least to greatest).", _table(own)]
    return "\n\n".join(parts) + "\n"


def method(plan: Plan) -> list[str]:
    """What was done, in sentences."""
    return [
        f"k = {plan.k}, δ = {plan.delta:g}; {plan.parties} parties of equal size, documents dealt "
        f"at random, a fifth held out; {plan.seeds} seeds, which differ in who has which documents "
        "and in the start. ε is that of the whole fit, not of one round.",
        f"Noise is enough if {HONEST} parties don't collude. Neighbours differ in one document.",
        "NMF: on the simplex, documents scaled to length one; the error is that of such documents. "
        f"Texts are words of at least {plan.min_df} documents. MovieLens: users as documents, and "
        "stars as counts: differentially private factors of the known cells alone don't exist "
        "here, so the error is that of a user's row, not the RMSE of held-out stars.",
        "SVD: rows of counts, scaled to length one.",
        f"*{USUAL.capitalize()}*: what a session adds by default, which is no (ε, δ). "
        f"*{NOTHING.capitalize()}*: exact totals.",
    ]


def _cases(found: Sequence[Record]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((record["what"], record["corpus"]) for record in found))


def _table(found: Sequence[Record]) -> str:
    rows = []
    for noise in dict.fromkeys(record["noise"] for record in found):
        own = [record for record in found if record["noise"] == noise]
        mean, low, high = spread(own)
        gains = [each for record in own for each in record["gains"]]
        better = np.mean([(each > 0) == (own[0]["what"] == NMF) for each in gains])
        rows.append([
            noise, f"{_signed(mean)} ({_signed(low)} to {_signed(high)})", f"{100 * better:.0f} %",
            f"{np.mean([r['alone'] for r in own]):.4f}",
            f"{np.mean([r['together'] for r in own]):.4f}",
        ])  # fmt: skip
    return markdown(["noise", "gain", "parties that gain", "error alone", "error together"], rows)


def _signed(value: float) -> str:
    return f"{value:+.3g}".replace("-", "−")


# The figure.


def picture(plan: Plan, found: Sequence[Record]) -> Any:
    """Gain against ε; lines for no noise and for a session's."""
    from matplotlib.figure import Figure

    with style():
        figure: Any = Figure(figsize=(7.6, 3.2), layout="constrained")
        for axes, what in zip(figure.subplots(1, 2), (NMF, SVD), strict=True):
            corpora = [corpus for each, corpus in _cases(found) if each == what]
            for number, corpus in enumerate(corpora):
                _draw(axes, plan, [r for r in found if (r["what"], r["corpus"]) == (what, corpus)],
                      number)  # fmt: skip
            axes.axhline(0, color=INK, linewidth=0.8)
            axes.set_xscale("log")
            axes.set_xlabel("ε", fontsize=7)
            axes.grid(axis="y", color=FAINT, linewidth=0.6)
            axes.set_title(
                "NMF: % better than alone" if what == NMF else "SVD: change of the error"
            )
            axes.legend(frameon=False, fontsize=6.5)
    return figure


def _draw(axes: Any, plan: Plan, found: Sequence[Record], number: int) -> None:
    colour = (BLUE, *COLOURS[1:])[number]
    means = [spread([r for r in found if r["noise"] == f"ε = {e:g}"]) for e in plan.epsilons]
    middle, low, high = np.array(means).T
    corpus = found[0]["corpus"]
    axes.errorbar(plan.epsilons, middle, [middle - low, high - middle], color=colour, capsize=2,
                  marker=MARKERS[number], markersize=4, linewidth=1.2, label=corpus)  # fmt: skip
    for noise, line in ((NOTHING, "--"), (USUAL, ":")):
        mean, _, _ = spread([r for r in found if r["noise"] == noise])
        axes.axhline(mean, color=colour, linestyle=line, linewidth=1, label=f"{corpus}, {noise}")


# The command.


def run(plan: Plan, data: Path | None, keep: Path | None, output: Path | None) -> int:
    """Everything that is planned."""
    records, found = Records(keep), []
    texts = read_documents(data, ENRON, plan.min_df)
    found += study(plan, NMF, texts, records)
    if data is not None:
        found += study(plan, NMF, read_films(data), records)
    found += study(plan, SVD, texts.of_unit_length(), records)
    if data is not None:
        groups = read_documents(data, NEWSGROUPS, plan.min_df).of_unit_length()
        found += study(plan, SVD, groups, records)
    pages = {"private_learning.md": page(plan, found)}
    return write(output, pages, {"private_learning.png": lambda: picture(plan, found)})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    usual = Plan()
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER",
        help="where enron_ham.parquet, 20newsgroups_clean.parquet and movielens1m_ratings.parquet "
             "are; the bundled sample if not given")  # fmt: skip
    add("--seeds", type=int, default=usual.seeds, help=f"({usual.seeds})")
    add_places(parser, "private_learning.md and .png; printed")
    given = parser.parse_args(arguments)
    if given.seeds < 1:
        parser.error(f"--seeds must be at least 1; got {given.seeds}")
    try:
        return run(Plan(seeds=given.seeds), given.data, given.keep, given.output)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
