"""Interactive figures: Plotly's, in our look, as pages that need no network.

Plotly reads tags, entities and formulas in every text, so what is somebody's words is escaped
first. Pages have plotly.js inside, from the Python package, and a policy that forbids a browser to
load anything.
"""

from __future__ import annotations

from html import escape
from typing import Any

from chatham.errors import InputError
from chatham.extras import how_to_install
from chatham.learners.words import printable
from chatham.plots.palette import COLOURS, FAINT, INK, PALE

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
SIZE, TITLE, SMALL = 12, 15, 10.5
"""Sizes of letters in pixels."""
CONFIG = {
    "displaylogo": False,
    "responsive": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "chatham"},
}
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'none'"
)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body{{margin:1.5em;background:#fff}}</style>
</head>
<body>
{figure}
</body>
</html>
"""


def plotly() -> Any:
    """Plotly's graph objects, or an error that says how to install it."""
    try:
        import plotly.graph_objects
    except ImportError:
        raise InputError(
            f"Interactive figures need Plotly, which isn't installed: {how_to_install('plot')}"
        ) from None
    return plotly.graph_objects


def literal(text: str) -> str:
    """Text that Plotly shows as it is: no tags, no entities, no formulas.

    Right-to-left text is kept apart from what stands beside it.

    >>> literal("<b>tea & $5</b>") == "&lt;b&gt;tea &amp; &#36;5&lt;/b&gt;"
    True
    """
    text = printable(text)
    safe = escape(text, quote=False).replace("$", "&#36;")
    return safe if text.isascii() else f"\u2068{safe}\u2069"


def bold(text: str) -> str:
    """The same in bold."""
    return f"<b>{literal(text)}</b>"


def figure(traces: list[Any], title: str, width: float, height: float, **layout: Any) -> Any:
    """A figure of these traces in our look; `title` is literal, everything else is Plotly's."""
    margin = {"l": 20, "r": 20, "t": 64, "b": 20, **layout.pop("margin", {})}
    return plotly().Figure(
        traces,
        {
            "template": "none",
            "width": round(width),
            "height": round(height),
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "colorway": list(COLOURS),
            "font": {"family": FONT, "size": SIZE, "color": INK},
            "title": {
                "text": bold(title), "x": 0, "xref": "container", "y": 1, "yref": "container",
                "yanchor": "top", "xanchor": "left", "pad": {"l": 20, "t": 20},
                "font": {"size": TITLE},
            },
            "hoverlabel": {"align": "left", "bgcolor": "white", "font": {"size": SIZE}},
            "showlegend": False,
            "margin": margin,
            **layout,
        },
    )  # fmt: skip


def hidden_axis(low: float, high: float, **more: Any) -> dict[str, Any]:
    """An axis of which nothing is drawn."""
    return {"range": [low, high], "visible": False, "zeroline": False, **more}


def quiet_axis(**more: Any) -> dict[str, Any]:
    """An axis with thin lines."""
    return {"gridcolor": FAINT, "zeroline": False, "linecolor": "#999999", "ticks": "",
            "tickfont": {"size": SMALL}, "automargin": False, **more}  # fmt: skip


def caption(text: str, below: float = 0) -> dict[str, Any]:
    """A line of text at the foot of a figure; it is Plotly's text, not somebody's words."""
    return {
        "text": text, "showarrow": False, "align": "left", "xref": "paper", "yref": "paper",
        "x": 0, "y": 0, "xanchor": "left", "yanchor": "top", "yshift": -below,
        "font": {"size": SMALL, "color": PALE},
    }  # fmt: skip


def pale(colour: str, alpha: float) -> str:
    """A colour through which others can be seen.

    >>> pale("#0072B2", 0.5)
    'rgba(0,114,178,0.5)'
    """
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def fragment(drawn: Any) -> str:
    """A figure as a piece of a page, with plotly.js inside."""
    html = drawn.to_html(
        config=CONFIG, include_plotlyjs=True, include_mathjax=False, full_html=False,
        div_id="chatham",
    )  # fmt: skip
    return str(html)


def page(drawn: Any, title: str) -> str:
    """A figure as a page that is complete in one file."""
    return PAGE.format(policy=POLICY, title=escape(printable(title)), figure=fragment(drawn))
