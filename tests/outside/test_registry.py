"""Which class a name stands for, who may say so, and that files import nothing."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError, UnknownLearnerError
from chatham.federation.normed.linking import uses_links
from chatham.federation.program import fit_between
from chatham.federation.session import Member, Session
from chatham.learners import Numbers
from tests.outside.cones import Cones

COUNTS = np.array([[4, 2, 0, 0], [2, 1, 0, 1], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 1, 1]])
WORDS = ["cat", "purr", "dog", "bark"]
ROOT = Path(__file__).resolve().parents[2]


def fitted(learner):
    return ch.fit(learner, COUNTS, vocabulary=WORDS, n_components=2, random_state=0)


# Names


def test_a_class_has_a_name_of_its_own_however_it_is_derived():
    class Slow(ch.NMF):
        pass

    class Slower(Slow):
        algorithm = "much-slower"

    assert (ch.NMF.algorithm, ch.AnchorWords.algorithm) == ("nmf", "anchor")
    assert (Slow.algorithm, Slower.algorithm) == ("slow", "much-slower")
    assert fitted(Slow).algorithm == "slow"
    assert fitted(Slow(2)).topics.tobytes() == fitted(ch.NMF(2)).topics.tobytes()


def test_chathams_own_names_are_taken(tmp_path):
    class NMF(Cones):
        pass

    class Other(ch.LDA):
        algorithm = "lda"

    for learner in (NMF, Other):
        for use in (
            ch.register,
            fitted,
            lambda learner: ch.load(tmp_path, learners=[learner]),
            lambda learner: ch.TopicModel(learner(2).fit(COUNTS), WORDS),
        ):
            with pytest.raises(
                InputError, match=r"can't be called '(nmf|lda)', which is Chatham's"
            ):
                use(learner)
    assert ch.register(ch.NMF) is ch.NMF  # which is known anyway


def test_two_classes_have_two_names():
    def defined(where):
        return type("Cones", (Cones,), {"__module__": where})

    ch.register(Cones)
    ch.register(Cones)
    with pytest.raises(InputError, match=r"called 'cones': tests\.outside\.cones\.Cones and there"):
        ch.register(defined("there"))
    with pytest.raises(InputError, match=r"called 'cones': here\.Cones and there\.Cones"):
        ch.load("nowhere", learners=[defined("here"), defined("there")])
    again = defined("tests.outside.cones")  # as when a notebook's cell is run again
    ch.register(again)
    assert type(fitted("cones").estimator) is again


def test_those_that_are_given_come_before_registered_ones(folder):
    class Mine(Cones):
        algorithm = "cones"

    ch.register(Cones)
    assert type(ch.load(folder, learners=[Mine]).estimator) is Mine
    assert type(ch.load(folder).estimator) is Cones


@pytest.mark.parametrize("name", ["My Learner", "os.system", "", "x" * 41, "1st", 3])
def test_names_are_plain_words(name):
    learner = type("Odd", (Cones,), {"algorithm": name})
    with pytest.raises(InputError, match=r"declare algorithm = '\.\.\.'"):
        fitted(learner)


def test_what_cannot_be_a_learner_is_refused():
    class Bare(ch.TopicLearner):
        def __init__(self, n_components=10, random_state=None):
            self.n_components, self.random_state = n_components, random_state

        _fit, _weights = Cones._fit, Cones._weights

    class Confusing(Cones):
        def __init__(self, n_components=10, *, algorithm="em", max_iter=1, tol=0.0,
                     random_state=None, n_jobs=None, verbose=0):  # fmt: skip
            """With a parameter that is taken."""

    rules = {
        object: "isn't the class of a learner",
        Cones(2): "isn't the class of a learner",
        Bare: "no parameter 'max_iter'; every learner has",
        Confusing: "has a parameter 'algorithm'",
        type("A", (Cones,), {"learned": {"cohesion": Numbers("k")}}): "can't have learned 'cohesi",
        type("B", (Cones,), {"learned": {"n_iter_": Numbers("")}}): "can't have learned 'n_iter_'",
    }
    for learner, rule in rules.items():
        with pytest.raises(InputError, match=rule):
            ch.register(learner)
    with pytest.raises(InputError, match=r"give learners=\[Cones\]"):
        ch.load("nowhere", learners=Cones)
    for given in ("cone", object):
        with pytest.raises(InputError, match="There is no learner called"):
            fitted(given)
    with pytest.raises(InputError, match="this int is no learner"):
        fitted(3)


def test_a_registered_name_is_among_those_to_choose_from():
    ch.register(Cones)
    with pytest.raises(InputError, match=r"choose one of 'nmf', .*'svd', 'cones'"):
        fitted("cone")


def test_a_learner_without_parameters_of_its_own_needs_no_init():
    class Plain(ch.TopicLearner):
        _fit, _weights, learned = Cones._fit, Cones._weights, Cones.learned
        concentration = 20.0

    assert sorted(Plain(2).get_params()) == [
        "max_iter", "n_components", "n_jobs", "random_state", "tol", "verbose",
    ]  # fmt: skip
    assert fitted(Plain).topics.shape == (2, 4)


# What packages offer


@pytest.fixture
def models(tmp_path):
    """A model of that learner, from elsewhere."""
    fitted(type("Offered", (Cones,), {})).save(tmp_path / "model")
    return tmp_path / "model"


def test_a_typed_name_finds_what_a_package_offers(offered, models):
    assert not offered.exists()
    model = fitted("Offered")
    assert offered.exists()
    assert type(model.estimator).__module__ == "offering"
    assert type(ch.load(models).estimator) is type(model.estimator)  # it is known here from now on
    with pytest.raises(InputError, match="'misnamed', and the learner calls itself 'offered'"):
        fitted("misnamed")
    with pytest.raises(InputError, match="'broken' can't be imported from 'offering:Missing'"):
        fitted("broken")


def test_a_name_in_a_model_imports_nothing(offered, models):
    model = ch.load(models)
    with pytest.raises(UnknownLearnerError):
        model.transform(COUNTS)
    ch.evaluate(model, measures=["topic_diversity"])
    with pytest.raises(UnknownLearnerError):
        ch.load(models, learners=[Cones]).estimator  # noqa: B018
    assert not offered.exists()


def test_a_name_in_a_session_imports_nothing(offered):
    parties = tuple(Member(f"Party {i}", f"{i:x}" * 64) for i in range(3))
    session = Session(
        id="ab" * 16, relay="http://127.0.0.1:1", parties=parties, algorithm="offered",
        parameters={"n_components": 2}, vocabulary={"words": WORDS}, seed=1,
    )  # fmt: skip
    assert not uses_links(session)
    corpora = [ch.read_for(session, ["cat purr", "dog bark"] * 10) for _ in range(3)]
    with pytest.raises(InputError, match="There is no learner called 'offered'"):
        fit_between(lambda rows, about: ch.Simulated(rows), session, corpora)
    assert not offered.exists()


def chatham(offered, *words):
    """A process of its own, in which the package is installed."""
    site = offered.parent / "site"
    path = os.pathsep.join([str(site), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "chatham", *map(str, words)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False,
    )  # fmt: skip


def test_commands_import_it_for_a_typed_name_alone(offered, models, tmp_path):
    (tmp_path / "a.txt").write_text("cat purr\ndog bark\ncat purr\nbark dog\n" * 5, "utf-8")
    assert chatham(offered, "topics", models).returncode == 0
    assert chatham(offered, "evaluate", models, tmp_path / "a.txt").returncode == 0
    refused = chatham(offered, "transform", models, tmp_path / "a.txt")
    assert refused.returncode == 1
    assert "The learner 'offered' of this model isn't known here" in refused.stderr
    assert not offered.exists()
    told = ("-m", "offered", "-k", "2", "--set", "concentration=20", "-o", tmp_path / "new")
    done = chatham(offered, "fit", tmp_path / "a.txt", *told)
    assert done.returncode == 0, done.stderr
    assert "Offered: " in done.stdout
    assert offered.exists()
    assert ch.load(tmp_path / "new").parameters["concentration"] == 20


def test_an_estimator_keeps_its_own_parameters_and_texts_are_weighed_for_it():
    texts = ["cat purr", "dog bark", "cat dog"]
    by_class = ch.fit(ch.NMF, texts, n_components=2, random_state=0)
    by_estimator = ch.fit(ch.NMF(2, random_state=0), texts)
    assert (by_class.parameters["loss"], by_estimator.parameters["loss"]) == (
        "relative",
        "absolute",
    )
    assert by_class.vectorizer.weighting == by_estimator.vectorizer.weighting == "tfidf"
