"""`chatham fit -k 10,20,40`: a model of each, a comparison, and what is finished is kept."""

import json

import pytest

import chatham as ch
from chatham.measures import several


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    path = tmp_path_factory.mktemp("several") / "news.txt"
    texts = [" ".join(text.split()) for text in ch.sample_corpus().texts[:60]]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


OPTIONS = ("-m", "nmf", "--max-iter", 8, "--max-features", 200, "-n", 4)


def test_several_are_saved_and_compared(run, news, tmp_path):
    result = run("fit", news, "-k", "3, 6", *OPTIONS, "-o", tmp_path / "m")
    assert result.exit_code == 0, result.output
    assert "\n3 topics:\n" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines()]
    head = next(row for row in rows if row[:2] == ["topics", "npmi"])
    assert head == ["topics", "npmi", "completion", "topic", "diversity", "seconds", "saved", "in"]
    for k in (3, 6):
        folder = tmp_path / "m" / f"k{k}"
        assert len(ch.load(folder).topics) == k
        row = next(row for row in rows if row[:1] == [str(k)] and row[-1].endswith(f"k{k}"))
        assert row[-1] == str(folder)
    for k in (3, 6):
        said = next(line for line in result.stdout.splitlines() if line.startswith(f"{k}: "))
        reasons = said.partition(": ")[2].rstrip(".").split("; ")
        assert set(reasons) <= {*several.SAYS.values(), "best by none of these"}
    assert "54 documents and compared on 6 others, which were held out" in result.stdout


def test_json_has_all_of_it(run, news, tmp_path):
    words = ("fit", news, "-k", "3,6", *OPTIONS, "--json", "--seed", 4)
    found = json.loads(run(*words, "-o", tmp_path / "m").stdout)
    assert (found["fitted"], found["held_out"]) == (54, 6)
    assert [row["topics"] for row in found["comparison"]] == [3, 6]
    assert {"npmi", "completion", "topic_diversity", "seconds", "speaks_for_it"} <= set(
        found["comparison"][0]
    )
    assert [len(model["topics"]) for model in found["models"]] == [3, 6]
    assert [model["saved"] for model in found["models"]] == [
        str(tmp_path / "m" / f"k{k}") for k in (3, 6)
    ]
    assert found["skipped"] == {}
    again = json.loads(run(*words).stdout)
    assert [m["topics"] for m in again["models"]] == [m["topics"] for m in found["models"]]
    assert [m["saved"] for m in again["models"]] == [None, None]


def test_one_number_is_one_model_as_ever(run, news, tmp_path):
    assert run("fit", news, "-k", "3", *OPTIONS, "-o", tmp_path / "m").exit_code == 0
    assert len(ch.load(tmp_path / "m").topics) == 3


def test_quiet_is_topics_and_comparison_alone(run, news):
    result = run("fit", news, "-k", "2,3", *OPTIONS, "-q")
    assert result.stderr == ""
    assert "documents" not in result.stdout.replace("held-out documents", "")
    assert "completion" in result.stdout


@pytest.fixture
def interrupted(monkeypatch):
    """Ctrl-C while the second model is fitted."""
    fits = []

    def fit_learner(learner, *rest, **more):
        fits.append(learner.n_components)
        if len(fits) > 1:
            raise KeyboardInterrupt
        return real(learner, *rest, **more)

    real = several.fit_learner
    monkeypatch.setattr(several, "fit_learner", fit_learner)


def test_ctrl_c_keeps_what_is_finished(run, news, tmp_path, interrupted):
    result = run("fit", news, "-k", "3,6,9", *OPTIONS, "-o", tmp_path / "m")
    assert result.exit_code == 130
    first = tmp_path / "m" / "k3"
    said = f"Interrupted; 1 of 3 models was finished, and saved in {first}."
    assert said in result.stderr
    assert len(ch.load(first).topics) == 3
    assert [path.name for path in (tmp_path / "m").iterdir()] == ["k3"]


def test_ctrl_c_without_a_folder_keeps_nothing_and_says_so(run, news, interrupted):
    result = run("fit", news, "-k", "3,6", *OPTIONS)
    assert result.exit_code == 130
    assert "nothing was saved" in result.stderr


@pytest.mark.parametrize("sizes", ["", "0", "3,0", "3,3", "3,x", "3,,6", "-1", "2.5"])
def test_numbers_that_are_none_are_2(run, news, sizes):
    result = run("fit", news, "-k", sizes)
    assert result.exit_code == 2
    assert "must be a number of topics" in " ".join(result.stderr.split())


def test_what_cannot_be_saved_is_said_before_anything_is_read(run, news, tmp_path):
    model = tmp_path / "model"
    assert run("fit", news, "-k", 3, *OPTIONS, "-o", model).exit_code == 0
    (tmp_path / "k3").mkdir()
    (tmp_path / "k3" / "notes.txt").write_text("mine")
    for output, why in ((model, "is a model, and several are"), (tmp_path, "holds something")):
        result = run("fit", tmp_path / "none.csv", "-k", "3,6", "-o", output)
        assert result.exit_code == 1
        assert why in result.stderr
    result = run("fit", tmp_path / "none.csv", "-k", "3,6", "--set", "n_components=4")
    assert result.exit_code == 2


def test_anchors_are_in_every_model(run, news):
    words = ("fit", news, "-m", "anchor", "-k", "3,4", "--anchors", "language", "--json")
    result = run(*words, "--set", "refine=0", "--max-features", 200)
    assert result.exit_code == 0, result.output
    for fitted in json.loads(result.stdout)["models"]:
        assert fitted["topics"][0]["anchor"] == ["language"]


def test_too_few_documents_are_a_sentence(run, tmp_path):
    path = tmp_path / "few.txt"
    path.write_text("tea milk\n" * 9)
    result = run("fit", path, "-k", "1,2")
    assert result.exit_code == 1
    assert "bring at least 20, or fit one number of topics at a time" in result.stderr
