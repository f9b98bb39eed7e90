"""`chatham session`: the file that all parties share, and what it refuses to say."""

import json

import pytest

from chatham.federation.session import read_session
from chatham.federation.words.rules import WordRules

KEYS = {name: f"{place:x}" * 64 for place, name in enumerate(("North", "South", "West"), 1)}
THREE = [word for name, key in KEYS.items() for word in ("--party", f"{name}={key}")]
RELAY = ("--relay", "http://127.0.0.1:8750")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def made(run, *more):
    result = run("session", *THREE, *RELAY, "--json", *more)
    assert result.exit_code == 0, result.output
    return read_session("session.toml"), json.loads(result.stdout)


def test_a_session_is_written_and_told(run):
    result = run("session", *THREE, *RELAY, "-k", 7, "--model", "NMF", "--seed", 5)
    assert result.exit_code == 0
    session = read_session("session.toml")
    assert [member.name for member in session.parties] == list(KEYS)
    assert (session.algorithm, session.parameters, session.seed) == ("nmf", {"n_components": 7}, 5)
    assert session.hash.hex() in result.stdout
    assert "3: North, South, West." in result.stdout
    assert "NMF: 7 topics, seed 5." in result.stdout


def test_quiet_is_the_hash_alone(run):
    result = run("session", *THREE, *RELAY, "-q")
    assert result.stdout == read_session("session.toml").hash.hex() + "\n"


def test_every_option_is_in_it(run, tmp_path):
    (tmp_path / "stop.txt").write_text("the\nand\n\nthe\n")
    session, told = made(
        run, "--max-iter", 9, "--set", "alpha=0.5", "--weighting", "counts", "--min-parties", 3,
        "--min-df", 8, "--max-df", "40%", "--own-df", 2, "--max-features", 99,
        "--stop-words", "stop.txt",
        "--ngrams", 2, "--fraction-bits", 31, "--rounds", 77,
    )  # fmt: skip
    assert session.parameters == {
        "n_components": 20, "max_iter": 9, "weighting": "counts", "alpha": 0.5,
    }  # fmt: skip
    assert session.vocabulary == {
        "stop_words": ["and", "the"], "ngrams": [1, 2], "min_parties": 3, "min_df": 8,
        "max_df": 0.4, "own_df": 2, "max_features": 99,
    }  # fmt: skip
    assert (session.fraction_bits, session.rounds) == (31, 77)
    assert told["hash"] == session.hash.hex()


def test_own_stop_words_beside_a_language_are_in_it(run, tmp_path):
    (tmp_path / "stop.txt").write_text("tea\nmilk\n")
    session, _ = made(run, "--stop-words", "auto,stop.txt")
    assert session.vocabulary["stop_words"] == ["auto", ["milk", "tea"]]
    rules = WordRules.of(session.vocabulary)
    corpus = rules.read(["The tea and the milk of the man in the house"] * 9, {})
    assert sorted(rules.offered(corpus).words) == ["house", "man"]
    (tmp_path / "session.toml").unlink()
    session, _ = made(run, "--stop-words", "en,stop.txt")
    assert {"milk", "tea", "the"} <= set(session.vocabulary["stop_words"])


def test_a_pace_is_in_it_and_told(run):
    session, _ = made(run, "--pace", 250)
    assert session.pace == 250
    told = run("session", *THREE, *RELAY, "--pace", 1250, "-o", "paced.toml").stdout
    assert "Every contribution leaves 1,250 ms after the total before it." in " ".join(told.split())
    plain = run("session", *THREE, *RELAY, "-o", "plain.toml").stdout
    assert "Pace" not in plain
    assert run("session", *THREE, *RELAY, "--pace", 10**7, "-o", "slow.toml").exit_code == 1


def test_online_lda_is_not_for_a_session(run, tmp_path):
    result = run("session", *THREE, *RELAY, "--model", "online-lda")
    assert result.exit_code == 2
    assert "OnlineLDA isn't offered between parties" in " ".join(result.stderr.split())
    assert not (tmp_path / "session.toml").exists()


def test_two_sessions_are_never_the_same(run):
    hashes = {run("session", *THREE, *RELAY, "-q", "-o", f"{i}.toml").stdout for i in range(2)}
    assert len(hashes) == 2


def test_a_public_list_takes_the_place_of_offers(run, tmp_path):
    (tmp_path / "words.txt").write_text("tea\nmilk\ntea\n")
    session, _ = made(run, "--words", "words.txt")
    assert session.vocabulary == {"stop_words": "auto", "min_df": 10, "words": ["milk", "tea"]}


