"""Commands that ask somebody who sits at a terminal."""

import os
import sys
import time

from tests.cli.federation import PROCESSES


class Terminal:
    """A command in a process of its own, with a terminal to type in and be asked on.

    The result goes to a file. What takes long to import is there already (see `federation`).
    """

    def __init__(self, folder, *words):
        import pty

        self.ours, theirs = pty.openpty()
        self.result = folder / "result.txt"
        self.result.unlink(missing_ok=True)
        given = (os.ttyname(theirs), str(self.result), [str(word) for word in words])
        self.process = PROCESSES.Process(target=_at, args=given, daemon=True)
        self.process.start()
        while not self.result.exists():  # until it has opened the terminal too
            time.sleep(0.005)
        os.close(theirs)

    def type(self, text):
        os.write(self.ours, text.encode())

    def read(self):
        try:
            return os.read(self.ours, 4096)
        except OSError:  # the other end is closed
            return b""

    def ended(self):
        """What else was asked, the result, and the exit code."""
        asked = b"".join(iter(self.read, b""))
        self.process.join(timeout=300)
        os.close(self.ours)
        return asked.decode().replace("\r\n", "\n"), self.result.read_text(), self.process.exitcode


def _at(terminal, result, words):
    """What such a process does."""
    from chatham.cli import main

    for number, flags, name in (
        (0, os.O_RDONLY, terminal),
        (2, os.O_WRONLY, terminal),
        (1, os.O_WRONLY | os.O_CREAT, result),
    ):
        opened = os.open(name, flags | os.O_NOCTTY)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False, encoding="utf-8")
        for number, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    sys.argv = ["chatham", *words]
    main()


def in_terminal(folder, typed, *words):
    """Run with something typed from the beginning."""
    terminal = Terminal(folder, *words)
    terminal.type(typed)
    return terminal.ended()
