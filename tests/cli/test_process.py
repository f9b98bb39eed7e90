"""What only a process of its own can show: imports, streams, exit codes, pipes, signals."""

import json
import os
import signal
import subprocess
import sys

import pytest

import chatham as ch
from chatham.model.registry import LEARNERS
from tests.cli.conftest import PETS


def chatham(*words, **options):
    command = [sys.executable, "-m", "chatham", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def test_help_imports_nothing_heavy():
    heavy = ["numpy", "scipy", "sklearn", "numba", "pandas", "pyarrow", "rich"]
    code = (
        "import sys, chatham, chatham.cli\n"
        "from chatham.cli.app import COMMANDS, command_named\n"
        "[command_named(name) for name in COMMANDS]\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


HEAVY = ["scipy", "sklearn", "numba", "pandas", "pyarrow"]

LOOKING = f"""
import sys
from chatham.cli import main
try:
    main()
finally:
    print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model of each learner; those of texts have a vectorizer, with tf-idf where it is usual."""
    folder = tmp_path_factory.mktemp("saved")
    for name in LEARNERS:
        ch.fit(name, PETS, n_components=2, random_state=0).save(folder / name)
    return folder


@pytest.mark.parametrize("options", [[], ["--json"], ["-n", "3", "--by", "relevance", "-q"]])
@pytest.mark.parametrize("name", LEARNERS)
def test_topics_are_shown_without_what_fitting_needs(run, saved, name, options, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")  # there and here
    if name == "svd" and "--by" in options:  # directions have one order of words
        options = ["-n", "3", "-q"]
    words = ["topics", str(saved / name), *options]
    done = subprocess.run(
        [sys.executable, "-c", LOOKING, *words], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"
    model = ch.load(saved / name)
    shown = model.topics
    assert hasattr(model.estimator, "transform")  # made now, of the same numbers
    assert model.topics is shown
    whole = ch.TopicModel(model.estimator, model.vocabulary, vectorizer=model.vectorizer)
    by = "relevance" if "--by" in options else "prevalence"
    listed = whole.top_word_lists(3, by) if "-n" in options else whole.top_word_lists()
    for words_of_topic in listed:
        assert all(word in done.stdout for word in words_of_topic)
    assert done.stdout == run(*words).stdout


def test_version_and_help_are_0():
    assert chatham("--version").stdout.startswith("chatham ")
    assert chatham("--help").returncode == 0


def test_results_and_errors_take_different_ways(news, tmp_path):
    done = chatham("fit", news, "-k", 2, "--json", "-o", tmp_path / "m")
    assert done.returncode == 0
    assert json.loads(done.stdout)["algorithm"] == "lda"
    failed = chatham("topics", tmp_path / "nothing")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("Error: The model folder")
    assert "give a folder that 'chatham fit -o' has written." in failed.stderr
    assert chatham("fit", news, "--foo").returncode == 2


def test_a_reader_that_leaves_early_causes_no_noise(model):
    command = f"{sys.executable} -m chatham topics {model} | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300)
    assert done.stderr == ""


def test_a_terminal_without_unicode_gets_escapes(tmp_path):
    (tmp_path / "a.txt").write_text("été été café\ncafé thé\nthé été\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = chatham(
        "fit", tmp_path / "a.txt", "-k", 2, "-q", "--stop-words", "none", env=environment
    )
    assert done.returncode == 0, done.stderr
    assert r"\xe9" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals are sent another way on this system")
def test_ctrl_c_is_quiet(tmp_path):
    (tmp_path / "big.txt").write_text(
        "\n".join(f"w{i % 997} w{i % 89} w{i % 7}" for i in range(200_000))
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "chatham", "fit", str(tmp_path / "big.txt"), "-k", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stderr.readline()  # the first word of progress: it is at work
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "Abort" not in errors
    assert errors.endswith("Interrupted; nothing was saved.\n")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent another way on this system")
def test_a_ctrl_c_that_a_destructor_swallows_is_not_forgotten():
    """Python goes on as if nothing had been; the next word of progress ends the work still."""
    script = """
import os, signal
from chatham import interrupts
from chatham.cli.progress import progress
from chatham.learners.progress import report

class Closing:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

interrupts.end_at_once()
interrupts.unwind()
with progress(quiet=True):
    report("LDA", 1, 3, None, 0)
    closing = Closing()
    del closing
    print("went on")
    report("LDA", 2, 3, None, 0)
    print("never")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "went on\n"
    assert "Exception ignored in" not in done.stderr
    assert done.stderr.endswith("KeyboardInterrupt\n")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent another way on this system")
@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        ("RuntimeError('no compiled object yet')", 130, "Interrupted; nothing was saved.\n"),
        ("typer.Exit(7)", 7, ""),
    ],
)
def test_what_a_library_stumbles_over_after_a_ctrl_c_is_one(raised, code, said):
    """Compiling, say, loses it in a callback, and then misses what that should have made."""
    script = f"""
import os, signal, sys, typer
from chatham.cli.progress import progress

class Closing:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def stumbles():
    with progress(quiet=True):
        closing = Closing()
        del closing
        raise {raised}

import chatham.cli.topics as command
command.topics = stumbles
from chatham.cli import main
sys.argv = ["chatham", "topics"]
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, said)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize(
    "words", [("topics", "MODEL"), ("topics", "MODEL", "--json"), ("--version",), ("--help",)]
)
def test_an_output_that_is_full_is_said_once(model, words):
    given = [str(model) if word == "MODEL" else word for word in words]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "chatham", *given],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=300,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "Error: Standard output can't be written: No space left on device.\n"
