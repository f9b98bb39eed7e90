"""The release bundle: all that a decision rests on, as one page of HTML or the same as JSON.

Parameters, versions and hashes; what an adversary can tell of each document, and what a curious
party gets back; what the party gains; what crosses in a session, and which counts are small. The
page needs nothing but itself: no scripts, no network, no fonts from elsewhere. It names documents
by their ids and has none of their words, nor any other word of the vocabulary.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import version as version_of
from typing import Any

from chatham.audit.crossing import Crossing, SmallCounts
from chatham.audit.decision import Decision
from chatham.audit.excluding import Exclusion
from chatham.audit.figures import MEANINGS
from chatham.audit.intervals import Estimate
from chatham.audit.rebuilt import Rebuilt, RebuiltSession
from chatham.audit.sizes import Sizes
from chatham.audit.uplift import Uplift
from chatham.audit.verdict import (
    DOUBTFUL,
    EPSILON,
    EXPOSED,
    DocumentVerdict,
    Verdict,
    interval_shown,
    percent,
)
from chatham.learners.words import printable
from chatham.version import version

FORMAT = 2
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
MOST_FOUND = 50
"""More documents than these that were got back aren't listed on the page; JSON has all."""
COLOURS = {EXPOSED: "#D55E00", DOUBTFUL: "#B07800"}
CHANCE = "#5C7A8C"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 68rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; }
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


def bundle(
    found: Decision | Sizes, exclusion: Exclusion | None = None, **more: Any
) -> dict[str, Any]:
    """All that belongs to the report, in JSON's terms: versions, hashes, parameters, findings."""
    decisions = found.decisions if isinstance(found, Sizes) else (found,)
    samples = [each.verdict.samples_sha256 for each in decisions]
    return {
        "format": FORMAT,
        "versions": {
            "chatham": version(),
            "python": platform.python_version(),
            **{name: version_of(name) for name in LIBRARIES},
        },
        "hashes": {
            "corpus": decisions[0].verdict.parameters["corpus"],
            "samples": samples if isinstance(found, Sizes) else samples[0],
        },
        **more,
        **found.to_dict(),
        **({} if exclusion is None else {"exclusion": exclusion.to_dict()}),
    }


def as_json(found: Decision | Sizes, exclusion: Exclusion | None = None, **more: Any) -> str:
    """The bundle as text."""
    told = bundle(found, exclusion, **more)
    return json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_html(found: Decision | Sizes, exclusion: Exclusion | None = None, **more: Any) -> str:
    """The bundle as a page."""
    told = bundle(found, exclusion, **more)
    decisions = found.decisions if isinstance(found, Sizes) else (found,)
    first = decisions[0].verdict
    overview = _sizes(found) if isinstance(found, Sizes) else ""
    lead = found.in_words if isinstance(found, Sizes) else found.verdict.in_words
    notes = "".join(f"<p>{_text(each)}</p>" for each in more.get("notes", ()))
    if more.get("one_run"):
        notes += f"<p>{_text(more['one_run']['summary'])}</p>"
    titled = len(decisions) > 1
    sections = "\n".join(_decision(each, titled) for each in decisions)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What taking part would give away</title><style>{STYLE}</style></head><body>
<h1>What taking part would give away</h1>
<p class="lead">{_text(lead)}</p>
{notes}
{overview}
{"" if exclusion is None else _exclusion(exclusion)}
{sections}
<h2>What was computed</h2>
<dl>{_definitions(first.to_dict()["statistics"])}</dl>
<h2>For the record</h2>
<dl>
{_definitions(_recorded(told, first))}
</dl>
</body></html>
"""


def _decision(each: Decision, titled: bool) -> str:
    title = f"<h1>{each.size:,} documents, {100 * each.party_size:g} % of the corpus</h1>"
    return f"""{title if titled else ""}
{_documents(each.verdict)}
{_rebuilt(each.rebuilt)}
<h2>What you would gain</h2>
<p>{_text(each.gain_in_words)}</p>
{"" if each.uplift is None else _gains(each.uplift)}
{_crossing(each.crossing)}
{_small(each.crossing.small_counts)}"""


def _documents(verdict: Verdict) -> str:
    design = verdict.parameters.get("design", {})
    rows = "\n".join(_row(number, each) for number, each in enumerate(verdict.documents, 1))
    return f"""<h2>Who asks, and what is asked</h2>
<dl>
<dt>The adversary</dt><dd>{_text(verdict.adversary)}</dd>
<dt>The question</dt><dd>{_text(verdict.neighbours)} Which of the two is it?</dd>
<dt>Databases</dt><dd>{design.get("databases_of_group", "?")} for each group of documents.</dd>
<dt>The answer</dt><dd>{_text(verdict.in_words)}</dd>
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
{_further(verdict)}"""


def _further(verdict: Verdict) -> str:
    """Every document's further figures, and what each of them is."""
    names = list(verdict.documents[0].figures.by_name)
    rows = [
        (_text(each.document), *map(interval_shown, each.figures.by_name.values()))
        for each in verdict.documents
    ]
    heads = ("document", *(name.replace("_", " ") for name in names))
    return (
        "<details><summary>Further figures of each document</summary>"
        f"{_table(heads, rows)}<dl>{_definitions(MEANINGS)}</dl></details>"
    )


