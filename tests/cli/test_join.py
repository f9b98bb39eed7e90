"""`chatham join`: what a party is shown and asked before anything is sent, and what is refused."""

import json
import os
import signal
import subprocess
from dataclasses import replace

import pytest

from chatham.federation.book import Book, book_of
from chatham.federation.join import FEW_DOCUMENTS, read_for
from chatham.federation.party.ledger import read_ledger
from chatham.federation.session import Member, read_session
from tests.cli.federation import Federation, chatham, commands, ended, stopped


@pytest.fixture
def federation(tmp_path):
    return Federation(tmp_path)


@pytest.fixture
def alone(tmp_path):
    """A session of one's own making, whose other parties never come."""
    return Federation(tmp_path, documents=FEW_DOCUMENTS)


def asked(run, federation, path, answer, *more, name="North"):
    """Join, and answer what is asked."""
    words = [word for word in federation.joining(name, path, *more) if word != "--yes"]
    return run(*words, input=answer)


def waits(words, until):
    """Join and wait in vain, until it says so; then stop."""
    process = chatham(*words)
    said = ""
    while until not in said:
        line = process.stderr.readline()
        assert line, said
        said += line
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    return process.returncode, said + errors


def test_a_party_sees_what_will_be_computed(run, federation):
    result = asked(run, federation, federation.session("nmf", seed=4), "n\n")
    assert result.exit_code == 1
    assert "3: North (you), South, West." in result.stderr
    for member in read_session(federation.folder / "nmf.toml").parties:
        assert f"{member.fingerprint}  {member.name}" in result.stderr
    assert "For each topic and word a sum over all documents" in result.stderr
    assert "NMF: 3 topics, max iter 8, seed 4." in result.stderr
    assert "A word enters if at least 2 parties offer it and 5 of" in result.stderr
    said = " ".join(result.stderr.split())
    assert "Order Somebody starts the relay with this session. Every party joins" in said
    assert "No sum leaves before all have joined." in said
    assert "Late If somebody is late, ask them, and wait" in said
    assert "the same command goes on where it stopped." in said
    assert "You bring 40 documents with" in said
    assert f"from{federation.text('North')}." in "".join(said.split()), "however it is broken"
    assert read_session(federation.folder / "nmf.toml").hash.hex() in result.stderr
    assert "Take part? [y/N]:" in result.stderr
    assert result.stderr.endswith("Nothing was sent.\n")
    assert "Session" not in result.stdout


def test_whoever_declines_has_sent_and_confirmed_nothing(run, federation):
    path = federation.session()
    relay, _ = federation.relaying(path)
    try:
        assert asked(run, federation, path, "n\n").exit_code == 1
        assert asked(run, federation, path, "").exit_code == 1
    finally:
        stopped(relay)
    assert not (federation.folder / "North-lda").exists()


def test_an_answer_that_nobody_typed_ends_its_line(federation):
    path = federation.session()
    words = [word for word in federation.joining("North", path) if word != "--yes"]
    process = chatham(*words, stdin=subprocess.PIPE)
    _, errors = process.communicate("n\n", timeout=300)
    assert errors.endswith("Take part? [y/N]:\nNothing was sent.\n")


def test_what_fails_before_anybody_is_asked_leaves_no_folder(run, federation, tmp_path):
    path, folder = federation.session(), tmp_path / "new" / "north"
    missing = federation.joining("North", path, corpus=tmp_path / "none", folder=folder)
    assert run(*missing).exit_code == 1
    assert not (tmp_path / "new").exists()


def test_without_anybody_to_ask_yes_must_be_said(federation):
    path = federation.session()
    words = [word for word in federation.joining("North", path) if word != "--yes"]
    process = chatham(*words)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 1
    assert errors.endswith("give --yes.\nNothing was sent.\n")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent another way on this system")
def test_what_was_confirmed_is_not_asked_again_but_a_change_is(run, alone):
    path = alone.session()
    relay, _ = alone.relaying(path)
    try:
        code, errors = waits(alone.joining("North", path), "waiting for")
    finally:
        stopped(relay)
    assert code == 130
    assert "waiting for South and West to join" in errors
    assert errors.endswith(
        "Stopped after 0 complete rounds. The others wait; run the same command again, and it "
        "resumes where it stopped.\n"
    )
    unasked = [word for word in alone.joining("North", path) if word != "--yes"]
    code, errors = waits(unasked, "the relay can't be reached just now")
    assert code == 130
    assert "You confirmed this session before; it continues." in errors
    assert "Take part?" not in errors
    path.write_text(replace(read_session(path), seed=9).to_toml())
    changed = asked(run, alone, path, "n\n")
    assert changed.exit_code == 1
    assert "The session has changed since you confirmed it." in changed.stderr
    assert "seed 9" in changed.stderr
    assert "Nothing was sent." in changed.stderr


