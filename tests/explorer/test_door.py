"""Who may come in, and what is never sent out."""

import json
import socket

import pytest

pytest.importorskip("starlette")
from starlette.testclient import TestClient

from chatham.explorer.door import cookie
from chatham.explorer.server import READ, WRITTEN, Server, explorer_app, listening_on
from chatham.explorer.workbench import Workbench

KEY, PORT = "the-key", 8123
HOME = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def client(model, corpus):
    bench = Workbench(model, corpus)
    with TestClient(
        explorer_app(bench, KEY, lambda: PORT), base_url=HOME, follow_redirects=False
    ) as client:
        yield client
    bench.close()


def let_in(client):
    client.cookies.set(cookie(PORT), KEY, domain="127.0.0.1")
    return client


def test_the_key_becomes_a_cookie_that_no_script_reads(client):
    answer = client.get(f"/?token={KEY}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    given = answer.headers["set-cookie"].lower()
    assert "httponly" in given
    assert "samesite=strict" in given
    assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/data", "/said", "/page/main.js", "/documents", "/judgements.csv"]
)
def test_without_the_key_nothing_is_shown(client, path):
    answer = client.get(path)
    assert answer.status_code == 403
    assert "key" in answer.text
    assert client.get("/?token=wrong").status_code == 403


@pytest.mark.parametrize("name", WRITTEN)
def test_without_the_key_nothing_is_changed(client, name):
    assert client.post(f"/{name}", json={}, headers={"origin": HOME}).status_code == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"[::1]:{PORT}", f"127.0.0.1:{PORT + 1}"],
)
def test_under_another_name_it_doesnt_answer(client, host):
    assert let_in(client).get("/data", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", f"http://localhost:{PORT}"],
)
def test_other_pages_get_nothing(client, origin):
    let_in(client)
    assert client.get("/data", headers={"origin": origin}).status_code == 403
    body = {"topic": 0, "name": "taken over"}
    assert client.post("/name", json=body, headers={"origin": origin}).status_code == 403


def test_other_pages_get_nothing_by_other_ways_either(client):
    let_in(client)
    assert client.get("/data", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    followed = client.get("/", headers={"sec-fetch-site": "same-site"})
    assert (followed.status_code, "browser's bar" in followed.text) == (403, True)
    assert client.post("/name", json={"topic": 0, "name": "x"}).status_code == 403
    as_a_form = {"origin": HOME, "content-type": "text/plain"}
    assert client.post("/judge", content=b"{}", headers=as_a_form).status_code == 415


def test_every_answer_is_closed(client):
    let_in(client)
    for path in ("/", "/data", "/page/main.js", "/page/nothing.js", "/nothing"):
        headers = client.get(path).headers
        parts = headers["content-security-policy"].split(";")
        policy = dict(part.strip().split(" ", 1) for part in parts)
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    ["/page/../server.py", "/page/%2e%2e/server.py", "/page//etc/passwd", "/model.json", "/page/",
     "/page/..%2f..%2fprepare.py", "/page/__init__.py"],
)  # fmt: skip
def test_no_other_file_is_served(client, path):
    assert let_in(client).get(path).status_code == 404


@pytest.mark.parametrize(
    "query", ["topic=99", "topic=x", "start=x", "row=99999", "row=-1", "row=", ""]
)
def test_odd_questions_get_a_sentence(client, query):
    let_in(client)
    for name in READ:
        answer = client.get(f"/{name}?{query}")
        assert answer.status_code in (200, 400)
        assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "body",
    [{}, {"topic": "0", "name": "x"}, {"topic": True, "name": "x"}, {"topic": 99, "name": "x"}, []],
)
def test_odd_changes_get_a_sentence(client, body):
    answer = let_in(client).post("/name", json=body, headers={"origin": HOME})
    assert answer.status_code == 400
    assert (
        client.post(
            "/judge",
            content=b"x" * 100_000,
            headers={"origin": HOME, "content-type": "application/json"},
        ).status_code
        == 413
    )


def test_ratings_are_kept_and_exported(client):
    let_in(client)
    body = {"topic": 1, "rating": 5, "junk": False, "note": "fine"}
    assert client.post("/judge", json=body, headers={"origin": HOME}).json() == {"kept": False}
    assert client.get("/said").json()["topics"][0]["note"] == "fine"
    assert "fine" in client.get("/judgements.csv").text
    asked = json.loads(client.get("/data").text)["intrusion"][0]
    answer = {"question": asked["id"], "answer": asked["intruder"]}
    client.post("/answer", json=answer, headers={"origin": HOME})
    assert client.get("/said").json()["answers"][0]["topic"] == asked["topic"]
    wrong = {"question": asked["id"], "answer": "no such option"}
    assert client.post("/answer", json=wrong, headers={"origin": HOME}).status_code == 400


def test_the_port_is_given_back(model):
    bench = Workbench(model)
    listening = listening_on(0)
    port = listening.getsockname()[1]
    with Server(bench, listening).in_background() as address:
        assert f"127.0.0.1:{port}" in address
        with socket.create_connection(("127.0.0.1", port), timeout=300):
            pass
    listening_on(port).close()
    bench.close()


def test_deeply_nested_changes_get_a_sentence(client):
    headers = {"origin": HOME, "content-type": "application/json"}
    answer = let_in(client).post("/name", content=b"[" * 60_000, headers=headers)
    assert (answer.status_code, "JSON" in answer.text) == (400, True)


def test_a_key_for_one_visit_works_once(model):
    bench, once = Workbench(model), {"this-once", "another"}
    app = explorer_app(bench, KEY, lambda: PORT, once)
    with TestClient(app, base_url=HOME, follow_redirects=False) as client:
        answer = client.get("/?token=this-once")
        assert answer.status_code == 303
        assert "this-once" not in answer.headers["set-cookie"]
        assert client.get("/data").status_code == 200
        client.cookies.clear()
        assert client.get("/?token=this-once").status_code == 403
        assert client.get(f"/?token={KEY}").status_code == 303
    assert once == {"another"}
    bench.close()


def test_what_isnt_said_of_a_topic_stays(client):
    let_in(client)
    for change in ({"rating": 4}, {"note": "fine"}, {"junk": True}):
        body = {"topic": 1, **change}
        assert client.post("/judge", json=body, headers={"origin": HOME}).status_code == 200
    said = {"topic": 1, "rating": 4, "junk": True, "note": "fine"}
    assert client.get("/said").json()["topics"] == [said]
    odd = {"topic": 1, "rating": "4"}
    assert client.post("/judge", json=odd, headers={"origin": HOME}).status_code == 400
