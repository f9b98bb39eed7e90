"""The format is what it was: the vectors come out again, byte for byte."""

import pytest

from tests.vectors import FOLDER
from tests.vectors.make import MADE, text_of


@pytest.mark.parametrize("name", MADE)
def test_what_was_frozen_comes_out_again(name):
    assert (FOLDER / f"{name}.json").read_text("utf-8") == text_of(name)


def test_no_file_of_vectors_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(MADE)
