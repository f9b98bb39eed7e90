"""`chatham audit`: documents by risk, reports without their texts, and what it refuses."""

import json
import re

import numpy as np
import pytest

from chatham.audit.auditing import Audit
from chatham.audit.power import databases_needed

pytest.importorskip("matplotlib")

WORDS = [f"{a}{b}" for a in "klmnprst" for b in ("ato", "edi", "umo", "ixa")]
SECRET = "zanzibar quetzal"
SMALL = ("-k", 2, "--party-size", 0.4, "--databases", 64, "--jobs", 1, "--exact-totals",
         "--min-df", 1, "--max-df", "100%", "--stop-words", "none", "--max-iter", 5)  # fmt: skip


def small_but(*words):
    """The small audit with these words in place of its own options of that name."""
    pairs = [SMALL[i : i + 2] for i in range(0, 6, 2)]
    return [
        *(word for pair in pairs if pair[0] not in words for word in pair),
        *SMALL[6:],
        *words,
    ]


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    """Letters of which one has words that no other has; its id must be escaped in HTML."""
    draws = np.random.default_rng(0)
    texts = [" ".join(draws.choice(WORDS, 12)) for _ in range(60)]
    texts[4] = " ".join([SECRET] * 6)
    path = tmp_path_factory.mktemp("letters") / "letters.csv"
    ids = [f"L{number}" if number != 4 else "<b>L4</b>" for number in range(60)]
    rows = [f"{name},{text}" for name, text in zip(ids, texts, strict=True)]
    path.write_text("\n".join(["id,text", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def ids(letters):
    path = letters.with_name("ids.txt")
    path.write_text("L9\n\n<b>L4</b>\nL9\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def audited(run, letters, ids):
    """An audit, with all that it writes."""
    paths = {kind: letters.with_name(f"risk.{kind}") for kind in ("html", "json", "png")}
    result = run("audit", letters, *SMALL, "--documents", ids, "-o", paths["html"],
                 "-o", paths["json"], "--plot", paths["png"],
                 "--folder", letters.with_name("kept"))  # fmt: skip
    assert result.exit_code == 0, result.output
    return result, paths


def test_documents_are_printed_by_risk_with_who_asks_what(audited):
    result, _ = audited
    rows = [line.split() for line in result.stdout.splitlines()]
    documents = [row for row in rows if row[:1] in (["<b>L4</b>"], ["L9"])]
    assert documents[0][:2] == ["<b>L4</b>", "exposed"]
    assert documents[1][0] == "L9"
    assert re.search(r"\d+ % \(\d+–\d+ %\)", result.stdout)
    said = " ".join(result.stdout.split())
    assert "sees the final model" in said
    assert "a random document in its place" in said
    assert "distributional" in said
    assert "2 documents in question, 64 databases" in result.stderr
    heard = " ".join(result.stderr.split())
    assert re.search(r"each of 48 documents was in or out by a coin, \d of 8 guesses", heard)
    assert heard.index("In one fit") < heard.index("documents in question")
    assert SECRET.split()[0] not in result.output


def test_the_report_needs_nothing_else_and_has_no_text_of_a_document(audited):
    _, paths = audited
    page = paths["html"].read_text(encoding="utf-8")
    assert "<script" not in page
    assert not re.search(r"(src|href)=|url\(|https?://", page)
    assert "&lt;b&gt;L4&lt;/b&gt;" in page
    assert "<b>L4</b>" not in page
    written = paths["json"].read_text(encoding="utf-8")
    for word in (*SECRET.split(), *WORDS):
        assert not re.search(rf"\b{word}\b", page + written)
    told = json.loads(written)
    for section in ("What could be rebuilt", "What you would gain", "What crosses in one session",
                    "Small counts"):  # fmt: skip
        assert section in page
    assert told["ledger"][0]["meaning"]
    assert sum(each["bytes"] for each in told["ledger"]) == told["bytes"]
    assert told["small_counts"]["documents"] == 24
    assert told["rebuilding"]["sessions"][0]["documents"] == 24
    assert [each["measure"] for each in told["uplift"]["gains"]] == ["completion", "npmi"]
    assert told["hashes"]["corpus"] in page
    assert told["hashes"]["samples"] in page
    assert told["versions"]["chatham"]
    assert told["audit"]["documents"][0]["document"] == "<b>L4</b>"
    assert told["audit"]["parameters"]["mechanism"]["exact_totals"] is True
    assert told["one_run"]["guesses"] == 8
    assert told["one_run"]["epsilon_at_least"] >= 0
    assert "learned" in told["audit"]["statistics"]
    assert told["audit"]["documents"][0]["figures"]["statistical_distance"]["low"] > 0.1
    assert paths["png"].read_bytes().startswith(b"\x89PNG")


def test_json_is_the_report_and_what_was_kept_is_used_again(
    run, letters, ids, audited, monkeypatch
):
    _, paths = audited
    told = []
    whole = Audit.run

    def heard(self, folder, **more):
        more["progress"] = lambda *done: told.append(done)
        return whole(self, folder, **more)

    monkeypatch.setattr(Audit, "run", heard)
    result = run("audit", letters, *SMALL, "--documents", ids, "--json", "--folder",
                 letters.with_name("kept"))  # fmt: skip
    assert result.exit_code == 0, result.output
    printed, written = json.loads(result.stdout), json.loads(paths["json"].read_text("utf-8"))
    assert printed["audit"] == written["audit"]
    assert printed["cost"]["databases"] == 128  # one document at a time in so small a database
    assert result.stderr == ""
    assert told == []


def test_as_many_databases_as_a_power_takes(run, letters):
    size = [*SMALL[:4], *SMALL[6:]]  # without --databases
    result = run("audit", letters, *size, "--power", 0.3, "--documents", 1, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["cost"]["databases"] == databases_needed(0.3, 24).databases
    result = run("audit", letters, *SMALL, "--power", 0.8, "--quiet")
    assert result.exit_code == 1
    assert re.match(
        r"Error: --databases 64 are too few for --power 0.8: to find a document that gives away as "
        r"much as one yes-or-no answer does in an exact count over 24 documents takes \d+, half "
        r"of them with it; ask for these, or for less power\.$",
        " ".join(result.stderr.split()),
    )


def test_ids_of_exposed_documents_can_be_left_out_and_both_audits_are_compared(
    run, letters, ids, audited, tmp_path
):
    """The audit, then again without what it found: the first one's fits are used again."""
    kept, exposed = letters.with_name("kept"), tmp_path / "exposed.txt"
    first = run("audit", letters, *SMALL, "--documents", ids, "--folder", kept, "--no-uplift",
                "--exposed", exposed)  # fmt: skip
    assert first.exit_code == 0, first.output
    assert exposed.read_text().splitlines()[0] == "<b>L4</b>"
    exposed.write_text("<b>L4</b>\n")
    files = {path: path.stat().st_mtime_ns for path in kept.glob("batch-*")}
    page = tmp_path / "again.html"
    result = run("audit", letters, *SMALL, "--documents", ids, "--folder", kept, "--no-uplift",
                 "--exclude", exposed, "-o", page)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert {path: path.stat().st_mtime_ns for path in kept.glob("batch-*")} == files
    assert list(kept.glob("without-*/batch-*"))
    said = " ".join(result.stdout.split())
    assert "1 document left out." in said
    assert "with the others there" in said
    assert "What leaving documents out does" in page.read_text(encoding="utf-8")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert sum(row[:1] == ["L9"] for row in rows) == 3  # by risk, rebuilt, and compared
    assert not any(row[:1] == ["<b>L4</b>"] for row in rows)


def test_nothing_is_left_to_ask_about(run, letters, tmp_path):
    exclude = tmp_path / "exclude.txt"
    exclude.write_text("<b>L4</b>\n")
    again = run("audit", letters, *SMALL, "--documents", exclude, "--exclude", exclude)
    assert again.exit_code == 1
    assert "in question are left out" in again.stderr
    exclude.write_text("L99\n")
    unknown = run("audit", letters, *SMALL, "--documents", 1, "--exclude", exclude)
    assert unknown.exit_code == 1
    assert "no document 'L99'" in unknown.stderr


def test_several_party_sizes_are_compared_in_a_table_a_figure_and_a_report(run, letters, tmp_path):
    paths = [tmp_path / f"sizes.{kind}" for kind in ("png", "html", "json")]
    result = run("audit", letters, *small_but("--party-size", "0.6,0.3"), "--documents", 2,
                 "--plot", paths[0], "-o", paths[1], "-o", paths[2],
                 "--folder", tmp_path / "kept")  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = [line for line in result.stdout.splitlines() if " of 2 " in line and "(" in line]
    assert [row.split()[0] for row in rows if row.lstrip()[0].isdigit()] == ["18", "36"]
    assert "gain: completion" in result.stdout
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    page = paths[1].read_text(encoding="utf-8")
    assert "By the number of documents" in page
    assert "36 documents, 60 % of the corpus" in page
    told = json.loads(paths[2].read_text(encoding="utf-8"))
    asked = [{each["document"] for each in size["audit"]["documents"]} for size in told["sizes"]]
    assert asked[0] == asked[1]
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {"size-0.3", "size-0.6"}


def test_a_first_look_comes_before_a_long_audit(run, letters, monkeypatch):
    monkeypatch.setattr(Audit, "first_look", lambda self, cost, **more: self)
    result = run("audit", letters, *SMALL, "--documents", 1)
    assert "A first look with 64 databases in place of 64" in result.stderr
    assert "strong leaks only" in result.stderr


def test_an_audit_that_is_interrupted_says_what_is_kept(run, letters, tmp_path, monkeypatch):
    def interrupted(self, folder, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(Audit, "run", interrupted)
    kept = run("audit", letters, *SMALL, "--documents", 1, "--folder", tmp_path / "kept")
    assert "has what was done: say the same again." in kept.stderr
    lost = run("audit", letters, *SMALL, "--documents", 1)
    assert "nothing was saved" in lost.stderr
    assert kept.exit_code == lost.exit_code == 130


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("--party-size", 2), 1, "--party-size is a share of all documents, above 0 and at most 1"),
        (("--party-size", 1.01), 1, "at most 1; got 1.01."),
        (("--power", 1.5), 1, "--power"),
        (("--databases", 10), 1, "--databases must be a whole number of at least 64"),
        (("--documents", "nowhere.txt"), 2, "There is no file 'nowhere.txt'"),
        (("--documents", 1000), 1, "1000 documents can't be chosen among 60"),
        (("--sees", "all"), 2, "'all' must be one of model, transcript"),
        (("--colluding", 1), 1, "--colluding is the share of all documents"),
        (("-o", "report.pdf"), 2, "must end in one of .html, .json"),
        (("--model", "nfm"), 2, "nfm"),
        (("--plot", "risk.txt"), 2, "must end in one of"),
        (("--party-size", "small"), 2, "'small' must be a share of the documents such as 0.05"),
        (("--party-size", "0.2,1.5"), 1, "--party-size is a share of all documents"),
        (("--exposed", "nowhere/ids.txt"), 1, "There is no folder 'nowhere'"),
    ],
)
def test_bad_input_is_one_sentence(run, letters, words, code, why):
    result = run("audit", letters, *small_but(*words), "--quiet")
    assert result.exit_code == code, result.output
    assert why in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_an_id_that_is_not_there_is_named(run, letters, tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("L99\n")
    result = run("audit", letters, *SMALL, "--documents", path, "--quiet")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: The corpus has no document 'L99'; did you mean")
