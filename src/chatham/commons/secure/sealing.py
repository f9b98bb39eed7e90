"""A total that is handed over to those who missed it: sealed for the group, a key per content.

Who hands over follows from what all confirmed, but two parties may hold different bytes for the
same number (other signatures under the same total, or another past), and whoever could make both
hand them over would have two plaintexts under one key. So the key depends on the sender and on the
content:

    salt = HMAC(a key of the group, sender ‖ number ‖ content), sent along
    key  = HKDF(the group's secret, epoch, number ‖ sender ‖ salt)

The salt is keyed: with a plain hash of the content, the relay could test guesses of a total.
"""

from __future__ import annotations

import hmac

from chatham.commons.secure.keys import seal, unseal
from chatham.commons.secure.masks import Masks
from chatham.errors import ProtocolError

SALT = 32


def seal_total(masks: Masks, number: int, content: bytes) -> bytes:
    """This content of record `number`, from me to the group."""
    origin = _origin(masks.index, number)
    salt = _salt(masks, origin, content)
    return salt + seal(_key(masks, origin, salt), content, masks.epoch + origin)


def unseal_total(masks: Masks, sender: int, number: int, sealed: bytes) -> bytes:
    """What this sender sealed as record `number`; refused if its salt isn't the content's own."""
    origin, salt = _origin(sender, number), sealed[:SALT]
    content = unseal(_key(masks, origin, salt), sealed[SALT:], masks.epoch + origin)
    if not hmac.compare_digest(salt, _salt(masks, origin, content)):
        raise ProtocolError(
            "A total that was handed over has a salt that isn't its own: its sender didn't follow "
            "the rules. It wasn't used."
        )
    return content


def _origin(sender: int, number: int) -> bytes:
    return sender.to_bytes(4, "big") + number.to_bytes(8, "big")


def _salt(masks: Masks, origin: bytes, content: bytes) -> bytes:
    keyed = hmac.new(masks.key_for(b"totals salt"), origin, "sha256")
    keyed.update(content)
    return keyed.digest()


def _key(masks: Masks, origin: bytes, salt: bytes) -> bytes:
    return masks.key_for(b"totals key" + origin + salt)
