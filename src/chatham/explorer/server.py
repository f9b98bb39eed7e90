"""The explorer's server: one page on 127.0.0.1, for as long as somebody looks.

It never opens a file that a request names: the page's files are read once, before it listens, and
everything else comes from the model and the documents in memory.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chatham.errors import ChathamError, InputError
from chatham.explorer.assembling import MEDIA_TYPES, page_files
from chatham.explorer.door import Door, new_key, refusal
from chatham.explorer.prepare import as_json
from chatham.explorer.workbench import Workbench
from chatham.interrupts import asking

HOST = "127.0.0.1"
USUAL_PORT = 8760
MOST_BODY = 1 << 16
"""Bytes that a judgement may take."""
PARTING = 2
"""Seconds that open requests get when the server is stopped."""


def explorer_app(
    bench: Workbench, key: str, port: Callable[[], int], once: set[str] | None = None
) -> Any:
    """The application, behind its door; keys in `once` open it one time each."""
    files = page_files()

    async def page(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in files:
            return refusal("There is no such page.", 404)
        return Response(files[name], media_type=MEDIA_TYPES[name.rpartition(".")[2]])

    routes = [
        Route("/", page),
        Route("/page/{name:path}", page),
        *(Route(f"/{name}", _reading(bench, ask), methods=["GET"]) for name, ask in READ.items()),
        *(Route(f"/{name}", _writing(bench, do), methods=["POST"]) for name, do in WRITTEN.items()),
    ]
    return Door(Starlette(routes=routes), key, port, once)


def _number(given: str | None) -> int | None:
    return None if given in (None, "") else int(str(given))


READ: dict[str, Callable[[Workbench, Any], str | dict[str, Any]]] = {
    "data": lambda bench, _: bench.data,
    "said": lambda bench, _: bench.said,
    "judgements.csv": lambda bench, _: bench.table,
    "compared": lambda bench, _: bench.compared(),
    "scores": lambda bench, _: bench.scores(),
    "documents": lambda bench, q: bench.documents(
        _number(q.get("topic")), int(q.get("start", 0)), int(q.get("n", 20)),
        str(q.get("query", "")), str(q.get("word", "")),
    ),
    "document": lambda bench, q: bench.document(int(q["row"]), _number(q.get("topic"))),
    "cells": lambda bench, q: bench.cells(str(q["column"]), str(q["kind"])),
}  # fmt: skip
"""What the page asks for, and who answers."""

SAYABLE = ("rating", "junk", "note")
WRITTEN: dict[str, Callable[[Workbench, Any], dict[str, Any]]] = {
    "name": lambda bench, b: bench.name(_whole(b["topic"]), _name(b["name"])),
    "edit": lambda bench, b: bench.edit(str(b["edit"]), [_whole(t) for t in b["topics"]]),
    "judge": lambda bench, b: bench.judge(
        _whole(b["topic"]), {name: b[name] for name in SAYABLE if name in b}
    ),
    "answer": lambda bench, b: bench.answer(str(b["question"]), str(b["answer"])),
}
"""What people change, and who does it."""


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise InputError("A topic is named by its number.")
    return value


def _name(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError("A name is a text, or null for the automatic one.")
    return value


def _reading(bench: Workbench, ask: Callable[[Workbench, Any], Any]) -> Any:
    async def answer(request: Request) -> Response:
        return await _answered(ask, bench, request.query_params)

    return answer


def _writing(bench: Workbench, do: Callable[[Workbench, Any], Any]) -> Any:
    async def answer(request: Request) -> Response:
        if request.headers.get("content-type", "").split(";")[0] != "application/json":
            return refusal("What is to be changed is sent as JSON.", 415)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MOST_BODY:
                return refusal("That is more than a judgement takes.", 413)
        try:
            wanted = json.loads(body)
        except (ValueError, RecursionError):
            return refusal("What is to be changed is sent as JSON.", 400)
        if not isinstance(wanted, dict):
            return refusal("What is to be changed is sent as JSON.", 400)
        return await _answered(do, bench, wanted)

    return answer


async def _answered(do: Callable[[Workbench, Any], Any], bench: Workbench, given: Any) -> Response:
    """Work in a thread, so that a long one doesn't keep others waiting; refusals are sentences."""
    try:
        found = await run_in_threadpool(do, bench, given)
    except ChathamError as error:
        return refusal(str(error), 400)
    except (KeyError, ValueError, TypeError):
        return refusal("The request isn't one that this page makes.", 400)
    if isinstance(found, str):
        table = do is READ["judgements.csv"]
        media_type = "text/csv" if table else "application/json"
        headers = {"Content-Disposition": 'attachment; filename="judgements.csv"'} if table else {}
        return Response(found, media_type=media_type, headers=headers)
    return Response(as_json(found), media_type="application/json")


class Server(uvicorn.Server):
    """Announces its address once it answers, and leaves signals to whoever started it."""

    def __init__(self, bench: Workbench, listening: socket.socket) -> None:
        self._listening = listening
        self.port: int = listening.getsockname()[1]
        self.key = new_key()
        self._once: set[str] = set()
        app = explorer_app(bench, self.key, lambda: self.port, self._once)
        super().__init__(
            uvicorn.Config(
                app, log_config=None, access_log=False, server_header=False, lifespan="off",
                ws="none", proxy_headers=False,
                timeout_graceful_shutdown=PARTING,
            )
        )  # fmt: skip
        self.answers = threading.Event()

    @property
    def address(self) -> str:
        """Where to look, with the key."""
        return self._address(self.key)

    def address_for_one_visit(self) -> str:
        """The same with a key that works once, for a browser's command line."""
        key = new_key()
        self._once.add(key)
        return self._address(key)

    def _address(self, key: str) -> str:
        return f"http://{HOST}:{self.port}/?token={key}"

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    def stop(self) -> None:
        """End soon; calling it again changes nothing."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self.answers.set()

    def serve_here(self, announce: Callable[[str], None]) -> None:
        """Answer until Ctrl-C, and give the port back."""
        thread = threading.Thread(target=self._announced, args=(announce,), daemon=True)
        thread.start()
        with asking(self.stop):
            self._run()

    def _announced(self, announce: Callable[[str], None]) -> None:
        self.answers.wait()
        announce(self.address)

    def _run(self) -> None:
        try:
            asyncio.run(self.serve(sockets=[self._listening]))
        finally:
            self._listening.close()
            self.answers.set()

    @contextmanager
    def in_background(self) -> Iterator[str]:
        """Answer while the block runs, in a thread; its address."""
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        self.answers.wait()
        try:
            yield self.address
        finally:
            self.stop()
            thread.join()


def listening_on(port: int | None) -> socket.socket:
    """A socket on this machine alone: on the port that is asked for, else the usual one or, where
    that is taken, any."""
    for wanted in (USUAL_PORT, 0) if port is None else (port,):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((HOST, wanted))
            sock.listen(128)
            return sock
        except OSError as error:
            sock.close()
            why = error.strerror or type(error).__name__
    raise InputError(f"The explorer can't listen on {HOST}, port {port}: {why}; give another port.")
