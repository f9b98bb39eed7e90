"""`python -m chatham` in this process: commands by their public name, wherever their code is."""

import io
import os
import runpy
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch


class Said(NamedTuple):
    """What a command printed, and how it ended."""

    out: str
    errors: str
    code: int


def chatham(*words: object, answers: str = "") -> Said:
    """Run a command as in a pipe; `answers` is what is typed if it asks.

    >>> chatham("topics", "--no-such-option").code
    2
    """
    out, errors, code = io.StringIO(), io.StringIO(), 0
    with (
        patch.object(sys, "argv", ["chatham", *map(str, words)]),
        patch.object(sys, "stdin", io.StringIO(answers)),
        patch.dict("os.environ"),
        redirect_stdout(out),
        redirect_stderr(errors),
        warnings.catch_warnings(),
    ):
        os.environ.pop("COLUMNS", None)
        try:
            runpy.run_module("chatham", run_name="__main__", alter_sys=False)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return Said(out.getvalue(), errors.getvalue(), code)
