"""Real processes that are killed, stopped, overheard: a sample of what `make torture` does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

ROOT = Path(__file__).resolve().parents[3]
CAN_FORK = hasattr(os, "fork") and Path("/proc/self/mem").exists()
pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs fork and /proc")


def run(*command):
    """In a process of its own, that forks before it has any thread."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_processes_killed_and_stopped_find_the_same_model():
    found = run("tests.torture.run", "--quick")
    assert found.returncode == 0, found.stdout + found.stderr
    assert ", 0 went wrong" in found.stdout


def test_what_is_planted_is_found_nowhere_but_at_home():
    found = run("tests.torture.planted")
    assert found.returncode == 0, found.stdout + found.stderr
    told = json.loads(found.stdout)
    assert told["looked at"] > 10_000_000
    assert told["found"] == []
    assert sorted(told["found at home"]) == ["plain file", "plain memory"]
