"""Noise that a holder adds to its part of a sum, so that no total is exact.

There are two kinds. `noised` adds Gaussian numbers, which keep documents from being rebuilt;
`noised_on_grid` adds discrete Gaussians in the ring itself, for differential privacy.

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
from chatham.commons.precision import Precision
from chatham.commons.secure.discrete_gaussian import discrete_gaussians
from chatham.commons.secure.keys import derive
from chatham.commons.state import state_hash
from chatham.errors import InputError

Array = NDArray[np.float64]
Parts = tuple[NDArray[Any], ...]

EXACT = 2.0**53
"""Below it floats hold every whole number."""


def with_noise(
    parts: Parts,
    precision: Precision,
    bits: Sequence[int],
    memory: Memory,
    step: str,
    state: bytes,
) -> Parts:
    """A holder's arrays with the noise that the sum is to have."""
    deviations = precision.deviations(len(parts))
    if precision.discrete:
        return noised_on_grid(parts, deviations, bits, memory, step, state)
    return noised(parts, deviations, memory, step, state)


def noised(
    parts: Parts, deviations: Sequence[float], memory: Memory, step: str, state: bytes
) -> Parts:
    """A holder's arrays, each with noise of this standard deviation.

    `state` is a hash of what all holders share.
    """
    key = _key(parts, deviations, memory, step, state)
    numbers = gaussians(key, sum(part.size for part in parts))
    pieces = np.split(numbers, np.cumsum([part.size for part in parts])[:-1])
    return tuple(
        part + deviation * piece.reshape(part.shape) if deviation > 0 else part
        for part, deviation, piece in zip(parts, deviations, pieces, strict=True)
    )


def noised_on_grid(
    parts: Parts,
    deviations: Sequence[float],
    bits: Sequence[int],
    memory: Memory,
    step: str,
    state: bytes,
) -> Parts:
    """A holder's arrays in steps of 2^−bits, each with discrete Gaussian noise in the same steps.

    The key that all of a holder's noise follows from is its own secret, which a real party has from
    the operating system: were noise drawn anew whenever an open round is sent again, whoever saw
    both totals would have their average, with half of the variance.
    """
    key = _key(parts, deviations, memory, step, state)
    return tuple(
        _on_grid(part, deviation, fraction, derive(key, b"chatham grid", b"%d" % number))
        if deviation > 0
        else part
        for number, (part, deviation, fraction) in enumerate(
            zip(parts, deviations, bits, strict=True)
        )
    )


def _on_grid(part: Array, deviation: float, bits: int, key: bytes) -> Array:
    scale = 2.0**bits
    whole = np.rint(part * scale)
    noise = discrete_gaussians(key, part.size, deviation * scale).reshape(part.shape)
    if not np.abs(whole).max(initial=0.0) < EXACT - np.abs(noise).max(initial=0):
        raise InputError(
            f"A statistic holds a number beyond ±{EXACT / scale:.6g}, the bound for noise in steps "
            f"of 2^-{bits}; bring fewer documents, or choose a smaller ε."
        )
    return np.asarray((whole + noise) / scale)


def _key(
    parts: Parts, deviations: Sequence[float], memory: Memory, step: str, state: bytes
) -> bytes:
    """The key of one contribution's noise, and of no other's."""
    _check_floats(parts, deviations, step)
    about = state_hash((step, memory.steps, state, list(deviations), parts))
    return derive(memory.key, b"chatham noise", about)


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
