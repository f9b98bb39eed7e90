"""No behaviour hangs on the wording of a sentence: whoever rewords one changes nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reworded_cases import SAMPLE

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What users get, and what they get with every sentence reworded, each in a fresh process."""
    place = tmp_path_factory.mktemp("outcomes")
    runs = {"as it is": [], "reworded": ["--reworded"]}
    # Files are found below this tree, whatever folder the process works in.
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.reworded", str(place / f"{name}.json"), *more],
            env={**os.environ, "PYTHONPATH": path},
            cwd=ROOT,
        )
        for name, more in runs.items()
    ]
    assert [process.wait(600) for process in processes] == [0, 0]
    return [json.loads((place / f"{name}.json").read_text("utf-8")) for name in runs]


def test_sentences_are_reworded(outcomes):
    as_it_is, reworded = (found[SAMPLE] for found in outcomes)
    assert len(as_it_is) == len(reworded) > 5
    for sentence, another in zip(as_it_is, reworded, strict=True):
        assert len(set(sentence.split()) - set(another.split())) >= 3, (sentence, another)


def test_with_other_sentences_nothing_else_changes(outcomes):
    as_it_is, reworded = outcomes
    assert as_it_is.keys() == reworded.keys()
    for name in as_it_is.keys() - {SAMPLE}:
        assert as_it_is[name] == reworded[name], name


def test_what_is_done_warns_notes_and_refuses(outcomes):
    """Else nothing would be compared."""
    as_it_is = {name: found for name, found in outcomes[0].items() if name != SAMPLE}
    refused = [name for name, found in as_it_is.items() if "refused" in found]
    failed = [name for name, found in as_it_is.items() if found.get("code")]
    warned = {kind for found in as_it_is.values() if "warned" in found
              for kind, *_ in found["warned"]}  # fmt: skip
    assert len(refused) > 40
    assert len(failed) > 30
    assert {"ChathamWarning", "UnknownWordsWarning", "FewDocumentsWarning"} <= warned
