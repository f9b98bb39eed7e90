"""What `chatham merge` prints and draws: the topics, whose they are, and how far parties agree."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chatham.cli.output import console, plain, plain_table, print_json, print_whole, topics_as_json
from chatham.cli.paths import unwritable
from chatham.learners.words import printable
from chatham.naming import plural

if TYPE_CHECKING:
    from chatham.ensembles.merge import MergedModel
    from chatham.ensembles.summary import Summary

FEW_WORDS = 5
BOUNDED = {"plsa": "log-likelihood", "nmf": "squared error"}
"""What is bounded, for each kind for which there is a bound."""


@dataclass
class Outcome:
    """The merged model, and what there is to say about it."""

    model: MergedModel
    files: list[Path]
    warnings: tuple[str, ...]
    output: Path | None
    plot: Path | None


def draw(model: MergedModel, plot: Path) -> None:
    """The figure of where base topics went."""
    from chatham.plots.merged import plot_merged
    from chatham.plots.panels import save_figure

    try:
        told = model.agreement
        save_figure(plot_merged(told.topics, told.base, model.top_word_lists(FEW_WORDS)), plot)
    except OSError as error:
        raise unwritable(plot, error) from None


def print_for_people(outcome: Outcome, words: int, quiet: bool) -> None:
    """The topics with the parties that have them; whose summaries they are from, and bounds."""
    model, screen = outcome.model, console()
    agreement = model.agreement
    if not quiet:
        for name, summary in zip(model.parties, model.parts.summaries, strict=True):
            screen.print(printable(f"{name}: {_described(summary)}"), soft_wrap=True)
        screen.print()
    table = plain_table(("topic", "right"), ("share", "right"), ("parties", "left"),
                        ("agree", "right"), ("words", "fold"))  # fmt: skip
    for topic, listed in enumerate(model.top_word_lists(words)):
        agreed = agreement.agreed[topic]
        table.add_row(
            str(topic),
            f"{model.prevalence[topic]:.1%}",
            printable(_whose(agreement.names, agreement.has[:, topic])),
            "" if np.isnan(agreed) else f"{agreed:.2f}",
            printable(" ".join(listed)),
        )
    print_whole(screen, table, least=30)
    if quiet:
        return
    screen.print()
    for sentence in agreement.sentences():
        screen.print(printable(sentence), soft_wrap=True)
    for sentence in _bounds(model):
        screen.print(printable(sentence), soft_wrap=True)
    if outcome.plot is not None:
        screen.print(f"Figure saved in {printable(str(outcome.plot))}.", soft_wrap=True)
    screen.print(_where_it_is(outcome.output), soft_wrap=True)


def _described(summary: Summary) -> str:
    signed = "not signed"
    if summary.signer is not None:
        signed = f"signed by {summary.signer.name}, key {fingerprint(summary.signer.key)}"
    return (
        f"{summary.kind}, {plural(summary.n_topics, 'topic')}, "
        f"{plural(len(summary.vocabulary), 'word')}, {plural(summary.documents, 'document')}; "
        f"{signed}"
    )


def fingerprint(key: str) -> str:
    """A key as people compare it, the same as `chatham keygen` prints."""
    from chatham.federation.session import Member

    return Member("", key).fingerprint


def _whose(names: list[str], has: Any) -> str:
    if len(names) > 1 and has.all():
        return f"all {len(names)}"
    return ", ".join(name for name, mine in zip(names, has, strict=True) if mine) or "none"


def _bounds(model: MergedModel) -> list[str]:
    """What the merged topics are worth to each party, by the summaries alone."""
    table, kind = model.bounds, model.parts.kind
    if table.empty:
        return []
    limit = "at most" if kind == "nmf" else "at least"
    return [
        f"{row['party']}: {BOUNDED[kind]} {row['own']:,.6g} with its own topics, {limit} "
        f"{row['bound']:,.6g} with these{_truth(row)}."
        for row in _bound_records(model)
    ]


def _truth(row: dict[str, Any]) -> str:
    """What the topics are worth to a party's documents, if these were there."""
    return f"; {row['true']:,.6g} by its documents" if "true" in row else ""


def _where_it_is(output: Path | None) -> str:
    if output is None:
        return "Not saved; give -o FOLDER to keep the model."
    folder = printable(str(output))
    return f"Saved in {folder}; see it with: chatham topics {shlex.quote(folder)}"


def print_as_json(outcome: Outcome, words: int) -> None:
    """Everything as one JSON document."""
    model = outcome.model
    summaries = [
        {
            "party": name,
            "file": str(file),
            "kind": summary.kind,
            "topics": summary.n_topics,
            "words": len(summary.vocabulary),
            "documents": summary.documents,
            "tokens": summary.tokens,
            "signed_by": None if summary.signer is None else summary.signer.name,
            "key": None if summary.signer is None else summary.signer.key,
        }
        for name, file, summary in zip(
            model.parties, outcome.files, model.parts.summaries, strict=True
        )
    ]
    print_json(
        plain(
            {
                "algorithm": model.algorithm,
                "vocabulary_size": len(model.vocabulary),
                "summaries": summaries,
                "topics": topics_as_json(model, model.top_word_lists(words)),
                "agreement": model.agreement.as_plain(),
                "report": model.agreement.sentences(),
                "bounds": _bound_records(model),
                "saved": None if outcome.output is None else str(outcome.output),
                "picture": None if outcome.plot is None else str(outcome.plot),
                "warnings": list(outcome.warnings),
            }
        )
    )


def _bound_records(model: MergedModel) -> list[dict[str, Any]]:
    """Each party's bound; with `true` where its documents were there."""
    table = model.bounds
    columns = zip(table["party"].tolist(), table["own"].tolist(), table["bound"].tolist(),
                  strict=True)  # fmt: skip
    return [
        {"party": name, "own": own, "bound": bound}
        | ({"true": model.true[name]} if name in model.true else {})
        for name, own, bound in columns
    ]
