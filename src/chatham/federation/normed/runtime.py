"""MPyC as a library: loaded without side effects, and one runtime at a time for this process.

MPyC reads the command line and sets up logging when it is imported, keeps its runtime in a global,
and pickles what `transfer` and its array types send. Here it is imported with a command line made
for it, its logging is undone, and its wire mode without pickle is switched on. Only lists of field
elements are ever sent, by `input`, `_reshare` and `output`; `transfer` is never called, nor is
`shutdown`, which calls it.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from typing import Any

from chatham.errors import InputError
from chatham.extras import how_to_install

PRIME = 2**255 - 19
"""The field is the integers modulo this prime."""
_FLAGS = ["--no-log", "--no-prss", "--no-uvloop", "--mix32-64bit"]


class Engine:
    """MPyC's runtime for one set of links; make it in the thread whose event loop it is to use."""

    _in_use = False

    def __init__(self, index: int, parties: int) -> None:
        if Engine._in_use:
            raise InputError(
                "This process already has a normed sum open, and MPyC can have only one; close the "
                "other NormedLinks first."
            )
        runtime, self._asyncoro = _load("mpyc.runtime"), _load("mpyc.asyncoro")
        self.field: Any = _load("mpyc.finfields").GF(PRIME)
        self.threshold = (parties - 1) // 2
        peers = [runtime.Party(number) for number in range(parties)]
        self.runtime: Any = runtime.Runtime(index, peers, _options(self.threshold))
        self._before = self._asyncoro.runtime, self._asyncoro._hop
        self._asyncoro.runtime, self._asyncoro._hop = self.runtime, _hop
        Engine._in_use = True

    def close(self) -> None:
        """Leave MPyC's globals as they were."""
        self._asyncoro.runtime, self._asyncoro._hop = self._before
        Engine._in_use = False


def _options(threshold: int) -> Namespace:
    return Namespace(
        threshold=threshold,
        no_prss=True,  # it has a key for each majority, and they would go unused here
        mix32_64bit=True,  # the wire mode without pickle
        no_log=True,
        no_async=False,
        no_barrier=False,
        ssl=False,  # links are made by us, with TLS
        sec_param=40,
    )


def _hop(counter: list[int]) -> int:
    """A label for messages that is the same on every machine and in every version of Python."""
    return int.from_bytes(sha256(repr(counter).encode()).digest()[:8], "little", signed=True)


def _load(name: str) -> Any:
    try:
        with _own_command_line(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # it uses old names of numpy
            return import_module(name)
    except ImportError:
        raise InputError(
            f"The normed sum needs packages that can't be found: {how_to_install('mpc')}"
        ) from None


@contextmanager
def _own_command_line() -> Iterator[None]:
    root, argv, workers = logging.getLogger(), sys.argv, os.environ.get("MPYC_MAXWORKERS")
    level, handlers = root.level, root.handlers[:]
    sys.argv = [argv[0] if argv else "", *_FLAGS]
    try:
        yield
    finally:
        sys.argv, root.handlers[:] = argv, handlers
        root.setLevel(level)
        if workers is None:
            os.environ.pop("MPYC_MAXWORKERS", None)