def test_a_folder_in_which_rounds_are_is_one_sessions_alone(run, federation):
    path = federation.session()
    relay, _ = federation.relaying(path)
    try:
        ended(*(commands(federation.joining(name, path)) for name in federation.names))
    finally:
        stopped(relay)
    path.write_text(replace(read_session(path), seed=9).to_toml())
    result = run(*federation.joining("North", path))
    assert result.exit_code == 1
    assert "belongs to another session" in result.stderr
    assert "--folder" in result.stderr


def test_the_same_folder_has_room_for_one_process(run, federation):
    path = federation.session()
    relay, _ = federation.relaying(path)
    first = chatham(*federation.joining("North", path))
    try:
        while "waiting for" not in first.stderr.readline():
            assert first.poll() is None
        result = run(*federation.joining("North", path))
    finally:
        stopped(first)
        stopped(relay)
    assert result.exit_code == 1
    assert "Another process takes part" in result.stderr


def test_few_documents_are_warned_of(run, tmp_path):
    few = Federation(tmp_path, documents=FEW_DOCUMENTS - 1)
    result = asked(run, few, few.session(), "n\n")
    assert f"Warning: You have only {FEW_DOCUMENTS - 1} documents." in result.stderr


def test_enough_documents_are_not(run, alone):
    assert "Warning" not in asked(run, alone, alone.session(), "n\n").stderr


def test_two_parties_are_warned_of(run, tmp_path):
    two = Federation(tmp_path, ("North", "South"))
    result = asked(run, two, two.session(two_parties_know=True), "n\n")
    assert "Warning: There are two parties" in result.stderr


def entered(federation, documents, parties, name="North", session="ab" * 16):
    """Write into a party's book that it took part with these documents among these parties."""
    identity, path = federation.identities[federation.names.index(name)], federation.key(name)
    made = replace(read_session(parties), id=session)
    Book.beside(path, identity).page(made, read_for(made, documents)).enter()


def warned(result):
    return " ".join(result.stderr.split()).partition("Warning: ")[2]


def test_the_same_documents_under_other_rules_are_no_other_documents(run, federation):
    texts = federation.text("North").read_text().splitlines()
    entered(federation, texts, federation.session())
    words = {"stop_words": "en", "ngrams": [1, 2], "min_df": 7}
    result = asked(run, federation, federation.session("nmf", words=words), "n\n")
    assert result.exit_code == 1
    assert not warned(result)


def test_documents_that_changed_are_counted(run, federation):
    texts = federation.text("North").read_text().splitlines()
    entered(federation, [*texts[:-3], "bamel covin"], federation.session())
    with federation.text("North").open("a") as file:
        file.write(f"{texts[0]}\n\n")  # once more, and nothing at all
    result = asked(run, federation, federation.session("nmf"), "n\n")
    said = warned(result)
    assert "You bring 42 documents" in " ".join(result.stderr.split())
    assert said.startswith("Of your 40 different, non-empty documents 37 were in session abababab…")
    assert "with the same parties, and 1 that were in it aren't here now" in said
    assert "differ by those 4" in said


def test_a_session_of_other_parties_is_warned_of(run, federation, tmp_path):
    texts = federation.text("North").read_text().splitlines()
    path = federation.session()
    three = read_session(path).parties
    four = replace(read_session(path), parties=(*three, Member("East", "e" * 64)))
    (tmp_path / "four.toml").write_text(four.to_toml())
    entered(federation, texts[:2], tmp_path / "four.toml")
    said = warned(asked(run, federation, path, "n\n"))
    assert said.startswith("2 of your 40 different, non-empty documents were in session abababab…")
    assert "You will say so, without giving your name, and all stop" in said
    known = federation.session(roster_changed_know=True, file="known.toml")
    result = asked(run, federation, known, "n\n")
    assert "This session says that all parties know of that." in warned(result)
    assert "Known Documents may have been" in " ".join(result.stderr.split())


