"""A model as a folder: nothing hostile gets in."""

import hashlib
import json
import os
import re
import struct

import numpy as np
import pytest
from safetensors import numpy as safetensors

import chatham as ch
from chatham.errors import InputError, ModelFileError
from chatham.model.folder import is_model
from chatham.model.schema import vocabulary_hash
from tests.model.model_folders import COUNTS, WORDS, bytes_of

# Where it is written


@pytest.fixture(scope="module")
def model():
    """Topics that must be probabilities."""
    settings = {"n_components": 2, "constraint": "simplex", "random_state": 0}
    return ch.fit("nmf", COUNTS, vocabulary=WORDS, **settings)


# What is read


@pytest.fixture
def folder(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def change(folder, **changes):
    """Rewrite parts of the description; a callable gets the part and gives the new one."""
    described = json.loads((folder / "model.json").read_text())
    for name, value in changes.items():
        described[name] = value(described.get(name)) if callable(value) else value
    (folder / "model.json").write_text(json.dumps(described))


def change_arrays(folder, announce=True, **changes):
    """Rewrite arrays with a fitting hash, as somebody who means harm would."""
    path = folder / "arrays.safetensors"
    arrays = {k: v.copy() for k, v in safetensors.load(path.read_bytes()).items()}
    for name, value in changes.items():
        arrays.pop(name, None)
        if value is not None:
            arrays[name] = value
    packed = safetensors.save(arrays)
    path.write_bytes(packed)
    change(folder, arrays_sha256=hashlib.sha256(packed).hexdigest())
    if announce:
        change(folder, arrays={name: list(array.shape) for name, array in arrays.items()})


def raw_arrays(folder, content):
    (folder / "arrays.safetensors").write_bytes(content)
    change(folder, arrays_sha256=hashlib.sha256(content).hexdigest())


def header(text, data=b""):
    return struct.pack("<Q", len(text)) + text + data


def with_words(folder, words):
    change(folder, vocabulary=words, vocabulary_sha256=vocabulary_hash(words))


TOPICS = np.full((2, 4), 0.25)
BAD_TOPICS = {
    "nan": np.array([[np.nan, 0, 0, 1], [0, 0, 0, 1]]),
    "negative": np.array([[-1.0, 1, 1, 0], [0, 0, 0, 1]]),
}


TOKENIZER = {
    "lowercase": True, "min_length": 2, "numbers": False, "hyphens": False, "ngrams": [1, 1],
    "stop_words": [], "custom": False,
}  # fmt: skip


HOSTILE = {
    "no description": lambda f: (f / "model.json").unlink(),
    "no arrays": lambda f: (f / "arrays.safetensors").unlink(),
    "empty description": lambda f: (f / "model.json").write_bytes(b""),
    "not JSON": lambda f: (f / "model.json").write_text("{"),
    "not UTF-8": lambda f: (f / "model.json").write_bytes(b"\xff\xfe{}"),
    "a list": lambda f: (f / "model.json").write_text("[]"),
    "nested without end": lambda f: (f / "model.json").write_text("[" * 100_000),
    "a number without end": lambda f: (f / "model.json").write_text("9" * 100_000),
    "NaN in JSON": lambda f: change(f, seed=float("nan")),
    "another format": lambda f: change(f, format="other"),
    "a newer version": lambda f: change(f, format_version=2),
    "version true": lambda f: change(f, format_version=True),
    "version missing": lambda f: change(f, format_version=None),
    "unknown algorithm": lambda f: change(f, algorithm="os.system"),
    "algorithm of another type": lambda f: change(f, algorithm=["nmf"]),
    "unknown parameter": lambda f: change(f, parameters=lambda p: p | {"__class__": "x"}),
    "parameters missing": lambda f: change(f, parameters=None),
    "bad parameter": lambda f: change(f, parameters=lambda p: p | {"max_iter": "many"}),
    "a number without bounds": lambda f: change(f, parameters=lambda p: p | {"tol": 10**400}),
    "more iterations than 64 bits": lambda f: change(
        f, parameters=lambda p: p | {"max_iter": 2**64}
    ),
    "infinity by its digits": lambda f: (f / "model.json").write_text(
        re.sub('"tol": [^,]*', '"tol": 1e999', (f / "model.json").read_text())
    ),
    "a list in lists without end": lambda f: change(
        f, parameters=lambda p: p | {"init": [[[[[[[[[[1]]]]]]]]]]}
    ),
    "k differs": lambda f: change(f, parameters=lambda p: p | {"n_components": 3}),
    "array promised": lambda f: change(f, parameters=lambda p: p | {"init": {"array": [2, 4]}}),
    "array parameter unannounced": lambda f: change_arrays(f, **{"parameter.init": TOPICS}),
    "events missing": lambda f: change(f, events=None),
    "events of text": lambda f: change(f, events={"revived_": [["a", "b"]]}),
    "events without pairs": lambda f: change(f, events={"revived_": [1, 2]}),
    "events of no topic": lambda f: change(f, events={"revived_": [[1, 2]]}),
    "events before the start": lambda f: change(f, events={"revived_": [[-1, 0]]}),
    "iterations missing": lambda f: change(f, iterations="7"),
    "iterations negative": lambda f: change(f, iterations=-1),
    "a seed of text": lambda f: change(f, parameters=lambda p: p | {"random_state": "x"}),
    "a seed below zero": lambda f: change(f, parameters=lambda p: p | {"random_state": -1}),
    "a seed true": lambda f: change(f, parameters=lambda p: p | {"random_state": True}),
    "a parameter without end": lambda f: change(
        f, parameters=lambda p: p | {"constraint": "x" * 10_000}
    ),
    "a word without end": lambda f: with_words(f, ["cat", "purr", "dog", "x" * 10_000_000]),
    "a word too long": lambda f: with_words(f, ["cat", "purr", "dog", "x" * 501]),
    "a word changed": lambda f: change(f, vocabulary=["cat", "purr", "dog", "wolf"]),
    "words missing": lambda f: change(f, vocabulary=None),
    "a word is a number": lambda f: change(f, vocabulary=[1, 2, 3, 4]),
    "a word twice": lambda f: with_words(f, ["cat", "cat", "dog", "bark"]),
    "fewer words": lambda f: with_words(f, WORDS[:3]),
    "no words": lambda f: with_words(f, []),
    "half a character": lambda f: with_words(f, ["cat", "purr", "dog", "\ud800"]),
    "arrays changed": lambda f: (f / "arrays.safetensors").write_bytes(b"\0" * 300),
    "arrays truncated": lambda f: os.truncate(f / "arrays.safetensors", 200),
    "arrays truncated, hash fits": lambda f: raw_arrays(
        f, (f / "arrays.safetensors").read_bytes()[:-8]
    ),
    "arrays empty": lambda f: raw_arrays(f, b""),
    "arrays without a header": lambda f: raw_arrays(f, header(b"not json at all")),
    "header longer than the file": lambda f: raw_arrays(f, struct.pack("<Q", 2**63 - 1) + b"{}"),
    "offsets outside": lambda f: raw_arrays(
        f, header(b'{"topics":{"dtype":"F64","shape":[2,4],"data_offsets":[0,64]}}')
    ),
    "shape and offsets differ": lambda f: raw_arrays(
        f, header(b'{"topics":{"dtype":"F64","shape":[99,99],"data_offsets":[0,8]}}', b"\0" * 8)
    ),
    "an unknown dtype": lambda f: raw_arrays(
        f, header(b'{"topics":{"dtype":"O","shape":[1],"data_offsets":[0,8]}}', b"\0" * 8)
    ),
    "a dtype without numpy": lambda f: raw_arrays(
        f, header(b'{"topics":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}}', b"\0" * 8)
    ),
    "topics missing": lambda f: change_arrays(f, topics=None),
    "topics missing but announced": lambda f: change_arrays(f, announce=False, topics=None),
    "an array too many": lambda f: change_arrays(f, announce=False, extra=TOPICS),
    "prevalence missing": lambda f: change_arrays(f, prevalence=None),
    "objective missing": lambda f: change_arrays(f, objective=None),
    "objective a table": lambda f: change_arrays(f, objective=TOPICS),
    "topics NaN": lambda f: change_arrays(f, topics=BAD_TOPICS["nan"]),
    "topics negative": lambda f: change_arrays(f, topics=BAD_TOPICS["negative"]),
    "topics float32": lambda f: change_arrays(f, topics=TOPICS.astype(np.float32)),
    "topics whole": lambda f: change_arrays(f, topics=TOPICS.astype(np.int64)),
    "topics turned": lambda f: change_arrays(f, topics=TOPICS.T.copy()),
    "topics flat": lambda f: change_arrays(f, topics=np.ones(4)),
    "no topics": lambda f: change_arrays(f, topics=np.ones((0, 4)), prevalence=np.ones(0)),
    "topics no probabilities": lambda f: change_arrays(f, topics=TOPICS * 1.001),
    "an array of nobody's": lambda f: change_arrays(f, extra=TOPICS),
    "prevalence rising": lambda f: change_arrays(f, prevalence=np.array([0.4, 0.6])),
    "prevalence long": lambda f: change_arrays(f, prevalence=np.ones(3) / 3),
    "prevalence too much": lambda f: change_arrays(f, prevalence=np.array([0.9, 0.9])),
    "absurd shapes": lambda f: change(f, arrays={"topics": [2**39, 2**39]}),
    "negative shapes": lambda f: change(f, arrays={"topics": [-1, 4]}),
    "shapes missing": lambda f: change(f, arrays=None),
    "shapes of text": lambda f: change(f, arrays={"topics": ["2", "4"]}),
    "absurdly large arrays": lambda f: os.truncate(f / "arrays.safetensors", 1 << 40),
    "absurdly large description": lambda f: os.truncate(f / "model.json", 1 << 40),
    "a large description": lambda f: (f / "model.json").write_bytes(
        (f / "model.json").read_bytes() + b" " * (1 << 26)
    ),
    "vectorizer of text": lambda f: change(f, vectorizer="x"),
    "vectorizer unknown": lambda f: change(f, vectorizer={"tokenizer": {"lowercase": 3}}),
    "stop words of numbers": lambda f: change(
        f, vectorizer={"tokenizer": TOKENIZER | {"stop_words": [1]}}
    ),
    "idf too short": lambda f: change(f, vectorizer={"weighting": "tfidf", "idf": [1.0]}),
}


@pytest.mark.parametrize("harm", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_folder_is_refused_in_one_sentence(folder, harm):
    harm(folder)
    with pytest.raises(ModelFileError) as refused:
        ch.load(folder)
    message = str(refused.value)
    assert message.endswith((".", "?"))
    assert "\n" not in message
    assert len(message) < 500


@pytest.mark.parametrize("name", ["kmeans", "plsa", "lda"])
def test_topics_of_every_learner_are_probabilities(tmp_path, name):
    model = ch.fit(name, COUNTS, vocabulary=WORDS, n_components=2, random_state=0, max_iter=60)
    model.save(tmp_path / "m")
    change_arrays(tmp_path / "m", topics=model.topics * 1.001)
    with pytest.raises(ModelFileError, match="not probabilities"):
        ch.load(tmp_path / "m")


def test_many_words_cannot_each_take_the_room_of_a_long_one(monkeypatch, folder):
    monkeypatch.setattr("chatham.model.schema.MOST_WORD_BYTES", 4 * 4 * 4 - 1)
    with pytest.raises(ModelFileError, match="The longest"):
        ch.load(folder)


def test_what_could_not_be_read_is_not_written(monkeypatch, model, tmp_path):
    words = ["x" * 501, "purr", "dog", "bark"]
    long = ch.fit("plsa", COUNTS, vocabulary=words, n_components=2, max_iter=1)
    with pytest.raises(ModelFileError, match="501 characters"):
        long.save(tmp_path / "m")
    monkeypatch.setattr("chatham.model.folder.MOST_DESCRIPTION_BYTES", 100)
    with pytest.raises(ModelFileError, match="keep fewer words"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def spoilt(model, attribute, value):
    setattr(model.estimator, attribute, value)
    return model


@pytest.mark.parametrize(
    ("attribute", "value", "rule"),
    [
        ("objective_", np.array([1.0, np.nan]), "'objective' of the model contains NaN"),
        ("objective_", np.array([1.0, np.inf]), "'objective' of the model contains NaN or inf"),
        ("init", np.full((2, 4), np.nan), r"'parameter\.init' of the model contains NaN"),
        ("init", np.ones((1, 1, 2, 4)), "has 4 dimensions; give it at most 3"),
        ("n_components", 3, "has 2 topics, and its parameters speak of 3"),
        ("max_iter", 0, "'max_iter' parameter of NMF"),
        ("max_iter", 2**64, "'max_iter' parameter of NMF must be a whole number below"),
        ("tol", 2**64, "'tol' must be a number of up to 64 bits"),
        pytest.param("tol", 10**400, "'tol' parameter of NMF must be a finite", id="tol too long"),
    ],
)
def test_what_could_not_be_loaded_leaves_the_older_model(model, tmp_path, attribute, value, rule):
    model.save(tmp_path / "m")
    before = bytes_of(tmp_path / "m")
    with pytest.raises(InputError, match=rule):
        spoilt(ch.load(tmp_path / "m"), attribute, value).save(tmp_path / "m")
    assert bytes_of(tmp_path / "m") == before


def test_whether_it_is_a_model_is_seen_from_the_beginning(folder, monkeypatch):
    os.truncate(folder / "model.json", 1 << 40)
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("a huge file was parsed"))
    assert is_model(folder)
    (folder / "model.json").write_text(r'{"a": "\"format\": \"chatham model\""}')
    assert not is_model(folder)


def test_a_pipe_is_not_opened(folder):
    (folder / "model.json").unlink()
    os.mkfifo(folder / "model.json")
    with pytest.raises(ModelFileError, match="not an ordinary file"):
        ch.load(folder)


def test_a_device_is_not_opened(folder):
    (folder / "arrays.safetensors").unlink()
    (folder / "arrays.safetensors").symlink_to("/dev/zero")
    with pytest.raises(ModelFileError, match="not an ordinary file"):
        ch.load(folder)


def test_no_folder_and_no_model(tmp_path):
    rule = "does not exist; give a folder that 'save' has written"
    with pytest.raises(ModelFileError, match=rule):
        ch.load(tmp_path / "nothing")
    with pytest.raises(ModelFileError, match=r"model\.json"):
        ch.load(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ModelFileError, match="is a file"):
        ch.load(tmp_path / "file")


def test_names_in_the_arrays_lead_nowhere(folder, tmp_path):
    for name in ("../../escape", "fitted.fit"):
        change_arrays(folder, **{name: TOPICS})
        with pytest.raises(ModelFileError, match="belongs to no model"):
            ch.load(folder)
        change_arrays(folder, **{name: None})
    assert ch.load(folder).n_topics == 2
    assert not list(tmp_path.glob("**/escape*"))


@pytest.mark.parametrize(
    "changes",
    [
        {"fitted.alpha_": np.ones(1)},
        {"fitted.alpha_": np.zeros(2)},
        {"fitted.alpha_": np.full(2, 1e300)},
        {"fitted.beta_": np.ones(3)},
        {"fitted.beta_": None},
        {"topics": np.array([[0.5, 0.5, 0, 0], [0, 0, 0, 1.0]])},
    ],
)
def test_what_the_kernels_of_lda_trust_is_checked(tmp_path, changes):
    model = ch.fit("lda", COUNTS, vocabulary=WORDS, n_components=2, random_state=0, max_iter=5)
    model.save(tmp_path / "m")
    change_arrays(tmp_path / "m", **changes)
    with pytest.raises(ModelFileError, match="The model's array"):
        ch.load(tmp_path / "m")
