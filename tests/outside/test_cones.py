"""A learner of one's own works wherever Chatham's do, and Chatham knows nothing of it."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import chatham as ch
from chatham.errors import InputError
from chatham.federation.program import fit_between
from chatham.federation.session import Member, Session
from chatham.plots import plot_comparison, plot_evaluation, plot_per_topic
from tests.conftest import plant, split
from tests.model.model_folders import bytes_of
from tests.outside import cones
from tests.outside.cones import Cones

ROOT = Path(__file__).resolve().parents[2]
WORDS = [f"w{place:02}" for place in range(60)]


@pytest.fixture(scope="module")
def planted():
    return plant()


def test_it_is_one_short_file_that_the_package_knows_nothing_of():
    text = Path(cones.__file__).read_text("utf-8")
    assert len(text.splitlines()) < 60
    assert text in (ROOT / "docs" / "own-learner.md").read_text("utf-8")
    sources = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    assert not any("cones" in source.lower() for source in sources)


def test_it_finds_planted_topics(planted):
    counts, topics = planted[0], planted[1]
    found = Cones(5, random_state=0).fit(counts)
    closeness = cones.normalize(found.components_) @ cones.normalize(topics).T
    assert (closeness.max(axis=1) > 0.9).all()
    assert sorted(closeness.argmax(axis=1)) == list(range(5))
    assert (np.diff(found.objective_) <= 1e-9).all()
    assert ((found.cohesion_ > 0.5) & (found.cohesion_ <= 1)).all()


def test_scikit_learn_checks_pass():
    checks = check_estimator(Cones(2), on_skip=None, on_fail=None)
    assert [(c["check_name"], c["exception"]) for c in checks if c["status"] == "failed"] == []


# In one place


def test_it_is_fitted_as_an_estimator_a_class_or_a_registered_name(planted):
    told = {"n_components": 5, "random_state": 0, "concentration": 40.0}
    given = Cones(**told)
    model = ch.fit(given, planted[0], vocabulary=WORDS)
    assert model.estimator is not given
    assert not hasattr(given, "components_")
    assert model.algorithm == "cones"
    assert clone(model.estimator).get_params() == given.get_params()
    by_class = ch.fit(Cones, planted[0], vocabulary=WORDS, **told)
    assert by_class.topics.tobytes() == model.topics.tobytes()
    assert ch.register(Cones) is Cones
    by_name = ch.fit("Cones", planted[0], vocabulary=WORDS, **told)
    assert by_name.topics.tobytes() == model.topics.tobytes()
    told_later = ch.fit(Cones(5, random_state=0), planted[0], vocabulary=WORDS, concentration=40.0)
    assert told_later.topics.tobytes() == model.topics.tobytes()
    again = ch.fit(model.estimator, planted[0], vocabulary=WORDS)  # fitted ones are parameters too
    assert again.topics.tobytes() == model.topics.tobytes()


def test_its_parameters_are_checked_as_others_are(planted):
    with pytest.raises(InputError, match="Cones has no parameter 'n_topics'; did you mean 'n_comp"):
        ch.fit(Cones(5), planted[0], vocabulary=WORDS, n_topics=3)
    with pytest.raises(InputError, match="'max_iter' parameter of Cones must be"):
        ch.fit(Cones(5, max_iter=0), planted[0], vocabulary=WORDS)
    with pytest.raises(TypeError, match=r"^Cones\.__init__\(\) got an unexpected"):
        Cones(n_topics=5)


def test_its_tables_and_its_views(model, corpus):
    assert repr(model).startswith("TopicModel: Cones, 4 topics over ")
    assert "Cones: 4 topics over" in model._repr_html_()
    assert len(model.top_words(3)) == 12
    assert model.topic_info()["prevalence"].tolist() == model.prevalence.tolist()
    assert np.allclose(model.transform(corpus).sum(axis=1), 1)
    assert len(model.document_info(["translation of machines"])) == 1
    assert model.parameters["concentration"] == 60.0
    assert model.seed == 0
    with pytest.raises(InputError, match="topics of Cones have no correlations"):
        model.related_topics()


def test_what_is_learned_for_each_topic_is_in_the_topics_order(model):
    fitted = model.estimator
    sizes, lengths = np.argsort(-fitted.prevalence_, kind="stable"), fitted.cohesion_
    assert sizes.tolist() == [0, 1, 2, 3]
    documents = cones.directions(fitted._documents(model._take_in(model._documents).counts))
    weights = model.weights
    means = (documents.T @ weights).T / weights.sum(axis=0)[:, None]
    assert np.allclose(np.linalg.norm(means, axis=1), lengths, atol=0.02)


# Between several


@pytest.mark.parametrize(("secure", "far"), [(False, 1e-12), (True, 1e-10)])
def test_apart_equals_pooled(planted, secure, far):
    pooled = ch.fit(Cones(5, random_state=0, tol=0), planted[0], vocabulary=WORDS)
    ledger = ch.Recorded(ch.Simulated(split(planted[0], 3), secure=secure))
    apart = ch.fit(Cones(5, random_state=0, tol=0), ledger, vocabulary=WORDS)
    for name in ("components_", "prevalence_", "cohesion_"):
        mine, theirs = getattr(apart.estimator, name), getattr(pooled.estimator, name)
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=far)
    crossed = [entry for entry in ledger.ledger if entry.statistic.endswith("add_by_topic")]
    assert len(crossed) == 2 * 60
    assert {entry.shape for entry in crossed} == {(5, 60), (5,)}
    assert crossed[0].meaning.startswith("Documents of length one, added up by topic")


def test_a_session_names_it_where_it_is_registered(corpus):
    parties = tuple(Member(f"Party {i}", f"{i:x}" * 64) for i in range(3))
    session = Session(
        id="ab" * 16, relay="http://127.0.0.1:1", parties=parties, algorithm="cones",
        parameters={"n_components": 3, "max_iter": 5}, vocabulary={"words": WORDS}, seed=1,
    )  # fmt: skip
    texts = [[f"{WORDS[i]} {WORDS[i + party]}" for i in range(20)] for party in range(3)]

    def met():
        corpora = [ch.read_for(session, each) for each in texts]
        return fit_between(lambda rows, about: ch.Simulated(rows), session, corpora)

    with pytest.raises(InputError, match="There is no learner called 'cones'"):
        met()
    ch.register(Cones)
    assert met().algorithm == "cones"


# On disk


def test_there_and_back(model, folder, corpus, tmp_path):
    again = ch.load(folder, learners=[Cones])
    assert type(again.estimator) is Cones
    for name, value in vars(model.estimator).items():
        if name.endswith("_"):
            assert np.array_equal(getattr(again.estimator, name), value), name
    assert again.parameters == model.parameters
    assert again.transform(corpus).tobytes() == model.transform(corpus).tobytes()
    again.save(tmp_path / "again")
    assert bytes_of(tmp_path / "again") == bytes_of(folder)
    ch.register(Cones)
    assert ch.load(folder).transform(corpus).tobytes() == model.transform(corpus).tobytes()


def test_what_was_learned_is_checked_on_the_way_out(model, tmp_path):
    class Forgetful(Cones):
        def _keep(self, fitted):
            fitted.more.clear()
            super()._keep(fitted)

    class Crooked(Cones):
        def _keep(self, fitted):
            super()._keep(fitted)
            self.cohesion_ = self.cohesion_[:-1]

    counts = plant()[0]
    for learner, rule in ((Forgetful, "leaves 'cohesion_' behind"), (Crooked, "of shape .4,.")):
        with pytest.raises(InputError, match=rule):
            ch.fit(learner(4, random_state=0), counts, vocabulary=WORDS).save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


# Measured and drawn


def test_it_is_measured_and_drawn_beside_others(model, corpus):
    pytest.importorskip("matplotlib")
    other = ch.fit("plsa", corpus, n_components=4, random_state=0, max_iter=10)
    scores = ch.evaluate(model, corpus, held_out=corpus, true_topics=other)
    of_ours = ch.evaluate(other, corpus, held_out=corpus, true_topics=model)
    assert scores["measure"].tolist() == of_ours["measure"].tolist()
    assert scores.attrs["skipped"].keys() == of_ours.attrs["skipped"].keys()
    assert len(scores) > 25
    table = ch.compare({"mine": model, "theirs": other}, corpus)
    assert set(table["best"]) <= {"mine", "theirs", None}
    assert plot_evaluation(scores).axes
    assert plot_comparison(table).axes
    assert plot_per_topic(scores, "npmi", model.top_word_lists(3)).axes
