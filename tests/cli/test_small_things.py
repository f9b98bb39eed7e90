"""What a person meets in the first hour: true help, lines that end, what helps, what was saved."""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.cli.app import command_named
from chatham.cli.reference import help_of
from chatham.interrupts import CUT_SHORT
from chatham.learners.settings.lda import LDASettings
from tests.cli.conftest import PETS


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A model with more words than fit into any line."""
    folder = tmp_path_factory.mktemp("wide") / "m"
    counts = np.random.default_rng(0).integers(1, 9, (12, 400))
    words = [f"word{number}" for number in range(400)]
    ch.fit("plsa", counts, vocabulary=words, n_components=2, max_iter=2).save(folder)
    return folder


@pytest.mark.parametrize("learner", ["lda", "nmf", "svd"])
def test_transform_gives_what_its_help_says(run, tmp_path, learner):
    told = " ".join(help_of(command_named("transform")).split())
    ch.fit(learner, PETS, n_components=2, random_state=0).save(tmp_path / "m")
    (tmp_path / "new.txt").write_text("cats purr\ndogs bark and bark and bark\nquantum\n")
    done = run("transform", tmp_path / "m", tmp_path / "new.txt", "-o", tmp_path / "w.csv")
    assert done.exit_code == 0, done.output
    rows = pd.read_csv(tmp_path / "w.csv").set_index("id")
    if learner == "svd":
        assert "direction_0 and so on are coordinates, of either sign and any sum" in told
        assert list(rows) == ["direction_0", "direction_1"]
        assert not np.allclose(rows.sum(axis=1), 1)
        assert "all zero for such a document" in told
        assert (rows.iloc[-1] == 0).all()
    else:
        assert "which sum to one whatever the learner" in told
        assert list(rows) == ["topic_0", "topic_1"]
        np.testing.assert_allclose(rows.sum(axis=1), 1)
        assert "gets the average weights" in told
        np.testing.assert_allclose(rows.iloc[-1], ch.load(tmp_path / "m").prevalence)


def test_lines_in_a_pipe_end_with_their_text_and_are_not_wrapped(run, wide):
    lines = run("topics", wide, "-n", 400).stdout.splitlines()
    assert all(line == line.rstrip(" ") for line in lines)
    head, rule, *topics = lines
    assert head.split() == ["topic", "share", "words"]
    assert set(rule) == {"─"}
    assert len(rule) <= 100
    assert [len(line.split()) for line in topics] == [402, 402]


REFUSED = {
    "fit": (("fit", "FILE", "-k", "3"), "n_components=5", "Give n_components with -k"),
    "a seed": (("fit", "FILE"), "random_state=5", "Give random_state with --seed"),
    "threads": (("fit", "FILE"), "n_jobs=5", "Give n_jobs with --jobs"),
    "audit": (("audit", "FILE"), "n_components=5", "Give n_components with -k"),
    "merge": (("merge", "FILE"), "n_components=5", "Give n_components with -k"),
    "twice": (("fit", "FILE", "--max-iter", "9"), "max_iter=5", "also given with --max-iter"),
}


@pytest.mark.parametrize(("words", "setting", "said"), REFUSED.values(), ids=REFUSED)
def test_a_parameter_is_given_in_one_way(run, news, words, setting, said):
    words = [news if word == "FILE" else word for word in words]
    refused = run(*words, "--set", setting)
    assert refused.exit_code == 2
    assert said in refused.stderr


def test_more_topics_than_documents_are_said_in_python_too():
    with pytest.warns(ch.notes.ChathamWarning, match="2 topics were requested for 1 document"):
        ch.fit("nmf", PETS[:1], n_components=2, random_state=0)


def test_equal_topics_are_said(recwarn):
    ch.fit("plsa", np.ones((6, 4)), vocabulary=list("abcd"), n_components=2, tol=0, max_iter=5,
           init=[[1, 1, 1, 1], [1, 1, 1, 1]])  # fmt: skip
    assert any("Only 1 of 2 topics differ" in str(each.message) for each in recwarn)
    recwarn.clear()
    ch.fit("plsa", PETS, n_components=2, random_state=0)
    assert not any("differ" in str(each.message) for each in recwarn)


def test_what_would_help_idle_threads_is_said(monkeypatch, recwarn):
    assert LDASettings(2, max_iter=300)._idle(4, 1000.0) is None  # done in a moment
    advice = str(LDASettings(2, max_iter=300)._idle(4, 1e6))
    assert "1 of 4 threads" in advice
    assert "shards=4" in advice
    assert LDASettings(2, max_iter=300, shards=4)._idle(4, 1e6) is None
    assert LDASettings(2, max_iter=300)._idle(1, 1e6) is None
    monkeypatch.setattr("chatham.learners.settings.lda.MUCH", 1)
    ch.fit("lda", PETS, n_components=2, max_iter=10, n_jobs=1)
    ch.fit("plsa", PETS, n_components=2, max_iter=10, n_jobs=3)
    assert not any("threads" in str(each.message) for each in recwarn)
    ch.fit("lda", PETS, n_components=2, max_iter=10, n_jobs=3)
    assert any("shards=3" in str(each.message) for each in recwarn)


def test_the_command_says_it_as_an_option(run, news, monkeypatch):
    monkeypatch.setattr("chatham.learners.settings.lda.MUCH", 1)
    done = run("fit", news, "-k", 2, "--max-iter", 10, "--jobs", 3)
    assert "--set shards=3" in done.stderr
    assert "--set shards=N" in " ".join(run("fit", "--help").stdout.split())


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_topics_are_written_as_a_table(run, model, tmp_path, ending):
    path = tmp_path / f"topics{ending}"
    done = run("topics", model, "-n", 3, "--by", "relevance", "-o", path)
    assert done.stdout == f"2 topics, saved in {path}.\n"
    read = {
        ".csv": pd.read_csv,
        ".tsv": lambda path: pd.read_csv(path, sep="\t"),
        ".jsonl": lambda path: pd.read_json(path, lines=True),
        ".parquet": pd.read_parquet,
    }
    wanted = ch.load(model).topic_info(3, "relevance")
    pd.testing.assert_frame_equal(read[ending](path), wanted, check_dtype=False)


def test_a_table_of_topics_is_checked_before_the_work(run, model, tmp_path):
    assert run("topics", model, "-o", tmp_path / "topics.xls").exit_code == 2
    assert run("topics", tmp_path / "none", "-o", tmp_path / "gone" / "topics.csv").exit_code == 1
    ch.fit("anchor", PETS, n_components=2, min_anchor_df=1).save(tmp_path / "anchors")
    refused = run("topics", tmp_path / "anchors", "--levels", 1, "-o", tmp_path / "topics.csv")
    assert refused.exit_code == 2
    assert "no supertopics" in refused.stderr
    related = tmp_path / "related.csv"
    assert run("topics", tmp_path / "anchors", "--correlations", "-o", related).exit_code == 0
    assert {"anchor", "goes_with"} <= set(pd.read_csv(related))


@pytest.mark.skipif(os.name != "posix", reason="signals are sent another way on this system")
def test_ctrl_c_amid_a_table_says_that_it_is_not_whole(model, tmp_path):
    (tmp_path / "many.txt").write_text("cats purr\ndogs bark\n" * 2_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "chatham", "transform", str(model), str(tmp_path / "many.txt")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.stdout.readline()  # a pipe can't hold it all: it waits for whoever reads
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert errors.endswith(f"{CUT_SHORT}\n")
    assert rest.count("\n") < 4_000


def test_ctrl_c_after_saving_says_what_was_saved(run, news, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("chatham.cli.fit.view.print_for_people", interrupted)
    done = run("fit", news, "-k", 2, "--max-iter", 5, "-o", tmp_path / "m")
    assert done.exit_code == 130
    assert done.stderr.endswith(f"Interrupted; '{tmp_path / 'm'}' was saved.\n")
    assert ch.load(tmp_path / "m").n_topics == 2


def test_dir_has_the_public_names_and_nothing_else():
    asked = "import sys, chatham; print(*dir(chatham)); assert 'numpy' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(ch.__all__)
    assert all(hasattr(ch, name) for name in dir(ch))
