"""Several holders in one process: for tests, demonstrations and audits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chatham.commons.fixed_point import MOST_BITS, pack, unpack
from chatham.commons.interface import (
    Commons,
    Statistic,
    Step,
    as_rows,
    as_statistics,
    check_step,
    name_of,
    run_at,
)
from chatham.commons.memory import Memory
from chatham.commons.precision import Precision
from chatham.commons.privacy import Privacy, check_privacy
from chatham.commons.state import state_hash
from chatham.errors import HolderError, InputError
from chatham.extras import how_to_install
from chatham.wording import say

Parts = tuple[Statistic, ...]


class Simulated(Commons):
    """M holders, each with its own rows and private memory; the total is their sum.

    With `secure`, sums are computed as between real parties: fixed point, masked, with a tag. A
    model is then the same, bit for bit, as that of real parties with these rows. `fraction_bits`
    is the precision of floats in these sums; `secrets` are the holders' private keys. With
    `exact_totals`, as in a session whose parties know of it, even totals that give documents away
    are exact; with `privacy`, fits are differentially private, as in a session that says so.

    >>> import numpy as np
    >>> from chatham.commons import Simulated
    >>> Simulated([np.ones((3, 2)), np.ones((1, 2))]).holders
    2
    """

    index = None

    def __init__(
        self,
        parts: Sequence[Any],
        *,
        secure: bool = False,
        fraction_bits: int = 40,
        secrets: Sequence[bytes] | None = None,
        exact_totals: bool = False,
        privacy: Privacy | None = None,
    ) -> None:
        self.parts = [as_rows(rows) for rows in parts]
        self.holders = len(self.parts)
        if not self.parts:
            raise InputError("Simulated got no rows; give it at least one holder's matrix.")
        widths = [int(rows.shape[1]) for rows in self.parts]
        if len(set(widths)) > 1:
            raise InputError(
                f"Simulated got matrices with {widths} columns; every holder must count the same "
                "words, so build all matrices with one vocabulary."
            )
        self.n_features = widths[0]
        self.private = secure
        self.exact_totals = exact_totals or not secure
        self.privacy = privacy
        check_privacy(privacy, self._honest_at_most, self.exact_totals)
        if type(fraction_bits) is not int or not 0 <= fraction_bits <= MOST_BITS:
            raise InputError(
                say(
                    "{fraction_bits} must be a whole number from 0 to {most}; got {it!r}.",
                    most=MOST_BITS,
                    it=fraction_bits,
                )
            )
        self.fraction_bits = fraction_bits
        self._secrets = [b""] * self.holders if secrets is None else list(secrets)
        if len(self._secrets) != self.holders:
            raise InputError(f"There are {len(self._secrets)} secrets for {self.holders} holders.")
        self._sums: Any = _secure_sums(self.holders) if secure else None
        self._forget()

    @property
    def _honest_at_most(self) -> int:
        """How many add noise that whoever looks on doesn't know: all but one that takes part."""
        return self.holders - 1

    @property
    def here(self) -> Sequence[Any]:
        """Everybody's rows."""
        return self.parts

    def _total(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> Statistic | tuple[Statistic, ...]:
        check_step(step)
        if self._sums is None:
            totals, is_tuple = self._plain(step, shared)
        else:
            totals, is_tuple = self._masked(step, shared, precision)
        return totals if is_tuple else totals[0]

    def _plain(self, step: Step, shared: tuple[Any, ...]) -> tuple[Parts, bool]:
        totals: Parts | None = None
        for memory, rows in zip(self._memories, self.parts, strict=True):
            parts, is_tuple = self._run(step, rows, memory, shared)
            totals = parts if totals is None else self._add(totals, parts, memory, step)
        assert totals is not None
        return totals, is_tuple

    def _masked(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> tuple[Parts, bool]:
        packed = []
        documents = None if self.counted is None else self.counted.documents
        for memory, rows in zip(self._memories, self.parts, strict=True):
            parts, is_tuple = self._run(step, rows, memory, shared)
            bits = precision.bits(parts, documents, self.holders, self.fraction_bits)
            if precision.noised:
                parts = self._noised(parts, precision, bits, memory, step, shared)
            packed.append(pack(parts, bits, self.holders))
            if packed[-1][0] != packed[0][0]:
                raise self._shapes_differ(packed[-1][0].shapes, packed[0][0].shapes, memory, step)
        layout = packed[0][0]
        total = self._sums.total([words for _, words in packed], layout.digest)
        return unpack(layout, total), is_tuple

    def _noised(
        self,
        parts: Parts,
        precision: Precision,
        bits: Sequence[int],
        memory: Memory,
        step: Step,
        shared: tuple[Any, ...],
    ) -> Parts:
        from chatham.commons.secure.noise import with_noise  # needs the extra 'federation'

        return with_noise(parts, precision, bits, memory, name_of(step), state_hash(shared))

    def _run(
        self, step: Step, rows: Any, memory: Memory, shared: tuple[Any, ...]
    ) -> tuple[Parts, bool]:
        return as_statistics(run_at(self._name(memory), step, rows, memory, shared))

    def _add(self, totals: Parts, parts: Parts, memory: Memory, step: Step) -> Parts:
        shapes, others = [p.shape for p in parts], [t.shape for t in totals]
        if shapes != others:
            raise self._shapes_differ(shapes, others, memory, step)
        return tuple(np.add(total, part) for total, part in zip(totals, parts, strict=True))

    def _shapes_differ(self, shapes: Any, others: Any, memory: Memory, step: Step) -> HolderError:
        return HolderError(
            f"{self._name(memory)} returned shapes {list(shapes)} from {name_of(step)} where "
            f"others returned {list(others)}; a statistic's shape may not depend on the rows."
        )

    def _name(self, memory: Memory) -> str:
        return f"Holder {memory.index + 1} of {self.holders}"

    def _forget(self) -> None:
        self._memories = [
            Memory(holder, self.holders, secret) for holder, secret in enumerate(self._secrets)
        ]


def _secure_sums(holders: int) -> Any:
    try:
        from chatham.commons.secure.masked_sum import SecureSums
    except ImportError:
        raise InputError(
            f"Masked sums need packages that can't be found: {how_to_install('federation')}"
        ) from None
    return SecureSums(holders)
