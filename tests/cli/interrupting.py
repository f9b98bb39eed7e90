"""`chatham`, that interrupts itself at a moment which has a name.

    python -m tests.cli.interrupting SIGINT,SIGINT import:uvicorn relay session.toml

The process is a real one and so are the signals; only when they come is written down instead of
left to chance. A moment is an import (`import:NAME`), an event that Python can be audited for
(`audit:socket.bind`), the beginning or the end of a function (`before:PATH`, `after:PATH`), or
`atexit`, when all is done.
"""

import asyncio
import atexit
import functools
import os
import runpy
import signal
import sys
from importlib import import_module
from importlib.machinery import PathFinder

SERVER = "chatham.cli.relay.server"


def arrange(moment, interrupt):
    """See to it that the interruption comes then."""
    kind, _, name = moment.partition(":")
    if kind == "import":
        sys.meta_path.insert(0, _Import(name, before=interrupt))
    elif kind == "audit":
        _at_event(name, interrupt)
    elif kind == "atexit":
        atexit.register(interrupt)
    else:
        sys.meta_path.insert(0, _Import(SERVER, after=lambda: _wrap(name, kind, interrupt)))


def _at_event(event, interrupt):
    waiting = [True]

    def hook(found, _):
        if waiting and found == event:
            waiting.clear()
            interrupt()

    sys.addaudithook(hook)


class _Import:
    """Does something before or after the command imports a module, and imports it no earlier."""

    def __init__(self, name, before=None, after=None):
        self.name, self.before, self.after = name, before, after

    def find_spec(self, asked, path=None, target=None):
        """Part of the import system, which asks for every module."""
        if asked != self.name:
            return None
        if self.before:
            self.before()
        spec = PathFinder.find_spec(asked, path, target)
        run = spec.loader.exec_module

        def and_then(module):
            run(module)
            if self.after:
                self.after()

        spec.loader.exec_module = and_then
        return spec


def _wrap(path, kind, interrupt):
    """Interrupt before or after a function, of which `path` names the module and the place."""
    module, _, place = path.partition("/")
    *owners, name = place.split(".")
    owner = functools.reduce(getattr, owners, import_module(module))
    whole = getattr(owner, name)

    @functools.wraps(whole)
    def wrapped(*args, **kwargs):
        if kind == "before":
            interrupt()
        result = whole(*args, **kwargs)
        if kind == "after":
            interrupt()
        return result

    @functools.wraps(whole)
    async def awaited(*args, **kwargs):
        if kind == "before":
            interrupt()
        result = await whole(*args, **kwargs)
        if kind == "after":
            interrupt()
        return result

    setattr(owner, name, awaited if asyncio.iscoroutinefunction(whole) else wrapped)


def main():
    """Arrange it and run the command."""
    signals, moment, *words = sys.argv[1:]

    def interrupt():
        os.write(1, b"interrupted\n")  # so that a test knows that the moment came
        for name in signals.split(","):
            os.kill(os.getpid(), getattr(signal, name))

    arrange(moment, interrupt)
    sys.argv = ["chatham", *words]
    runpy.run_module("chatham", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
