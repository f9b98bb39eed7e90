"""Links: who isn't who the file says, has another file, or sends nonsense, is told off and out."""

import asyncio
import struct
import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from chatham.commons.secure.frames import START, make_frame
from chatham.commons.secure.keys import Identity, save_private
from chatham.errors import ChangedError, CheckpointError, InputError, LinkError, SessionError
from chatham.federation.tls import Credentials, new_certificate
from chatham.gossip import links
from chatham.gossip.exchange import Message
from chatham.gossip.links import GREETINGS, Links
from chatham.gossip.taking_part import Membership, gossip_together
from tests.gossip.network import Network

PAIR = {"a": "b", "b": "a"}
SHAPE = (3, 30)


@pytest.fixture
def network(tmp_path):
    return Network(tmp_path, PAIR, updates=3)


def other(network, **more):
    """The same agents with another file."""
    return replace(network.agents, **more)


def together(*works):
    """Run in threads; what each returned or raised."""
    found = [None] * len(works)

    def run(place, work):
        try:
            found[place] = work()
        except Exception as error:
            found[place] = error

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive()
    return found


def taking_part(network, name, agents=None, **more):
    membership = Membership(agents or network.agents, name, network.key(name), network.home(name))
    return gossip_together(membership, network.corpus(name), n_jobs=1, **more)


@pytest.mark.parametrize(
    ("differing", "sentence"),
    [
        ({"words_sha256": "ab" * 32}, "counts other words than this agent: the SHA-256"),
        ({"kappa": 0.6}, "has another agents' file than this agent: its hash begins with"),
    ],
)
def test_two_with_other_files_both_stop_with_a_sentence_and_go_on_later(
    network, differing, sentence
):
    wrong = other(network, **differing)
    found = together(partial(taking_part, network, "a"), partial(taking_part, network, "b", wrong))
    for error, name in zip(found, "ba", strict=True):
        assert isinstance(error, SessionError)
        assert str(error).startswith(f"{name} ")
        assert sentence in str(error)
    before = network.state("a")[1]
    (network.home("b") / "state").unlink()  # it began under the other file; nothing was sent
    found = together(partial(taking_part, network, "a"), partial(taking_part, network, "b"))
    assert [type(each).__name__ for each in found] == ["TopicModel", "TopicModel"]
    assert network.state("a")[1].sum() == pytest.approx(before.sum(), rel=1e-6)


def test_another_version_is_named(network, monkeypatch):
    versions = iter(["1.2.3", "1.2.4"])
    monkeypatch.setattr(links, "own_version", lambda: next(versions))
    found = together(partial(taking_part, network, "a"), partial(taking_part, network, "b"))
    for error in found:
        assert isinstance(error, SessionError)
        assert str(error).endswith("install the same version at both.")
        assert {"1.2.3", "1.2.4"} <= set(str(error).replace(",", "").replace(";", "").split())


def test_a_key_that_isnt_the_agents_is_refused_at_home(network):
    with pytest.raises(SessionError) as caught:
        Membership(network.agents, "a", network.key("b"), network.home("a"))
    assert "isn't the key of a in the agents' file" in str(caught.value)
    with pytest.raises(InputError, match="isn't the private key of the certificate"):
        Membership(
            network.agents, "a", network.key("a"), network.home("a"),
            network.folder / "b.direct.key",
        )  # fmt: skip
    with pytest.raises(SessionError) as caught:
        Membership(network.agents, "zoe", network.key("a"), network.home("a"))
    assert str(caught.value) == "There is no agent called 'zoe' in the agents' file; it has a, b."


def test_a_changed_corpus_or_a_damaged_state_is_refused(network):
    def stopped(standing):
        raise LinkError("enough")

    for name in "ab":
        with pytest.raises(LinkError, match="enough"):
            taking_part(network, name, tell=stopped)
    member = network.member("a")
    with pytest.raises(ChangedError, match="aren't the documents with which this agent began"):
        gossip_together(member, network.corpus("b"))
    path = network.home("a") / "state"
    content = path.read_bytes()
    for damaged in (
        content[:-1],
        content[:50],
        b"",
        content.replace(b'"updates": 0', b'"updates": 2'),
    ):
        path.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="isn't what was written there"):
            taking_part(network, "a")
    path.write_bytes(content)
    with pytest.raises(SessionError, match="belongs to other agents"):
        taking_part(network, "a", other(network, seed=7))


# -- an agent that listens, and somebody who calls it


class Heard:
    """Ears that remember."""

    def __init__(self):
        self.news, self.linked_with, self.left = [], asyncio.Event(), asyncio.Event()

    def linked(self, peer):
        self.linked_with.set()

    def hear(self, peer, message):
        self.news.append(message)

    def lost(self, peer):
        self.left.set()

    def differs(self, peer, sentence):
        self.news.append(sentence)
        self.left.set()

    def complains(self, peer, sentence):
        self.news.append(sentence)
        self.left.set()


