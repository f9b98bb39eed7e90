"""Kill and stop every process at every moment, on good lines and bad, and write down what came.

    python -m tests.torture.run                 the full matrix, into docs/reliability.md
    python -m tests.torture.run --quick         a sample of it, nothing written (as the tests do)
    python -m tests.torture.run --parsers       the fuzzed parsers alone, their part written anew

Each run is a fit of NMF or LDA between three parties and a relay, all real processes. A run is good
if every party's model equals the simulation's bit for bit, no party masked more than one round
again, no mask ever covered two different contributions, and every ledger is whole and says what the
records say.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections import Counter
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from tests.torture.faults import Fault
from tests.torture.fuzz import PARSERS, SECONDS, fuzz, is_there, section, with_section
from tests.torture.processes import Stage
from tests.torture.programs import expected
from tests.torture.proxy import Proxy

REPORT = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGINNING = {
    "say hello": "hello: about to say it",
    "heard hello": "hello: all are there",
    "say shares": "keys: about to send shares",
    "heard shares": "keys: all shares are there",
    "say confirm": "confirm: about to send the proof",
    "heard confirm": "confirm: all proofs are there",
    "ledger hello": "hello: the ledger's line is about to be written",
}
ROUND = {
    "quantise": "quantise: my statistics are there, as floats",
    "ledger left": "persist: the ledger's line is about to be written",
    "say sum": "masked, about to be sent",
    "first byte": "the contribution's first byte is sent",
    "middle byte": "half of it is sent",
    "last byte": "its last byte is sent",
    "heard sum": "receive: the total is here",
    "write .total": "checkpoint: the total is about to be written",
    "rename .total": "rename: written under another name",
    "say agree": "acknowledge: about to sign the total",
    "heard agree": "all signatures are there",
    "write .agreed": "checkpoint: the signatures are about to be written",
    "rename .agreed": "rename: written under another name",
    "apply": "apply: the total is about to be used",
    "ledger came": "persist: the ledger's second line",
}
RELAY = {
    "relay hello": "a hello is noted",
    "relay shares": "shares are noted",
    "relay confirm": "a proof is noted",
    "relay receiving": "the first bytes of a message are here",
    "relay received": "further bytes of a message are here",
    "relay sum": "a contribution is added",
    "relay written": "checkpoint: the total is written under another name",
    "relay renamed": "rename: it has its name",
    "relay kept": "its signatures are noted",
    "relay answering": "part of an answer is sent",
    "relay answered": "an answer is sent",
    "relay agree": "a signature under a total is noted",
}
LINES = ("plain", "slow", "sliced", "cut", "parted")
ACTIONS = ("kill", "stop")
PROGRAMS = ("nmf", "lda")


def faults():
    """Every moment of every process, early and late in the session."""
    for action in ACTIONS:
        for who in ("party0", "party1", "party2"):
            yield from (Fault(who, step, 1, action) for step in BEGINNING)
            yield from (Fault(who, step, nth, action) for step in ROUND for nth in (1, 3, 6))
        yield from (Fault("relay", step, nth, action) for step in RELAY for nth in (1, 3, 8))


SAMPLE = [
    *(Fault(f"party{i % 3}", step, 3, "kill") for i, step in enumerate(ROUND)),
    *(Fault(f"party{i % 3}", step, 1, "kill") for i, step in enumerate(BEGINNING) if i % 2 == 0),
    *(Fault("relay", step, 2, "kill") for step in list(RELAY)[::2]),
    Fault("party0", "middle byte", 2, "stop"),
    Fault("relay", "relay sum", 4, "stop"),
]


def plans_of(quick):
    """Faults and lines, and what is computed meanwhile."""
    if quick:
        return [(f, None, "nmf") for f in SAMPLE] + [(None, ln, "lda") for ln in ("cut", "parted")]
    plans = [(fault, None, program) for program in PROGRAMS for fault in faults()]
    plans += [(None, line, program) for program in PROGRAMS for line in LINES]
    return plans + [(f, "cut", "lda") for f in SAMPLE] + [(f, "slow", "nmf") for f in SAMPLE]


def tried(fault=None, line=None, program="nmf"):
    """One run; what is wrong with it, or nothing, and its outcome."""
    with tempfile.TemporaryDirectory() as folder:
        stage, proxy = Stage(folder, program=program), None
        if line:
            proxy = Proxy(stage.port, line)
            proxy.fork()
            stage = Stage(folder, address=proxy.address, program=program, port=stage.port)
        outcome = stage.run(fault)
        if proxy:
            proxy.close()
        model = expected(stage)
    wrong = [outcome.trouble] if outcome.trouble else []
    wrong += ["another model"] if set(outcome.models) != {model} else []
    wrong += [f"{outcome.redone} rounds masked again"] if outcome.redone > 1 else []
    wrong += [f"{outcome.reused} masks used twice"] if outcome.reused else []
    wrong += outcome.ledgers[:1]
    return ", ".join(wrong), outcome


def warm_up():
    """Load everything before the first fork."""
    for program in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            expected(Stage(folder, program=program))


def main():
    """Run it all; exit with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="only faults with this in them")
    parser.add_argument("--parsers", action="store_true", help="only fuzz the parsers")
    parser.add_argument("--fuzz", type=int, default=SECONDS, help="seconds for each parser")
    asked = parser.parse_args()
    if asked.parsers:
        return fuzz_all(asked.fuzz, REPORT.read_text("utf-8"))
    plans = [p for p in plans_of(asked.quick) if not asked.only or asked.only in str(p[0])]
    warm_up()
    results = []
    for number, (fault, line, program) in enumerate(plans, 1):
        wrong, outcome = tried(fault, line, program)
        results.append((fault, line, program, wrong, outcome))
        if wrong:
            print(f"{fault} {line} {program}: {wrong}", flush=True)
        if sys.stderr.isatty():
            print(f"\r{number} of {len(plans)} ", end="", file=sys.stderr, flush=True)
    bad = sum(bool(wrong) for *_, wrong, _ in results)
    print(f"{len(plans)} runs, {bad} went wrong")
    if not asked.quick and not asked.only:
        bad += fuzz_all(asked.fuzz, report(results))
    return 1 if bad else 0


