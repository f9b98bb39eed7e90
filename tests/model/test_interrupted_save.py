"""A model is replaced as a whole: whenever writing ends, the older one or the new one is there."""

import contextlib
from pathlib import Path

import pytest

import chatham as ch
from chatham.errors import ModelFileError
from chatham.model.folder import ARRAYS, BEFORE
from tests.ensembles.growing import FEBRUARY, january
from tests.model.model_folders import bytes_of


@pytest.fixture(scope="module")
def models():
    before = ch.keep_summary(january("plsa", max_iter=5), slice="January")
    return before, ch.update(before, FEBRUARY, slice="February")


class Stopped(KeyboardInterrupt):
    """The moment at which writing ends."""


STEPS = ("open", "replace", "unlink")


def stop_at(monkeypatch, moment):
    """End at the nth time that a file is opened, renamed or removed; count if there is none."""
    made = []

    def watched(name):
        original = getattr(Path, name)

        def step(path, *arguments, **options):
            made.append(name)
            if len(made) == moment:
                raise Stopped
            return original(path, *arguments, **options)

        return step

    for name in STEPS:
        monkeypatch.setattr(Path, name, watched(name))
    return made


def steps_of(models, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        models[0].save(tmp_path / "counted")
        made = stop_at(patch, 0)
        models[1].save(tmp_path / "counted")
    return len(made)


def test_whenever_it_ends_one_of_the_two_models_is_there(models, tmp_path):
    expected = []
    for number, model in enumerate(models):
        model.save(tmp_path / f"whole{number}")
        expected.append(bytes_of(tmp_path / f"whole{number}"))
    found = set()
    for moment in range(1, steps_of(models, tmp_path) + 1):
        folder = tmp_path / f"m{moment}"
        models[0].save(folder)
        with pytest.MonkeyPatch.context() as patch:
            stop_at(patch, moment)
            with pytest.raises(Stopped):
                models[1].save(folder)
        again = ch.load(folder)  # whatever is left over
        found.add(len(again.slices))
        again.save(tmp_path / f"again{moment}")
        assert bytes_of(tmp_path / f"again{moment}") == expected[len(again.slices) - 1]
        models[1].save(folder)  # and the next time it is done
        assert bytes_of(folder) == expected[1]
    assert found == {1, 2}


def test_arrays_from_before_that_belong_to_no_model_are_not_used(models, tmp_path):
    models[0].save(tmp_path / "m")
    (tmp_path / "m" / BEFORE).write_bytes(b"x")
    assert ch.load(tmp_path / "m").n_topics == 4
    (tmp_path / "m" / ARRAYS).write_bytes(b"y")
    with pytest.raises(ModelFileError, match="its hash differs"):
        ch.load(tmp_path / "m")
    models[0].save(tmp_path / "m")
    assert BEFORE not in bytes_of(tmp_path / "m")


def test_what_another_model_kept_is_removed(models, tmp_path):
    models[1].save(tmp_path / "m")
    assert len(list((tmp_path / "m").glob("*.kept"))) == 2
    january("plsa", max_iter=3).save(tmp_path / "m")
    assert sorted(bytes_of(tmp_path / "m")) == ["arrays.safetensors", "model.json"]


def test_what_parties_found_is_there_whenever_naming_ends(tmp_path, monkeypatch):
    """Nobody who has only the model could score it again."""
    model = ch.fit("plsa", ch.sample_corpus().rows(slice(0, 60)), n_components=2, max_iter=3)
    model.scores = ch.evaluate(model, ch.sample_corpus().rows(slice(0, 60)), measures=["npmi"])
    model.save(tmp_path / "m")
    before = (tmp_path / "m" / "scores.json").read_bytes()
    model.names[0] = "syntax"
    for failing in range(1, 6):
        calls = iter(range(1, 100))

        def replace(self, target, calls=calls, failing=failing, real=Path.replace):
            if next(calls) == failing:
                raise OSError("killed")
            return real(self, target)

        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", replace)
            with contextlib.suppress(ch.ChathamError):
                model.save(tmp_path / "m")
        assert (tmp_path / "m" / "scores.json").read_bytes() == before
    assert ch.load(tmp_path / "m").scores is not None
