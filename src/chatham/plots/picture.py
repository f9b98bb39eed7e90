"""A picture: what a notebook shows and a script saves, interactive or for print.

It knows how it is drawn by Plotly and by Matplotlib, and the table of the numbers behind it;
neither library is imported before it is needed.
"""

from __future__ import annotations

import io
import json
import os
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatham.errors import InputError
from chatham.plots.interactive import fragment, page
from chatham.plots.panels import METADATA, save_figure, style

if TYPE_CHECKING:
    import pandas as pd

ENDINGS = (".html", *METADATA)
PLOTLY = "application/vnd.plotly.v1+json"
NOTEBOOK_DPI = 110


class Picture:
    """A picture of topics: in a notebook it shows itself, and `save` writes it to a file.

    >>> import chatham as ch
    >>> model = ch.fit("nmf", ["cats purr", "dogs bark"], n_components=2, random_state=0)
    >>> picture = ch.plots.map(model)
    >>> picture
    Picture: A map of 2 topics
    >>> picture.table["topic"].tolist()
    [0, 1]
    """

    def __init__(
        self,
        title: str,
        *,
        matplotlib: Callable[[], Any],
        plotly: Callable[[], Any],
        table: pd.DataFrame,
    ) -> None:
        self.title = title
        self.table = table
        """The numbers that are drawn."""
        self._print, self._interactive = matplotlib, plotly

    def __repr__(self) -> str:
        """Say what it is a picture of."""
        return f"Picture: {self.title}"

    def matplotlib(self) -> Any:
        """The picture for print, a figure of Matplotlib."""
        return self._print()

    def plotly(self) -> Any:
        """The interactive picture, a figure of Plotly."""
        return self._interactive()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as .html, a page that needs nothing else, or for print as .png, .svg or .pdf."""
        file = check_picture(path)
        if file.suffix.lower() == ".html":
            file.write_text(page(self.plotly(), self.title), "utf-8")
        else:
            save_figure(self.matplotlib(), file)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Interactive where a notebook can show Plotly's figures, else as an image.

        A notebook keeps both, a few hundred kilobytes; plotly.js would be five megabytes each time.
        """
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        interactive, printed = _or_none(self.plotly), _or_none(self.matplotlib)
        if interactive is not None:
            bundle[PLOTLY] = json.loads(interactive.to_json())
        if printed is not None:
            bundle["image/png"] = b64encode(_png(printed)).decode()
        elif interactive is not None:
            bundle["text/html"] = fragment(interactive)
        return bundle


def check_picture(path: str | os.PathLike[str]) -> Path:
    """Refuse an extension that is no format of pictures."""
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        raise InputError(
            f"'{file}' must end in one of {', '.join(ENDINGS)}, the formats of pictures."
        )
    return file


def _or_none(draw: Callable[[], Any]) -> Any:
    """The figure, or None where its library isn't installed."""
    try:
        return draw()
    except InputError as error:
        if isinstance(error.__context__, ImportError):
            return None
        raise


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format="png", dpi=NOTEBOOK_DPI, metadata=METADATA[".png"])
    return buffer.getvalue()
