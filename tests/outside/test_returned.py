"""What a learner of one's own hands back is checked where it is handed back."""

from dataclasses import replace

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.learners import Events, Fitted, Groups, Numbers, Series
from tests.outside.cones import Cones

COUNTS = np.array([[4, 2, 0, 0], [2, 1, 0, 1], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 1, 1]])
TOPICS = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]])
WELL = Fitted(TOPICS, np.array([2.0, 3.0]), [2.0, 1.0], 2, {"cohesion_": np.array([0.2, 0.3])})


class Returning(Cones):
    """Returns what a test wants it to, and the smaller topic first."""

    returned = WELL
    weights = None

    def _fit(self, commons, seed):
        return self.returned

    def _weights(self, documents):
        return super()._weights(documents) if self.weights is None else self.weights


def fitted(**changes):
    return type("Returning", (Returning,), {"returned": replace(WELL, **changes)})(2).fit(COUNTS)


def declaring(learned, more, **changes):
    said = {"learned": learned, "returned": replace(WELL, more=more, **changes)}
    return type("Returning", (Returning,), said)(2)


def test_lists_and_single_precision_are_taken():
    asked = fitted()
    for how in (lambda array: array.tolist(), lambda array: array.astype(np.float32)):
        found = fitted(
            topics=how(TOPICS), sizes=how(WELL.sizes), objective=how(np.array([2.0, 1.0])),
            n_iter=np.int64(2), more={"cohesion_": how(WELL.more["cohesion_"])},
        )  # fmt: skip
        for name in ("components_", "prevalence_", "objective_", "cohesion_"):
            array = getattr(found, name)
            assert array.dtype == np.float64, name
            np.testing.assert_allclose(array, getattr(asked, name), rtol=1e-6)
        assert type(found.n_iter_) is int
    assert asked.cohesion_.tolist() == [0.3, 0.2]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"topics": np.full((3, 4), 0.25)}, r"'topics' as a ndarray of shape \(3, 4\)"),
        ({"topics": np.full((2, 3), 1 / 3)}, "for 2 topics and 4 words return"),
        ({"topics": "topics"}, "'topics' as a str"),
        ({"topics": [[1, 2, 3, 4], [1]]}, "'topics' as a list"),
        ({"topics": TOPICS * np.nan}, "return finite ones of at least 0"),
        ({"topics": -TOPICS}, "return finite ones of at least 0"),
        ({"sizes": np.ones(3)}, r"'sizes' as a ndarray of shape \(3,\)"),
        ({"sizes": [1.0, -1.0]}, "sizes from -1 to 1; return finite numbers of at least 0"),
        ({"sizes": [np.inf, 1.0]}, "return finite numbers"),
        ({"objective": 3.0}, "'objective' as a float"),
        ({"objective": [[1.0]]}, "'objective' as a list"),
        ({"n_iter": 1.5}, "n_iter=1.5; return how many iterations there were"),
        ({"n_iter": -1}, "n_iter=-1"),
        ({"more": {}}, "leaves 'cohesion_' behind"),
        ({"more": {"cohesion_": np.ones(3)}}, r"'cohesion_' as a ndarray of shape \(3,\)"),
        ({"more": {"cohesion_": None}}, r"return Numbers\(shape='k'"),
        ({"more": {**WELL.more, "components_": TOPICS}}, "'components_', which it doesn't declare"),
        ({"more": {**WELL.more, "extra_": 1}}, "add it to learned, or leave it out"),
        ({"revived": [(1, 0)]}, "'revived_', which it doesn't declare"),
    ],
)
def test_what_is_no_fit_is_refused(changes, rule):
    with pytest.raises(InputError, match=rf"^Returning.*{rule}"):
        fitted(**changes)


def test_something_else_than_a_fit_is_refused():
    with pytest.raises(InputError, match=r"^Returning\._fit returned a tuple; return a Fitted\.$"):
        type("Returning", (Returning,), {"returned": (TOPICS, [2, 3])})(2).fit(COUNTS)


def test_directions_may_be_negative_and_finite():
    kind = type("Returning", (Returning,), {"directions": True, "_on_simplex": False})
    kind.returned = replace(WELL, topics=-TOPICS, sizes=[0.0, 0.0])
    assert kind(2).fit(COUNTS).components_.tolist() == (-TOPICS).tolist()
    kind.returned = replace(WELL, topics=TOPICS * np.inf)
    with pytest.raises(InputError, match=r"return finite ones\.$"):
        kind(2).fit(COUNTS)


