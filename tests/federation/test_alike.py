"""A model that parties fitted is the same everywhere, also where machines differ a little."""

from dataclasses import replace

import numpy as np
import pytest

import chatham as ch
from chatham.federation import program
from chatham.federation.join import read_for
from chatham.federation.party.ledger import read_ledger
from chatham.federation.program import fit_and_score
from tests.federation.parties import Federation, all_good
from tests.federation.parties import together as at_once
from tests.federation.party.test_party import party_of
from tests.federation.test_program import PARTIES, session


def nudged(model, index):
    """As if this party's machine had rounded the last update otherwise."""
    for name, value in vars(model.estimator).items():
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype == np.float64:
            setattr(model.estimator, name, value * (1 + index * 2.0**-52))
    model.estimator.nudge = index
    idf = model.vectorizer.idf * (1 + index * 2.0**-52)
    return ch.TopicModel(
        model.estimator, model.vocabulary, vectorizer=replace(model.vectorizer, idf=idf)
    )


def made(federation, agreed, index, **more):
    """What party `index` saves, and its scores."""
    connection = federation.connect(index, **more)

    def meet(rows, about):
        party = party_of(federation, index, rows[0], about)
        party.connection = connection
        party.nudge = index
        return party

    return fit_and_score(meet, agreed, [read_for(agreed, PARTIES[index])])


@pytest.fixture
def unlike(monkeypatch):
    """Machines that differ in the last bit after the last sum."""
    real, topics_of = program.with_agreed_numbers, program.as_subject

    def subject_of(model):
        subject = topics_of(model)
        return replace(subject, topics=subject.topics * (1 + model.estimator.nudge * 2.0**-52))

    monkeypatch.setattr(
        program, "with_agreed_numbers", lambda model, party: real(nudged(model, party.nudge), party)
    )
    monkeypatch.setattr(program, "as_subject", subject_of)


def fit_all(tmp_path, **more):
    agreed = replace(
        session("nmf", max_iter=2), score={"measures": ["completion", "npmi"], "held_out": 0.2}
    )
    federation = Federation(tmp_path)
    programs = [
        lambda i=i: made(federation, agreed, i, **{k: v(i) for k, v in more.items()})
        for i in range(3)
    ]
    models = all_good(at_once(*programs))
    for index, model in enumerate(models):
        model.save(tmp_path / f"model{index}")
    return federation, models


def test_unlike_machines_save_the_first_ones_model_and_score_it(tmp_path, unlike):
    federation, models = fit_all(tmp_path, numerics=lambda index: bytes([index] * 32))
    saved = [
        {path.name: path.read_bytes() for path in (tmp_path / f"model{index}").iterdir()}
        for index in range(3)
    ]
    assert saved[0] == saved[1] == saved[2]
    assert models[0].scores["value"].tolist() == models[2].scores["value"].tolist()
    told = [line["statistic"] for line in read_ledger(federation.folder_of(1)) if "shape" in line]
    assert "chatham.federation.party.party.first_state" in told


def test_alone_nothing_changes():
    model = ch.fit("nmf", PARTIES[0], n_components=2, random_state=0)
    again = program.with_agreed_numbers(model, ch.Alone(np.ones((2, 2))))
    assert (again.topics == model.topics).all()
    assert (again.vectorizer.idf == model.vectorizer.idf).all()