def test_the_limits_that_hold_for_a_public_list_are_in_the_session(run, tmp_path):
    (tmp_path / "words.txt").write_text("tea\nmilk\n")
    session, _ = made(run, "--words", "words.txt", "--min-df", 3, "--max-features", 1)
    assert session.vocabulary == {
        "stop_words": "auto", "min_df": 3, "max_features": 1, "words": ["milk", "tea"],
    }  # fmt: skip


def test_every_party_is_named_with_its_fingerprint(run):
    names = [f"Party {number}" for number in range(30)]
    parties = [f"--party={name}={number:064x}" for number, name in enumerate(names)]
    said = " ".join(run("session", *parties, *RELAY).stdout.split())
    for member in read_session("session.toml").parties:
        assert f"{member.fingerprint} {member.name}" in said


@pytest.mark.parametrize(
    ("option", "field", "said"),
    [
        ("--exact-totals-know", "exact_totals_know", "Totals are exact"),
        ("--roster-changed-know", "roster_changed_know", "in a session of other parties"),
    ],
)
def test_what_all_must_know_is_in_it_and_told(run, option, field, said):
    session, _ = made(run)
    assert not getattr(session, field)
    told = run("session", *THREE, *RELAY, option, "-o", "known.toml").stdout
    assert getattr(read_session("known.toml"), field)
    assert said in " ".join(told.split())


@pytest.mark.parametrize(
    ("model", "figures"),
    [("kmeans", ("50 to 70 of the others' 1,853", "1,074")), ("anchor", ("rebuilt 4", "1,529"))],
)
def test_exact_totals_are_told_in_figures(run, model, figures):
    words = ("session", *THREE, *RELAY, "--model", model)
    exact = " ".join(run(*words, "--exact-totals-know", "-o", "exact.toml").stdout.split())
    assert all(figure in exact for figure in figures)
    assert not any(figure in " ".join(run(*words).stdout.split()) for figure in figures)


@pytest.mark.parametrize("model", ["nmf", "plsa", "lda", "svd", "kmeans", "anchor"])
def test_what_totals_reveal_is_told_for_every_learner(run, model):
    said = " ".join(run("session", *THREE, *RELAY, "--model", model).stdout.split())
    reveals = said.partition("Reveals ")[2].partition(" Stays ")[0]
    assert "docs/security.md" in reveals


@pytest.mark.parametrize(
    ("words", "limits", "said"),
    [
        ((), {"min_df": 10, "max_df": 0.5}, "no more than 50 % of all documents"),
        (("--max-df", "100%"), {"min_df": 10}, "10 of their documents contain it. A party"),
        (("--min-df", "1%", "--max-df", 300), {"min_df": 0.01, "max_df": 300},
         "offer it and 1 % of all documents contain it, but no more than 300 documents."),
        (("--items",), {"min_df": 10}, "10 of their documents contain it. A party"),
        (("--max-df", 1, "--min-df", 1), {"min_df": 1, "max_df": 1}, "no more than 1 documents"),
    ],
)  # fmt: skip
def test_limits_on_words_are_as_in_fit_and_told(run, words, limits, said):
    told = run("session", *THREE, *RELAY, *words)
    assert told.exit_code == 0, told.output
    vocabulary = read_session("session.toml").vocabulary
    assert {name: vocabulary[name] for name in ("min_df", "max_df") if name in vocabulary} == limits
    assert said in " ".join(told.stdout.split())


def test_items_are_no_words(run):
    session, _ = made(run, "--items", "--model", "nmf")
    assert session.vocabulary["items"] is True
    assert "stop_words" not in session.vocabulary


@pytest.mark.parametrize(
    ("words", "score"),
    [
        (("--score", "NPMI,perplexity"), {"measures": ["npmi", "perplexity"], "held_out": 0.1}),
        (("--score", "npmi", "--score", "overlap"), {"measures": ["npmi", "overlap"]}),
        (("--score", "npmi", "--held-out", 0.3), {"measures": ["npmi"], "held_out": 0.3}),
        ((), {}),
    ],
)
def test_scores_are_in_it_and_documents_held_out_where_needed(run, words, score):
    session, told = made(run, *words)
    assert session.score == score == told.get("score", {})


def test_scores_are_told(run):
    said = run("session", *THREE, *RELAY, "--score", "perplexity").stdout
    assert "Measured on the documents of all: perplexity. Every party holds out a share of 0.1" in (
        " ".join(said.split())
    )


