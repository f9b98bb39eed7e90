"""How a topic model shows itself: as text, or in a notebook as one self-contained piece of HTML.

There are no scripts in it, and words are escaped. The map is drawn by a room above this one.
"""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import TYPE_CHECKING

from chatham.learners.words import printable
from chatham.model.tables import anchor_labels, rows_of_words
from chatham.naming import plural

if TYPE_CHECKING:
    from chatham.model.topic_model import TopicModel

MOST_TOPICS, WORDS = 50, 10
TEXT_TOPICS, TEXT_WORDS = 8, 6

STYLE = """
.chatham{font:13px/1.5 system-ui,sans-serif;max-width:64em}
.chatham table{border-collapse:collapse;width:100%;border:0;margin:0}
.chatham td,.chatham th{border:0;border-top:1px solid rgba(128,128,128,.25);
 padding:.35em .8em .35em 0;text-align:left;vertical-align:middle;background:none;color:inherit}
.chatham th{font-weight:600;border-top:0;white-space:nowrap}
.chatham td.n{text-align:right;width:2.5em;font-variant-numeric:tabular-nums}
.chatham td.n span{opacity:.7}
.chatham td.s{width:11em;white-space:nowrap;font-variant-numeric:tabular-nums}
.chatham td.m{min-width:9em}
.chatham .map{margin-top:1em}
.chatham td.a{white-space:nowrap;font-style:italic}
.chatham .bar{display:inline-block;height:.75em;border-radius:2px;background:#0072b2;
 margin-right:.6em;vertical-align:-.05em}
.chatham .w{display:inline-block;margin-right:.75em;border-bottom:2px solid #0072b2}
.chatham .note{opacity:.7;margin:.4em 0 0}
"""


def text_of(model: TopicModel) -> str:
    """A few of the model's topics, one per line: number, share, anchor if it has one, words.

    An anchor that is also in round brackets no longer fits its topic.
    """
    lines = [f"TopicModel: {_size(model)}"]
    shown, anchors = model.top_word_lists(TEXT_WORDS)[:TEXT_TOPICS], anchor_labels(model)
    names = model.names.given
    for row, words in enumerate(rows_of_words(model, shown)):
        number = int(model.numbers[row])
        name = f"{names[number]}: " if number in names else ""
        anchor = f"[{anchors[row]}] " if anchors is not None and anchors[row] else ""
        description = printable(name + anchor + words)
        lines.append(f"{number:4} {model.prevalence[row]:5.1%}  {description}")
    if len(shown) < model.n_topics:
        lines.append(f"     … and {plural(model.n_topics - len(shown), 'smaller one')}")
    return "\n".join(lines)


def html_of(model: TopicModel) -> str:
    """The model's topics with names, shares, their anchors if they have any, top words and map.

    The fainter the line under a word, the lower its probability in the topic.
    """
    shown = min(model.n_topics, MOST_TOPICS)
    anchor = "" if anchor_labels(model) is None else "<th>anchor</th>"
    head = f"<tr><th></th><th>share</th><th>name</th>{anchor}<th>words</th></tr>"
    rows = "".join(_rows(model, shown))
    return (
        f'<div class="chatham"><style>{STYLE}</style><p><b>{escape(_size(model, ": "))}</b></p>'
        f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
        f"{_note(model, shown)}{_map(model)}</div>"
    )


def _map(model: TopicModel) -> str:
    """The map of its topics; one alone has none."""
    if model.n_topics < 2:
        return ""
    drawn: str = import_module("chatham.plots.inline_map").map_svg(model)
    return f'<div class="map">{drawn}</div>'


def _size(model: TopicModel, between: str = ", ") -> str:
    k, d = model.topics.shape
    return f"{model._learner}{between}{plural(k, model.kind)} over {plural(d, 'word')}"


def _note(model: TopicModel, shown: int) -> str:
    hidden = model.n_topics - shown
    return f'<p class="note">and {plural(hidden, f"smaller {model.kind}")}</p>' if hidden else ""


def _rows(model: TopicModel, shown: int) -> list[str]:
    table, anchors = model.top_words(WORDS), anchor_labels(model)
    largest = max(float(model.prevalence.max()), 1e-300)
    rows = []
    for topic in range(shown):
        number = int(model.numbers[topic])
        best = table[table[model.kind] == number]
        share = float(model.prevalence[topic])
        words = _words(best["word"].tolist(), best["score"].tolist(), model.kind)
        bar = f'<span class="bar" style="width:{6.5 * share / largest:.2f}em"></span>'
        rows.append(
            f'<tr><td class="n"><span>{number}</span></td><td class="s">{bar}{share:.1%}</td>'
            f'<td class="m">{escape(printable(model.names[number]))}</td>'
            f"{_anchor(anchors, topic)}<td>{words}</td></tr>"
        )
    return rows


def _anchor(anchors: list[str] | None, topic: int) -> str:
    return "" if anchors is None else f'<td class="a">{escape(anchors[topic])}</td>'


def _words(words: list[str], scores: list[float], kind: str) -> str:
    largest = max(map(abs, scores), default=1.0)
    spans = []
    for word, score in zip(words, scores, strict=True):
        colour = f"rgba(0,114,178,{max(abs(score) / largest, 0.08):.2f})"
        title = f"{score:.3%}" if kind == "topic" else f"{score:+.3f}"
        sign = "−" if score < 0 else ""
        spans.append(
            f'<span class="w" style="border-color:{colour}" title="{title}">{sign}{escape(word)}'
            "</span>"
        )
    return " ".join(spans)
