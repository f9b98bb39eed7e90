"""A warning for parties with few documents: a sum over few reveals much, even if it is masked."""

from __future__ import annotations

import warnings

from chatham.commons import Commons
from chatham.notes import FewDocumentsWarning

FEW_DOCUMENTS = 30
"""A sum hides one document among many. Below this many, it reveals much about each of them to
anyone who knows the other parties' documents or sees two sums that differ by one party's."""


def warn_of_few(commons: Commons, stacklevel: int = 3) -> None:
    """Warn if a simulated party has few documents; a real one is warned before it joins."""
    simulated = commons.private and commons.index is None
    sizes = [rows.shape[0] for rows in commons.here] if simulated else []
    few = [size for size in sizes if 0 < size < FEW_DOCUMENTS]
    if few:
        warnings.warn(
            f"{len(few)} of {len(sizes)} holders have fewer than {FEW_DOCUMENTS} documents: a sum "
            "over so few reveals much about each of them to anyone who knows the rest of the "
            f"total, however well it is masked; take part with {FEW_DOCUMENTS} or more.",
            FewDocumentsWarning,
            stacklevel=stacklevel,
        )
