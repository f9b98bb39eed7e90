"""Who may come in: whoever has the key, from this machine, through a page of ours.

The key is in the address that is printed; the first visit swaps it for a cookie that no script can
read, and the address that stays in the browser's bar has none. So a shared address shares what is
looked at, not the key. Requests under another name (`Host`), as after DNS rebinding, or from
another page (`Origin`, `Sec-Fetch-Site`) are refused, and nothing that we send may be framed,
sniffed, cached or run beside our own scripts. A browser that we start gets a key of its own, which
works once: everybody on the machine may read its command line.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
NO_KEY = (
    "This page needs its key, which is in the address that was printed when the explorer was "
    "started: open that address once in this browser."
)
OTHERS = (
    "Other pages may not ask this server anything, nor lead here: if you followed a link, paste "
    "its address into the browser's bar."
)


def new_key() -> str:
    """A key that nobody guesses."""
    return secrets.token_urlsafe(32)


class Door:
    """Lets requests through to the application, or doesn't."""

    def __init__(
        self, app: ASGIApp, key: str, port: Callable[[], int], once: set[str] | None = None
    ) -> None:
        """`once` are further keys, each for one visit; it becomes empty as they are used."""
        self._app, self._key, self._port = app, key, port
        self._once = set() if once is None else once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, swap the key for a cookie, or pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}
                kept = [each for each in message.get("headers", []) if each[0] not in own]
                message["headers"] = [*kept, *own.items()]
            await send(message)

        answer = self._answer(Request(scope))
        await (answer or self._app)(scope, receive, sending)

    def _answer(self, request: Request) -> Response | None:
        """What to say instead of passing the request on; None where it is welcome."""
        port = self._port()
        homes = {f"127.0.0.1:{port}", f"localhost:{port}"}
        if request.headers.getlist("host") not in [[home] for home in homes]:
            return refusal("This server answers only under its own address.", 421)
        host = request.headers["host"]
        if any(each != f"http://{host}" for each in request.headers.getlist("origin")):
            return refusal(OTHERS, 403)
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return refusal(OTHERS, 403)
        given = parse_qs(request.url.query).get("token", [])
        if request.method == "GET" and request.url.path == "/" and given:
            return self._swap(given[0], port)
        if not _same(request.cookies.get(cookie(port), ""), self._key):
            return refusal(NO_KEY, 403)
        if request.method == "POST" and "origin" not in request.headers:
            return refusal(OTHERS, 403)
        return None

    def _swap(self, given: str, port: int) -> Response:
        used = [each for each in tuple(self._once) if _same(given, each)]
        self._once.difference_update(used)
        if not used and not _same(given, self._key):
            return refusal(NO_KEY, 403)
        response = RedirectResponse("/", 303)
        response.set_cookie(cookie(port), self._key, httponly=True, samesite="strict", path="/")
        return response


def cookie(port: int) -> str:
    """The cookie's name; cookies of all ports of a machine lie in one jar."""
    return f"chatham_{port}"


def _same(given: str, key: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), key.encode())


def refusal(why: str, status: int) -> Response:
    """A sentence, as text."""
    return Response(f"{why}\n", status, media_type="text/plain")
