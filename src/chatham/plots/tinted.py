"""A document with each of its words in the colour of the topic that it is from.

A notebook and an .html file show it as text that can be selected, without any script; .png, .svg
and .pdf show its beginning as a figure. The document's largest topics have colours and all others
are grey; the surer it is that a word is from its topic, the stronger is the colour. Nothing in the
text is taken for markup.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from chatham.documents.representative import rows_of_topics
from chatham.documents.tinting import check_topics, one_text, tint
from chatham.errors import InputError
from chatham.learners.words import printable
from chatham.measures.elsewhere.anything import as_subject
from chatham.model.tinted import Span, Tinted
from chatham.naming import plural
from chatham.plots.palette import COLOURS, INK
from chatham.plots.panels import METADATA, matplotlib, save_figure, style

TOPIC_COLOURS = COLOURS[:6]
OTHERS = "#8C8C8C"
FAINTEST, STRONGEST = 0.12, 0.42
"""How much of the colour is behind a word of which nothing, and everything, is known."""
PAGE = ".html"

COLUMNS, MOST_LINES = 92, 60
"""Of a figure: letters in a line, and lines."""
LONGEST = COLUMNS // 2
"""Letters of a word after which a line may break, since some are twice as wide."""
LETTER, LINE, MARGIN = 0.0723, 0.175, 0.15
"""Of a figure, in inches: the width of a letter, the height of a line, and what is around."""

CSS = """
.chatham-document{font:14px/1.75 system-ui,sans-serif;max-width:52em}
.chatham-document .legend{margin:0 0 .8em;padding:0;list-style:none}
.chatham-document .legend li{display:inline-block;margin:0 1.2em .3em 0;white-space:nowrap}
.chatham-document .text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate}
.chatham-document .w{border-bottom:2px solid;border-radius:3px;padding:0 1px}
.chatham-document .none{opacity:.7}
"""


@dataclass(frozen=True, eq=False, repr=False)
class DocumentFigure:
    """A tinted document; a notebook shows it, and `save` writes it."""

    document: Tinted
    coloured: tuple[int, ...]
    """The numbers of the topics that have colours of their own, in the order of the colours."""
    title: str | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as .html, or its beginning as .png, .svg or .pdf."""
        file = Path(path)
        if file.suffix.lower() == PAGE:
            file.write_text(self.page(), encoding="utf-8")
        elif file.suffix.lower() in METADATA:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the font hasn't the letters of every script
                save_figure(self.figure(), file)
        else:
            raise InputError(
                f"'{file}' must end in one of {', '.join([PAGE, *METADATA])}, the formats of "
                "documents in colours."
            )

    def page(self) -> str:
        """A whole page of HTML."""
        title = escape(_visible(self.title or "A document and its topics"))
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>{title}</title></head>\n'
            f"<body>{self._repr_html_()}</body></html>\n"
        )

    def figure(self) -> Any:
        """A Matplotlib figure of its beginning."""
        return _drawn(self)

    def __repr__(self) -> str:
        return repr(self.document)

    def _repr_html_(self) -> str:
        heading = "" if self.title is None else f"<p><b>{escape(_visible(self.title))}</b></p>"
        words = "".join(self._piece(text, span) for text, span in self.document.pieces())
        return (
            f'<div class="chatham-document"><style>{CSS}</style>{heading}{self._legend()}'
            f'<div class="text">{words}</div></div>'
        )

    def _piece(self, text: str, span: Span | None) -> str:
        shown = escape(_visible(text))
        if span is None or span.topic is None:
            return shown
        colour = self.colour_of(span.topic)
        told = f"{_topic_named(self.document, span.topic)}: {span.probability:.0%}"
        return (
            f'<span class="w" style="background:{_mixed(colour, span.probability)};'
            f'border-color:{colour}" title="{escape(_visible(told))}">{shown}</span>'
        )

    def _legend(self) -> str:
        rows = [
            f'<li><span class="w" style="background:{_mixed(colour, 1.0)};border-color:{colour}">'
            f"{escape(_visible(name))}</span> {share}</li>"
            for name, share, colour in self.legend()
        ]
        if not rows:
            return '<p class="none">No word of it is in the model\'s vocabulary.</p>'
        return f'<ul class="legend">{"".join(rows)}</ul>'

    def legend(self) -> list[tuple[str, str, str]]:
        """The topics that have words here: what they are called, their weight, their colour."""
        document, here = self.document, {span.topic for span in self.document.spans}
        numbers = document.numbers.tolist()
        rows = [
            (_topic_named(document, t), _share(document.weights[numbers.index(t)]), colour)
            for t, colour in zip(self.coloured, TOPIC_COLOURS, strict=False)
            if t in here
        ]
        others = here - set(self.coloured) - {None}
        if others:
            weight = sum(document.weights[numbers.index(topic)] for topic in others)
            rows.append((f"{plural(len(others), 'other topic')}", _share(weight), OTHERS))
        return rows

    def colour_of(self, topic: int) -> str:
        """The topic's colour, as #RRGGBB."""
        if topic in self.coloured:
            return TOPIC_COLOURS[self.coloured.index(topic)]
        return OTHERS


