"""What `chatham evaluate` does between reading and printing: measure, compare, write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from chatham.cli.evaluate.input import Inputs, Request, read_input
from chatham.cli.evaluate.measures import Choice, chosen
from chatham.cli.evaluate.table import Findings, as_table
from chatham.cli.paths import unwritable
from chatham.cli.progress import Silent
from chatham.cli.tables import write_table
from chatham.measures.compare import comparison
from chatham.measures.evaluate import evaluate, expected_of
from chatham.measures.stability import stability
from chatham.measures.subject import Subject


def find(request: Request, reporter: Silent) -> Findings:
    """Read everything, and compute every measure of every model."""
    choice = chosen(request)
    inputs = read_input(request, reporter)
    tables = {
        name: _scores(subject, request, inputs, choice, _tell(reporter, name))
        for name, subject in inputs.subjects.items()
    }
    reporter.notes = tuple(inputs.notes)
    compared = comparison(tables) if len(tables) > 1 else None
    similarity = _stability(inputs.subjects, request.words or 10)
    return Findings(inputs, tables, compared, similarity, reporter.notes)


def write(findings: Findings, plot: Path | None, output: Path | None, reporter: Silent) -> None:
    """Write the files that were requested."""
    findings.saved, findings.picture = output, plot
    if output is not None:
        write_table(as_table(findings, output.suffix.lower()), output)
    if plot is not None:
        reporter.stage("Drawing")
        _draw(findings, plot)


def _draw(findings: Findings, plot: Path) -> None:
    from chatham.plots.panels import save_figure
    from chatham.plots.scores import plot_models

    sizes = {name: subject.n_topics for name, subject in findings.inputs.subjects.items()}
    try:
        save_figure(plot_models(findings.tables, sizes, findings.inputs.lines), plot)
    except OSError as error:
        raise unwritable(plot, error) from None


def _tell(reporter: Silent, name: str) -> Callable[[str, int, int], None]:
    def tell(measure: str, number: int, total: int) -> None:
        reporter.stage(f"{name}: {measure}")
        reporter.count(number - 1, total)

    return tell


def _scores(
    subject: Subject,
    request: Request,
    inputs: Inputs,
    choice: Choice,
    progress: Callable[[str, int, int], None],
) -> pd.DataFrame:
    """All measures that can be computed, or those requested, with the requested settings."""
    measures = choice.measures if choice.strict else expected_of(subject, choice.measures)
    table = evaluate(
        subject, inputs.corpus, measures=measures, strict=choice.strict,
        held_out=inputs.held_out, reference=inputs.reference, vectors=inputs.vectors,
        true_topics=inputs.true_topics, n_jobs=request.jobs,
        progress=progress,
    )  # fmt: skip
    table.attrs["skipped"] |= choice.skipped
    if inputs.reference is None:
        table["settings"] = table["settings"].map(_on_corpus)
    return table


def _on_corpus(settings: dict[str, object]) -> dict[str, object]:
    """Without a separate reference, coherence is measured on the corpus."""
    if settings.get("measured_on") != "reference":
        return settings
    return {**settings, "measured_on": "corpus"}


def _stability(subjects: Mapping[str, Subject], words: int) -> float | None:
    """How similar the topics of several models of one size are."""
    if len(subjects) < 2 or len({subject.n_topics for subject in subjects.values()}) > 1:
        return None
    return stability(list(subjects.values()), n_words=words).value
