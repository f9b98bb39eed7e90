"""A model of a learner of one's own; and what a test registers is gone after it."""

import pytest

import chatham as ch
from chatham.model import registry
from tests.outside.cones import Cones


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})


@pytest.fixture(scope="session")
def corpus():
    return ch.sample_corpus()


@pytest.fixture(scope="session")
def model(corpus):
    return ch.fit(Cones(4, random_state=0), corpus)


@pytest.fixture(scope="session")
def folder(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "cones"
    model.save(folder)
    return folder
