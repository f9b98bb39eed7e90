"""Identities: signatures of one message by one party, and files that only their owner may read."""

import os
import stat

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as other_kind
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from chatham.commons.secure import keys
from chatham.commons.secure.keys import Identity, is_signed, is_weak
from chatham.errors import InputError
from tests.vectors.fixed import ephemeral_of, identity

# -- identities


def test_a_signature_is_of_one_message_by_one_identity():
    me, other = Identity.new(), Identity.new()
    signature = me.sign(b"message")
    assert is_signed(me.public, signature, b"message")
    assert not is_signed(me.public, signature, b"massage")
    assert not is_signed(other.public, signature, b"message")
    for wrong in (b"", signature[:-1], signature + b"\0", bytes(64)):
        assert not is_signed(me.public, wrong, b"message")
    for public in (b"", me.public[:-1], me.public + b"\0"):
        assert not is_signed(public, signature, b"message")


def test_a_signature_isnt_taken_in_a_second_form():
    """The same number plus the group's order would be another signature of the same message."""
    me = identity(0)
    signature = me.sign(b"message")
    order = 2**252 + 27742317777372353535851937790883648493
    number = int.from_bytes(signature[32:], "little") + order
    assert not is_signed(me.public, signature[:32] + number.to_bytes(32, "little"), b"message")


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def doubled_height(y):
    """The height of twice a point of Ed25519, from its own: (y² + x²) / (1 − d·x²·y²)."""
    xx = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    return (y * y + xx) * pow(1 - D * xx * y * y, -1, P) % P


def weak_heights():
    """Every height, within the field, of a point that is nothing after eight times itself."""
    root = next(y for y in keys._WEAK if y not in (0, 1, P - 1, P, P + 1))
    return {0, 1, P - 1, root, P - root}


def test_the_weak_keys_are_the_points_of_order_one_two_four_and_eight():
    for y in weak_heights():
        assert doubled_height(doubled_height(doubled_height(y))) == 1
    assert len({y % P for y in keys._WEAK}) == 5
    assert {y for y in keys._WEAK if y >= P} == {P, P + 1}


@pytest.mark.parametrize("top", [0, 2**255])
def test_a_key_for_which_anybody_could_sign_is_refused(top):
    """The point at nothing: its owner's 'signature' of nothing would fit each message."""
    forged = (1).to_bytes(32, "little") + bytes(32)
    for y in keys._WEAK:
        public = (y + top).to_bytes(32, "little")
        assert is_weak(public)
        assert not any(is_signed(public, forged, bytes([n])) for n in range(64))
    assert not any(is_weak(Identity.new().public) for _ in range(50))


def test_an_identity_derives_the_same_secret_for_a_purpose_and_another_for_another():
    me = identity(0)
    assert me.derive(b"rows") == identity(0).derive(b"rows")
    assert len({me.derive(b"rows"), me.derive(b"corpus"), identity(1).derive(b"rows")}) == 3
    assert me.derive(b"rows") not in (me.public, me._private.private_bytes_raw())


# -- files


def test_a_private_key_comes_back_from_its_file(tmp_path):
    me = Identity.new()
    me.save(tmp_path / "key")
    assert Identity.load(tmp_path / "key").public == me.public


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_a_key_file_is_readable_by_its_owner_only(tmp_path, umask):
    before = os.umask(umask)
    try:
        Identity.new().save(tmp_path / "key")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o777])
def test_a_key_file_that_others_may_use_is_refused(tmp_path, mode):
    Identity.new().save(tmp_path / "key")
    (tmp_path / "key").chmod(mode)
    with pytest.raises(InputError, match="may be read by others; run chmod 600"):
        Identity.load(tmp_path / "key")


def test_a_key_is_never_overwritten(tmp_path):
    me = Identity.new()
    me.save(tmp_path / "key")
    with pytest.raises(InputError, match="never overwritten"):
        Identity.new().save(tmp_path / "key")
    assert Identity.load(tmp_path / "key").public == me.public


def test_a_key_is_never_written_through_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError):
        Identity.new().save(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk to write to")
def test_a_key_that_cant_be_written_in_full_isnt_left_there(tmp_path, monkeypatch):
    real = os.open

    def full(path, *more):
        os.close(real(path, *more))
        return real("/dev/full", os.O_WRONLY)

    monkeypatch.setattr(keys.os, "open", full)
    with pytest.raises(InputError, match="can't be written"):
        Identity.new().save(tmp_path / "key")
    assert not (tmp_path / "key").exists()


def test_where_no_key_can_be_written_it_says_so(tmp_path):
    with pytest.raises(InputError, match="can't be written"):
        Identity.new().save(tmp_path / "nowhere" / "key")


def private_file(path, data):
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def pem(private, encryption):
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)


def test_what_isnt_such_a_key_is_refused_without_being_shown(tmp_path):
    mine = identity(0)._private
    wrong = {
        "empty": b"",
        "text": b"secret text",
        "half": pem(mine, NoEncryption())[:60],
        "locked": pem(mine, BestAvailableEncryption(b"x")),
        "another kind": pem(other_kind(SECP256R1()), NoEncryption()),
        "unknown": b"-----BEGIN PRIVATE KEY-----\nMAwCAQAwBQYDKgMEBAA=\n"
        b"-----END PRIVATE KEY-----\n",
    }
    for name, data in wrong.items():
        with pytest.raises(InputError, match="chatham keygen") as refusal:
            Identity.load(private_file(tmp_path / name, data))
        assert "secret text" not in str(refusal.value)


def test_a_key_that_isnt_there_is_refused(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match="can't be read"):
            Identity.load(path)


def test_no_secret_is_shown_where_keys_are_printed():
    me, mine = identity(0), ephemeral_of(bytes([7]) * 32)
    assert me._private.private_bytes_raw().hex() not in repr(me)
    assert mine._private.private_bytes_raw().hex() not in repr(mine)
