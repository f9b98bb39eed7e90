"""`ch.explore`: the page in a browser, or, in a notebook, below the cell."""

from __future__ import annotations

import sys
import webbrowser
from html import escape
from typing import Any

from chatham.explorer.extra import need_explorer
from chatham.explorer.report import report_page
from chatham.explorer.shelf import as_corpus
from chatham.explorer.workbench import Workbench
from chatham.model.topic_model import TopicModel

HEIGHT = 860
"""Pixels of the page in a notebook."""


class Exploration:
    """The page as a notebook shows it: in a frame that can't reach the notebook."""

    def __init__(self, page: str) -> None:
        self._page = page

    def __repr__(self) -> str:
        return "Exploration (shown in a notebook; ch.report writes the same to a file)"

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" srcdoc="{escape(self._page)}" '
            f'title="Chatham explorer" width="100%" height="{HEIGHT}" '
            'style="border:0;border-radius:12px"></iframe>'
        )


def explore(
    model: TopicModel,
    corpus: Any = None,
    *,
    at: str = "",
    texts: bool = False,
    port: int | None = None,
    browser: bool = True,
) -> Exploration | None:
    """Look at topics, at the documents behind them, and say what you think of them.

    `corpus` are the documents: a `Corpus`, or whatever `read_corpus` reads. In a script this serves
    the page on this machine alone until Ctrl-C, and opens it in the browser unless `browser=False`;
    `at` is what to show, as the page itself writes it below the picture. Names and edits are then
    those of `model`, for `model.save`. In a notebook it returns the page to be shown below the
    cell; since notebooks are passed on, it has the documents' texts only with `texts=True`.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    >>> ch.explore(model, corpus, at="topic=2")  # doctest: +SKIP
    """
    if in_notebook():
        page, _ = report_page(model, corpus, documents=texts, at=at)
        return Exploration(page)
    need_explorer()
    from chatham.explorer.server import Server, listening_on

    bench = Workbench(model, None if corpus is None else as_corpus(corpus, model))
    server = Server(bench, listening_on(port))

    def announce(address: str) -> None:
        print(f"The explorer is at {shown_at(address, at)}\nCtrl-C stops it.", flush=True)  # noqa: T201
        if browser:
            webbrowser.open(shown_at(server.address_for_one_visit(), at))

    try:
        server.serve_here(announce)
    finally:
        bench.close()
    return None


def shown_at(address: str, at: str) -> str:
    """The address with what is to be shown."""
    return f"{address}#{at.removeprefix('#')}" if at else address


def in_notebook() -> bool:
    """Whether what is returned will be shown below a cell."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
