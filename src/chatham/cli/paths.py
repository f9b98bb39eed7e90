"""Whether results can be written to the paths that were named, checked before the work is done."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import typer

from chatham.cli.wording import as_options
from chatham.errors import InputError


def check_folder(folder: Path | None) -> None:
    """Refuse a folder that couldn't be made or written to; its parents may be missing."""
    if folder is None:
        return
    nearest = folder
    while not os.path.lexists(nearest) and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        raise InputError(f"'{folder}' can't be written: '{nearest}' is not a folder.")
    _try(nearest, folder)


def check_file(path: Path | None) -> None:
    """Refuse a file that couldn't be written."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"'{path}' is a folder, but a file is to be written; choose another name.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder '{path.parent}' to write '{path.name}' in; make it.")
    if path.exists() and not path.is_file() and os.access(path, os.W_OK):
        return  # a device or a pipe: no file has to be made next to it
    _try(path.parent, path)


def check_figure(plot: Path | None, *, interactive: bool = False) -> None:
    """Refuse a figure that couldn't be drawn or written, before any work is done.

    Some can be `interactive` too, pages for a browser.
    """
    if plot is None:
        return
    from chatham.plots.interactive import plotly
    from chatham.plots.panels import check_ending, matplotlib
    from chatham.plots.picture import check_picture

    try:
        file = check_picture(plot) if interactive else check_ending(plot)
    except InputError as error:
        raise typer.BadParameter(as_options(error), param_hint="--plot") from None
    if file.suffix.lower() == ".html":
        plotly()
    else:
        matplotlib()
    check_file(plot)


def _try(folder: Path, path: Path) -> None:
    """Make a temporary file in the folder; an error names the path that was asked for."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> InputError:
    """The error with the user's path, instead of a temporary name that it may mention."""
    return InputError(f"'{path}' can't be written: {error.strerror or type(error).__name__}.")