@pytest.mark.parametrize(
    ("words", "tables"),
    [
        (("--tables", "date:month,section"),
         [{"column": "date", "every": "month"}, {"column": "section"}]),
        (("--tables", "date:month:2016-01..2020-12"),
         [{"column": "date", "every": "month", "first": "2016-01", "last": "2020-12"}]),
        (("--tables", "section=sport|city desk", "--tables", " year : year "),
         [{"column": "section", "groups": ["sport", "city desk"]},
          {"column": "year", "every": "year"}]),
        ((), None),
    ],
)  # fmt: skip
def test_tables_are_in_it(run, words, tables):
    session, told = made(run, *words)
    assert list(session.tables) == (tables or [])
    assert told.get("table") == tables


def test_tables_are_told(run):
    said = " ".join(run("session", *THREE, *RELAY, "--tables", "date:month,section").stdout.split())
    assert (
        "a table over time by the month in the column 'date' and a table by the groups in the"
        in (said)
    )
    assert 'your cells of fewer than 30 documents become "other"' in said
    assert "Tables" not in run("session", *THREE, *RELAY, "-o", "none.toml").stdout


def test_the_relays_certificate_is_in_it(run, tmp_path):
    pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    (tmp_path / "relay.pem").write_text(pem)
    session, _ = made(run, "--relay-certificate", "relay.pem")
    assert session.certificate == pem


def test_a_private_key_never_gets_into_it(run, tmp_path):
    (tmp_path / "relay.pem").write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n")
    result = run("session", *THREE, *RELAY, "--relay-certificate", "relay.pem")
    assert result.exit_code == 1
    assert "private key" in result.stderr
    assert not (tmp_path / "session.toml").exists()


def test_two_parties_must_know(run):
    result = run("session", *THREE[:4], *RELAY)
    assert result.exit_code == 1
    assert "--two-parties-know" in result.stderr
    assert run("session", *THREE[:4], *RELAY, "--two-parties-know").exit_code == 0


def test_a_file_that_parties_may_have_stays(run, tmp_path):
    run("session", *THREE, *RELAY)
    before = (tmp_path / "session.toml").read_bytes()
    result = run("session", *THREE, *RELAY)
    assert result.exit_code == 1
    assert "choose another name with -o" in result.stderr
    assert (tmp_path / "session.toml").read_bytes() == before


USED_WRONGLY = {
    "no parties": RELAY,
    "no relay": THREE,
    "no key": ("--party", "North", *RELAY),
    "short key": ("--party", "North=12", *RELAY),
    "no such learner": (*THREE, *RELAY, "--model", "bert"),
    "no such parameter": (*THREE, *RELAY, "--set", "alphas=1"),
    "a start from single documents": (*THREE, *RELAY, "-m", "kmeans", "--set", "init=greedy"),
    "pairs of words as counted": (*THREE, *RELAY, "-m", "anchor", "--set", "rectify=none"),
    "a measure of what no such model has": (
        *THREE,
        *RELAY,
        "--model",
        "nmf",
        "--score",
        "hard_rank",
    ),
    "a parameter that can't be": (*THREE, *RELAY, "--set", "alpha=-1"),
    "threads": (*THREE, *RELAY, "--set", "n_jobs=1"),
    "a seed by another way": (*THREE, *RELAY, "--set", "random_state=1"),
    "no value": (*THREE, *RELAY, "--set", "alpha=None"),
    "more parties than there are": (*THREE, *RELAY, "--min-parties", 4),
    "one party's words": (*THREE, *RELAY, "--min-parties", 1),
    "no documents": (*THREE, *RELAY, "--min-df", 0),
    "more than all documents": (*THREE, *RELAY, "--max-df", "110%"),
    "limits that no word meets": (*THREE, *RELAY, "--min-df", 9, "--max-df", 8),
    "guessed stop words in n-grams": (*THREE, *RELAY, "--ngrams", 2),
    "no such stop words": (*THREE, *RELAY, "--stop-words", "klingon"),
    "no such measure": (*THREE, *RELAY, "--score", "perplexty"),
    "no measure": (*THREE, *RELAY, "--score", ","),
    "a measure of labels": (*THREE, *RELAY, "--score", "ari"),
    "unseen documents of nobody": (*THREE, *RELAY, "--score", "perplexity", "--held-out", 0),
    "documents held out for nothing": (*THREE, *RELAY, "--held-out", 0.1),
    "most documents held out": (*THREE, *RELAY, "--score", "npmi", "--held-out", 0.6),
    "a table of nothing": (*THREE, *RELAY, "--tables", ","),
    "a table by nothing": (*THREE, *RELAY, "--tables", ":month"),
    "a column twice": (*THREE, *RELAY, "--tables", "date:month,date:year"),
    "no such span": (*THREE, *RELAY, "--tables", "date:fortnight"),
    "half a range": (*THREE, *RELAY, "--tables", "date:month:2016"),
    "a range with one end": (*THREE, *RELAY, "--tables", "date:month:2016.."),
    "a range of too many spans": (*THREE, *RELAY, "--tables", "date:day:2010..2020"),
    "no groups": (*THREE, *RELAY, "--tables", "section="),
    "a group twice": (*THREE, *RELAY, "--tables", "section=a|a"),
    "tables of directions": (*THREE, *RELAY, "--model", "svd", "--tables", "section"),
    "no such weighting": (*THREE, *RELAY, "--weighting", "heavy"),
}


