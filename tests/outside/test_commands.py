"""Commands take models and sessions of a learner that a package offers, if its name is typed."""

import json
import re

import pytest

import chatham as ch
from chatham.federation.session import read_session
from tests.cli.federation import Federation
from tests.command import chatham
from tests.outside.cones import Cones

TEXTS = "cat purr\ndog bark\ncat purr sofa\nbark dog postman\n" * 5
TYPED = ("--learner", "offered")


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "a.txt").write_text(TEXTS, "utf-8")
    return tmp_path / "a.txt"


@pytest.fixture
def saved(texts, tmp_path):
    """A model of the learner, fitted elsewhere."""
    learner = type("Offered", (Cones,), {})
    ch.fit(learner(2, random_state=0), texts).save(tmp_path / "model")
    return tmp_path / "model"


def test_documents_get_their_weights(offered, saved, texts):
    refused = chatham("transform", saved, texts)
    assert (refused.code, refused.out) == (1, "")
    assert refused.errors.rstrip().endswith(
        "if an installed package offers it, give --learner offered."
    )
    assert not offered.exists()
    done = chatham("transform", saved, texts, *TYPED)
    assert done.code == 0, done.errors
    assert len(done.out.splitlines()) == 1 + len(TEXTS.splitlines())


def test_what_needs_weights_is_measured(offered, saved, texts):
    words = ("evaluate", saved, texts, "--measure", "frobenius")
    refused = chatham(*words)
    assert refused.code == 1
    assert "its learner isn't known here: give --learner offered" in refused.errors
    assert not offered.exists()
    done = chatham(*words, "--json", *TYPED)
    assert done.code == 0, done.errors
    assert "frobenius" in done.out


def test_people_are_asked_about_documents(offered, saved, texts, tmp_path):
    words = ("intrusion", saved, texts, "--topics", 1, "-o", tmp_path / "questions.csv")
    refused = chatham(*words)
    assert refused.code == 1
    assert "if an installed package offers it, give --learner offered." in refused.errors
    assert not offered.exists()
    done = chatham(*words, *TYPED)
    assert done.code == 0, done.errors
    assert (tmp_path / "questions.csv").exists()


def test_supertopics_are_shown(offered, corpus, tmp_path):
    learner = type("Anchored", (ch.AnchorWords,), {})
    ch.fit(learner(4, refine=1, random_state=0), corpus).save(tmp_path / "model")
    refused = chatham("topics", tmp_path / "model", "--levels", "2")
    assert refused.code == 2
    assert "--learner anchored" in " ".join(refused.errors.split())
    done = chatham("topics", tmp_path / "model", "--levels", "2", "--learner", "anchored", "--json")
    assert done.code == 0, done.errors
    assert len(json.loads(done.out)["levels"][-1]["topics"]) == 2


@pytest.mark.parametrize(
    ("name", "said"), [("bert", "no learner called 'bert'"), ("broken", "can't be imported from")]
)
def test_a_name_that_nobody_offers_is_refused(offered, saved, name, said):
    refused = chatham("topics", saved, "--learner", name)
    assert refused.code == 2
    assert re.search(f"Invalid value for '?--learner.*{said}", " ".join(refused.errors.split()))


def test_parties_are_told_to_join_with_it(offered, tmp_path):
    keys = [word for place in (1, 2, 3) for word in ("--party", f"P{place}={f'{place:x}' * 64}")]
    words = ("session", *keys, "--relay", "http://127.0.0.1:8750")
    made = chatham(*words, "-m", "Offered", "-o", tmp_path / "a.toml")
    assert made.code == 0, made.errors
    assert read_session(tmp_path / "a.toml").algorithm == "offered"
    assert made.errors == (
        "Note: The learner offered isn't Chatham's own: each party must have the package that "
        "offers it, and join with --learner offered.\n"
    )
    assert made.out.rstrip().endswith("-o MODEL --learner offered")
    ours = chatham(*words, "-o", tmp_path / "b.toml")
    assert (ours.errors, "--learner" in ours.out) == ("", False)


def test_a_party_joins_with_it(offered, tmp_path):
    federation = Federation(tmp_path)
    joining = [*federation.joining("North", federation.session("offered"))]
    joining.remove("--yes")
    refused = chatham(*joining)
    assert refused.code == 1
    assert refused.errors.rstrip().endswith("join with --learner and its name.")
    assert not offered.exists()
    asked = chatham(*joining, *TYPED)
    assert "Offered: 3 topics" in asked.errors
    assert "Nothing was sent." in asked.errors
