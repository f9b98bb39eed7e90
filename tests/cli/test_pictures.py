"""`chatham topics --plot`: a picture of any model, or an error that says what it can be."""

import pytest

from chatham.cli.topics.pictures import PICTURES

pytest.importorskip("matplotlib")
pytest.importorskip("plotly")

BEGINS = {"html": b"<!doctype html>", "png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("ending", BEGINS)
def test_a_map_without_further_words(run, model, tmp_path, ending):
    file = tmp_path / f"map.{ending}"
    shown = run("topics", model, "--plot", file)
    assert f"Figure saved in {file}." in shown.stdout
    assert file.read_bytes().startswith(BEGINS[ending])
    assert ending != "html" or "A map of" in file.read_text("utf-8")


@pytest.mark.parametrize("picture", [each for each in PICTURES if each != "anchors"])
def test_every_picture_is_drawn_both_ways(run, model, tmp_path, picture):
    for ending in ("html", "svg"):
        file = tmp_path / f"{picture}.{ending}"
        run("topics", model, "--plot", file, "--picture", picture, "-n", 4, "-q")
        assert file.read_bytes().startswith(BEGINS[ending])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--picture", "map"), "Give a file for the picture with --plot"),
        (("--picture", "moon", "--plot", "a.png"), "must be one of map, words, matrix, similarity"),
        (("--plot", "a.gif"), "must end in one of .html, .png, .svg, .pdf"),
        (("--picture", "map", "--levels", "2", "--plot", "a.png"), "another picture is drawn"),
        (("--picture", "map", "--history", "--plot", "a.png"), "another picture is drawn"),
    ],
)
def test_what_can_t_be_drawn(run, model, words, said):
    result = run("topics", model, *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_what_is_for_print_alone_is_no_page(run, model):
    result = run("topics", model, "--picture", "anchors", "--plot", "a.html")
    assert result.exit_code == 2
    assert "must end in one of .png, .svg, .pdf" in " ".join(result.stderr.split())
