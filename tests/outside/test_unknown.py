"""A model whose learner isn't known: topics are shown, nothing is believed, nothing is lost."""

import hashlib
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from safetensors import numpy as safetensors

import chatham as ch
from chatham.errors import ModelFileError, UnknownLearnerError
from chatham.model.infer import infer
from tests.command import chatham
from tests.model.model_folders import bytes_of
from tests.outside.cones import Cones


def test_its_topics_are_shown_and_it_is_saved_as_it_was(model, folder, tmp_path):
    unknown = ch.load(folder)
    assert unknown.algorithm == "cones"
    assert repr(unknown) == repr(model).replace("Cones", "cones")
    assert "cones: 4 topics" in unknown._repr_html_()
    assert unknown.topics.tobytes() == model.topics.tobytes()
    assert unknown.prevalence.tobytes() == model.prevalence.tobytes()
    assert unknown.vocabulary.tolist() == model.vocabulary.tolist()
    assert unknown.parameters.items() <= model.parameters.items()
    assert unknown.seed == 0
    assert unknown.top_words(4).equals(model.top_words(4))
    assert unknown.topic_info().equals(model.topic_info())
    unknown.save(tmp_path / "again")
    assert bytes_of(tmp_path / "again") == bytes_of(folder)
    assert ch.load(tmp_path / "again", learners=[Cones]).estimator.cohesion_.shape == (4,)


def test_every_kind_of_what_was_learned_comes_back(tmp_path):
    counts = np.eye(6) + 1
    start = np.full((2, 6), 1 / 6)
    for name, told in (("nmf", {"init": start}), ("lda", {}), ("anchor", {"min_anchor_df": 1})):
        fitted = ch.fit(name, counts, vocabulary=list("abcdef"), n_components=2, **told)
        fitted.save(tmp_path / name)
        change(tmp_path / name, algorithm=f"my-{name}")
        ch.load(tmp_path / name).save(tmp_path / "again")
        assert bytes_of(tmp_path / "again") == bytes_of_sorted(tmp_path / name)


def bytes_of_sorted(folder):
    """As `save` writes a description that a test has written."""
    described = json.loads((folder / "model.json").read_text("utf-8"))
    text = json.dumps(described, indent=1, sort_keys=True) + "\n"
    return bytes_of(folder) | {"model.json": text.encode("ascii")}


def test_what_needs_its_estimator_says_how_to_give_it(folder, corpus):
    unknown = ch.load(folder)
    says = r"learner 'cones' of this model isn't known here.*learners=\[\.\.\.\]"
    for ask in (
        lambda: unknown.estimator,
        lambda: unknown.transform(corpus),
        lambda: unknown.document_info(corpus),
        lambda: unknown.weights_table(corpus),
    ):
        with pytest.raises(UnknownLearnerError, match=says):
            ask()


def test_topics_alone_are_measured_and_weighed_by_inferences_for_any_topics(folder, corpus, model):
    unknown = ch.load(folder)
    ours, theirs = ch.evaluate(model, corpus), ch.evaluate(unknown, corpus)
    taken = set(theirs["measure"])
    assert {"npmi", "topic_diversity"} <= taken < set(ours["measure"])
    shared = ours[ours["measure"].isin(taken)]
    assert shared["value"].tolist() == theirs["value"].tolist()
    lacking = theirs.attrs["skipped"]["frobenius"]
    assert "its learner isn't known here: give ch.load the learner's class" in lacking
    weights = infer(unknown, corpus, "least-squares")
    assert weights.tobytes() == infer(model, corpus, "least-squares").tobytes()


