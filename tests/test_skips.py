"""Where everything is installed, a skip is a failure unless it is excused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import COMPLETE

ROOT = Path(__file__).parents[1]
TESTS = """
import pytest
from tests.conftest import excused

def test_package():
    pytest.importorskip("a_package_that_is_nowhere")

@pytest.fixture
def tool():
    pytest.skip("it isn't installed")

def test_tool(tool):
    pass

def test_case():
    excused("the case is ill-posed")

@pytest.mark.skipif(True, reason="not on this system")
def test_system():
    pass

@pytest.mark.xfail
def test_known():
    raise AssertionError
"""
MODULE = 'import pytest\npytest.importorskip("a_package_that_is_nowhere")\n'


def outcome(folder, text, complete):
    """The exit code and the last line of pytest about a file of tests."""
    (folder / "test_it.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    environment = {key: value for key, value in os.environ.items() if key != COMPLETE}
    environment |= {COMPLETE: "1"} if complete else {}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-rs"], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    return done.returncode, done.stdout


def test_elsewhere_a_skip_is_a_skip(tmp_path):
    code, said = outcome(tmp_path, TESTS, complete=False)
    assert code == 0, said
    assert "4 skipped, 1 xfailed" in said


def test_there_only_what_is_excused_is_skipped(tmp_path):
    code, said = outcome(tmp_path, TESTS, complete=True)
    assert code == 1
    assert "1 failed, 2 skipped, 1 xfailed, 1 error" in said
    assert "ill-posed" in said
    assert "not on this system" in said


@pytest.mark.parametrize("complete", [False, True])
def test_a_whole_module(tmp_path, complete):
    code, said = outcome(tmp_path, MODULE, complete)
    assert code == (2 if complete else 5)
    assert ("1 error" if complete else "1 skipped") in said
