"""Which settings of NMF go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from chatham.errors import InputError
from chatham.models.parameters import check_choice, check_real

STARTS = ("nndsvd", "random", "random_2x", "local")


def check_settings(nmf: Any) -> None:
    """Each setting is one that there is, and they don't contradict each other."""
    check_choice(nmf, "constraint", ("simplex", "none"))
    check_choice(nmf, "schedule", ("block", "interleaved"))
    check_choice(nmf, "weights_step", ("descent", "published"))
    check_choice(nmf, "loss", ("absolute", "relative"))
    if isinstance(nmf.init, str):
        check_choice(nmf, "init", STARTS)
    if nmf.missing is not None:
        check_choice(nmf, "missing", ("unobserved",))
    for name in ("l1_weights", "l1_topics"):
        check_real(nmf, name, 0)
    for name in ("l2_weights", "l2_topics"):
        check_real(nmf, name, 0 if nmf.constraint == "none" else -np.inf)
    _check_combination(nmf)


def _check_combination(nmf: Any) -> None:
    if nmf.constraint == "simplex" and (nmf.l1_weights or nmf.l1_topics):
        raise InputError(
            "NMF got an l1 penalty with constraint='simplex', where the l1 norm is always 1; "
            "use a negative l2 penalty for sparse topics, or constraint='none'."
        )
    if nmf.weights_step == "published" and (
        nmf.schedule != "interleaved" or nmf.constraint != "simplex" or nmf.missing
    ):
        raise InputError(
            "NMF got weights_step='published', which is defined for constraint='simplex', "
            "schedule='interleaved' and missing=None only."
        )
    if nmf.missing and min(nmf.l2_weights, nmf.l2_topics) < 0:
        raise InputError(
            "NMF got a negative l2 penalty with missing='unobserved', where words that few "
            "documents have would draw all weight; use penalties of at least 0."
        )
    if nmf.loss == "relative" and nmf.missing:
        raise InputError(
            "NMF got loss='relative' with missing='unobserved', where a row's norm depends on "
            "which cells happen to be stored; use loss='absolute'."
        )