@pytest.mark.parametrize("words", USED_WRONGLY.values(), ids=USED_WRONGLY.keys())
def test_wrong_use_is_2(run, tmp_path, words):
    result = run("session", *words)
    assert result.exit_code == 2, result.output
    assert not (tmp_path / "session.toml").exists()


COULD_NOT = {
    "plain HTTP to another machine": (*THREE, "--relay", "http://relay.example:8750"),
    "no address": (*THREE, "--relay", "relay.example"),
    "the same key twice": (*THREE, "--party", f"East={KEYS['West']}", *RELAY),
    "a name that no roster takes": (*THREE, "--party", f"Ea/st={'f' * 64}", *RELAY),
    "too many bits": (*THREE, *RELAY, "--fraction-bits", 60),
    "no such list": (*THREE, *RELAY, "--words", "none.txt"),
    "no such certificate": (*THREE, *RELAY, "--relay-certificate", "none.pem"),
    "no such folder": (*THREE, *RELAY, "-o", "no/s.toml"),
}


@pytest.mark.parametrize("words", COULD_NOT.values(), ids=COULD_NOT.keys())
def test_what_cannot_be_is_1_and_a_sentence(run, tmp_path, words):
    result = run("session", *words)
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("Error: ")
    assert "unexpected" not in result.stderr
    assert not (tmp_path / "session.toml").exists()


def test_a_promise_is_in_it_and_told_with_what_it_costs(run):
    words = ("--model", "nmf", "--dp", "epsilon=3, delta=1e-6")
    session, told = made(run, *words)
    assert session.privacy == {"epsilon": 3.0, "delta": 1e-6, "honest": 2}
    assert [gain["measure"] for gain in told["cost_of_privacy"]["private"]["gains"]] == [
        "completion",
        "npmi",
    ]
    assert "privacy" not in made(run, "-o", "without.toml")[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--dp", "3"), "'3' must say epsilon=E,delta=D"),
        (("--dp", "epsilon=3"), "must say epsilon=E,delta=D"),
        (("--dp", "epsilon=3,delta=x"), "must say epsilon=E,delta=D"),
        (("--dp", "epsilon=0,delta=1e-5"), "epsilon must be a number above 0"),
        (("--dp", "epsilon=1,delta=1e-5", "--model=lda"), "no differentially private fit"),
        (("--dp", "epsilon=1,delta=1e-5", "--exact-totals-know"), "can't be exact"),
        (("--dp", "epsilon=1,delta=1e-5,honest=4"), "noise can't be left"),
        (("--try", "news.csv"), "goes with --dp"),
    ],
)
def test_promises_that_are_none_are_refused(run, words, sentence):
    model = () if "--model=lda" in words else ("--model", "nmf")
    result = run("session", *THREE, *RELAY, *model, *words)
    assert result.exit_code in (1, 2)
    assert sentence in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), "document frequencies, if words are weighted by them"),
        (("--weighting", "counts"), "none of the words"),
        (("--weighting", "counts", "--max-features", 1), "document frequencies, by which rows"),
    ],
)
def test_what_a_promise_leaves_out_is_said_of_a_public_list(run, tmp_path, more, told):
    """Whoever limits the number of listed words has their exact frequencies added up."""
    from chatham.cli.session.view import in_words

    (tmp_path / "words.txt").write_text("tea\nmilk\n")
    result = run("session", *THREE, *RELAY, "--model", "svd", "--dp", "epsilon=30,delta=1e-5", "-q",
                 "--words", "words.txt", "--min-df", 1, *more)  # fmt: skip
    assert result.exit_code == 0, result.output
    promised = dict(in_words(read_session("session.toml")))["Privacy"]
    assert told in promised
    assert "promises next to nothing" in promised
