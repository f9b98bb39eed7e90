"""Histories: what follows from shares, and what no updates give."""

import json
from dataclasses import replace

import pytest

import chatham as ch
from chatham.errors import ModelFileError
from chatham.model.folder import DESCRIPTION
from chatham.model.history import CHANGED, GREW, History, Slice
from tests.ensembles.growing import FEBRUARY, january
from tests.model.model_folders import bytes_of


def slice_of(name, shares, has=None, **more):
    present = [topic for topic, share in enumerate(shares) if share > 0.02]
    return Slice(
        name=name, documents=100, tokens=1000.0, digest="0" * 64, summary="1" * 64,
        has=tuple(present if has is None else has), shares=tuple(shares),
        **{"goes": tuple(present), **more},
    )  # fmt: skip


STORY = (
    slice_of("one", [0.5, 0.3, 0.2]),
    slice_of("two", [0.5, 0.2, 0.0, 0.3]),
    slice_of("three", [0.2, 0.3, 0.1, 0.2, 0.2], split=((4, 0),)),
    slice_of("four", [0.6, 0.2, 0.1, 0.1, 0.0], merged=((4, 0),)),
    slice_of("five", [0.6, 0.2, 0.1, 0.1, 0.0]),
)


def test_a_topic_is_what_it_is_since_another_split_off():
    assert [History(STORY).since(topic) for topic in range(5)] == [2, 0, 0, 0, 0]


def test_events_follow_from_shares_by_the_rules_that_are_stated():
    history = History(STORY)
    told = history.table()
    events = {
        name: dict(zip(rows["topic"], rows["event"], strict=True))
        for name, rows in told.groupby("slice")
    }
    assert events["one"] == {0: "", 1: "", 2: ""}
    assert events["two"] == {0: "", 1: "shrank", 2: "died", 3: "born"}
    assert events["three"] == {0: "split", 1: "grew", 2: "back", 3: "shrank", 4: "born"}
    assert events["four"] == {0: "grew", 1: "shrank", 2: "", 3: "shrank", 4: "merged"}
    assert events["five"] == {0: "", 1: "", 2: "", 3: "", 4: "gone"}
    others = told.query("others.str.len() > 0")[["slice", "topic", "others"]].to_numpy().tolist()
    assert others == [["three", 0, (4,)], ["three", 4, (0,)], ["four", 4, (0,)]]
    assert history.born.tolist() == [0, 0, 0, 1, 2]
    assert history.living == [0, 1, 2, 3]
    assert history.sentences(1) == [
        "two: topic 1 shrank.", "two: topic 2 died.", "two: topic 3 born.",
    ]  # fmt: skip
    assert "three: topic 4 split off from 0." in history.sentences(2)
    assert "four: topic 4 merged into 0." in history.sentences(3)
    assert history.sentences() == []


@pytest.mark.parametrize(
    ("before", "now", "event"),
    [
        (0.2, 0.2 * GREW, "grew"),
        (0.2, 0.2 * GREW - 0.001, ""),
        (0.2 * GREW, 0.2, "shrank"),
        (0.2 * GREW - 0.001, 0.2, ""),
        (0.022, 0.022 + CHANGED / 2, ""),
        (0.021, 0.0425, "grew"),
    ],
)
def test_the_thresholds_are_those_that_are_stated(before, now, event):
    history = History((slice_of("a", [before, 1 - before]), slice_of("b", [now, 1 - now])))
    assert history.event(1, 0)[0] == event


def test_there_and_back():
    history = History(STORY)
    again = History.from_list(json.loads(json.dumps(history.to_list())))
    assert again.slices == history.slices


# Forged histories


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("grown") / "m"
    model = ch.keep_summary(january("plsa", max_iter=10), slice="January")
    ch.update(model, FEBRUARY, slice="February").save(path)
    return path


def forged(folder, tmp_path, change):
    """A copy of the model with another history."""
    path = tmp_path / "m"
    path.mkdir()
    for name, content in bytes_of(folder).items():
        (path / name).write_bytes(content)
    described = json.loads((path / DESCRIPTION).read_text())
    change(described["history"], described)
    (path / DESCRIPTION).write_text(json.dumps(described))
    return path


def put(number, name, value):
    def change(slices, _):
        slices[number][name] = value

    return change


def swapped(slices, _):
    slices[0], slices[1] = slices[1], slices[0]


def no_longer(slices, _):
    slices.pop()


