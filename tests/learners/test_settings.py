"""Settings stand for their learner: what they let pass, the learner itself would let pass."""

import copy
import inspect
import subprocess
import sys

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.model.registry import (
    LEARNERS,
    algorithm_of,
    estimator_of,
    make_estimator,
    make_settings,
)
from tests.model.model_folders import COUNTS, WORDS

DECIDED = (
    "__init__", "_check_parameters", "_check_fitted", "_on_simplex", "_parameter_names",
    "learned", "utters_all", "directions",
)  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))
def test_a_learner_has_no_rules_besides_its_settings(learner):
    """Or else a model file could pass `load` and be refused later."""
    assert issubclass(learner.estimator, learner.settings)
    for name in DECIDED:
        assert inspect.getattr_static(learner.estimator, name) is (
            inspect.getattr_static(learner.settings, name)
        )
    assert learner.settings._parameter_names() == learner.estimator._get_param_names()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_table_and_the_learner_have_one_name_for_it(name):
    learner = LEARNERS[name]
    assert learner.settings.algorithm == learner.estimator.algorithm == name


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))
def test_python_names_the_learner_where_a_call_doesnt_fit(learner):
    with pytest.raises(TypeError, match=rf"^{learner.class_name}\.__init__\(\) got an unexpected"):
        learner.estimator(n_topics=3)


def test_settings_need_numpy_alone():
    modules = sorted(learner.settings_module for learner in LEARNERS.values())
    code = (
        f"import sys\nfor name in {modules}: __import__(name)\n"
        "heavy = ['scipy', 'sklearn', 'numba', 'pandas', 'pyarrow']\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    "parameters",
    [{"n_components": 0}, {"tol": -1.0}, {"max_iter": "many"}, {"n_topics": 3}, {"n_jobs": 0}],
    ids=str,
)
def test_both_refuse_in_the_same_words(name, parameters):
    said = []
    for make in (make_estimator, make_settings):
        with pytest.raises(InputError) as refused:
            make(name, parameters)
        said.append(str(refused.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", LEARNERS)
def test_an_estimator_has_all_that_its_settings_hold(name):
    settings = make_settings(name, {"n_components": 3, "random_state": 5})
    settings.components_ = np.ones((3, 2))
    estimator = estimator_of(settings)
    assert algorithm_of(settings) == algorithm_of(estimator) == name
    assert vars(estimator) == vars(settings)
    assert estimator.get_params()["n_components"] == 3


@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_that_was_read_makes_one_estimator(name, tmp_path):
    fitted = ch.fit(name, COUNTS, vocabulary=WORDS, n_components=2, random_state=0)
    fitted.save(tmp_path)
    model = ch.load(tmp_path)
    assert model.seed == 0
    assert repr(model) == repr(fitted)
    assert copy.deepcopy(model).topics.tobytes() == fitted.topics.tobytes()
    estimator = model.estimator
    assert model.estimator is estimator
    assert type(estimator) is type(fitted.estimator)
    assert model.parameters == fitted.parameters
    assert model.transform(COUNTS).tobytes() == fitted.transform(COUNTS).tobytes()
    before = model.topics
    estimator.components_ = estimator.components_[::-1]
    np.testing.assert_array_equal(model.topics, before[::-1])
