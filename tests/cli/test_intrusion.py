"""Questions in a terminal, in a file, and the score of what comes back."""

import json
import os
import signal

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.measures.intrusion.tasks import topic_intrusion, word_intrusion
from tests.cli.terminal import Terminal, in_terminal

GROUPS = {
    "pets": ["cat", "dog", "kitten", "puppy", "purr", "bark"],
    "food": ["bread", "butter", "cheese", "jam", "honey", "salt"],
    "ships": ["sail", "mast", "anchor", "harbour", "deck", "rudder"],
    "stars": ["planet", "comet", "orbit", "moon", "galaxy", "nova"],
    "sport": ["goal", "referee", "match", "team", "league", "coach"],
}


def texts():
    """Each of three subjects, in unlike parts, and a sentence that only its text has."""
    rng = np.random.default_rng(0)
    groups = list(GROUPS.values())
    for number in range(60):
        chosen = rng.permutation(5)[:3]
        words = [
            w for g, n in zip(chosen, (12, 8, 6), strict=True) for w in rng.choice(groups[g], n)
        ]
        yield f"SECRET{number} " + " ".join(words)


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    path = tmp_path_factory.mktemp("documents") / "d.csv"
    pd.DataFrame({"text": [*texts(), ""]}).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def topics(documents, tmp_path_factory):
    words = [word for group in GROUPS.values() for word in group]
    corpus = ch.read_corpus(documents, text="text", vocabulary=words)
    folder = tmp_path_factory.mktemp("models") / "m"
    ch.fit("nmf", corpus, n_components=5, random_state=0).save(folder)
    return folder