FORGED = {
    "no list": (lambda _, d: d.update(history={"a": 1}), "not a list of slices"),
    "nothing": (lambda _, d: d.update(history=None), "not a list of slices"),
    "numbers": (lambda _, d: d.update(history=[1, 2]), "not a list of slices"),
    "no slice": (lambda _, d: d.update(history=[]), "from 1 to 1,000 slices"),
    "fewer slices": (no_longer, "another number of topics|hash"),
    "another order": (swapped, "loses topics|shares"),
    "a field less": (lambda s, _: s[0].pop("digest"), "'digest'"),
    "a field more": (put(0, "note", "x"), "'note'"),
    "a name twice": (put(1, "name", "January"), "a name of its own"),
    "a long name": (put(0, "name", "x" * 61), "a name of its own"),
    "a name in two lines": (put(0, "name", "a\nb"), "a name of its own"),
    "a name that is none": (put(0, "name", 7), "a name of its own"),
    "no documents": (put(0, "documents", 0), "at least one document"),
    "half a document": (put(0, "documents", 1.5), "at least one document"),
    "true documents": (put(0, "documents", True), "at least one document"),
    "no tokens": (put(0, "tokens", -1.0), "one word"),
    "endless tokens": (put(0, "tokens", 1e300), "one word"),
    "no hash": (put(0, "summary", "../../x"), "hashes"),
    "another hash": (put(0, "summary", "a" * 64), "has no file"),
    "shares of more": (put(0, "shares", [0.5, 0.5, 0.5, 0.5]), "don't sum to one"),
    "negative shares": (put(0, "shares", [-0.5, 0.5, 0.5, 0.5]), "don't sum to one"),
    "shares that are none": (put(0, "shares", ["a", "b", "c", "d"]), "other things"),
    "whole shares": (put(0, "shares", [1, 0, 0, 0]), "other things"),
    "more topics": (put(1, "shares", [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]), "doesn't have|another"),
    "fewer topics": (put(1, "shares", [0.5, 0.5]), "loses topics"),
    "a topic too many": (put(0, "has", [0, 1, 2, 3, 4]), "each once"),
    "a topic that none goes on as": (put(0, "goes", [0, 1, 1]), "goes on as"),
    "a number that nobody has": (put(0, "goes", [0, 1, 2, 9]), "goes on as"),
    "numbers that are texts": (put(0, "goes", ["0", 1, 2]), "other things than topics"),
    "a topic twice": (put(0, "has", [0, 0, 1, 2]), "each once"),
    "a negative topic": (put(0, "has", [-1, 0, 1]), "each once"),
    "no topics": (put(0, "has", []), "each once"),
    "a new one that isn't there": (put(1, "has", [0, 1, 3]), "doesn't have"),
    "split in the first": (put(0, "split", [[1, 0]]), "in the first slice"),
    "split of itself": (put(1, "split", [[4, 4]]), "splits off from one that is there"),
    "split of an old one": (put(1, "split", [[0, 1]]), "splits off from one that is there"),
    "split twice": (put(1, "split", [[4, 0], [4, 1]]), "only once"),
    "split in three": (put(1, "split", [[4, 0, 1]]), "pairs"),
    "merged while there": (put(1, "merged", [[0, 1]]), "merges into"),
    "merged into nothing": (put(1, "merged", [[0, 99]]), "merges into"),
}


@pytest.mark.parametrize(("change", "says"), FORGED.values(), ids=FORGED.keys())
def test_a_forged_history_is_refused(folder, tmp_path, change, says):
    with pytest.raises(ModelFileError, match=says) as told:
        ch.load(forged(folder, tmp_path, change))
    assert "\n" not in str(told.value)


def test_only_topics_with_a_history_may_be_in_another_order_than_by_size(folder, tmp_path):
    model = ch.load(folder)
    assert (model.prevalence[:-1] < model.prevalence[1:]).any()
    with pytest.raises(ModelFileError, match="not numbered by size"):
        ch.load(forged(folder, tmp_path, lambda _, d: d.pop("history")))


def test_a_kept_file_that_was_changed_or_lost_is_refused(folder, tmp_path):
    path = forged(folder, tmp_path, lambda *_: None)
    kept = sorted(path.glob("*.kept"))
    assert len(kept) == 2
    kept[0].write_bytes(kept[0].read_bytes()[:-1])
    with pytest.raises(ModelFileError, match="not what the model kept"):
        ch.load(path)
    kept[0].unlink()
    with pytest.raises(ModelFileError, match="has no file"):
        ch.load(path)


def test_history_takes_part_in_no_model_that_was_fitted_at_once(tmp_path):
    january("plsa", max_iter=3).save(tmp_path / "m")
    assert "history" not in json.loads((tmp_path / "m" / DESCRIPTION).read_text())
    assert sorted(bytes_of(tmp_path / "m")) == ["arrays.safetensors", "model.json"]


def test_slices_can_not_be_made_wrong_in_python_either():
    with pytest.raises(ch.InputError, match="don't sum to one"):
        History((replace(STORY[0], shares=(0.5, 0.3, 0.3)),))
