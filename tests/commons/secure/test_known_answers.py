"""Known answers of RFC 7748, 5869 and 8439, from the very functions we use."""

import pytest

from chatham.commons.secure import keys
from chatham.commons.secure.keys import Ephemeral, derive, seal, unseal
from chatham.errors import ProtocolError
from tests.commons.secure.test_masks import stream_of
from tests.vectors.fixed import ephemeral_of

OF = bytes.fromhex


# -- X25519 (RFC 7748)

X25519 = [
    (
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ),
    (
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ),
]


@pytest.mark.parametrize(("private", "public", "shared"), X25519)
def test_x25519_gives_the_secrets_of_rfc_7748(private, public, shared):
    assert ephemeral_of(OF(private)).shared_with(OF(public)).hex() == shared


def test_x25519_a_thousand_times_over_gives_that_of_rfc_7748():
    k = u = bytes([9]) + bytes(31)
    for turn in range(1000):
        k, u = ephemeral_of(k).shared_with(u), k
        if turn == 0:
            assert k.hex() == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
    assert k.hex() == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"


def test_x25519_between_the_two_of_rfc_7748():
    alice = ephemeral_of(OF("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    bob = ephemeral_of(OF("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    assert alice.public.hex() == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    assert bob.public.hex() == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    secret = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
    assert alice.shared_with(bob.public).hex() == bob.shared_with(alice.public).hex() == secret


SMALL_ORDER = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]


@pytest.mark.parametrize("public", SMALL_ORDER)
@pytest.mark.parametrize("top", [0, 0x80])
def test_a_key_that_forces_the_secret_to_zero_is_refused(public, top):
    point = OF(public)
    with pytest.raises(ProtocolError, match="all-zero secret"):
        Ephemeral().shared_with(point[:-1] + bytes([point[-1] | top]))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_of_another_length_is_refused(length):
    with pytest.raises(ProtocolError):
        Ephemeral().shared_with(bytes([9]) * length)


def test_no_two_ephemeral_keys_are_the_same():
    assert len({Ephemeral().public for _ in range(50)}) == 50


# -- HKDF (RFC 5869): 32 bytes are the beginning of any longer output


@pytest.mark.parametrize(
    ("secret", "salt", "info", "output"),
    [
        (
            "0b" * 22,
            "000102030405060708090a0b0c",
            "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            bytes(range(80)).hex(),
            bytes(range(0x60, 0xB0)).hex(),
            bytes(range(0xB0, 0x100)).hex(),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
            "59045a99cac7827271cb41c65e590e09",
        ),
        (
            "0b" * 22,
            "",
            "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ],
)
def test_derived_keys_are_those_of_rfc_5869(secret, salt, info, output):
    assert derive(OF(secret), OF(salt), OF(info)).hex() == output[:64]


def test_another_secret_salt_or_purpose_gives_another_key():
    made = {derive(s, t, p) for s in (b"a", b"b") for t in (b"c", b"d") for p in (b"", b"e")}
    assert len(made) == 8


# -- ChaCha20-Poly1305 (RFC 8439)


def test_sealing_is_that_of_rfc_8439(monkeypatch):
    monkeypatch.setattr(keys, "_NONCE", OF("070000004041424344454647"))
    message = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        b"future, sunscreen would be it."
    )
    sealed = seal(bytes(range(0x80, 0xA0)), message, OF("50515253c0c1c2c3c4c5c6c7"))
    assert sealed.hex() == (
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
        "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
        "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
        "3ff4def08e4b7a9de576d26586cec64b6116"
        "1ae10b594f09e26a7e902ecbd0600691"
    )
    opened = unseal(bytes(range(0x80, 0xA0)), sealed, OF("50515253c0c1c2c3c4c5c6c7"))
    assert opened == message


def test_what_was_altered_on_the_way_doesnt_open():
    key, sealed = bytes(range(32)), seal(bytes(range(32)), b"a share", b"about")
    assert unseal(key, sealed, b"about") == b"a share"
    for place in range(len(sealed)):
        altered = bytearray(sealed)
        altered[place] ^= 1
        with pytest.raises(ProtocolError, match="altered"):
            unseal(key, bytes(altered), b"about")
    for other in (sealed[:-1], sealed + b"\0", sealed[:15], b""):
        with pytest.raises(ProtocolError):
            unseal(key, other, b"about")
    with pytest.raises(ProtocolError):
        unseal(key, sealed, b"another")
    with pytest.raises(ProtocolError):
        unseal(bytes(32), sealed, b"about")


# -- ChaCha20 (RFC 8439)


@pytest.mark.parametrize(
    ("key", "block", "expected"),
    [
        (
            "00" * 32,
            0,
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
        ),
        (
            "00" * 32,
            1,
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
        ),
        (
            "00" * 31 + "01",
            1,
            "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
            "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
        ),
        (
            "00ff" + "00" * 30,
            2,
            "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
            "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
        ),
    ],
)
def test_the_stream_is_that_of_rfc_8439(key, block, expected):
    """Appendix A.1, the four vectors whose nonce is zero, as ours is."""
    made = stream_of(bytes.fromhex(key), 64 * (block + 1))
    assert made[64 * block :].hex() == expected
