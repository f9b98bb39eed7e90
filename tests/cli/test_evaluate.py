"""`chatham evaluate` scores one model, and says what it can't."""

import json
import sys

import pandas as pd
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.cli.wording import as_options
from chatham.measures.evaluate import GIVE, GIVE_DOCUMENTS
from chatham.measures.registry import MEASURES
from tests.cli.conftest import PETS
from tests.cli.evaluated import found, values

LABELS = ["cat", "cat", "cat", "dog", "dog", "dog"]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    path = tmp_path_factory.mktemp("labelled") / "pets.csv"
    pd.DataFrame({"kind": LABELS * 3, "body": PETS * 3}).to_csv(path, index=False)
    return path


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("cats purr\ndogs bark\n")
    return path


def test_one_model_is_a_table_with_npmi_first(run, model, news):
    result = run("evaluate", model, news)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["measure", "value", "better", "on", "settings"]
    assert lines[2].split()[0] == "npmi"
    assert "Not computed (needs held-out documents; give --held-out)" in result.stderr
    assert "1 of 7 documents of news.csv have no word" in result.stderr
    assert "=" not in result.stderr  # no keyword of the library


def test_the_numbers_are_the_librarys(run, model, news):
    """The model's own words and stop words, as in the corpus that it was fitted to."""
    told = found(run("evaluate", model, news, "--json"))
    (only,) = told["models"]
    loaded = ch.load(model)
    corpus = ch.read_corpus([*PETS, ""])
    assert corpus.vectorizer.tokenizer.stop_words
    assert corpus.vocabulary.tolist() == loaded.vocabulary.tolist()
    expected = ch.evaluate(loaded, corpus)
    assert values(only) == pytest.approx(
        dict(zip(expected["measure"], expected["value"], strict=True))
    )
    assert {"c_v", "uci"} <= values(only).keys()
    assert told["documents"] == {"corpus": 7, "held_out": None, "reference": None}
    assert only["topics"] == 2
    assert told["comparison"] is None


def test_stop_words_take_no_places_in_windows(run, tmp_path):
    """Texts longer than a window: with stop words among the places there would be more windows."""
    texts = [" and then the ".join(PETS[start:] + PETS[:start]) for start in range(6)]
    (tmp_path / "long.txt").write_text("\n".join(texts) + "\n")
    corpus = ch.read_corpus(texts, stop_words="en", min_df=1, max_df=1.0)
    fitted = ch.fit("plsa", corpus, n_components=2, random_state=0)
    fitted.save(tmp_path / "m")
    told = found(
        run("evaluate", tmp_path / "m", tmp_path / "long.txt", "--measure", "uci", "--json")
    )
    (row,) = told["models"][0]["measures"]
    expected = ch.evaluate(fitted, corpus, measures="uci").iloc[0]
    kept = corpus.counts.sum(axis=1)
    assert kept.min() > 10
    assert row["settings"]["windows"] == (kept - 9).sum() == expected["settings"]["windows"]
    assert row["value"] == pytest.approx(expected["value"])


def test_quiet_prints_the_table_alone(run, model, news):
    result = run("evaluate", model, news, "-q", "--measure", "npmi", "--measure", "overlap")
    assert result.stderr == ""
    assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == ["npmi", "overlap"]


def test_without_documents_only_topics_are_measured(run, model):
    told = found(run("evaluate", model, "--json"))
    names = values(told["models"][0]).keys()
    assert "topic_diversity" in names
    assert not {"npmi", "frobenius"} & names
    assert "FILE" in told["models"][0]["skipped"]["npmi"]


def test_labels_and_held_out_documents_are_used(run, model, news, labelled):
    told = found(
        run("evaluate", model, labelled, "--label", "kind", "--text", "body", "--held-out",
            labelled, "--json")
    )  # fmt: skip
    names = values(told["models"][0]).keys()
    assert {"ari", "ari_held_out", "accuracy", "perplexity"} <= names
    assert told["documents"]["held_out"] == 18


def test_a_share_is_cut_by_the_seed_and_said_to_be_doubtful(run, model, labelled):
    arguments = ("evaluate", model, labelled, "--held-out", "25%", "--json",
                 "--measure", "log_likelihood_held_out")  # fmt: skip
    first, again = found(run(*arguments)), found(run(*arguments))
    assert first == again
    # 4 of 18, but each text is there three times, and copies stay together.
    assert first["documents"] == {"corpus": 15, "held_out": 3, "reference": None}
    assert any("only unseen if the models were fitted without" in n for n in first["notes"])
    seeds = {values(found(run(*arguments, "--seed", n))["models"][0]).popitem() for n in range(4)}
    assert len(seeds) > 1


