"""A session says the same to everybody: its hash, and its file."""

import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.errors import SessionError
from chatham.federation.session import Member, Session, read_session, session_of
from tests.vectors import load
from tests.vectors.fixed import ROSTER, identity
from tests.vectors.make import sample_session

FROZEN = load("session")
PEM = "-----BEGIN CERTIFICATE-----\nMAs=\n-----END CERTIFICATE-----\n"
MEMBERS = sample_session().parties


def file_of(tmp_path, text):
    path = tmp_path / "session.toml"
    path.write_text(text, "utf-8")
    return path


# -- hash and file


def test_file_and_hash_are_those_that_were_frozen(tmp_path):
    session = read_session(file_of(tmp_path, FROZEN["toml"]))
    assert session.hash.hex() == FROZEN["hash"]
    assert session.to_toml() == FROZEN["toml"]
    assert session == sample_session()


CHANGES = {
    "id": "f" * 32,
    "relay": "https://relay.example:8444",
    "algorithm": "svd",
    "seed": 8,
    "fraction_bits": 32,
    "rounds": 501,
    "largest_message": 2**20 + 8,
    "two_parties_know": True,
    "certificate": PEM,
    "exact_totals_know": True,
    "roster_changed_know": True,
    "pace": 250,
    "score": {"measures": ["npmi"], "held_out": 0.1},
    "privacy": {"epsilon": 1.0, "delta": 1e-5, "honest": 2},
    "tables": ({"column": "date", "every": "month"}, {"column": "desk", "groups": ["a", "b"]}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_holds_every_field(name, tmp_path):
    session = sample_session(**{name: CHANGES[name]})
    assert read_session(file_of(tmp_path, session.to_toml())) == session


@pytest.mark.parametrize("name", CHANGES)
def test_the_hash_changes_with_every_field(name):
    assert sample_session(**{name: CHANGES[name]}).hash != sample_session().hash


@pytest.mark.parametrize(
    "parties",
    [
        MEMBERS[::-1],
        (*MEMBERS[:2], replace(MEMBERS[2], name="Other")),
        (*MEMBERS[:2], replace(MEMBERS[2], key=identity(7).public.hex())),
        (*MEMBERS[:2], replace(MEMBERS[2], address="elsewhere:1")),
        (*MEMBERS[:2], replace(MEMBERS[2], certificate=PEM)),
        (*MEMBERS, Member("One more", identity(8).public.hex())),
    ],
    ids=["order", "name", "key", "address", "certificate", "one more"],
)
def test_the_hash_changes_with_the_roster(parties):
    assert sample_session(parties=parties).hash != sample_session().hash


def test_the_hash_changes_with_parameters_and_vocabulary():
    tables = [{}, {"a": 1}, {"a": 1.0}, {"a": "1"}, {"a": True}, {"a": [1]}, {"b": 1}]
    made = {sample_session(parameters=p, vocabulary=v).hash for p in tables for v in tables}
    assert len(made) == len(tables) ** 2


def test_every_field_is_tried_above():
    assert set(CHANGES) | {"parties", "parameters", "vocabulary"} == set(
        Session.__dataclass_fields__
    )


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    TEXTS
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4), TEXTS)
def test_any_session_comes_back_from_its_file_with_the_same_hash(table, algorithm):
    session = sample_session(parameters=table, vocabulary=table, algorithm=algorithm)
    again = session_of(tomllib.loads(session.to_toml()))
    assert again == session
    assert again.hash == session.hash


def test_a_roster_knows_its_keys_and_places():
    session = sample_session()
    assert session.keys == ROSTER
    assert [session.index_of(key) for key in ROSTER] == [0, 1, 2]
    with pytest.raises(SessionError, match="isn't in this session's roster"):
        session.index_of(bytes(32))


# -- files


def test_a_file_that_isnt_there_is_refused(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(SessionError, match="can't be read"):
            read_session(path)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "id = ",
        "a = " + "[" * 5000,
        "a = " + "1" * 5000,
        "id = 1\nid = 2",
        "a.b = 1\na = 2",
        "x = 1979-05-27",
    ],
    ids=lambda text: text[:12],
)
def test_a_file_that_isnt_a_session_is_refused(tmp_path, text):
    with pytest.raises(SessionError):
        read_session(file_of(tmp_path, text))


def test_a_file_of_other_bytes_is_refused(tmp_path):
    path = tmp_path / "session.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SessionError, match="isn't a session file"):
        read_session(path)


@pytest.mark.parametrize(
    "line", ["extra = 1", 'parties = "x"', "hash = 1", "keys = []", "[more]\na = 1"]
)
def test_unknown_fields_are_refused(tmp_path, line):
    with pytest.raises(SessionError, match="has unknown fields"):
        read_session(file_of(tmp_path, line.replace("[more]\na", "more.a") + "\n" + FROZEN["toml"]))


@pytest.mark.parametrize("name", ["id", "relay", "algorithm"])
def test_missing_fields_are_refused(name):
    plain = sample_session().as_plain()
    del plain[name]
    with pytest.raises(SessionError, match=f"lacks {name}"):
        session_of(plain)


@pytest.mark.parametrize(
    "party",
    [None, "x", {}, [1], ["name"], [{"name": "A"}], [{"name": "A", "key": "0" * 64, "more": 1}]],
)
def test_a_roster_that_isnt_one_is_refused(party):
    plain = sample_session().as_plain() | {"party": party}
    with pytest.raises(SessionError, match="party"):
        session_of(plain)


def test_a_date_among_the_parameters_is_refused(tmp_path):
    text = FROZEN["toml"].replace("[parameters]", "[parameters]\nwhen = 1979-05-27")
    with pytest.raises(SessionError, match="got a date"):
        read_session(file_of(tmp_path, text))