def told(network, *raws, agents=None, greeting=None, identity=None):
    """What b hears, and what it complains of, when a says this after its greeting."""
    mine = network.agents
    a, b = (Identity.load(network.key(name)) for name in "ab")

    async def play():
        ears = Heard()
        credentials = Credentials(mine.agents[1], network.folder / "b.direct.key")
        listening = Links(mine, 1, b, credentials, SHAPE, ears)
        await listening.begin()
        calling = Credentials(mine.agents[0], network.folder / "a.direct.key")
        host, port = mine.agents[1].address.split(":")
        _, writer = await asyncio.open_connection(
            host, int(port), ssl=calling.client(mine.agents[1])
        )
        first = greeting or make_frame(
            a, "greeting", session=GREETINGS, party=0, agents=mine.hash,
            words=bytes.fromhex(mine.words_sha256), version=links.own_version(),
        ).raw  # fmt: skip
        writer.write(first + b"".join(raws))
        writer.close()  # after all this has left
        await asyncio.wait_for(ears.left.wait(), 60)
        await listening.close()
        return ears.news

    return asyncio.run(play())


def framed(network, kind="call", *, body=b"", party=0, session=None, name="a", **more):
    identity = Identity.load(network.key(name))
    session = network.agents.hash if session is None else session
    frame = make_frame(identity, kind, session=session, party=party, body=body, **more)
    return frame.raw + body


GOOD = np.ones(SHAPE).tobytes()


def test_what_is_right_is_heard(network):
    news = told(network, framed(network), framed(network, "give", body=GOOD), b"\0" * START)
    assert news[:2] == [Message("call"), Message("give", body=GOOD)]


def test_nonsense_closes_the_link_with_a_sentence(network):
    call, give = framed(network), framed(network, "give", body=GOOD)
    cases = {
        b"GET / HTTP/1.1\r\n\r\n" + bytes(START): "doesn't begin like a Chatham message",
        call[:7] + b"\x09" + call[8:]: "reads messages of format 3, and this one has 9",
        call[:8] + struct.pack(">I", 2**31) + call[12:]: "is too long or too short",
        call[:-1] + bytes([call[-1] ^ 1]): "isn't signed by the party that it names",
        give[:-8] + bytes(8): "isn't the one its header was signed for",
        framed(network, "give", body=GOOD + bytes(64)): "with 784 bytes came",
        framed(network, "call", body=b"x"): "of the kind call with 1 bytes came",
        framed(network, "hello", key=bytes(32), nonce=bytes(32), corpus=bytes(32), version="1"):
            "of the kind hello came where none may come",
        framed(network, session=bytes(32)): "belongs to another session",
        framed(network, party=1, name="b"): "is signed by somebody else",
        framed(network, party=7): "comes from a party that isn't in the roster",
    }  # fmt: skip
    for raw, sentence in cases.items():
        (complaint,) = told(network, raw)
        assert complaint.startswith("a: ")
        assert sentence in complaint


def test_a_message_that_ends_early_is_no_message(network):
    give = framed(network, "give", body=GOOD)
    for end in (5, START + 3, len(give) - 1):
        assert told(network, give[:end]) == []


def test_a_greeting_that_somebody_else_signed_is_refused(network):
    stranger = Identity.new()
    greeting = make_frame(
        stranger, "greeting", session=GREETINGS, party=0, agents=bytes(32), words=bytes(32),
        version="1",
    ).raw  # fmt: skip
    (complaint,) = told(network, greeting=greeting)
    assert "isn't signed by the party that it names" in complaint


def test_a_certificate_that_isnt_in_the_file_opens_no_link(network):
    """b has made itself another certificate: a says so, and waits."""
    pem, private = new_certificate("b")
    save_private(private, network.folder / "b2.direct.key")
    members = list(network.agents.agents)
    members[1] = replace(members[1], certificate=pem)
    wrong, complaints = other(network, agents=tuple(members)), []

    def listen(standing):
        if standing.trouble:
            complaints.append(standing.trouble)
            raise LinkError("enough")

    async def impostor(stop):
        ears = Heard()
        identity = Identity.load(network.key("b"))
        credentials = Credentials(wrong.agents[1], network.folder / "b2.direct.key")
        listening = Links(wrong, 1, identity, credentials, SHAPE, ears)
        await listening.begin()
        while not stop.is_set():
            await asyncio.sleep(0.05)
        await listening.close()
        assert not ears.linked_with.is_set()

    stop = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(impostor(stop)))
    thread.start()
    try:
        with pytest.raises(LinkError, match="enough"):
            taking_part(network, "a", tell=listen)
    finally:
        stop.set()
        thread.join()
    assert "shows another certificate than the one in the agents' file" in complaints[0]
