"""Names of topics: automatic ones, given ones, and what a file may say of them."""

import json

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError, ModelFileError
from chatham.model.names import LONGEST, automatic_names, checked_given


@pytest.fixture(scope="module")
def fitted() -> ch.TopicModel:
    return ch.fit("lda", ch.sample_corpus(), n_components=6, random_state=0, max_iter=30)


@pytest.fixture
def model(fitted: ch.TopicModel) -> ch.TopicModel:
    fitted._given_names.clear()
    fitted._names = None
    return fitted


def test_a_topic_is_called_by_words_of_its_own(model: ch.TopicModel) -> None:
    names = list(model.names.values())
    assert len(set(names)) == model.n_topics
    for name, words in zip(names, model.top_word_lists(12, "relevance"), strict=True):
        assert set(name.split(", ")) <= set(words)


def test_a_planted_topic_is_called_by_the_words_that_are_its_alone() -> None:
    topics = np.array([[0.4, 0.3, 0.3, 0, 0], [0.4, 0, 0, 0.3, 0.3]])
    counts = np.random.default_rng(0).multinomial(40, topics[np.arange(60) % 2])
    words = ["the", "tea", "milk", "beer", "wine"]
    model = ch.fit("plsa", counts, vocabulary=words, n_components=2, random_state=0)
    named = {name: name.split(", ")[:2] for name in model.names.values()}
    assert sorted(sorted(first) for first in named.values()) == [["beer", "wine"], ["milk", "tea"]]


def test_given_names_are_kept_and_can_be_taken_back(model: ch.TopicModel, tmp_path) -> None:
    automatic = model.names[2]
    model.names[2] = "  parsing  "
    assert model.names[2] == "parsing"
    assert model.names.given == {2: "parsing"}
    assert model.topic_info().set_index("topic")["name"][2] == "parsing"
    assert "parsing" in repr(model)
    model.save(tmp_path / "m")
    again = ch.load(tmp_path / "m")
    assert dict(again.names) == dict(model.names)
    assert again.topics.tolist() == model.topics.tolist()
    del model.names[2]
    assert model.names[2] == automatic
    assert model.names.given == {}


def test_a_model_without_given_names_is_saved_as_before(model: ch.TopicModel, tmp_path) -> None:
    model.save(tmp_path / "plain")
    model.names[0] = "syntax"
    model.save(tmp_path / "named")
    described = [json.loads((tmp_path / f / "model.json").read_text()) for f in ("plain", "named")]
    assert [each["format_version"] for each in described] == [1, 2]
    assert described[1]["names"] == {"0": "syntax"}
    assert "names" not in described[0]
    del model.names[0]
    model.save(tmp_path / "named")
    for file in ("model.json", "arrays.safetensors"):
        assert (tmp_path / "named" / file).read_bytes() == (tmp_path / "plain" / file).read_bytes()


@pytest.mark.parametrize(
    "name",
    ["", "   ", "x" * (LONGEST + 1), "two\nlines", "bell\x07", "\u202eevil", 3, None],
)
def test_what_is_no_name_is_refused(model: ch.TopicModel, name: object) -> None:
    with pytest.raises(InputError):
        model.names[0] = name  # type: ignore[assignment]
    assert model.names.given == {}


@pytest.mark.parametrize("number", [6, -1, True, "0", 1.5])
def test_only_topics_that_are_there_have_names(model: ch.TopicModel, number: object) -> None:
    with pytest.raises(InputError, match="no topic"):
        model.names[number] = "x"  # type: ignore[index]


def test_two_topics_cant_have_one_name(model: ch.TopicModel) -> None:
    model.names[1] = "speech"
    with pytest.raises(InputError, match="Topic 1 is called 'speech' already"):
        model.names[2] = "speech"
    model.names[1] = "speech"  # its own again is no change


@pytest.mark.parametrize(
    "names",
    [[], {}, {"6": "x"}, {"-1": "x"}, {"01": "x"}, {"0": ""}, {"0": " x"}, {"0": 1}, {"x": "y"}],
)
def test_hostile_names_in_a_file_are_refused(names: object, model: ch.TopicModel, tmp_path) -> None:
    with pytest.raises(InputError):
        checked_given(names, 6)
    model.names[0] = "syntax"
    model.save(tmp_path / "m")
    path = tmp_path / "m" / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"names": names}))
    with pytest.raises(ModelFileError):
        ch.load(tmp_path / "m")


def test_a_format_that_doesnt_fit_is_refused(model: ch.TopicModel, tmp_path) -> None:
    model.save(tmp_path / "m")
    path = tmp_path / "m" / "model.json"
    described = json.loads(path.read_text())
    for change in ({"format_version": 2}, {"names": {"0": "x"}}, {"format_version": 3}):
        path.write_text(json.dumps(described | change))
        with pytest.raises(ModelFileError):
            ch.load(tmp_path / "m")


def test_automatic_names_are_unlike_each_other_and_given_ones() -> None:
    words = [["tea", "milk", "sugar", "cup"], ["tea", "milk", "sugar", "pot"], [], []]
    assert automatic_names(words, {"tea, milk, sugar"}) == [
        "tea, milk, sugar, cup",
        "tea, milk, sugar, pot",
        "no words",
        "no words (2)",
    ]


def test_long_words_are_cut_and_commas_in_titles_stay_apart() -> None:
    (long,) = automatic_names([["w" * 100, "x"]], set())
    assert len(long) <= LONGEST
    assert long.endswith("…")
    (titles,) = automatic_names([["Truth, The (1960)", "Alien (1979)"]], set())
    assert titles == "Truth, The (1960); Alien (1979)"


@pytest.mark.parametrize("k", [1, 200])
def test_few_and_many_topics_have_names(k: int) -> None:
    counts = np.random.default_rng(0).poisson(0.3, (220, 240))
    words = [f"word{number:03}" for number in range(240)]
    model = ch.fit("nmf", counts, vocabulary=words, n_components=k, random_state=0, max_iter=3)
    assert len(set(model.names.values())) == k


def test_directions_are_called_by_words_of_both_ends() -> None:
    model = ch.fit("svd", ch.sample_corpus(), n_components=3, random_state=0)
    assert any("−" in name for name in model.names.values())
