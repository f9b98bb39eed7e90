"""A model that grows, on few words of the sample."""

import growing


def test_a_small_run_writes_its_table_and_figure(tmp_path):
    run = ["--topics", "3", "--words", "80", "--periods", "2", "--seeds", "1", "--kinds", "plsa"]
    assert growing.main([*run, "--output", str(tmp_path)]) == 0
    written = (tmp_path / growing.NAME).read_text("utf-8")
    (row,) = [line.strip("| ").split(" | ") for line in written.splitlines() if "| plsa" in line]
    free, started, topics, apart, updated, at_once = map(float, row[1:])
    assert 0 <= free <= 1
    assert 0 <= started <= 1
    assert topics >= 3
    assert apart < 0.1
    assert updated > at_once - 0.1
    assert (tmp_path / growing.FIGURE).stat().st_size > 10_000