def fuzz_all(seconds, page):
    """Fuzz each parser, and write it into the page; 1 if any went wrong."""
    fuzzed = [fuzz(parser, seconds) for parser in PARSERS] if is_there() else []
    for found in fuzzed:
        print(f"{found.parser}: {found.inputs} inputs, {found.wrong or 'nothing found'}")
    REPORT.write_text(with_section(page, section(fuzzed, seconds)), "utf-8")
    return int(any(found.wrong for found in fuzzed))


def report(results):
    """The page for docs/."""
    struck = [r for r in results if r[4].struck or not r[0]]
    bad = [r for r in results if r[3]]
    redone = Counter(r[4].redone for r in struck)
    lines = [
        HEAD,
        f"**{len(struck)} runs, {len(bad)} went wrong.** Rounds masked again: none in {redone[0]} "
        f"runs, one in {redone[1]}, more in {sum(n for r, n in redone.items() if r > 1)}.",
        f"(Python {platform.python_version()}, {platform.system()} {platform.machine()}; another "
        f"{len(results) - len(struck)} moments never came, "
        "as their step isn't reached that often.)",
        "",
        "| moment | process | killed: good runs | stopped: good runs |",
        "|---|---|---|---|",
    ]
    for table, who in ((BEGINNING, "party"), (ROUND, "party"), (RELAY, "relay")):
        for step, meaning in table.items():
            cells = " | ".join(cell(struck, step, action) for action in ACTIONS)
            lines.append(f"| {meaning} | {who} | {cells} |")
    lines += ["", "| line between parties and relay | good runs |", "|---|---|"]
    for line in LINES:
        found = [r for r in struck if r[1] == line]
        lines.append(f"| {MEANINGS[line]} | {sum(not r[3] for r in found)} of {len(found)} |")
    if bad:
        lines += ["", "What went wrong:", ""]
        lines += [f"- {fault} {line} {program}: {wrong}" for fault, line, program, wrong, _ in bad]
    return "\n".join([*lines, "", OTHERS])


HEAD = """# What happens when something breaks

`make torture` writes this page. Each run fits NMF or LDA between three parties and a relay, as real
processes on loopback. At one moment of the protocol, one of them is killed (SIGKILL) and restarted,
or suspended (SIGSTOP) and resumed after a while; or the connection between them is bad. A run is
good if every party's model equals `Simulated(secure=True)` bit for bit, no party masked more than
one round again, no mask ever covered two different contributions, and every party's ledger is whole
and says what its records say.
"""
MEANINGS = {
    "plain": "a proxy that only listens",
    "slow": "each packet 20 ms later, also with faults",
    "sliced": "byte by byte",
    "cut": "reset in mid-frame, once in 250 kB, also with faults",
    "parted": "nobody gets through for a third of each second",
}
OTHERS = """## What else the tests show

- Two or more crashes at once, all parties at once, crashes while others catch up:
  `tests/federation/party/test_connection.py`.
- Lost folders, old copies restored in the middle of a round, a relay that lost everything:
  `tests/federation/party/test_epochs.py`. Every masked message of these runs is compared: one
  contribution under each mask.
- Records that are truncated or have a flipped bit, a full disk:
  `tests/federation/party/test_records.py`, `test_ledger.py`, `test_relay.py`.
- A relay that alters, replays or reorders messages, tells parties different things, or keeps saying
  that there is a new epoch: `tests/federation/test_lying_relay.py`.
- A party that comes back with other documents, another version, another past, garbage for keys or
  another program: `tests/federation/party/test_mistakes.py`, between processes
  `tests/cli/test_mistakes.py`. Nobody else's process ends, and the model is that of the simulation.
- A session that is refused in its first round, at all parties, also at one that was killed
  meanwhile: `tests/cli/test_join.py`.
- Attacks on what totals give away, on the relay, on keys and on records are in `tests/attacks`;
  what came of them is in [security](security.md).

## Limits

- A total isn't synced to the disk (no fsync) before it is signed. If a whole machine loses power,
  its last records may be gone; they come back from the other parties. If all parties' machines lose
  power at once, rounds are repeated.
- Nobody leaves before all have all totals (`Connection.finish`), except that a party which has
  everybody's signature under the last sum waits at most ten minutes for the others' word. A party
  that loses its folder after that can't get the totals any more; but the model is the same at every
  party, so any of them can hand it over.
- A relay that loses its folder costs the open round: it is masked anew and sent once more.
- The others can't continue without a party: one that never comes back ends the session.
"""


def cell(results, step, action):
    """How many of a moment's runs were good."""
    found = [r for r in results if r[0] and (r[0].step, r[0].action) == (step, action)]
    return f"{sum(not r[3] for r in found)} of {len(found)}" if found else "never came"


if __name__ == "__main__":
    sys.exit(main())
