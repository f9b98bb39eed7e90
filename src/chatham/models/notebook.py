"""A topic model as one self-contained piece of HTML for a notebook: no scripts, words escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from chatham.corpus.naming import plural

if TYPE_CHECKING:
    from chatham.models.topic_model import TopicModel

MOST_TOPICS = 50
WORDS = 10

STYLE = """
.chatham{font:13px/1.5 system-ui,sans-serif;max-width:64em}
.chatham table{border-collapse:collapse;width:100%;border:0;margin:0}
.chatham td,.chatham th{border:0;border-top:1px solid rgba(128,128,128,.25);
 padding:.35em .8em .35em 0;text-align:left;vertical-align:middle;background:none;color:inherit}
.chatham th{font-weight:600;border-top:0;white-space:nowrap}
.chatham td.n{text-align:right;width:2.5em;font-variant-numeric:tabular-nums}
.chatham td.n span{opacity:.7}
.chatham td.s{width:11em;white-space:nowrap;font-variant-numeric:tabular-nums}
.chatham .bar{display:inline-block;height:.75em;border-radius:2px;background:#3b7ea1;
 margin-right:.6em;vertical-align:-.05em}
.chatham .w{display:inline-block;margin-right:.75em;border-bottom:2px solid #3b7ea1}
.chatham .note{opacity:.7;margin:.4em 0 0}
"""


def html_of(model: TopicModel) -> str:
    """The model's topics with their shares and top words.

    The fainter the line under a word, the less often the topic utters it.
    """
    shown = min(model.n_topics, MOST_TOPICS)
    head = "<tr><th></th><th>share</th><th>words</th></tr>"
    rows = "".join(_rows(model, shown))
    return (
        f'<div class="chatham"><style>{STYLE}</style><p><b>{_title(model)}</b></p>'
        f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>{_note(model, shown)}</div>"
    )


def _title(model: TopicModel) -> str:
    k, d = model.topics.shape
    size = f"{plural(k, 'topic')} over {plural(d, 'word')}"
    return escape(f"{type(model.estimator).__name__}: {size}")


def _note(model: TopicModel, shown: int) -> str:
    hidden = model.n_topics - shown
    return f'<p class="note">and {plural(hidden, "smaller topic")}</p>' if hidden else ""


def _rows(model: TopicModel, shown: int) -> list[str]:
    table = model.top_words(WORDS)
    largest = max(float(model.prevalence.max()), 1e-300)
    rows = []
    for topic in range(shown):
        mine = table[table["topic"] == topic]
        share = float(model.prevalence[topic])
        words = _words(mine["word"].tolist(), mine["score"].tolist())
        bar = f'<span class="bar" style="width:{6.5 * share / largest:.2f}em"></span>'
        rows.append(
            f'<tr><td class="n"><span>{topic}</span></td><td class="s">{bar}{share:.1%}</td>'
            f"<td>{words}</td></tr>"
        )
    return rows


def _words(words: list[str], scores: list[float]) -> str:
    return " ".join(
        f'<span class="w" style="border-color:rgba(59,126,161,{max(score / scores[0], 0.08):.2f})" '
        f'title="{score:.3%}">{escape(word)}</span>'
        for word, score in zip(words, scores, strict=True)
    )