KINDS = {"pairs_": Events(), "places_": Groups(), "row_": Series(), "any_": Numbers()}
MORE = {"pairs_": [(1, 0), (2, 1)], "places_": [[0], [3, 1]], "row_": [1, 2, 3], "any_": 2}


def test_every_kind_is_put_in_the_topics_order():
    found = declaring(KINDS, MORE).fit(COUNTS)
    assert found.pairs_ == [(1, 1), (2, 0)]
    assert [places.tolist() for places in found.places_] == [[3, 1], [0]]
    assert found.row_.tolist() == [1, 2, 3]
    assert found.any_ == 2.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairs_": [(1, 2)]}, {"pairs_": [(1.5, 0)]}, {"pairs_": [1, 2]}, {"pairs_": 3},
        {"places_": [[0]]}, {"places_": [[0], [4]]}, {"places_": [[0], [0.5]]}, {"places_": 1},
        {"row_": 3.0}, {"row_": [[1.0]]}, {"any_": "x"},
    ],
)  # fmt: skip
def test_every_kind_is_checked(wrong):
    with pytest.raises(InputError, match=f"^Returning._fit returned '{next(iter(wrong))}' as"):
        declaring(KINDS, {**MORE, **wrong}).fit(COUNTS)


def test_a_fit_that_is_refused_leaves_nothing_behind():
    learner = type("Returning", (Returning,), {"returned": replace(WELL, n_iter=1.5)})(2)
    with pytest.raises(InputError):
        learner.fit(COUNTS)
    assert not [name for name in vars(learner) if name.endswith("_") and name != "n_features_in_"]


@pytest.mark.parametrize(
    ("weights", "form"),
    [
        (np.ones((5, 4)), r"ndarray of shape \(5, 4\)"),
        (np.ones(5), r"ndarray of shape \(5,\)"),
        (np.full((5, 2), np.nan), r"ndarray of shape \(5, 2\)"),
        ([[1.0], [1.0, 2.0]], "list"),
        ("weights", "str"),
    ],
)
def test_weights_that_are_none_are_refused(weights, form):
    learner = type("Returning", (Returning,), {"weights": weights})(2).fit(COUNTS)
    rule = rf"^Returning\._weights returned a {form} for 5 documents and 2 topics; return finite"
    with pytest.raises(InputError, match=rule):
        learner.transform(COUNTS)


@pytest.mark.parametrize(
    "weights", [[[1, 0]] * 5, np.broadcast_to(np.array([1, 0], dtype=np.float32), (5, 2))]
)
def test_weights_in_other_forms_are_taken(weights):
    learner = type("Returning", (Returning,), {"weights": weights})(2).fit(COUNTS)
    documents = np.vstack([COUNTS[:4], np.zeros(4)])
    found = learner.transform(documents)
    assert found.dtype == np.float64
    assert found[:4].tolist() == [[1, 0]] * 4
    assert found[4].tolist() == learner.prevalence_.tolist()


@pytest.mark.parametrize(
    "kind",
    [
        "k", Numbers, Numbers("q"), Numbers("kkkk"), Numbers(("k", "q")), Numbers(3),
        Numbers(["k"]), Numbers("kd", symmetric=True), Numbers(symmetric=True),
    ],
)  # fmt: skip
def test_a_declaration_that_means_nothing_is_refused(kind):
    learner = declaring({"a_": kind}, {"a_": 1})
    for use in (lambda: learner.fit(COUNTS), lambda: ch.register(type(learner))):
        with pytest.raises(InputError, match="learner Returning can't have learned 'a_' as"):
            use()


def test_declarations_have_names():
    for learned in (None, ["a_"]):
        with pytest.raises(InputError, match="must be kinds by name"):
            ch.register(type(declaring(learned, {})))
    for name in ("components_", "A_", 3):
        with pytest.raises(InputError, match="can't have learned"):
            declaring({name: Numbers()}, {name: 1}).fit(COUNTS)


def test_an_abstract_class_is_no_learner():
    class Half(ch.TopicLearner):
        _fit = Cones._fit

    for learner, lacking in ((ch.TopicLearner, "_fit and _weights"), (Half, "_weights")):
        for use in (
            lambda learner: ch.fit(learner, COUNTS, vocabulary=list("abcd")),
            ch.register,
        ):
            with pytest.raises(InputError, match=f"{learner.__name__} lacks {lacking};"):
                use(learner)