def test_a_book_that_says_too_little_is_warned_of(run, federation):
    book = book_of(federation.key("North"))
    line = {"time": "2030-01-02T03:04:05", "session": "ab", "documents": 41, "corpus": "other"}
    book.write_text(json.dumps(line) + "\n")
    path = federation.session()
    said = warned(asked(run, federation, path, "n\n"))
    assert "another session on 2030-01-02, with documents" in said
    assert "(41 of them)" in said
    line["session"] = read_session(path).hash.hex()
    book.write_text(json.dumps(line) + "\n")
    assert "this session on 2030-01-02" in warned(asked(run, federation, path, "n\n"))
    book.write_text("damaged\n")
    assert "doesn't say of all sessions" in warned(asked(run, federation, path, "n\n"))
    book.unlink()
    assert "There is no '" in warned(asked(run, federation, path, "n\n"))


@pytest.mark.skipif(os.name != "posix", reason="signals are sent another way on this system")
def test_all_stop_also_who_was_killed_and_comes_back_when_the_others_are_gone(federation):
    book_of(federation.key("North")).unlink()
    path = federation.session()
    relay, _ = federation.relaying(path)
    try:
        south = commands(federation.joining("South", path), killed_at="000001.agreed")
        others = [chatham(*federation.joining(name, path)) for name in ("North", "West")]
        said = [process.communicate(timeout=300)[1] for process in others]
        south.join(timeout=300)
        assert south.exitcode == -signal.SIGKILL
        again = chatham(*federation.joining("South", path))
        said.append(again.communicate(timeout=300)[1])
    finally:
        stopped(relay)
    assert [process.returncode for process in (*others, again)] == [1, 1, 1]
    for errors in said:
        assert "Error: Documents of at least one party were in a session of other parties" in errors
    for name in federation.names:
        left = read_ledger(federation.folder / f"{name}-lda")
        statistics = {line["statistic"] for line in left if line["event"] == "left"}
        assert statistics == {"chatham.federation.question.tell_of_past"}


def test_the_words_of_a_public_list_can_be_read_before(run, federation):
    words = ["bamel", "camel", "nowhere", "tab\there"]
    path = federation.session("plsa", words={"words": words, "min_df": 2})
    result = asked(run, federation, path, "n\n")
    listed = federation.folder / "North-plsa" / "listed-words.tsv"
    lines = [line.split("\t") for line in listed.read_text().splitlines()]
    texts = federation.text("North").read_text().splitlines()
    true = {word: sum(word in text.split() for text in texts) for word in words[:3]}
    assert lines == [
        ["word", "documents here"],
        *([word, str(number)] for word, number in true.items()),
        ["tab\\there", "0"],
    ]
    said = " ".join(result.stderr.split())
    assert "2 of the 4 words of the list are in your documents, " in said
    assert "listed-words.tsv" in "".join(said.split()), "however the line is broken"


def test_everybody_hears_of_a_party_with_few_documents_while_they_can_stop(federation):
    path = federation.session()
    federation.text("West").write_text("bamel covin\n" * 2 + "durat kesk\n")
    said = "1 of the 3 parties has fewer than 30"
    relay, _ = federation.relaying(path)
    try:
        machine, first, second = (
            chatham(*federation.joining(name, path, *more), stdout=subprocess.PIPE)
            for name, more in zip(federation.names, (["--json"], [], []), strict=True)
        )
        told = json.loads(machine.communicate(timeout=300)[0])
        others = [process.communicate(timeout=300) for process in (first, second)]
    finally:
        stopped(relay)
    assert any(each.startswith(said) for each in told["warnings"])
    for _, errors in others:
        assert errors.count(said) == 1, errors


def test_quiet_and_json_show_nothing_before_the_result(run, federation):
    path = federation.session(score={"measures": ["topic_diversity"]})
    relay, _ = federation.relaying(path)
    try:
        others = [commands(federation.joining(name, path)) for name in ("North", "South")]
        result = run(*federation.joining("West", path, "--json", "--plain"))
        ended(*others)
    finally:
        stopped(relay)
    found = json.loads(result.stdout)
    assert result.stderr == ""
    assert found["documents"] == 40
    assert found["saved"] == str(federation.model("West", path))
    assert len(found["topics"]) == 3
    assert [score["measure"] for score in found["scores"]] == ["topic_diversity"]
    folder = federation.folder / "West-lda"
    assert len(list((folder / "plain").glob("*.npy"))) >= found["rounds"]
    assert (folder / "session.toml").read_text() == path.read_text()


def test_a_session_that_the_others_do_not_have_is_refused(run, federation):
    path = federation.session()
    relay, _ = federation.relaying(path)
    path.write_text(replace(read_session(path), seed=9).to_toml())
    try:
        result = run(*federation.joining("North", path))
    finally:
        stopped(relay)
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "Error: The relay refuses: A message belongs to another session.\n"
    )
