"""Feed the parsers what nobody would think of, led by which of their lines it reaches (atheris).

    python -m tests.torture.fuzz frame --seconds 60     one parser; ends with a line of JSON

A parser may return or refuse with its own error; anything else that it raises is a finding, and is
kept in the folder in which this runs. It begins from the frozen vectors, good and bad ones.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PARSERS = {
    "frame": "a message's header (`read_frame`)",
    "answer": "the relay's answer (`read_answer`)",
    "session": "a session file (`read_session`)",
}
SECONDS = 60
PATH = Path("fuzzed.toml")


@dataclass(frozen=True)
class Fuzzed:
    """What came of one parser."""

    parser: str
    inputs: int
    wrong: str
    """What it raised, or nothing."""


def is_there() -> bool:
    """Whether atheris is installed: there isn't one for every system."""
    return find_spec("atheris") is not None


def fuzz(parser: str, seconds: int) -> Fuzzed:
    """Fuzz one parser in a process of its own, which atheris ends."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.torture.fuzz", parser, "--seconds", str(seconds)]
        root = Path(__file__).resolve().parents[2]
        path = [str(root), str(root / "src"), *sys.path]
        ran = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace",
            env={"PYTHONPATH": ":".join(filter(None, path)), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
    done = re.search(r"Done (\d+) runs", ran.stderr)
    raised = re.search(r"Uncaught Python exception: ===\s*(.+)", ran.stdout + ran.stderr)
    wrong = raised[1] if raised else "" if done and not ran.returncode else ran.stderr[-300:]
    return Fuzzed(parser, int(done[1]) if done else 0, wrong)


HEADING, NEXT = "## Fuzzing the parsers", "## What else the tests show"


def section(fuzzed: list[Fuzzed], seconds: int) -> str:
    """Its part of the page."""
    if not fuzzed:
        return (
            f"{HEADING}\n\nNothing by atheris, which isn't installed here; the tests feed them "
            "what hypothesis generates.\n\n"
        )
    lines = [
        HEADING,
        "",
        f"atheris searched for inputs that reach new lines, for {seconds} seconds per parser, "
        "starting from the frozen vectors.",
        "A parser may accept or refuse its input; anything else is a finding.",
        "",
        "| parser | inputs | findings |",
        "|---|---|---|",
    ]
    lines += [f"| {PARSERS[f.parser]} | {f.inputs:,} | {f.wrong or 'none'} |" for f in fuzzed]
    return "\n".join(lines) + "\n\n"


def with_section(page: str, part: str) -> str:
    """The page with this part in it, in place of an older one."""
    before, _, after = page.partition(NEXT)
    return before.partition(HEADING)[0] + part + NEXT + after


def _tries():
    """What each parser is tried with; imported where its lines are watched."""
    import atheris

    with atheris.instrument_imports(include=["chatham.commons", "chatham.errors", "tomllib"]):
        from chatham.commons.secure.frames import START, read_frame
        from chatham.errors import ProtocolError, SessionError
        from chatham.federation.session import read_session
        from chatham.federation.wire import read_answer
    from tests.vectors.bad_frames import signed_raw
    from tests.vectors.fixed import ROSTER, SESSION

    def frame(data: bytes) -> None:
        """As it comes; and, since no chance finds a signature, as a header that is signed."""
        for raw in (data, signed_raw(data[START:-64])):
            with suppress(ProtocolError):
                read_frame(raw, SESSION, ROSTER)

    def answer(data: bytes) -> None:
        with suppress(ProtocolError):
            read_answer(data, lambda raw: read_frame(raw, SESSION, ROSTER), len(ROSTER))

    def session(data: bytes) -> None:
        PATH.write_bytes(data)
        with suppress(SessionError):
            read_session(PATH)

    return {"frame": frame, "answer": answer, "session": session}


def _seeds(parser: str) -> list[bytes]:
    """What the parser reads, and what looks like it."""
    from chatham.commons.secure.agreement import Message
    from chatham.federation.wire import Answer, write_answer
    from tests.vectors import FOLDER

    if parser == "session":
        return [json.loads((FOLDER / "session.json").read_text("utf-8"))["toml"].encode()]
    from tests.vectors.bad_frames import bad_frames, sample_frames

    if parser == "frame":
        return [frame.raw for frame, _ in sample_frames()] + [raw for _, raw in bad_frames()]
    said = [Answer([Message(frame, body)] * 3, body) for frame, body in sample_frames()]
    return [b"".join(write_answer(each)) for each in said]


def main() -> None:
    """Fuzz one parser, here."""
    import atheris

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parser", choices=PARSERS)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    asked = parser.parse_args()
    tries = _tries()[asked.parser]
    folder = Path("seeds")
    folder.mkdir(exist_ok=True)
    for number, seed in enumerate(_seeds(asked.parser)):
        (folder / str(number)).write_bytes(seed)
    options = [f"-max_total_time={asked.seconds}", "-seed=1", "-max_len=8192", "-timeout=10"]
    atheris.Setup([sys.argv[0], *options, str(folder)], tries)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
