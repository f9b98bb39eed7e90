"""Topics without any centre: scores of known topics, a tiny run that was interrupted, its page."""

import json
from dataclasses import replace

import numpy as np
import pytest

import deleda
from deleda import SMALL, Plan, agents_of, main, world


@pytest.fixture(scope="module")
def there():
    return world(SMALL, 0)


def test_true_topics_are_without_error(there):
    assert there.scores(there.topics) == (0.0, pytest.approx(0.0, abs=1e-12))
    assert there.scores(there.topics[::-1])[1] == pytest.approx(0.0, abs=1e-12)
    flat = np.full_like(there.topics, 1 / SMALL.words)
    perplexity, distance = there.scores(flat)
    assert perplexity > 0.1
    assert distance > 0.5


def test_every_agent_has_documents_of_its_own(there):
    agents, plan = agents_of(there, 0), there.plan
    start = agents.start(0)
    assert start.shape == (plan.agents, plan.topics, plan.words)
    words = sum(agents(agent, start[agent], 1).sum(axis=0) for agent in range(plan.agents))
    np.testing.assert_allclose(words, np.asarray(there.train.sum(axis=0)).ravel(), atol=1e-4)


def test_the_centre_and_all_agents_begin_alike(there, monkeypatch):
    """Where steps are zero, every way has the start's scores to the end."""
    monkeypatch.setattr(Plan, "step", lambda self, t: 0.0)
    scores = {
        next(map(tuple, point["agents"]))
        for way in deleda.ways_of(SMALL).values()
        for point in way(there, 0)
    }
    assert len(scores) == 1


def test_a_tiny_run_goes_on_where_it_was_interrupted(tmp_path, monkeypatch, capsys):
    keep, folder = tmp_path / "runs.jsonl", tmp_path / "results"
    folder.mkdir()
    arguments = ["--small", "--seeds", "2", "--keep", str(keep), "--output", str(folder)]
    assert main(arguments) == 0
    page, figure = ((folder / name).read_bytes() for name in ("deleda.md", "deleda.png"))
    lines = keep.read_text().splitlines()
    assert len(lines) == 2 * 5 + 2 * 3
    keep.write_text("\n".join(lines[:7]) + "\n" + lines[7][:40])
    assert main(arguments) == 0
    again = ((folder / name).read_bytes() for name in ("deleda.md", "deleda.png"))
    assert tuple(again) == (page, figure)
    # What was kept is used, not computed again.
    monkeypatch.setattr(deleda, "world", None)
    assert main(arguments[:-2]) == 0
    assert capsys.readouterr().out.encode() == page
    found = json.loads(keep.read_text().splitlines()[0])["found"]
    assert [point["after"] for point in found["points"]] == [10, 60]


def test_the_page_says_whether_every_agent_is_near_the_centre():
    def record(way, *scores):
        return {"seed": 0, "way": way, "kappa": 0.6, "points": [{"after": 60, "agents": scores}]}

    found = [
        record("centralised", (0.01, 0.1)),
        record("near", (0.0149, 0.124), (0.005, 0.1)),
        record("one agent far", (0.0151, 0.1), (0.01, 0.1)),
        record("topics far", (0.01, 0.126), (0.01, 0.1)),
    ]
    rows = deleda.table(replace(SMALL, asynchronous=(60,)), found).splitlines()[2:]
    assert [row.split(" | ")[-1] for row in rows] == ["yes |", "yes |", "no |", "no |"]
