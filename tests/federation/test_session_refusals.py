"""All that a session refuses, each with a sentence that says why."""

from dataclasses import replace

import pytest

from chatham.errors import SessionError
from chatham.federation.session import MOST_PARTIES, Member
from tests.federation.test_session import MEMBERS, PEM
from tests.vectors.make import sample_session


def refused(match, **changes):
    with pytest.raises(SessionError, match=match):
        sample_session(**changes)


@pytest.mark.parametrize(
    "id_", ["", "0" * 31, "0" * 33, "G" * 32, "A" * 32, "../" + "0" * 29, "0" * 32 + "\n", 5, None]
)
def test_an_id_that_isnt_one_is_refused(id_):
    refused("id must be 32", id=id_)


@pytest.mark.parametrize(
    "relay",
    [
        "",
        "relay.example",
        "ftp://relay.example",
        "https://",
        "https:///path",
        "file:///etc",
        "https://[::1",
        "https://relay.example:port",
        "https://relay.example:99999",
        "https://user@relay.example",
        "http://localhost@relay.example",
        "http://relay.example\\@localhost",
        "https://relay.example/path",
        "https://relay.example?query",
        "https://relay.example#fragment",
        "http://local\nhost",
        "http://localhost\t",
        " https://relay.example",
        "https://relay.exämple",
        5,
    ],
)
def test_an_address_that_isnt_plain_is_refused(relay):
    refused("relay", relay=relay)


@pytest.mark.parametrize(
    "host", ["relay.example", "10.0.0.1", "127.0.0.1.example", "0.0.0.0", "localhost.example"]
)
def test_http_to_another_machine_is_refused(host):
    refused("needs https", relay=f"http://{host}:80")


@pytest.mark.parametrize(
    "relay",
    [
        "http://localhost:1",
        "http://127.0.0.1:8000",
        "http://[::1]:8000",
        "https://10.0.0.1",
        "https://Relay.example:8443/",
    ],
)
def test_http_on_this_machine_and_https_anywhere_are_taken(relay):
    assert sample_session(relay=relay).relay == relay


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("seed", [-1, 2**32, 1.0, True, "1", None]),
        ("fraction_bits", [-1, 60, 10.0, None]),
        ("rounds", [0, 10**6 + 1, True]),
        ("largest_message", [7, 2**34 + 1, "8"]),
        ("two_parties_know", [1, 0, "true", None]),
    ],
)
def test_numbers_out_of_range_are_refused(name, values):
    for value in values:
        refused(name, **{name: value})


def test_two_parties_need_to_say_that_they_know():
    refused("With two parties, each can subtract", parties=MEMBERS[:2])
    assert sample_session(parties=MEMBERS[:2], two_parties_know=True).two_parties_know


@pytest.mark.parametrize("parties", [(), MEMBERS[:1]])
def test_a_session_alone_is_refused(parties):
    refused("at least two parties", parties=parties, two_parties_know=True)


def test_too_many_parties_are_refused():
    many = tuple(Member(f"P{i}", f"{i:064x}") for i in range(MOST_PARTIES + 1))
    refused("At most 200", parties=many)
    assert len(sample_session(parties=many[:-1]).parties) == MOST_PARTIES


@pytest.mark.parametrize(
    "name",
    [
        "Archive 0",
        "archive 0",
        "ARCHIVE 0",
        "Archive  0",
        " Archive 0",
        "Archive 0 ",
        "Ａrchive ０",
    ],
)
def test_names_that_read_alike_are_refused(name):
    refused("same name or the same key", parties=(*MEMBERS[:2], replace(MEMBERS[2], name=name)))


def test_a_key_twice_is_refused():
    refused(
        "same name or the same key", parties=(*MEMBERS[:2], replace(MEMBERS[2], key=MEMBERS[0].key))
    )


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "x" * 61},
        {"name": "a\nb"},
        {"name": "a\x1b[2J"},
        {"name": "<b>"},
        {"name": 5},
        {"key": ""},
        {"key": "0" * 63},
        {"key": "A" * 64},
        {"key": "0" * 64 + "\n"},
        {"key": None},
        {"address": 5},
        {"certificate": None},
        {"certificate": "junk"},
        {"address": "\ud800"},
    ],
    ids=str,
)
def test_a_member_that_isnt_one_is_refused(change):
    refused("party|certificate", parties=(*MEMBERS[:2], replace(MEMBERS[2], **change)))


@pytest.mark.parametrize("certificate", ["junk", "-----BEGIN", 5])
def test_a_certificate_that_isnt_one_is_refused(certificate):
    refused("certificate|texts", certificate=certificate)


def test_a_private_key_in_a_session_is_refused():
    private = "-----BEGIN PRIVATE KEY-----\nMAs=\n-----END PRIVATE KEY-----\n"
    for text in (private, PEM + private):
        refused("remove the private key", certificate=text)
        refused(
            "remove the private key",
            parties=(*MEMBERS[:2], replace(MEMBERS[2], certificate=text)),
        )


@pytest.mark.parametrize("name", ["parameters", "vocabulary", "score", "privacy"])
@pytest.mark.parametrize(
    "value",
    [
        None,
        float("nan"),
        float("-inf"),
        2**63,
        -(2**63) - 1,
        b"",
        1j,
        {1: 2},
        [None],
        {"a": {"b": None}},
        "\ud800",
        object,
    ],
    ids=repr,
)
def test_values_that_no_file_can_hold_are_refused(name, value):
    refused(f"{name} may hold", **{name: {"a": value}})


def test_tables_that_arent_tables_are_refused():
    for value in (None, [], "a", 5):
        refused("must be tables", parameters=value)
        refused("must be tables", score=value)
    nested = {}
    for _ in range(20):
        nested = {"a": nested}
    refused("parameters may hold", parameters=nested)


@pytest.mark.parametrize(
    ("privacy", "match"),
    [
        ({"epsilon": 1.0}, "privacy has epsilon, delta"),
        ({"epsilon": 1.0, "delta": 1e-5, "noise": 3}, "privacy has epsilon, delta"),
        ({"epsilon": -1.0, "delta": 1e-5}, "can't be kept: epsilon must be a number above 0"),
        ({"epsilon": "1", "delta": 1e-5}, "can't be kept: epsilon must be a number above 0"),
        ({"epsilon": 1.0, "delta": 2.0}, "can't be kept: delta must lie between 1e-20 and 1"),
        ({"epsilon": 1.0, "delta": 1e-5, "honest": 9}, "honest=9 parties' noise can't be left"),
        ({"epsilon": 1.0, "delta": 1e-5, "honest": 3}, "honest=3 parties' noise can't be left"),
        ({"epsilon": 1.0, "delta": 1e-5, "honest": 1.5}, "honest must be a whole number"),
    ],
)
def test_a_promise_that_can_not_be_kept_is_refused(privacy, match):
    refused(match, privacy=privacy)


def test_what_has_no_noise_is_refused_beside_a_promise():
    privacy = {"epsilon": 1.0, "delta": 1e-5}
    refused("can't be exact", privacy=privacy, exact_totals_know=True)
    refused("Scores are sums", privacy=privacy, score={"measures": ["npmi"]})
