"""Noise that a holder adds to its part of a sum, so that no total is exact.

It comes from a stream cipher under a key that only the holder has. The key is derived for one
contribution: it is bound to the step, to how many steps came before it, to the state that all
holders share, and to the contribution's own numbers. So a party that starts again and sends an open
round once more adds the same noise, which tells nothing new; and no two different contributions are
ever hidden by the same noise, whose difference would be exact. (A real party's secret is derived
from its identity and the session, so every session has its own.)

Uniform numbers become Gaussian ones by the inverse of the normal distribution's cumulative
function. Its last bit may differ between machines: it concerns the holder's own part alone, and is
rounded off before anything leaves (see `precision`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from numpy.typing import NDArray
from scipy.special import ndtri

from chatham.commons.memory import Memory
from chatham.commons.secure.keys import derive
from chatham.commons.state import state_hash
from chatham.errors import InputError

Array = NDArray[np.float64]
Parts = tuple[NDArray[Any], ...]


def noised(
    parts: Parts, deviations: Sequence[float], memory: Memory, step: str, state: bytes
) -> Parts:
    """A holder's arrays, each with noise of this standard deviation.

    `state` is a hash of what all holders share.
    """
    _check_floats(parts, deviations, step)
    about = state_hash((step, memory.steps, state, list(deviations), parts))
    key = derive(memory.key, b"chatham noise", about)
    numbers = gaussians(key, sum(part.size for part in parts))
    pieces = np.split(numbers, np.cumsum([part.size for part in parts])[:-1])
    return tuple(
        part + deviation * piece.reshape(part.shape) if deviation > 0 else part
        for part, deviation, piece in zip(parts, deviations, pieces, strict=True)
    )


def gaussians(key: bytes, size: int) -> Array:
    """Independent numbers of the standard normal distribution; a key is used for one call."""
    stream = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(8 * size))
    bits = np.frombuffer(stream, "<u8") >> np.uint64(12)  # of 53, the largest would round to one
    return np.asarray(ndtri((bits + 0.5) * 2.0**-52))


def _check_floats(parts: Parts, deviations: Sequence[float], step: str) -> None:
    for part, deviation in zip(parts, deviations, strict=True):
        if deviation > 0 and part.dtype != np.float64:
            raise InputError(
                f"{step} returned an array of dtype {part.dtype}, to which no noise can be added; "
                "return float64 where a sum has noise."
            )