def test_a_reference_is_what_coherence_counts_in(run, model, news, tmp_path):
    (tmp_path / "r.txt").write_text("cats purr\ncats bark\ndogs bark\n")
    arguments = ("evaluate", model, news, "--measure", "npmi", "-n", 2, "--text", "text", "--json")
    own = found(run(*arguments))
    told = found(run(*arguments, "--reference", tmp_path / "r.txt"))
    assert values(own["models"][0]) != values(told["models"][0])
    assert told["documents"]["reference"] == 3
    assert own["documents"]["reference"] is None
    assert own["models"][0]["measures"][0]["settings"]["measured_on"] == "corpus"
    assert told["models"][0]["measures"][0]["settings"]["measured_on"] == "reference"
    assert told["files"]["reference"] == str(tmp_path / "r.txt")
    shown = run(*arguments[:-1], "--reference", tmp_path / "r.txt").stdout
    assert f"the reference {tmp_path / 'r.txt'} (3 documents)" in shown


def test_words_reach_the_measures_that_have_them(run, model, news):
    told = found(run("evaluate", model, news, "-n", 3, "--json"))
    settings = {row["measure"]: row["settings"] for row in told["models"][0]["measures"]}
    assert {settings[name]["n_words"] for name in ("npmi", "c_v", "topic_diversity")} == {3}
    only = found(run("evaluate", model, news, "-n", 3, "--measure", "npmi", "--json"))
    assert values(only["models"][0])["npmi"] == values(told["models"][0])["npmi"]


def test_one_word_is_too_few_for_pairs_and_enough_for_others(run, model, news):
    told = found(run("evaluate", model, news, "-n", 1, "--json"))
    (only,) = told["models"]
    assert "topic_diversity" in values(only)
    assert "--words must be a whole number of at least 2" in only["skipped"]["npmi"]


def test_commas_part_measures_and_twice_is_once(run, model, news):
    told = found(run("evaluate", model, news, "--measure", "npmi, umass,npmi", "--json"))
    assert list(values(told["models"][0])) == ["npmi", "umass"]


def test_true_weights_are_said_once_to_be_for_python_only(run, model, news):
    lines = run("evaluate", model, news).stderr.splitlines()
    (python,) = (line for line in lines if "in Python" in line)
    assert "hellinger" in python
    (topics,) = (line for line in lines if "--true-topics" in line)
    assert topics.endswith(": l1_to_truth, distance_to_truth.")


def test_every_keyword_of_the_library_has_other_words_here():
    keywords = [said for said in [*GIVE.values(), GIVE_DOCUMENTS] if "=" in str(said)]
    assert len(keywords) > 3
    for said in keywords:
        assert "=" not in as_options(said)


def test_counts_as_reference_are_told_where_to_give_texts(run, model, news, tmp_path):
    corpus = ch.read_corpus([*PETS])
    sp.save_npz(tmp_path / "counts.npz", sp.csr_matrix(corpus.counts))
    (tmp_path / "counts.vocab.txt").write_text("\n".join(corpus.vocabulary) + "\n")
    told = found(run("evaluate", model, news, "--reference", tmp_path / "counts.npz", "--json"))
    assert told["models"][0]["skipped"]["c_v"].endswith("give texts instead of counts as "
                                                        "--reference.")  # fmt: skip


def test_a_missing_matplotlib_is_no_wrong_use(run, model, news, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("evaluate", model, news, "--plot", tmp_path / "x.png")
    assert result.exit_code == 1
    assert "pip install 'matplotlib" in result.stderr


def test_true_topics_are_matched_by_word(run, model, news, tmp_path):
    loaded = ch.load(model)
    turned = pd.DataFrame(loaded.topics, columns=loaded.vocabulary).iloc[::-1, ::-1]
    turned.to_csv(tmp_path / "truth.csv", index=False)
    arguments = ("evaluate", model, "--measure", "l1_to_truth", "--json", "--true-topics")
    told = found(run(*arguments, tmp_path / "truth.csv"))
    assert values(told["models"][0])["l1_to_truth"] == pytest.approx(0, abs=1e-9)
    assert told["warnings"] == []
    turned.assign(unheard=1.0).to_csv(tmp_path / "more.csv", index=False)
    told = found(run(*arguments, tmp_path / "more.csv"))
    assert told["warnings"][0].startswith("50.0% of the true topics is words that pets doesn't")


def test_vectors_are_read(run, words, tmp_path):
    (tmp_path / "v.txt").write_text("cats 1 0\npurr 1 0\ndogs 1 0\nbark 0 1\n")
    told = found(run("evaluate", words, "--vectors", tmp_path / "v.txt", "--json"))
    assert values(told["models"][0])["embedding_coherence"] == pytest.approx(0.5)


def test_the_table_of_one_model_can_be_read_again(run, model, news, tmp_path):
    for ending in ("csv", "parquet", "jsonl"):
        path = tmp_path / f"t.{ending}"
        assert run("evaluate", model, news, "-q", "-o", path).exit_code == 0
    table = pd.read_csv(tmp_path / "t.csv")
    assert json.loads(table["settings"][0])["n_words"] == 10
    assert len(json.loads(table["per_topic"][0])) == 2
    packed = pd.read_parquet(tmp_path / "t.parquet")
    assert json.loads(packed["settings"][0])["n_words"] == 10
    assert len(packed["per_topic"][0]) == 2
    first = json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])
    assert first["settings"]["n_words"] == 10
    assert first["per_topic"] == pytest.approx(packed["per_topic"][0].tolist())


