"""An anchor model as a folder: all that was fitted comes back, and nothing that wasn't."""

import hashlib
import json

import numpy as np
import pytest
from safetensors import numpy as safetensors

import chatham as ch
from chatham.errors import ModelFileError
from chatham.model.plain import as_plain, separated
from tests.conftest import plant

COUNTS = plant(n=120, d=30, k=3)[0]
WORDS = [f"word_{j}" for j in range(30)]
NEW = plant(n=20, d=30, k=3, seed=5)[0].toarray()
NEW[3] = 0


def fitted(**settings):
    settings = {"n_components": 3, "refine": 2, "min_anchor_df": 2, "random_state": 0, **settings}
    return ch.fit("anchor", COUNTS, vocabulary=WORDS, **settings)


def assert_same(model, again):
    """Every fitted attribute, and the weights of new documents, bit for bit."""
    for name, value in vars(model.estimator).items():
        if name.endswith("_") and name != "anchor_groups_":
            assert np.array_equal(getattr(again.estimator, name), value), name
            assert type(getattr(again.estimator, name)) is type(value), name
    groups = [[group.tolist() for group in one.estimator.anchor_groups_] for one in (model, again)]
    assert groups[0] == groups[1]
    assert (again.estimator.anchors_ == model.estimator.anchors_).all()
    assert again.parameters == model.parameters
    assert again.transform(NEW).tobytes() == model.transform(NEW).tobytes()


