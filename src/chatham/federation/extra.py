"""The packages that only parties on machines of their own need: the extra 'federation'."""

from __future__ import annotations

from importlib.util import find_spec

from chatham.errors import InputError

PACKAGES = ("cryptography", "starlette", "uvicorn")


DIRECT = ("mpyc", "gmpy2")


def missing_packages() -> list[str]:
    """Those of the extra that aren't here."""
    return [name for name in PACKAGES if find_spec(name) is None]


def need_federation() -> None:
    """Say in one sentence what is missing, before anything fails in the middle."""
    missing = missing_packages()
    if missing:
        raise InputError(
            f"Parties on machines of their own need the extra 'federation' ({', '.join(missing)} "
            "can't be found): pip install 'chatham[federation]'."
        )


def need_direct_links() -> None:
    """The same for the normed sum, which has an extra of its own."""
    need_federation()
    missing = [name for name in DIRECT if find_spec(name) is None]
    if missing:
        raise InputError(
            f"The normed sum needs the extra 'mpc' ({', '.join(missing)} can't be found): pip "
            "install 'chatham[mpc]'."
        )