def _sizes(found: Sizes) -> str:
    rows = []
    for each in found.decisions:
        auc, rates = each.verdict.pooled.auc, each.verdict.pooled.true_positives
        gains = () if each.uplift is None else each.uplift.gains
        rows.append(
            (
                f"{each.size:,} ({100 * each.party_size:g} %)",
                f"{len(each.verdict.exposed):,} of {len(each.verdict.documents):,}",
                f"{percent(auc)} {_bar(auc, COLOURS[EXPOSED])}",
                *(percent(rate) for rate in rates.values()),
                f"{max(len(one.whole) for one in each.rebuilt.sessions):,}",
                "<br>".join(
                    f"{_text(gain.measure)} {_signed(gain.difference)}" for gain in gains
                ) or "–",
            )
        )  # fmt: skip
    rates = found.decisions[0].verdict.pooled.true_positives
    head = (
        "documents", "exposed", "told apart (AUC)",
        *(f"recognised at {100 * rate:g} % false alarms" for rate in rates),
        "rebuilt whole", "gained",
    )  # fmt: skip
    return f"<h2>By the number of documents</h2>{_table(head, rows)}"


def _exclusion(found: Exclusion) -> str:
    rows = (
        (
            _text(each.document), _text(each.before), _text(each.after),
            percent(each.right_before), percent(each.right_after), _signed(each.difference),
        )
        for each in found.changes
    )  # fmt: skip
    head = (
        "document", "with the others", "without", "guesses right with", "without", "difference",
    )  # fmt: skip
    return f"""<h2>What leaving documents out does</h2>
<p>{_text(found.in_words)}</p>
{_table(head, rows)}
<p>Left out: {_text(", ".join(found.left_out))}. What follows is about the audit without
them.</p>"""


def _rebuilt(found: Rebuilt) -> str:
    sessions = "".join(
        _found(f"Session {number}", each) for number, each in enumerate(found.sessions, 1)
    )
    exact = "" if found.exact_totals else _found("Had totals been exact", found.exact)
    return f"""<h2>What could be rebuilt</h2>
<p>{_text(found.in_words)} A certificate is what the curious party sees by itself, and how probable
it is that anything looks so by chance. That nothing was found is no proof that nobody finds
anything.</p>
{sessions}{exact}"""


def _found(title: str, session: RebuiltSession) -> str:
    if not session.found:
        return ""
    rows = (
        (
            _text(each.document), "whole" if each.whole else "words of it",
            f"{each.words:,}", _text(each.certificate),
        )
        for each in session.found[:MOST_FOUND]
    )  # fmt: skip
    more = len(session.found) - MOST_FOUND
    rest = f"<p>And {more:,} more, which are in the JSON.</p>" if more > 0 else ""
    head = ("document", "what", "words", "certificate")
    return f"<h3>{_text(title)}</h3>{_table(head, rows)}{rest}"


def _gains(found: Uplift) -> str:
    rows = (
        (
            _text(gain.meaning), *(
                f"{each.estimate:.3f} ({each.low:.3f} to {each.high:.3f})"
                for each in (gain.alone, gain.together)
            ), _signed(gain.difference), _text(gain.verdict),
        )
        for gain in found.gains
    )  # fmt: skip
    level = found.gains[0].difference.level if found.gains else 0.95
    return f"""{_table(("measure", "alone", "together", "difference", "the common model is"), rows)}
<p>More is better. Means and intervals ({100 * level:g} %) are over {found.draws} draws of parties
from this corpus, by Student's distribution, which is right if draws are about Gaussian.</p>"""


def _crossing(found: Crossing) -> str:
    rows = (
        (
            _text(each.meaning), " × ".join(f"{n:,}" for n in each.shape) or "1",
            _text(each.dtype), f"{each.times:,}", f"{each.bytes:,}",
        )
        for each in found.ledger
    )  # fmt: skip
    head = ("what crosses, as a total over all parties", "shape", "type", "times", "bytes")
    return f"""<h2>What crosses in one session</h2>
<p>{found.rounds:,} rounds, {found.bytes:,} bytes. Nothing else becomes known to anybody, but the
model.</p>
{_table(head, rows)}"""


def _small(found: SmallCounts) -> str:
    said = {
        "Documents": f"{found.documents:,}; the shortest has {found.shortest_document:,} different "
        "words of the vocabulary",
        "Words": f"{found.words:,}, of which fewer than five documents have {found.rare_words:,}",
    }
    if found.small_topics is not None:
        few = ", ".join(f"{n} with fewer than {least}" for least, n in found.small_topics.items())
        said["Topics"] = (
            f"{found.topics}: {few} documents' worth of weight; the smallest has "
            f"{found.smallest_topic:.1f}"
        )
    return f"<h2>Small counts of that session</h2><dl>{_definitions(said)}</dl>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    titles = "".join(f"<th>{each}</th>" for each in head)
    lines = "\n".join(
        "<tr>"
        + "".join(f'<td class="id">{cell}</td>' if not i else f"<td>{cell}</td>"
                  for i, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )  # fmt: skip
    return f'<div class="wide"><table><tr>{titles}</tr>\n{lines}\n</table></div>'


def _signed(found: Estimate) -> str:
    said = f"{found.estimate:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
    return said.replace("-", "−")


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


def _recorded(told: dict[str, Any], verdict: Verdict) -> dict[str, str]:
    parameters, samples = verdict.parameters, told["hashes"]["samples"]
    mechanism, design = parameters.get("mechanism", {}), parameters.get("design", {})
    learner = ", ".join(f"{k}={v}" for k, v in mechanism.get("parameters", {}).items())
    return {
        "Corpus": f"{design.get('corpus_size', '?'):,} documents to draw from, "
        f"SHA-256 {told['hashes']['corpus']}",
        "Samples": "SHA-256 " + (samples if isinstance(samples, str) else ", ".join(samples)),
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
