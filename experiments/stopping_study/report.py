"""The page: where each rule would have stopped the same long fits, and what that leaves undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chatham.learners import has_converged
from chatham.learners.convergence import RECENT
from inference_study.records import Record

Rule = Callable[[Sequence[float], float], bool]

TOLERANCES = {
    "kmeans": (1e-3, 1e-4),
    "nmf": (1e-3, 3e-4, 1e-4, 1e-5),
    "plsa": (3e-2, 2e-2, 1e-2, 5e-3),
}
BEFORE = {"kmeans": 1e-6, "nmf": 1e-5, "plsa": 1e-6}
"""The tolerances of the rule before, beside the objective itself."""
AT_MOST = {"kmeans": 300, "nmf": 200, "plsa": 200}
"""And the number of iterations after which it ended anyway."""

HEAD = """# When fits should stop

One page of output from `experiments/stopping.py`. Every learner fits {k} topics to four fifths of a
corpus as `ch.fit` sets it up, {most} iterations without a tolerance (k-means until no document
moves), for up to {seeds} seeds, which also draw the four fifths. The fits are watched, so that each
shows where a rule would have stopped it. *Before* is the rule that held the last change against
the objective itself (`tol`: {before}; at most so many iterations: {at_most}). A `tol` holds what
as many iterations again would gain, at the pace of the last {recent}, against what was gained over
no topic at all (of a likelihood: over one topic).

Each cell is the range over seeds: iterations; the processor's seconds that they took, the start
with them; the mean ℓ1 distance of the topics to the last ones; how much of all that was gained is
missing; and NPMI of the ten words shown and completion of the held-out fifth, less those of the
last topics, at the nearest scored iteration. "–" is a fit that didn't stop. Seconds are of one
thread on a machine that did other work too: compare them within a corpus.
"""


def page(records: Iterable[Record]) -> str:
    """All of it, in Markdown."""
    found = list(records)
    first = found[0]
    head = HEAD.format(
        k=first["k"], most=first["most"], seeds=len({record["seed"] for record in found}),
        before=_listed(BEFORE), at_most=_listed(AT_MOST), recent=RECENT,
    )  # fmt: skip
    learners = dict.fromkeys(record["learner"] for record in found)
    sections = [_section(learner, found) for learner in learners]
    return "\n".join([head, *sections])


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


def _section(learner: str, found: list[Record]) -> str:
    lines = [
        f"## {learner}", "",
        "| corpus | seeds | rule | iterations | seconds | ℓ1 to the end | missing | NPMI "
        "| completion |", "|---" * 9 + "|",
    ]  # fmt: skip
    for corpus in dict.fromkeys(record["corpus"] for record in found):
        fits = [r for r in found if r["corpus"] == corpus and r["learner"] == learner]
        rules: dict[str, Rule] = {"before": _before(learner)}
        rules |= {f"tol {tol:g}": _rule(tol) for tol in TOLERANCES[learner]}
        rules["the end"] = lambda *_: False
        for name, rule in rules.items():
            row = [_stopped(fit, rule, name == "the end", name == "before") for fit in fits]
            lines.append(f"| {corpus} | {len(fits)} | {name} | {' | '.join(_ranges(row))} |")
    return "\n".join([*lines, ""])


def _rule(tol: float) -> Rule:
    return lambda objective, nothing: has_converged(objective, tol, nothing)


def _before(learner: str) -> Rule:
    def had_converged(objective: Sequence[float], nothing: float) -> bool:
        if len(objective) >= AT_MOST[learner]:
            return True
        size = max(abs(objective[0]), abs(objective[-1]))
        return len(objective) > 1 and abs(objective[-2] - objective[-1]) <= BEFORE[learner] * size

    return had_converged


def _stopped(fit: Record, rule: Rule, ended: bool, before: bool) -> list[float] | None:
    """Iterations, seconds, distance, share missing, and the scores less the last ones."""
    objective = fit["objective"]
    nothing = fit["one_topic"] if fit["learner"] == "plsa" else fit["nothing"]
    last = len(objective)
    ends = (n for n in range(1, last + 1) if rule(objective[:n], nothing))
    stop = last if ended else next(ends, last if fit["learner"] == "kmeans" else None)
    if stop is None:
        return None
    gained = abs(objective[-1] - nothing)
    missing = abs(objective[-1] - objective[stop - 1]) / gained
    distances = {int(at): value for at, value in fit["distance"].items()} | {last: 0.0}
    scores = {int(at): value for at, value in fit["scores"].items()}
    end, then = scores[max(scores)], _nearest(scores, stop)
    differences = [then[name] - end[name] for name in ("npmi", "completion")]
    if ended:
        differences = [end[name] for name in ("npmi", "completion")]
    seconds = fit["seconds"][min(stop, len(fit["seconds"])) - 1]
    return [stop, seconds, _nearest(distances, stop), missing, *differences]


def _nearest(values: dict[int, Any], at: int) -> Any:
    return values[min(values, key=lambda each: abs(each - at))]


def _ranges(rows: list[list[float] | None]) -> list[str]:
    stopped = [row for row in rows if row is not None]
    if not stopped:
        return ["–"] * 6
    formats = ("{:.0f}", "{:.1f}", "{:.2f}", "{:.1e}", "{:+.3f}", "{:+.3f}")
    ranges = []
    for place, form in enumerate(formats):
        values = [row[place] for row in stopped]
        least, most = form.format(min(values)), form.format(max(values))
        ranges.append(least if least == most else f"{least} to {most}")
    if len(stopped) < len(rows):
        ranges[0] += f" ({len(rows) - len(stopped)} –)"
    return ranges
