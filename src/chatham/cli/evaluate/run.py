"""What `chatham evaluate` does between reading and printing: measure, compare, write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from chatham.cli.evaluate.input import Given, Wanted, read_input
from chatham.cli.evaluate.measures import Choice, chosen
from chatham.cli.evaluate.table import Findings, as_table
from chatham.cli.places import unwritable
from chatham.cli.progress import Silent
from chatham.cli.tables import write_table
from chatham.measures.compare import comparison
from chatham.measures.evaluate import evaluate
from chatham.measures.stability import stability
from chatham.measures.subject import Subject


def find(wanted: Wanted, shown: Silent) -> Findings:
    """Read everything, and take every measure of every model."""
    choice = chosen(wanted)
    given = read_input(wanted, shown)
    tables = {
        name: _scores(subject, wanted, given, choice, _tell(shown, name))
        for name, subject in given.subjects.items()
    }
    shown.notes = tuple(given.notes)
    compared = comparison(tables) if len(tables) > 1 else None
    alike = _stability(given.subjects, wanted.words or 10)
    return Findings(given, tables, compared, alike, shown.notes)


def write(findings: Findings, plot: Path | None, output: Path | None, shown: Silent) -> None:
    """The files that were asked for."""
    findings.saved, findings.picture = output, plot
    if output is not None:
        write_table(as_table(findings, output.suffix.lower()), output)
    if plot is not None:
        shown.stage("Drawing")
        _draw(findings, plot)


def _draw(findings: Findings, plot: Path) -> None:
    from chatham.plots.panels import save_figure
    from chatham.plots.scores import plot_models

    sizes = {name: subject.n_topics for name, subject in findings.given.subjects.items()}
    try:
        save_figure(plot_models(findings.tables, sizes, findings.given.lines), plot)
    except OSError as error:
        raise unwritable(plot, error) from None


def _tell(shown: Silent, name: str) -> Callable[[str, int, int], None]:
    def tell(measure: str, number: int, total: int) -> None:
        shown.stage(f"{name}: {measure}")
        shown.count(number - 1, total)

    return tell


def _scores(
    subject: Subject,
    wanted: Wanted,
    given: Given,
    choice: Choice,
    progress: Callable[[str, int, int], None],
) -> pd.DataFrame:
    """All measures that can be taken, or those that were asked for, with the settings asked for."""
    table = evaluate(
        subject, given.corpus, measures=choice.measures, strict=choice.strict,
        held_out=given.held_out, reference=given.reference, vectors=given.vectors,
        true_topics=given.true_topics, n_jobs=wanted.jobs,
        progress=progress,
    )  # fmt: skip
    table.attrs["skipped"] |= choice.skipped
    if given.reference is None:
        table["settings"] = table["settings"].map(_on_corpus)
    return table


def _on_corpus(settings: dict[str, object]) -> dict[str, object]:
    """Without a reference of its own, coherence is measured on the corpus."""
    if settings.get("measured_on") != "reference":
        return settings
    return {**settings, "measured_on": "corpus"}


def _stability(subjects: Mapping[str, Subject], words: int) -> float | None:
    """How alike the topics of several models of one size are."""
    if len(subjects) < 2 or len({subject.n_topics for subject in subjects.values()}) > 1:
        return None
    return stability(list(subjects.values()), n_words=words).value