def document(
    model: Any,
    text: Any,
    topics: Sequence[int] | None = None,
    title: str | None = None,
    *,
    vocabulary: Any = None,
) -> DocumentFigure:
    """Draw a text with each word in the colour of its topic.

    `model` is a model, or topics from elsewhere with their `vocabulary`; `text` one text, or a list
    of its words. `topics` are those that have colours, up to six; by default those with most words.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    >>> drawn = document(model, corpus.texts[0])
    >>> drawn.page().startswith("<!DOCTYPE html>")
    True
    """
    subject = as_subject(model, vocabulary)
    check_topics(subject)
    tinted = tint(subject, one_text(text))
    if topics is None:
        return DocumentFigure(tinted, _largest(tinted), title)
    chosen = [int(subject.numbers[row]) for row in rows_of_topics(subject, list(topics))]
    if len(chosen) > len(TOPIC_COLOURS):
        raise InputError(
            f"{plural(len(chosen), 'topic')} can't have colours that can be told apart; give up "
            f"to {len(TOPIC_COLOURS)}."
        )
    return DocumentFigure(tinted, tuple(chosen), title)


def html_of(tinted: Tinted) -> str:
    """The HTML of a tinted document, for a notebook."""
    return DocumentFigure(tinted, _largest(tinted))._repr_html_()


def _largest(tinted: Tinted) -> tuple[int, ...]:
    """The topics with most words in the document, of equal ones the smaller numbers."""
    words: dict[int, int] = {}
    for span in tinted.spans:
        if span.topic is not None:
            words[span.topic] = words.get(span.topic, 0) + 1
    order = sorted(words, key=lambda topic: (-words[topic], topic))
    return tuple(order[: len(TOPIC_COLOURS)])


def _topic_named(tinted: Tinted, topic: int) -> str:
    row = tinted.numbers.tolist().index(topic)
    return f"{topic}  {tinted.names[row]}".rstrip()


def _share(weight: float) -> str:
    return f"{weight:.0%}" if weight >= 0.005 else "under 1%"


def _visible(text: str) -> str:
    """Text without what neither prints nor breaks a line: it can hide or reverse what is shown."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)


def _strength(probability: float) -> float:
    return FAINTEST + (STRONGEST - FAINTEST) * float(probability)


def _mixed(colour: str, probability: float) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{_strength(probability):.2f})"


def _drawn(figure: DocumentFigure) -> Any:
    """The document's beginning in letters of one width, so that places follow from counting."""
    matplotlib()
    from matplotlib.figure import Figure

    legend = figure.legend()
    lines, cut = _lines(figure.document)
    heading = (0 if figure.title is None else 1.6) + len(legend) + (0.6 if legend else 0)
    height = 2 * MARGIN + LINE * (heading + len(lines) + cut)
    width = 2 * MARGIN + LETTER * COLUMNS
    with style():
        drawn: Any = Figure(figsize=(width, height))
        axes = drawn.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        top = MARGIN + LINE / 2
        if figure.title is not None:
            _write(axes, MARGIN, top, printable(figure.title), fontsize=10)
            top += 1.6 * LINE
        for name, share, colour in legend:
            _tint(axes, MARGIN, top, 2, colour, 1.0)
            _write(axes, MARGIN + 3 * LETTER, top, printable(f"{name}   {share}"), fontsize=8)
            top += LINE
        top += 0.6 * LINE if legend else 0
        for line in lines:
            place = MARGIN
            for shown, span in line:
                if span is not None and span.topic is not None:
                    colour = figure.colour_of(span.topic)
                    _tint(axes, place, top, _letters(shown), colour, span.probability)
                _write(axes, place, top, shown)
                place += LETTER * _letters(shown)
            top += LINE
        if cut:
            _write(axes, MARGIN, top, "…")
    return drawn


Line = list[tuple[str, Span | None]]


def _lines(tinted: Tinted) -> tuple[list[Line], bool]:
    """The text in lines of at most so many letters, broken between words; whether more follows."""
    lines: list[Line] = [[]]
    room = COLUMNS
    for text, span in tinted.pieces():
        for run in re.findall(r"\n|[^\S\n]+|\S+", text):
            if run == "\n":
                lines.append([])
                room = COLUMNS
                continue
            shown = printable(run)
            if run.isspace():
                shown = " " if room < COLUMNS else ""
            for part in (shown[at : at + LONGEST] for at in range(0, len(shown), LONGEST)):
                if _letters(part) > room:
                    lines.append([])
                    room = COLUMNS
                    if part == " ":
                        continue
                lines[-1].append((part, span))
                room -= _letters(part)
        if len(lines) > MOST_LINES:
            return lines[:MOST_LINES], True
    return lines, False


def _letters(text: str) -> int:
    """How many letters wide a text is; those of China, Japan and Korea count twice."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _tint(axes: Any, left: float, middle: float, n: int, colour: str, probability: float) -> None:
    from matplotlib.patches import Rectangle

    bottom = middle + 0.42 * LINE
    size = LETTER * n
    axes.add_patch(
        Rectangle((left, bottom), size, -0.84 * LINE, color=colour, linewidth=0,
                  alpha=_strength(probability))
    )  # fmt: skip
    axes.plot([left, left + size], [bottom, bottom], color=colour, linewidth=1.0,
              solid_capstyle="butt")  # fmt: skip


def _write(axes: Any, left: float, middle: float, text: str, **look: Any) -> None:
    font = {"family": "DejaVu Sans Mono", "fontsize": 8.65, "color": INK} | look
    axes.text(left, middle, text, va="center_baseline", parse_math=False, **font)


__all__ = ["DocumentFigure", "document", "html_of"]