def test_factors_of_anchor_words_are_measured_if_they_are_named(run, news, model, tmp_path):
    anchors = tmp_path / "anchors"
    ch.fit("anchor", ch.read_corpus(PETS), n_components=2, random_state=0).save(anchors)
    names = "recovery_error,approximation_error,validity,legality,dominancy,hard_rank,soft_rank"
    told = found(run("evaluate", anchors, news, "--measure", names, "--json"))
    expected = ch.evaluate(ch.load(anchors), ch.read_corpus([*PETS, ""]), names.split(","))
    assert values(told["models"][0]) == pytest.approx(
        dict(zip(expected["measure"], expected["value"], strict=True))
    )
    usual = found(run("evaluate", anchors, news, "--json"))["models"][0]
    assert not {*values(usual), *usual["skipped"]} & set(names.split(","))
    refused = run("evaluate", model, news, "--measure", "recovery_error")
    assert refused.exit_code == 1
    assert "needs an anchor word for each topic; measure a model of anchor words" in refused.stderr


def test_the_list_names_every_measure(run):
    told = found(run("evaluate", "--list", "--json"))
    assert [row["measure"] for row in told] == list(MEASURES)
    assert all(row["definition"] and row["source"] and row["needs"] for row in told)
    shown = run("evaluate", "--list").stdout
    assert all(f"\n{name}  (" in f"\n{shown}" for name in MEASURES)
    by_name = [name for name, measure in MEASURES.items() if not measure.by_default]
    assert shown.count("Computed only if it is named") == len(by_name) > 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "Give a model"),
        (["nowhere/", "{news}"], 1, "'nowhere' doesn't exist"),
        (["{model}", "nowhere.csv"], 1, "There is no file or folder 'nowhere.csv'"),
        (["{model}", "{model}", "{news}"], 2, "given twice"),
        (["{news}"], 1, "can't be read"),
        (["{model}", "{news}", "--measure", "npm"], 2, "did you mean 'npmi'?"),
        (["{model}", "{news}", "--measure", "ari"], 1, "give --label"),
        (["{model}", "--measure", "npmi"], 1, "give FILE after the models"),
        (["{model}", "{news}", "--label", "kind"], 1, "--label 'kind' is not a column"),
        (["{model}", "{news}", "--held-out", "0%"], 2, "between 0 and 100%"),
        (["{model}", "--held-out", "20%"], 2, "is taken from FILE"),
        (["{model}", "{news}", "--plot", "x.gif"], 2, ".png, .svg, .pdf"),
        (["{model}", "{news}", "--plot", "nowhere/x.png"], 1, "There is no folder 'nowhere'"),
        (["{model}", "{news}", "-o", "x.xls"], 2, "must end in"),
        (["{model}", "{news}", "-n", "0"], 2, "--words"),
        (["{model}", "{news}", "-n", "100000"], 2, "--words"),
        (["{model}", "{news}", "-n", "1", "--measure", "npmi"], 2, "For npmi, --words must be"),
        (["{model}", "{news}", "--measure", "npmi,umas"], 2, "did you mean 'umass'?"),
        (["{model}", "{news}", "--measure", "hellinger"], 1, "only ch.evaluate, in Python"),
        (["{model}", "{news}", "--true-topics", "{news}"], 1, "can't be read"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(run, model, news, arguments, code, said):
    filled = [argument.format(model=model, news=news) for argument in arguments]
    result = run("evaluate", *filled)
    assert result.exit_code == code, result.output
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_of_texts_nobody_is_told_of_ratings(run, model, news):
    told = found(run("evaluate", model, news, "--json"))
    named = {*values(told["models"][0]), *told["models"][0]["skipped"]}
    assert named
    assert not [name for name in named if name.startswith(("rmse", "mae"))]


def test_documents_before_the_model_are_told_to_come_after_it(run, model, news):
    result = run("evaluate", news, model)
    assert result.exit_code == 1
    assert "if it holds documents, give the model before them." in " ".join(result.stderr.split())