HEAVY = ["scipy", "sklearn", "numba", "pandas", "pyarrow"]
LOOKING = f"""
import sys
from chatham.cli import main
try:
    main()
finally:
    print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


def test_commands_show_and_measure_its_topics_and_transform_refuses(folder, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LOOKING, "topics", folder],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "[]"
    numbers = re.findall(r"^ +(\d+) +\d+\.\d%", done.stdout, re.MULTILINE)
    assert numbers == ["0", "1", "2", "3"]
    assert json.loads(chatham("topics", folder, "--json").out)["algorithm"] == "cones"
    (tmp_path / "new.txt").write_text("machine translation\nspeech recognition\n" * 5, "utf-8")
    measured = chatham("evaluate", folder, tmp_path / "new.txt", "--json")
    assert measured.code == 0, measured.errors
    assert "topic_diversity" in measured.out
    told = chatham("transform", folder, tmp_path / "new.txt", "-q")
    assert (told.code, told.out) == (1, "")
    assert told.errors.startswith("Error: The learner 'cones' of this model isn't known here")
    assert len(told.errors.splitlines()) == 1


# Whatever can be checked without its class


def change(folder, **changes):
    described = json.loads((folder / "model.json").read_text("utf-8"))
    for name, value in changes.items():
        described[name] = value(described[name]) if callable(value) else value
    (folder / "model.json").write_text(json.dumps(described), "utf-8")


def change_arrays(folder, **changes):
    """Rewrite arrays with a fitting hash, as somebody who means harm would."""
    path = folder / "arrays.safetensors"
    arrays = {name: array.copy() for name, array in safetensors.load(path.read_bytes()).items()}
    arrays |= changes
    kept = {name: array for name, array in arrays.items() if array is not None}
    packed = safetensors.save(kept)
    path.write_bytes(packed)
    shapes = {name: list(array.shape) for name, array in kept.items()}
    change(folder, arrays=shapes, arrays_sha256=hashlib.sha256(packed).hexdigest())


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def with_parameters(**changes):
    return {"parameters": lambda parameters: parameters | changes}


DESCRIPTIONS = {
    "a name of a module": {"algorithm": "os.system"},
    "a name in capitals": {"algorithm": "Cones"},
    "a name without end": {"algorithm": "x" * 41},
    "no name": {"algorithm": None},
    "k differs": with_parameters(n_components=3),
    "k of text": with_parameters(n_components="4"),
    "no k": {"parameters": lambda p: {n: v for n, v in p.items() if n != "n_components"}},
    "no iterations": with_parameters(max_iter=0),
    "a seed of text": with_parameters(random_state="x"),
    "a table among parameters": with_parameters(concentration={"array": [2]}),
    "a table in a list": with_parameters(concentration=[{"a": 1}]),
    "a list without end": with_parameters(concentration=deep(500)),
    "a number without bounds": with_parameters(concentration=10**400),
    "numbers without bounds in a list": with_parameters(concentration=[1, -(2**63) - 1]),
    "iterations below zero": {"iterations": -1},
    "events missing": {"events": None},
    "groups as a list": {"groups": []},
    "an event of no topic": {"events": {"revived_": [[1, 4]]}},
    "an event that isn't a pair": {"events": {"revived_": [[1]]}},
    "groups of too few topics": {"groups": {"places_": [[1], [2]]}},
    "a place beyond the words": {"groups": {"places_": [[1], [2], [3], [10**6]]}},
    "a place twice": {"groups": {"places_": [[1], [2], [3], [3]]}},
    "one name for two lists": {
        "events": {"places_": []},
        "groups": {"places_": [[1], [2], [3], [4]]},
    },
    "a list called like an array": {"events": {"cohesion_": []}},
    "a list called like a method": {"events": {"transform": []}},
    "a list called like what every fit has": {"groups": {"components_": [[1], [2], [3], [4]]}},
    "a word changed": {"vocabulary": lambda words: ["other", *words[1:]]},
}
ARRAYS = {
    "no topics": {"topics": None},
    "topics without bounds": {"topics": np.full((4, 4230), 1e300)},
    "NaN in topics": {"topics": np.full((4, 4230), np.nan)},
    "topics over fewer words": {"topics": np.full((4, 10), 0.1)},
    "shares that rise": {"prevalence": np.array([0.1, 0.2, 0.3, 0.4])},
    "shares below zero": {"prevalence": np.array([1.2, 0.2, 0.1, -0.5])},
    "no objective": {"objective": None},
    "an array of nobody's": {"extra": np.ones(3)},
    "an array called like a method": {"fitted.transform": np.ones(3)},
    "an array called like topics": {"fitted.components_": np.ones((4, 4230))},
    "infinity among what was learned": {"fitted.cohesion_": np.array([1, 1, 1, np.inf])},
    "numbers without bounds": {"fitted.cohesion_": np.array([1, 1, 1, 1e300])},
    "single precision": {"fitted.cohesion_": np.ones(4, dtype=np.float32)},
    "whole numbers": {"fitted.cohesion_": np.ones(4, dtype=np.int64)},
    "a parameter that isn't noted": {"parameter.init": np.ones(4)},
}


@pytest.fixture
def altered(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "altered")


@pytest.mark.parametrize("changes", DESCRIPTIONS.values(), ids=list(DESCRIPTIONS))
def test_a_damaged_description_is_refused(altered, changes):
    change(altered, **changes)
    with pytest.raises(ModelFileError):
        ch.load(altered)


@pytest.mark.parametrize("changes", ARRAYS.values(), ids=list(ARRAYS))
def test_damaged_arrays_are_refused(altered, changes):
    change_arrays(altered, **changes)
    with pytest.raises(ModelFileError):
        ch.load(altered)


def test_a_refusal_calls_it_what_its_file_does(altered):
    change(altered, **with_parameters(max_iter=0))
    with pytest.raises(ModelFileError, match="'max_iter' parameter of cones must be"):
        ch.load(altered)


class Naive(Cones):
    """Believes that its parameters are numbers, and its models its own."""

    algorithm = "cones"

    def _check_parameters(self):
        super()._check_parameters()
        if self.concentration < 0:
            raise ValueError("a value that nobody should see")

    def _check_fitted(self):
        assert self.cohesion_.max() <= 1


@pytest.mark.parametrize(
    ("concentration", "cohesion", "kind"),
    [("wide", 0.5, "TypeError"), (None, 0.5, "TypeError"), (-1, 0.5, "ValueError"),
     (1, 2.0, "AssertionError")],
)  # fmt: skip
def test_a_learner_that_trips_over_a_file_is_named(altered, concentration, cohesion, kind):
    change(altered, **with_parameters(concentration=concentration))
    change_arrays(altered, **{"fitted.cohesion_": np.full(4, cohesion)})
    rule = rf"^The learner Naive can't take what the model holds \({kind}\): the model is damaged"
    with pytest.raises(ModelFileError, match=rule):
        ch.load(altered, learners=[Naive])


def test_what_only_the_class_knows_is_checked_where_it_is_known(altered):
    change_arrays(altered, **{"fitted.cohesion_": -np.ones(5)})
    assert ch.load(altered).n_topics == 4
    with pytest.raises(
        ModelFileError, match=r"'fitted\.cohesion_' must be float64 of shape \(4,\)"
    ):
        ch.load(altered, learners=[Cones])
    change_arrays(altered, **{"fitted.cohesion_": -np.ones(4)})
    with pytest.raises(ModelFileError, match="numbers below 0"):
        ch.load(altered, learners=[Cones])
    change_arrays(altered, **{"fitted.cohesion_": np.ones(4)})
    change(altered, **with_parameters(squareness=3))
    with pytest.raises(ModelFileError, match="Cones has no parameter 'squareness'"):
        ch.load(altered, learners=[Cones])
