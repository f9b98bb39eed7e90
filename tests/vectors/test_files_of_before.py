"""Files that earlier versions wrote are read as they were: models, sessions, keys, ledgers.

A folder `files-VERSION` is what that version wrote, with what it said about each file; see
`make_files`. Public names and commands only, so that these tests hold wherever the code is.
"""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import chatham as ch
from tests.command import chatham
from tests.conftest import excused
from tests.vectors import FOLDER
from tests.vectors.make_files import (
    SESSIONS,
    asked,
    copy_key,
    hash_of,
    meaning_of_ledger,
    meaning_of_model,
    new_session,
    said,
    score_of_answers,
)

SETS = sorted(FOLDER.glob("files-*"))
MODELS = [path.parent for made in SETS for path in sorted(made.glob("models/*/model.json"))]
SESSION_FILES = [path for made in SETS for path in sorted(made.glob("sessions/*.toml"))]
KINDS = {"kmeans", "nmf", "plsa", "lda", "svd", "anchor"}

every_set = pytest.mark.parametrize("made", SETS, ids=lambda made: made.name)
every_model = pytest.mark.parametrize(
    "folder", MODELS, ids=lambda folder: f"{folder.parents[1].name[6:]}-{folder.name}"
)
every_session = pytest.mark.parametrize(
    "path", SESSION_FILES, ids=lambda path: f"{path.parents[1].name[6:]}-{path.stem}"
)


def expected(path: Path):
    return json.loads(path.with_suffix(".json").read_text("utf-8"))


def kept(folder: Path):
    """What was said about a model, beside its folder; names may have dots."""
    return json.loads(folder.with_name(f"{folder.name}.json").read_text("utf-8"))


FACTS = re.compile(
    r"\S*\d\S*|\b(?:Note:|Warning:|Session|Hash|Parties|Relay|Model|Words|Scores|Leaves|Stays|"
    r"North|East|St Mary’s)"
)


def facts(text: str) -> list[str]:
    """What a text says whatever its wording: headings, names, and all that has a number in it.

    >>> facts("Parties 3: North (you), East. Words in 10 documents enter.")
    ['Parties', '3:', 'North', 'East', 'Words', '10']
    """
    # A parameter's value is a fact, whether it is spelt as one or as an option.
    return FACTS.findall(text.replace("=", " "))


def assert_same(found, before, place="it"):
    """Plain values are the same, and numbers to 1e-9."""
    if isinstance(before, float) and isinstance(found, int | float):
        assert found == pytest.approx(before, rel=1e-9, abs=1e-9), place
        return
    assert type(found) is type(before), place
    if isinstance(before, dict):
        assert set(found) == set(before), place
        for name in before:
            assert_same(found[name], before[name], f"{place}.{name}")
    elif isinstance(before, list):
        assert len(found) == len(before), place
        for number, (mine, theirs) in enumerate(zip(found, before, strict=True)):
            assert_same(mine, theirs, f"{place}[{number}]")
    else:
        assert found == before, place


# -- models


@every_set
def test_every_learner_has_a_file(made):
    assert {kept(folder)["algorithm"] for folder in MODELS if made in folder.parents} == KINDS


@every_model
def test_a_model_means_what_it_meant(folder):
    before = kept(folder)
    documents = before.pop("documents")
    if np.ndim(documents) > 1:
        documents = np.array(documents)
    now = _without_names(meaning_of_model(folder, documents))
    for each in (before, now):
        _without_what_is_told_otherwise(each, ch.load(folder))
    assert_same(now, before)


def _without_names(meaning):
    """Since 0.5.0 topics have names, which stand beside what was told before."""
    info = meaning["topic_info"]
    place = info["columns"].index("name")
    for row in (info["columns"], *info["data"]):
        del row[place]
    for topic in meaning["topics"].get("topics", []):
        assert topic.pop("name")
    return meaning


def _without_what_is_told_otherwise(meaning, model):
    """Since 0.5.0 topics are told over plain words, and directions as what they are."""
    if model.kind == "direction":
        for name in ("top_words", "topic_info", "topics"):
            del meaning[name]
    elif getattr(model.vectorizer, "idf", None) is not None:
        info = meaning["topic_info"]
        place = info["columns"].index("effective_words")
        for row in info["data"]:
            del row[place]


@every_model
def test_a_models_arrays_are_those_of_the_file(folder):
    stored, estimator = load_file(folder / "arrays.safetensors"), ch.load(folder).estimator
    for name, array in stored.items():
        kind, _, rest = name.partition(".")
        attribute = {"topics": "components_", "prevalence": "prevalence_"}.get(
            name, rest or f"{name}_"
        )
        found = np.asarray(getattr(estimator, attribute))
        assert kind in ("topics", "prevalence", "objective", "fitted", "parameter")
        assert (found.dtype, found.shape) == (array.dtype, array.shape), name
        assert found.tobytes() == array.tobytes(), name


