"""A model of a learner of one's own, a package that offers some; what tests register is undone."""

import sys

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


@pytest.fixture
def offered(tmp_path, monkeypatch):
    """A package that offers learners, is installed, and leaves a mark when it is imported."""
    site = tmp_path / "site"
    about = site / "offering-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: offering\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[chatham.learners]\noffered = offering:Offered\nmisnamed = offering:Offered\n"
        "broken = offering:Missing\nanchored = offering:Anchored\n"
    )
    mark = tmp_path / "mark"
    (site / "offering.py").write_text(
        f"open({str(mark)!r}, 'w').close()\n"
        "import chatham as ch\n"
        "from tests.outside.cones import Cones\n"
        "class Offered(Cones):\n    pass\n"
        "class Anchored(ch.AnchorWords):\n    pass\n"
    )
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, "offering", raising=False)
    return mark