@pytest.mark.parametrize("settings", [{"refine": 0}, {}, {"refine": 0, "rectify": "none"}], ids=str)
@pytest.mark.parametrize("inference", ["posterior", "padd", "spi", "tli", "least-squares"])
def test_there_and_back(inference, settings, tmp_path):
    model = fitted(inference=inference, **settings)
    model.save(tmp_path / "a")
    again = ch.load(tmp_path / "a")
    assert_same(model, again)
    again.save(tmp_path / "b")
    for name in ("model.json", "arrays.safetensors"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert again.estimator.hierarchy([2]).levels[0].topics.tobytes() == (
        model.estimator.hierarchy([2]).levels[0].topics.tobytes()
    )


@pytest.mark.parametrize(
    "anchors",
    [
        [3, [4, 7]],
        ["word_3", ["word_4", "word_7"]],
        ((3,), (4, 7)),
        np.array([3, 4]),
        np.array([[3, 4], [5, 7]]),
        [np.array([3, 4]), np.int64(7)],
        np.array(["word_3", "word_4"]),
    ],
    ids=repr,
)
def test_given_anchors_are_kept(anchors, tmp_path):
    model = fitted(anchors=anchors)
    model.save(tmp_path)
    again = ch.load(tmp_path)
    assert_same(model, again)
    assert again.estimator.fit(COUNTS).components_.tobytes() == model.topics.tobytes()


def test_arrays_of_words_are_plain():
    plain, arrays = separated({"anchors": np.array(["tea", "milk"]), "init": np.eye(2)})
    assert plain == {"anchors": ["tea", "milk"], "init": {"array": [2, 2]}}
    assert list(arrays) == ["init"]
    assert as_plain("anchors", [np.array([1, 2]), "tea"]) == [[1, 2], "tea"]


def test_the_co_occurrence_is_not_kept(tmp_path):
    model = fitted(keep_cooccurrence=True)
    model.save(tmp_path)
    assert not hasattr(ch.load(tmp_path).estimator, "cooccurrence_")


# What is read


def change(folder, **changes):
    described = json.loads((folder / "model.json").read_text())
    for name, value in changes.items():
        described[name] = value(described[name]) if callable(value) else value
    (folder / "model.json").write_text(json.dumps(described))


def change_arrays(folder, prefix="fitted.", **changes):
    """Rewrite arrays with a fitting hash, as somebody who means harm would."""
    path = folder / "arrays.safetensors"
    arrays = {name: array.copy() for name, array in safetensors.load(path.read_bytes()).items()}
    for name, value in changes.items():
        arrays[prefix + name] = value(arrays[prefix + name]) if callable(value) else value
    packed = safetensors.save({name: array for name, array in arrays.items() if array is not None})
    path.write_bytes(packed)
    shapes = {name: list(array.shape) for name, array in arrays.items() if array is not None}
    change(folder, arrays=shapes, arrays_sha256=hashlib.sha256(packed).hexdigest())


def spoilt(value, place=(0, 0)):
    def work(array):
        array[place] = value
        return array

    return work


def groups(*listed):
    return {"groups": {"anchor_groups_": list(listed)}}


DESCRIPTIONS = {
    "groups missing": {"groups": None},
    "groups of another name": {"groups": {"others_": [[1], [2], [3]]}},
    "groups as a list": {"groups": [[1], [2], [3]]},
    "too few groups": groups([1], [2]),
    "too many groups": groups([1], [2], [3], [4]),
    "an empty group": groups([1], [2], []),
    "a place beyond the words": groups([1], [2], [30]),
    "a place below zero": groups([1], [2], [-1]),
    "a place of text": groups([1], [2], ["3"]),
    "a place that is no whole number": groups([1], [2], [3.0]),
    "a place that is true": groups([1], [2], [True]),
    "no list in a group": groups([1], [2], 3),
    "a word in two groups": groups([1], [2], [3, 1]),
    "a word twice in a group": groups([1], [2], [3, 3]),
    "an unknown way to anchors": {"parameters": lambda p: p | {"anchors": "magic"}},
    "anchors of nothing": {"parameters": lambda p: p | {"anchors": None}},
    "too many given anchors": {"parameters": lambda p: p | {"anchors": [1, 2, 3, 4]}},
    "anchors promised as an array": {"parameters": lambda p: p | {"anchors": {"array": [2]}}},
    "an unknown inference": {"parameters": lambda p: p | {"inference": "eval"}},
    "a share above one": {"parameters": lambda p: p | {"min_anchor_df": 1.5}},
    "a flag of text": {"parameters": lambda p: p | {"keep_cooccurrence": "no"}},
    "a flag of a number": {"parameters": lambda p: p | {"keep_cooccurrence": 0}},
    "a flag of nothing": {"parameters": lambda p: p | {"keep_cooccurrence": None}},
    "nested anchors": {"parameters": lambda p: p | {"anchors": [[[1]], 2]}},
    "a fractional anchor": {"parameters": lambda p: p | {"anchors": [1.5]}},
    "an anchor of a float": {"parameters": lambda p: p | {"anchors": [[1.0, 2]]}},
    "an anchor that is true": {"parameters": lambda p: p | {"anchors": [True]}},
    "an anchor of nothing": {"parameters": lambda p: p | {"anchors": [None]}},
    "an anchor of no words": {"parameters": lambda p: p | {"anchors": [[]]}},
    "an anchor below zero": {"parameters": lambda p: p | {"anchors": [-1]}},
    "an anchor beyond the words": {"parameters": lambda p: p | {"anchors": [2, 30]}},
}
ARRAYS = {
    "NaN in correlations": {"correlations_": spoilt(np.nan)},
    "infinity in correlations": {"correlations_": spoilt(np.inf)},
    "correlations that aren't symmetric": {"correlations_": spoilt(0.7, (0, 1))},
    "correlations of another shape": {"correlations_": np.eye(2)},
    "correlations of one dimension": {"correlations_": np.ones(3)},
    "correlations of single precision": {"correlations_": np.eye(3, dtype=np.float32)},
    "no correlations": {"correlations_": None},
    "correlations of zeros": {"correlations_": np.zeros((3, 3))},
    "negative correlations": {"correlations_": -np.eye(3) / 3},
    "one negative correlation": {"correlations_": np.diag([1.0, 0.5, -0.5])},
    "huge correlations": {"correlations_": np.full((3, 3), 1e30)},
    "correlations that sum to two": {"correlations_": lambda array: 2 * array},
    "correlations of whole numbers": {"correlations_": np.eye(3, dtype=np.int64)},
    "NaN in the dual": {"dual_": spoilt(np.nan, (2, 1))},
    "a dual that isn't symmetric": {"dual_": spoilt(5.0, (2, 1))},
    "a dual of another shape": {"dual_": np.zeros((3, 4))},
    "a dual without bounds": {"dual_": np.full((3, 3), 1e300)},
    "no dual": {"dual_": None},
    "infinity in the dual": {"dual_": spoilt(-np.inf)},
    "a dual of one dimension": {"dual_": np.zeros(9)},
    "a prior of zeros": {"alpha_": np.zeros(3)},
    "a prior of another length": {"alpha_": np.ones(4)},
    "no prior": {"alpha_": None},
    "a negative prior": {"alpha_": np.array([0.1, 0.1, -0.1])},
    "a prior of nearly zero": {"alpha_": np.array([0.1, 0.1, 1e-30])},
    "NaN in the prior": {"alpha_": spoilt(np.nan, 1)},
    "a huge prior": {"alpha_": np.array([0.1, 0.1, 1e29])},
    "NaN in the likelihood": {"likelihood_": spoilt(np.nan, 0)},
    "a likelihood without bounds": {"likelihood_": np.array([-1e300])},
    "a likelihood of two dimensions": {"likelihood_": np.zeros((2, 2))},
    "a likelihood of whole numbers": {"likelihood_": np.zeros(2, dtype=np.int64)},
    "no likelihood": {"likelihood_": None},
    "a number of no model": {"cooccurrence_": np.eye(30)},
}


@pytest.fixture
def folder(tmp_path):
    fitted(inference="padd").save(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("total", [0.0, 1e-12, 1e12, 1e30])
def test_unrefined_correlations_sum_to_about_one(total, tmp_path):
    """They sum to it only about, but zero and 1e12 are no fit's."""
    fitted(refine=0).save(tmp_path)
    change_arrays(tmp_path, correlations_=lambda array: 2.56 * array)
    assert ch.load(tmp_path).estimator.correlations_.sum() > 2
    change_arrays(tmp_path, correlations_=np.full((3, 3), total / 9))
    with pytest.raises(ModelFileError, match=r"array 'fitted\.correlations_' must hold joint prob"):
        ch.load(tmp_path)


def test_given_anchors_in_an_array_of_fractions_are_refused(tmp_path):
    learner = ch.AnchorWords(3, anchors=np.array([3, 4]), refine=0, min_anchor_df=2).fit(COUNTS)
    ch.TopicModel(learner, WORDS).save(tmp_path)
    change_arrays(tmp_path, prefix="parameter.", anchors=np.array([3.0, 4.5]))
    with pytest.raises(ModelFileError, match=r"a word or its index .* Got .*3\.0"):
        ch.load(tmp_path)


def test_parameters_that_were_set_after_the_fit_make_no_model_unreadable(tmp_path):
    model = fitted(refine=0, rectify="none")
    model.estimator.set_params(refine=7, rectify="alternating")
    model.save(tmp_path)
    assert_same(model, ch.load(tmp_path))


def test_what_could_not_be_read_is_not_written(tmp_path):
    model = fitted()
    model.estimator.correlations_ = np.zeros((3, 3))
    with pytest.raises(ch.InputError, match=r"'fitted\.correlations_' must hold"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("changes", DESCRIPTIONS.values(), ids=list(DESCRIPTIONS))
def test_a_damaged_description_is_refused(folder, changes):
    change(folder, **changes)
    with pytest.raises(ModelFileError):
        ch.load(folder)


@pytest.mark.parametrize("changes", ARRAYS.values(), ids=list(ARRAYS))
def test_damaged_arrays_are_refused(folder, changes):
    change_arrays(folder, **changes)
    with pytest.raises(ModelFileError, match=rf"array 'fitted\.{next(iter(changes))}'"):
        ch.load(folder)