@every_model
def test_a_model_is_saved_again_as_it_was(folder, tmp_path):
    """All but the version that wrote it; parameters that there are since have their default."""
    model = ch.load(folder)
    model.save(tmp_path / "again")
    before, after = (
        json.loads((place / "model.json").read_text("utf-8"))
        for place in (folder, tmp_path / "again")
    )
    assert before.pop("library_version") == folder.parents[1].name.removeprefix("files-")
    assert after.pop("library_version") == ch.__version__
    usual = type(model.estimator)().get_params()
    for name in after["parameters"].keys() - before["parameters"].keys():
        assert after["parameters"].pop(name) == usual[name], name
    assert after == before
    arrays = [place / "arrays.safetensors" for place in (folder, tmp_path / "again")]
    assert arrays[0].read_bytes() == arrays[1].read_bytes()


@every_model
def test_a_model_file_names_no_module(folder):
    """Code moves; what a file refers to may not."""
    assert not re.search(r"chatham\.\w", (folder / "model.json").read_text("utf-8"))


# -- sessions


@every_session
def test_a_session_has_the_hash_it_had(path):
    """Of everything in it: parties with files of before and of now can still meet about it."""
    before = expected(path)
    told = before.pop("hash")
    plain = json.dumps(before, sort_keys=True, separators=(",", ":")).encode()
    assert sha256(b"chatham session 1" + plain).hexdigest() == told
    assert hash_of(path) == told


@every_session
def test_a_session_says_what_it_said(path):
    if path.with_suffix(".txt").exists():
        before = path.with_suffix(".txt").read_text("utf-8")
        now = iter(facts(asked(path.parents[1], path.stem)))
        assert all(fact in now for fact in facts(before)), "in this order; it may say more"
    else:
        assert path.stem == "direct"


@every_session
def test_the_same_words_make_the_same_session(path, tmp_path):
    """All but its number, which is drawn."""
    if path.stem == "direct":
        excused("its certificates hold for a year only")
    before, made = expected(path), new_session(path.parents[1], path.stem, tmp_path / "new.toml")
    if path.stem == "svd-words":
        assert made.pop("vocabulary") == {**before.pop("vocabulary"), "min_df": 4}
        excused("--min-df and --words go together since 0.4.0")
    for drawn in ("id", "hash"):
        assert made.pop(drawn) != before.pop(drawn)
    texts = [each.read_text("utf-8").split("\n", 1) for each in (path, tmp_path / "new.toml")]
    assert [text[0][:6] for text in texts] == ['id = "', 'id = "']
    if made["vocabulary"].pop("max_df", None) is not None:  # since 0.5.0, as in chatham fit
        texts[1][1] = texts[1][1].replace("max_df = 0.5\n", "", 1)
    assert made == before
    assert texts[0][1] == texts[1][1]


@every_set
def test_no_session_is_left_over(made):
    assert {path.stem for path in SESSION_FILES if made in path.parents} == set(SESSIONS)


# -- a party


@every_set
def test_a_key_is_the_identity_it_was(made, tmp_path):
    copy_key(made, tmp_path / "my.key")
    words = ("keygen", "North", "-o", tmp_path / "my.key", "--address", "north.example:7000")
    told = json.loads(said(*words, "--json"))
    assert f'key = "{told["public_key"]}"' in (made / "keys" / "north.party").read_text("utf-8")


@every_set
def test_a_ledger_reads_as_it_did(made):
    """And has nothing of what later ones say besides."""
    before = json.loads((made / "party.json").read_text("utf-8"))
    now = meaning_of_ledger(made / "party")
    told = [now["json"].pop(name) for name in ("hellos", "replayed", "refused", "shown")]
    assert told == [0, [], [], []]
    assert now["json"].pop("bytes_of_totals") > 0
    told = iter(facts(now.pop("for_people")))
    assert all(fact in told for fact in facts(before.pop("for_people"))), "it may say more"
    assert_same(now, before)


@every_set
def test_a_ledger_without_a_chain_isnt_vouched_for(made):
    told = chatham("ledger", made / "party", "--verify")
    assert told.code == 1
    assert "has no chain" in told.out


@every_set
def test_a_session_that_was_joined_before_is_remembered(made, tmp_path):
    copy_key(made, tmp_path / "my.key")
    (tmp_path / "corpus.txt").write_text("some other documents\n" * 30, "utf-8")
    shutil.copy(made / "party" / "session.toml", tmp_path)
    told = chatham("join", tmp_path / "session.toml", "--corpus", tmp_path / "corpus.txt",
                   "--key", tmp_path / "my.key", "--folder", tmp_path / "folder")  # fmt: skip
    assert "With this key you took part in this session" in told.errors


# -- questions


@every_set
def test_answers_score_what_they_scored(made):
    assert_same(score_of_answers(made), json.loads((made / "intrusion.json").read_text("utf-8")))


@every_set
def test_the_same_questions_are_asked(made, tmp_path):
    said("intrusion", made / "models" / "nmf", "-o", tmp_path / "questions.csv", "-q")
    before = (made / "intrusion" / "questions.csv").read_bytes()
    assert (tmp_path / "questions.csv").read_bytes() == before
