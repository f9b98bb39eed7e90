"""Agents for tests: a folder with keys, certificates, words, documents and the agents' file."""

import json
import os
from hashlib import sha256

import numpy as np

import chatham as ch
from chatham.commons.secure.keys import Identity, save_private
from chatham.corpus import Corpus
from chatham.federation.session import Member
from chatham.federation.tls import new_certificate
from chatham.gossip.agents_file import Agents
from chatham.gossip.taking_part import Membership
from tests.federation.normed.direct import free_ports

RING = {"a": "be", "b": "ac", "c": "bd", "d": "ce", "e": "da"}
"""Five agents, each with two neighbours."""


class Network:
    """What agents have: each its own key and documents, and all the same file."""

    def __init__(self, folder, graph=RING, *, documents=24, words=30, topics=3, **settings):
        self.folder, self.names = folder, sorted(graph)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.words = [f"word{one}{other}" for one in letters for other in letters][:words]
        (folder / "words.txt").write_text("\n".join(self.words) + "\n", "utf-8")
        truth = np.random.default_rng(1).dirichlet(np.full(words, 0.1), topics)
        total = documents * (len(graph) + 1)
        drawn = ch.synthetic_corpus(truth, total, lengths=12, prior=0.2, random_state=0)
        counts, self.truth = drawn.corpus.counts, truth
        self.counts = {
            name: counts[place * documents : (place + 1) * documents]
            for place, name in enumerate(self.names)
        }
        self.held_out = counts[len(graph) * documents :]
        members = []
        for name, port in zip(self.names, free_ports(len(graph)), strict=True):
            identity, (pem, private) = Identity.new(), new_certificate(name)
            identity.save(self.key(name))
            save_private(private, folder / f"{name}.direct.key")
            members.append(Member(name, identity.public.hex(), f"127.0.0.1:{port}", pem))
        settings = {"updates": 20, "sweeps": 4, "burn_in": 2, "alpha": 0.2, **settings}
        self.agents = Agents(
            id=os.urandom(16).hex(), topics=topics, words="words.txt",
            words_sha256=sha256((folder / "words.txt").read_bytes()).hexdigest(),
            agents=tuple(members), neighbours=tuple(tuple(graph[name]) for name in self.names),
            **settings,
        )  # fmt: skip
        self.file = folder / "agents.toml"
        self.file.write_text(self.agents.to_toml(), "utf-8")

    def key(self, name):
        return self.folder / f"{name}.key"

    def home(self, name):
        return self.folder / f"at-{name}"

    def corpus(self, name):
        return Corpus(self.counts[name], self.words)

    def text(self, name):
        """A file with an agent's documents, one a line."""
        path = self.folder / f"{name}.txt"
        rows = [np.repeat(self.words, row) for row in self.counts[name].toarray().astype(int)]
        path.write_text("".join(" ".join(row) + "\n" for row in rows), "utf-8")
        return path

    def command(self, name, *more):
        """The words after `chatham` with which an agent takes part."""
        return [
            "gossip", self.file, "--as", name, "--corpus", self.text(name), "--key", self.key(name),
            "--folder", self.home(name), "-o", self.folder / f"model-{name}", *more,
        ]  # fmt: skip

    def member(self, name):
        return Membership(self.agents, name, self.key(name), self.home(name))

    def state(self, name):
        """What an agent's folder says, and its statistics."""
        line, _, body = (self.home(name) / "state").read_bytes().partition(b"\n")
        shape = (self.agents.topics, len(self.words))
        arrays = np.frombuffer(body, "<f8").reshape(-1, *shape)
        return json.loads(line), arrays[0]
