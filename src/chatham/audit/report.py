"""A report of an audit for the file: one page of HTML, or the same as JSON.

The page needs nothing but itself: no scripts, no network, no fonts from elsewhere. It names
documents by their ids and has none of their words.
"""

from __future__ import annotations

import json
import platform
from html import escape
from importlib.metadata import version as version_of
from typing import Any

from chatham.audit.intervals import Estimate
from chatham.audit.verdict import DOUBTFUL, EPSILON, EXPOSED, DocumentVerdict, Verdict, percent
from chatham.learners.words import printable
from chatham.version import version

FORMAT = 1
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
COLOURS = {EXPOSED: "#D55E00", DOUBTFUL: "#B07800"}
CHANCE = "#5C7A8C"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.lead { font-size: 1.1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #ddd;
  white-space: nowrap; }
td.id { white-space: normal; overflow-wrap: anywhere; min-width: 8rem; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
dt { font-weight: 600; } dd { margin: 0 0 .6rem 0; overflow-wrap: anywhere; }
svg { vertical-align: middle; } code { font-size: .85em; }
@media print { body { margin: 0; } }
"""


def bundle(verdict: Verdict, **more: Any) -> dict[str, Any]:
    """All that belongs to the report, in JSON's terms: versions, hashes, parameters, verdict."""
    return {
        "format": FORMAT,
        "versions": {
            "chatham": version(),
            "python": platform.python_version(),
            **{name: version_of(name) for name in LIBRARIES},
        },
        "hashes": {"corpus": verdict.parameters["corpus"], "samples": verdict.samples_sha256},
        **more,
        "audit": verdict.to_dict(),
    }


def as_json(verdict: Verdict, **more: Any) -> str:
    """The bundle as text."""
    return json.dumps(bundle(verdict, **more), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_html(verdict: Verdict, **more: Any) -> str:
    """The bundle as a page."""
    told = bundle(verdict, **more)
    design = verdict.parameters.get("design", {})
    rows = "\n".join(_row(number, each) for number, each in enumerate(verdict.documents, 1))
    notes = "".join(f"<p>{_text(each)}</p>" for each in more.get("notes", ()))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What taking part would give away</title><style>{STYLE}</style></head><body>
<h1>What taking part would give away</h1>
<p class="lead">{_text(verdict.in_words)}</p>
{notes}
<h2>Who asks, and what is asked</h2>
<dl>
<dt>The adversary</dt><dd>{_text(verdict.adversary)}</dd>
<dt>The question</dt><dd>{_text(verdict.neighbours)} Which of the two is it?</dd>
<dt>Databases</dt><dd>{design.get("databases_of_group", "?")} for each group of documents.</dd>
</dl>
<h2>Documents by risk</h2>
<p>An adversary who has a document guesses whether it is among yours. Half of all guesses are right
by chance, which is the dashed line; the bar is the interval, from 0 to 100 %.
<b>Exposed</b>: found even after correcting for all documents and statistics (Holm, at most
{100 * verdict.alpha:g} % of audits in which there is nothing to find call any document exposed).
<b>Doubtful</b>: found, but so few may be chance. <b>Nothing found</b>: no proof that there is
nothing to find. Intervals hold at {100 * verdict.level:g} % for each document by itself.</p>
<div class="wide"><table>
<tr><th class="n">rank</th><th>document</th><th>verdict</th><th>guesses that are right</th><th></th>
<th class="n">p</th><th class="n">p (Holm)</th><th class="n">ε at least</th><th>told by</th></tr>
{rows}
</table></div>
<p>{_text(EPSILON)} Bounds hold at {100 * verdict.level:g} %.</p>
<h2>What was computed</h2>
<dl>{_definitions(told["audit"]["statistics"])}</dl>
<h2>For the record</h2>
<dl>
{_definitions(_recorded(told))}
</dl>
</body></html>
"""


def _row(number: int, each: DocumentVerdict) -> str:
    colour = COLOURS.get(each.outcome, CHANCE)
    return (
        f'<tr><td class="n">{number}</td><td class="id">{_text(each.document)}</td>'
        f'<td style="color:{colour}">{_text(each.outcome)}</td><td>{percent(each.right)}</td>'
        f'<td>{_bar(each.right, colour)}</td><td class="n">{short(each.p)}</td>'
        f'<td class="n">{short(each.p_holm)}</td><td class="n">{each.epsilon.low:.2f}</td>'
        f"<td>{_text(each.findings[0].statistic.replace('_', ' '))}</td></tr>"
    )


def _bar(right: Estimate, colour: str) -> str:
    """The interval as a line, the estimate as a dot, chance as a dashed line."""
    low, at, high = (f"{150 * each:.1f}" for each in (right.low, right.estimate, right.high))
    return (
        f'<svg width="158" height="14" viewBox="-4 0 158 14" role="img" '
        f'aria-label="{percent(right)}"><line x1="0" x2="150" y1="7" y2="7" stroke="#e4e4e4"/>'
        '<line x1="75" x2="75" y1="0" y2="14" stroke="#999" stroke-dasharray="2 2"/>'
        f'<line x1="{low}" x2="{high}" y1="7" y2="7" stroke="{colour}" stroke-width="3"/>'
        f'<circle cx="{at}" cy="7" r="4" fill="{colour}"/></svg>'
    )


def _recorded(told: dict[str, Any]) -> dict[str, str]:
    parameters = told["audit"]["parameters"]
    mechanism, design = parameters.get("mechanism", {}), parameters.get("design", {})
    learner = ", ".join(f"{k}={v}" for k, v in mechanism.get("parameters", {}).items())
    return {
        "Corpus": f"{design.get('corpus_size', '?'):,} documents to draw from, "
        f"SHA-256 {told['hashes']['corpus']}",
        "Samples": f"SHA-256 {told['hashes']['samples']}",
        "Learner": f"{mechanism.get('learner', '?')}({learner})",
        "Seed": str(parameters.get("seed", "?")),
        "Versions": ", ".join(f"{name} {each}" for name, each in told["versions"].items()),
    }


def _definitions(pairs: dict[str, str]) -> str:
    return "\n".join(
        f"<dt>{_text(name.replace('_', ' '))}</dt><dd>{_text(each)}</dd>"
        for name, each in pairs.items()
    )


def short(p: float) -> str:
    """A p-value as people read it.

    >>> short(1.0), short(0.04321), short(3.2e-12)
    ('1', '0.043', '3e-12')
    """
    return f"{p:.0e}" if p < 1e-3 else f"{p:.2g}"


def _text(text: str) -> str:
    return escape(printable(text))
