"""Somebody who waits for imports is told so before they begin."""

import subprocess
import sys

import pytest

CODE = """
import sys
from chatham.cli import main, progress
def say(self, line):
    print(line, "numpy" in sys.modules, file=sys.stderr)
progress.Lines._say = say
sys.argv = ["chatham", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize(
    "words", [["evaluate", "nowhere"], ["intrusion", "nowhere", "-o", "q.csv"]]
)
def test_it_is_said_before_anything_heavy_is_imported(words):
    command = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stderr.splitlines()
    assert said[0] == "Loading False"
    assert said[-2] == "Loading True"
    assert "'nowhere' doesn't exist" in said[-1]
