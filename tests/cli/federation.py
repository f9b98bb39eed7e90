"""Three parties with texts and keys of their own, sessions between them, and commands for each."""

import datetime
import ipaddress
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from chatham.commons.secure.keys import Identity
from chatham.federation.book import save_identity
from chatham.federation.session import Member, Session, read_session
from tests.conftest import plant
from tests.federation.normed.direct import free_ports

NAMES = ("North", "South", "West")
WORDS = [
    first + second for first in "bcdfgklm" for second in ("amel", "ovin", "urat", "esk", "ilo")
]
LEARNERS = {
    "lda": {"max_iter": 8},
    "nmf": {"max_iter": 8},
    "plsa": {"max_iter": 8},
    "kmeans": {"max_iter": 5},
    "anchor": {"refine": 1},
    "svd": {},
}


class Federation:
    """A folder with a key and texts for each party."""

    def __init__(self, folder: Path, names=NAMES, documents=40):
        self.folder, self.names = folder, names
        self.identities = [Identity.new() for _ in names]
        for place, (name, identity) in enumerate(zip(names, self.identities, strict=True)):
            save_identity(identity, self.key(name))
            self.text(name).write_text("\n".join(texts(documents, seed=place)) + "\n", "utf-8")
        self.port = free_port()

    def key(self, name):
        return self.folder / f"{name}.key"

    def text(self, name):
        return self.folder / f"{name}.txt"

    def session(self, algorithm="lda", file=None, **more):
        """Write a session's file."""
        given = {"n_components": 3, **LEARNERS.get(algorithm, {}), **more.pop("parameters", {})}
        # Of so few words, co-occurrences could be solved for from products: see test_together.
        more = {"exact_totals_know": algorithm == "anchor", **more}
        made = Session(
            id=os.urandom(16).hex(),
            relay=f"{'https' if more.get('certificate') else 'http'}://127.0.0.1:{self.port}",
            parties=tuple(
                Member(name, identity.public.hex())
                for name, identity in zip(self.names, self.identities, strict=True)
            ),
            algorithm=algorithm,
            parameters=given,
            vocabulary={"stop_words": "none", "min_df": 5, "own_df": 2, **more.pop("words", {})},
            **more,
        )
        path = self.folder / (file or f"{algorithm}.toml")
        path.write_text(made.to_toml(), "utf-8")
        return path

    def joining(self, name, session, *more, **own):
        """The words after `chatham` with which a party joins: with its own things, or these."""
        things = {
            "corpus": self.text(name), "key": self.key(name),
            "folder": self.folder / f"{name}-{Path(session).stem}",
            "output": self.model(name, session), **own,
        }  # fmt: skip
        words = [word for option, value in things.items() for word in (f"--{option}", value)]
        return ["join", session, *words, "--yes", *more]

    def model(self, name, session):
        return self.folder / f"{name}-{Path(session).stem}-model"

    def saved(self, name, session):
        """The bytes of a party's model."""
        folder = self.model(name, session)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def secrets(self, session):
        """What each party's randomness about its own documents is keyed by."""
        purpose = b"rows" + read_session(session).hash
        return [identity.derive(purpose) for identity in self.identities]

    def relaying(self, *sessions, more=()):
        """A relay in a process of its own, that listens already."""
        words = ["relay", *sessions, "--folder", self.folder / "relay", "--port", self.port, *more]
        process = chatham(*words, "--json", stdout=subprocess.PIPE)
        told = ""
        while not told.rstrip().endswith("\n}"):
            line = process.stdout.readline()
            assert line, process.communicate()
            told += line
        return process, json.loads(told)


def texts(n, seed=0):
    """Documents of three planted topics, in words that look like some."""
    counts, _, _ = plant(n=n, d=len(WORDS), k=3, length=30, seed=seed)
    return [
        " ".join(np.repeat(WORDS, row))
        for row in np.asarray(counts.todense() if hasattr(counts, "todense") else counts)
    ]


def chatham(*words, **options):
    """A command in a process of its own."""
    given = {"text": True, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
    return subprocess.Popen([sys.executable, "-m", "chatham", *map(str, words)], **given)


PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.cli.heavy"])
"""Processes of their own all the same, but what they import is imported once for all."""


def commands(*each, killed_at=None):
    """Several commands in turn, in one process; it is killed before a file gets that name."""
    words = [[str(word) for word in command] for command in each]
    process = PROCESSES.Process(target=run_all, args=(words, killed_at), daemon=True)
    process.start()
    return process


def run_all(each, killed_at):
    """What such a process does; it ends with an exit code unless all went well."""
    from typer.testing import CliRunner

    from chatham.cli import app

    def die(event, told):
        if event == "os.rename" and str(told[1]).endswith(killed_at):
            os.kill(os.getpid(), signal.SIGKILL)

    if killed_at is not None:
        sys.addaudithook(die)
    for words in each:
        result = CliRunner().invoke(app, words)
        if result.exit_code:
            sys.exit(f"{words}: {result.output} {result.exception!r}")


def ended(*processes):
    """Wait for all; what went wrong in any is on standard error."""
    for process in processes:
        if isinstance(process, subprocess.Popen):
            out, errors = process.communicate(timeout=300)
            assert process.returncode == 0, (out, errors)
        else:
            process.join(timeout=300)
            assert process.exitcode == 0


def stopped(process):
    """End a process that has no end of its own."""
    process.terminate()
    return process.communicate(timeout=300)


def certificate(folder):
    """A certificate for this machine, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "relay")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    built = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(1))
        .not_valid_after(now + datetime.timedelta(1)).add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    (folder / "relay.pem").write_bytes(built.public_bytes(serialization.Encoding.PEM))
    (folder / "relay-key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return folder / "relay.pem", folder / "relay-key.pem"


def free_port():
    return free_ports(1)[0]
