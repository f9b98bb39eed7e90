"""A party's own public file, from which a session takes it over."""

from dataclasses import replace

import pytest

from chatham.errors import SessionError
from chatham.federation.session import Member, read_member
from tests.federation.test_session import PEM

NORTH = Member("St Mary's, North", "ab" * 32, "chatham.north.example:7000", PEM)


def written(tmp_path, text):
    path = tmp_path / "north.party"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("member", [NORTH, Member("Süd", "0" * 64)])
def test_what_is_written_is_read(tmp_path, member):
    assert read_member(written(tmp_path, member.to_toml())) == member


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name = 'North'",
        "name = 'North'\nkey = 'ab",
        NORTH.to_toml() + "more = 1",
        "[name]\nkey = 1",
        "a = " + "[" * 5000,
        "\x00",
    ],
    ids=["nothing", "no key", "cut short", "more", "a table", "deep", "binary"],
)
def test_other_files_are_refused(tmp_path, text):
    with pytest.raises(SessionError, match=r"isn't a party's public file|must be texts"):
        read_member(written(tmp_path, text))


def test_what_no_roster_takes_is_refused(tmp_path):
    for change, said in (
        ({"name": "a=b"}, "needs a name"),
        ({"key": "12"}, "64 hexadecimal"),
        ({"certificate": "junk"}, "as PEM"),
        ({"certificate": PEM + "-----BEGIN PRIVATE KEY-----"}, "remove the private key"),
    ):
        with pytest.raises(SessionError, match=said):
            read_member(written(tmp_path, replace(NORTH, **change).to_toml()))
    with pytest.raises(SessionError, match="can't be read"):
        read_member(tmp_path / "none.party")
