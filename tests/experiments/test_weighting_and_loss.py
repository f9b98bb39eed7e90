"""The table of weightings and losses, on the bundled sample."""

import weighting_and_loss


def test_a_small_run_is_resumed_and_writes_its_table(tmp_path):
    run = ["--topics", "3", "--seeds", "1", "--keep", str(tmp_path / "kept.jsonl")]
    assert weighting_and_loss.main([*run, "--output", str(tmp_path)]) == 0
    written = (tmp_path / "weighting_and_loss.md").read_text("utf-8")
    kept = (tmp_path / "kept.jsonl").read_bytes()
    assert weighting_and_loss.main([*run, "--output", str(tmp_path)]) == 0
    assert (tmp_path / "kept.jsonl").read_bytes() == kept
    assert (tmp_path / "weighting_and_loss.md").read_text("utf-8") == written
    rows = [line.split(" | ") for line in written.splitlines() if line.startswith("| ")][1:]
    assert [row[:2] for row in rows] == [
        ["| counts", "absolute"], ["| counts", "relative"],
        ["| tfidf", "absolute"], ["| tfidf", "relative"],
    ]  # fmt: skip
    assert all(-1 <= float(row[2].split()[0]) <= 1 for row in rows)
    assert [row[-1].strip(" |") != "" for row in rows] == [False, False, False, True]
