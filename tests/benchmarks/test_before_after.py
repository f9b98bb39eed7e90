"""Two versions side by side: what is said of their times, and that both are what is measured."""

import shutil
import subprocess

import pytest

from benchmarks.before_after import REPOSITORY, ROWS, Times, as_table, checked_out, main, one_row


class Clock:
    """A version whose tries take what they are told to, and that notes when it was asked."""

    def __init__(self, name, seconds, asked, why=None):
        self.name, self.asked, self.why = name, asked, why
        self.tries = iter(seconds)

    def prepare(self, row):
        return self.why

    def seconds(self):
        self.asked.append(self.name)
        return next(self.tries)


def test_the_median_of_the_ratios_decides():
    # The medians alone, 2 and 3, would say that it is slower.
    times = Times(before=[1.0, 2.0, 4.0], after=[1.0, 3.0, 4.0])
    assert times.ratios == [1.0, 1.5, 1.0]
    assert not times.is_worse(1.03)
    assert Times(before=[1.0, 1.0, 1.0], after=[1.0, 1.04, 1.05]).is_worse(1.03)
    assert not Times(before=[1.0], after=[1.03]).is_worse(1.03)


def test_versions_take_turns_and_the_best_try_of_each_counts():
    asked, times = [], Times()
    running = {
        "after": Clock("after", [3.0, 2.0, 5.0], asked),
        "before": Clock("before", [4.0, 6.0, 8.0], asked),
    }
    one_row(running, "nmf-20", times)
    assert asked == ["after", "before"] * 3
    assert (times.before, times.after) == ([4.0], [2.0])


@pytest.mark.parametrize(("broken", "worse"), [({"before"}, False), ({"after"}, True)])
def test_a_row_that_only_the_new_version_has_is_no_worse(broken, worse):
    times = Times()
    names = ("before", "after")
    one_row(
        {n: Clock(n, [1.0] * 3, [], "TypeError: no" if n in broken else None) for n in names},
        "nmf-20",
        times,
    )
    assert times.is_worse(1.03) is worse
    assert f"failed {next(iter(broken))}: TypeError: no" in as_table({"nmf-20": times}, 1.03)


def test_the_table():
    found = {
        "svd": Times(before=[0.2, 0.1, 0.4], after=[0.2, 0.2, 0.4]),
        "padd": Times(before=[0.1], after=[0.2]),
    }
    assert as_table(found, 1.03).splitlines()[2:] == [
        "| svd | 200.0 | 200.0 | 1.000 | 1.000 to 2.000 |  |",
        "| padd | 100.0 | 200.0 | 2.000 | 2.000 to 2.000 | **slower** |",
    ]


WRONG = {
    "no such row": ("--only", "svm*"),
    "no alternation": ("--alternations", "0"),
    "a folder without the corpora": ("--data", "HERE"),
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG.keys())
def test_used_wrongly_is_2(words, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([word.replace("HERE", str(tmp_path)) for word in words])
    assert ended.value.code == 2
    assert "must" in capsys.readouterr().err


def git(*words):
    """What git says of this checkout; nothing where there is no git or no checkout."""
    if shutil.which("git") is None:
        return ""
    told = subprocess.run(["git", "-C", REPOSITORY, *words], capture_output=True, text=True)
    return told.stdout


@pytest.mark.skipif(not git("rev-parse", "HEAD"), reason="this is not a git checkout")
def test_a_revision_is_checked_out_and_gone_afterwards(tmp_path):
    with checked_out("HEAD", tmp_path / "old") as sources:
        assert (sources / "chatham" / "__init__.py").is_file()
        assert str(tmp_path / "old") in git("worktree", "list")
    assert not (tmp_path / "old").exists()
    assert str(tmp_path / "old") not in git("worktree", "list")


@pytest.mark.skipif(not git("rev-parse", "HEAD"), reason="this is not a git checkout")
def test_the_last_commit_beside_the_working_tree(capsys, monkeypatch):
    monkeypatch.setattr("benchmarks.before_after.TRIES", 1)
    asked = ["--only", "read-parquet", "--alternations", "1", "--most", "1000"]
    assert main(asked) == 0
    row = capsys.readouterr().out.splitlines()[2]
    assert row.startswith("| read-parquet | ")
    assert "failed" not in row


@pytest.mark.skipif(not git("rev-parse", "HEAD"), reason="this is not a git checkout")
def test_a_revision_that_is_not_there():
    with pytest.raises(SystemExit, match="'no-such-revision' can't be checked out"):
        main(["--base", "no-such-revision"])


def test_rows_are_named_so_that_they_can_be_asked_for():
    assert all("," not in row and " " not in row for row in ROWS)