def fill(path, task, wrong=0):
    """Right answers, but for the first few questions the next option."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    options = len(task.questions[0].options)
    table["answer"] = [
        (key.intruder + (number < wrong)) % options + 1 for number, key in enumerate(task.key)
    ]
    table.to_csv(path, index=False)


def test_words_go_out_and_come_back(run, topics, tmp_path):
    path = tmp_path / "q.csv"
    written = run("intrusion", topics, "-o", path, "--seed", 3, "-n", 4)
    assert written.exit_code == 0, written.output
    assert written.stdout.startswith("5 questions, saved in ")
    task = word_intrusion(ch.load(topics), n_words=4, random_state=3)
    assert pd.read_csv(path)["question"].tolist() == [q.id for q in task.questions]
    fill(path, task, wrong=1)
    same = ("intrusion", topics, "--answers", path, "--seed", 3, "-n", 4)
    found = json.loads(run(*same, "--json").stdout)
    assert (found["precision"], found["chance"], found["answered"]) == (0.8, 0.2, 5)
    assert sum(value == 1.0 for value in found["per_topic"]) == 4
    shown = run(*same).stdout
    assert "Model precision 0.80: 4 of 5 answers right; guessing gives 0.20." in shown
    assert "intruder" in shown
    assert run(*same, "--quiet").stdout.splitlines() == shown.splitlines()[:1]
    other = run("intrusion", topics, "--answers", path, "--seed", 4, "-n", 4)
    assert other.exit_code == 1
    assert "Row 1 of the file" in other.stderr


def test_several_raters_are_several_files(run, topics, tmp_path):
    task = word_intrusion(ch.load(topics))
    for name, wrong in (("a", 0), ("b", 5)):
        task.write(tmp_path / f"{name}.csv")
        fill(tmp_path / f"{name}.csv", task, wrong)
    files = ("--answers", tmp_path / "a.csv", "--answers", tmp_path / "b.csv")
    shown = run("intrusion", topics, *files).stdout
    assert "Model precision 0.50: 5 of 10 answers right" in shown
    assert "Agreement 0.00 of 2 raters" in shown
    assert "1 of 2" in shown


def test_topics_of_documents(run, topics, documents, tmp_path):
    path = tmp_path / "q.csv"
    options = ("--text", "text", "--documents", 6)
    written = run("intrusion", topics, documents, *options, "-o", path)
    assert written.exit_code == 0, written.output
    assert "SECRET" not in path.read_text()
    corpus = ch.read_corpus(documents, text="text", vocabulary=list(ch.load(topics).vocabulary))
    task = topic_intrusion(ch.load(topics), corpus, 6)
    fill(path, task)
    result = run("intrusion", topics, documents, *options, "--answers", path, "--json")
    found = json.loads(result.stdout)
    assert (found["task"], found["precision"], found["log_odds"]) == ("topic", 1.0, 0.0)
    assert found["skipped"]["without_words"] == 1
    assert "SECRET" not in result.output
    path = tmp_path / "snippets.csv"
    run("intrusion", topics, documents, *options, "-o", path, "--snippets")
    assert path.read_text().count("SECRET") == 6


def test_answers_are_never_written_over(run, topics, tmp_path):
    path = tmp_path / "q.csv"
    for _ in range(2):  # questions without answers may be made again
        assert run("intrusion", topics, "-o", path).exit_code == 0
    task = word_intrusion(ch.load(topics))
    fill(path, task)
    before = path.read_bytes()
    result = run("intrusion", topics, "-o", path)
    assert result.exit_code == 1
    assert "has answers in it, which would be lost; choose another name" in result.stderr
    assert path.read_bytes() == before


def test_lists_of_words_can_be_asked_about(run, documents, tmp_path):
    path = tmp_path / "topics.txt"
    path.write_text("\n".join(" ".join(words) for words in GROUPS.values()) + "\n")
    written = run("intrusion", path, "-o", tmp_path / "q.csv")
    assert written.exit_code == 0, written.output
    task = word_intrusion(list(GROUPS.values()))
    asked = pd.read_csv(tmp_path / "q.csv")["question"].tolist()
    assert asked == [question.id for question in task.questions]
    weighed = run("intrusion", path, documents, "--text", "text", "-o", tmp_path / "t.csv")
    assert weighed.exit_code == 1
    assert "whole topics" in weighed.stderr


def test_json_says_what_was_written(run, topics, tmp_path):
    found = json.loads(run("intrusion", topics, "-o", tmp_path / "q.csv", "--json").stdout)
    assert found["saved"] == str(tmp_path / "q.csv")
    assert found["questions"] == 5


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--task", "topic", "-o", "q.csv"),
        ("--task", "sentence", "-o", "q.csv"),
        ("--intruder", "thesaurus", "-o", "q.csv"),
        ("-o", "q.parquet"),
        ("-o", "q.csv", "--answers", "a.csv"),
        ("-o", "q.csv", "--snippets"),
        ("-o", "q.csv", "-n", "1"),
        ("-o", "q.csv", "--save", "s.csv"),
        ("--answers", "q.csv", "--save", "s.csv"),
        ("d.csv", "--task", "word", "-o", "q.csv"),
    ],
)
def test_used_wrongly_is_2(run, topics, words):
    result = run("intrusion", topics, *words)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_without_a_terminal_it_says_what_to_do(run, topics):
    said = run("intrusion", topics).stderr
    assert "only in a terminal" in said
    assert "--answers" in said


@pytest.mark.skipif(os.name != "posix", reason="terminals are made another way on this system")
class TestTerminal:
    def test_asks_and_tells_at_the_end(self, topics, tmp_path):
        task = word_intrusion(ch.load(topics))
        first, third = task.key[0].intruder + 1, task.key[2].intruder + 1
        wrong = third % 6 + 1
        typed = f"{first}\n\n99\nhelp\n{wrong}\nq\n"
        asked, result, code = in_terminal(tmp_path, typed, "intrusion", topics)
        assert code == 0
        assert "Which word doesn't belong" in asked
        assert asked.count("A number from 1 to 6") == 2
        assert "4 of 5" in asked
        assert "5 of 5" not in asked
        assert "precision" not in asked
        lines = result.splitlines()
        assert lines[0] == ("Model precision 0.50: 1 of 2 answers right; guessing gives 0.17.")
        assert lines[1] == "Left out 3 questions without an answer."
        assert task.questions[2].options[third - 1] in result
        assert sum(line.rstrip().endswith(" right") for line in lines) == 1
        assert sum(line.rstrip().endswith(" -") for line in lines) == 1  # met, and skipped

    def test_the_end_of_input_ends(self, topics, documents, tmp_path):
        task = topic_intrusion(
            ch.load(topics), ch.read_corpus(documents, vocabulary=list(ch.load(topics).vocabulary))
        )
        typed = f"{task.key[0].intruder + 1}\n\x04"
        asked, result, code = in_terminal(tmp_path, typed, "intrusion", topics, documents, "--json")
        found = json.loads(result)
        assert code == 0
        assert "SECRET" in asked  # the person here may read the text
        assert "SECRET" not in result
        assert (found["precision"], found["answered"], found["log_odds"]) == (1.0, 1, 0.0)

    def test_answers_are_saved_and_can_be_scored_again(self, run, topics, tmp_path):
        path = tmp_path / "mine.csv"
        right = word_intrusion(ch.load(topics)).key[0].intruder + 1
        command = ("intrusion", topics, "--save", path)
        _, result, code = in_terminal(tmp_path, f"{right}\nq\n", *command)
        assert code == 0
        again = run("intrusion", topics, "--answers", path, "-q").stdout
        assert again.splitlines() == result.splitlines()[:2]
        _, _, code = in_terminal(tmp_path, "q\n", *command)
        assert code == 1  # it has answers in it

    def test_an_interrupt_ends_as_the_end_of_input_does(self, topics, tmp_path):
        right = word_intrusion(ch.load(topics)).key[0].intruder + 1
        terminal = Terminal(tmp_path, "intrusion", topics, "-q")
        terminal.type(f"{right}\n")
        asked = b""
        while b"> " not in asked.partition(b"2 of 5")[2] and (piece := terminal.read()):
            asked += piece
        os.kill(terminal.process.pid, signal.SIGINT)
        _, result, code = terminal.ended()
        assert code == 0
        assert result.startswith("Model precision 1.00: 1 of 1 answer right")

    def test_nothing_answered_is_no_score(self, topics, tmp_path):
        _, result, code = in_terminal(tmp_path, "q\n", "intrusion", topics)
        assert (code, result) == (0, "No question was answered, so there is no score.\n")

    def test_words_cannot_move_the_cursor(self, tmp_path):
        words = [f"w{n}\x1b[31m" for n in range(12)]
        topics = np.kron(np.eye(2), np.arange(1, 7))
        ch.fit("nmf", topics, vocabulary=words, n_components=2).save(tmp_path / "m")
        asked, _, code = in_terminal(tmp_path, "q\n", "intrusion", tmp_path / "m")
        assert code == 0
        assert "\x1b[31m" not in asked
        assert r"\x1b[31m" in asked
