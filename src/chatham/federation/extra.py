"""The packages that only parties on separate machines need: the extra 'federation'."""

from __future__ import annotations

from importlib.util import find_spec

from chatham.errors import InputError
from chatham.extras import how_to_install

PACKAGES = ("cryptography", "starlette", "uvicorn")


DIRECT = ("mpyc", "gmpy2")


def missing_packages() -> list[str]:
    """The extra's packages that aren't installed."""
    return [name for name in PACKAGES if find_spec(name) is None]


def need_federation() -> None:
    """Refuse in one sentence if packages are missing, before anything fails half-way."""
    missing = missing_packages()
    if missing:
        raise InputError(
            f"Parties on separate machines need packages that can't be found "
            f"({', '.join(missing)}): {how_to_install('federation')}"
        )


def need_direct_links() -> None:
    """The same for the normed sum, which has its own extra."""
    need_federation()
    missing = [name for name in DIRECT if find_spec(name) is None]
    if missing:
        raise InputError(
            f"The normed sum needs packages that can't be found ({', '.join(missing)}): "
            f"{how_to_install('mpc')}"
        )
