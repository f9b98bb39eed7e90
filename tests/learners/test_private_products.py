"""Differentially private SVD: all passes together move by no more than one does."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chatham as ch
from chatham.audit.observing import Observed
from chatham.commons import Memory
from chatham.commons.privacy import Privacy
from chatham.errors import InputError
from chatham.learners.private_products import bounded_gram_image

SECRETS = [b"one", b"two", b"three"]


def low_rank(n, d=40, k=3, seed=0):
    draws = np.random.default_rng(seed)
    directions = np.linalg.qr(draws.standard_normal((d, k)))[0].T
    rows = draws.standard_normal((n, k)) * [3.0, 2.0, 1.0][:k] @ directions
    return rows + 0.05 * draws.standard_normal((n, d)), directions


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 25))
def test_orthogonal_blocks_together_move_by_the_root_of_two_at_most(seed, d):
    draws = np.random.default_rng(seed)
    rows = draws.standard_normal((6, d)) * 10.0 ** draws.integers(-3, 3, (6, 1))
    other = rows.copy()
    other[2] = draws.standard_normal(d)
    basis = np.linalg.qr(draws.standard_normal((d, d)))[0]
    moved = 0.0
    for block in np.array_split(basis, min(3, d), axis=1):
        images = [bounded_gram_image(each, Memory(), block) for each in (rows, other)]
        moved += np.linalg.norm(images[0] - images[1]) ** 2
    assert sqrt(moved) <= sqrt(2) + 1e-9


def test_blocks_of_a_fit_are_orthogonal_to_each_other():
    """What the accounting of all passes as one rests on."""
    rows, _ = low_rank(90)
    commons = Observed([rows[i::3] for i in range(3)], secrets=SECRETS, privacy=Privacy(5.0, 1e-5))
    ch.SVD(3, random_state=0).fit(commons)
    bases = [seen.shared[0] for seen in commons.rounds if seen.step == "bounded_gram_image"]
    assert len(bases) > 2
    together = np.hstack(bases)
    assert np.abs(together.T @ together - np.eye(together.shape[1])).max() < 1e-8
    noises = {seen.noise for seen in commons.rounds if seen.step == "bounded_gram_image"}
    ((noise,),) = noises
    assert 2 / (2 * noise**2) == pytest.approx(Privacy(5.0, 1e-5).rho, rel=1e-4)
    assert [seen.step for seen in commons.rounds if not any(seen.noise)] == ["count_documents"]


@pytest.mark.parametrize(
    ("n", "d", "k", "room"), [(60, 8, 3, None), (60, 40, 3, 1), (4, 40, 2, None)]
)
def test_blocks_are_orthogonal_too_where_there_are_few_words_rows_or_little_room(
    monkeypatch, n, d, k, room
):
    if room is not None:
        monkeypatch.setattr("chatham.learners.svd.ROOM", room)
    rows, _ = low_rank(n, d)
    commons = Observed([rows[i::3] for i in range(3)], secrets=SECRETS, privacy=Privacy(1e4, 1e-5))
    ch.SVD(k, random_state=0).fit(commons)
    bases = [seen.shared[0] for seen in commons.rounds if seen.step == "bounded_gram_image"]
    together = np.hstack([basis for basis in bases if basis.size])
    assert np.abs(together.T @ together - np.eye(together.shape[1])).max() < 1e-8


def test_rows_of_tiny_numbers_have_unit_length_too():
    """Squares below 1e-308 vanish; a row must not pass for shorter than it is."""
    row = np.full((1, 20_000), 1.5e-162)
    row[0, 0] = 2.3e-162
    image = bounded_gram_image(row, Memory(), np.eye(20_000, 3))
    assert np.linalg.norm(image) <= 1 + 1e-9


def test_passes_over_the_same_space_share_the_privacy():
    rows, _ = low_rank(90)
    commons = Observed([rows[i::3] for i in range(3)], secrets=SECRETS, privacy=Privacy(5.0, 1e-5))
    ch.SVD(2, sums="normed", random_state=0, tol=1e-6).fit(commons)
    images = [seen for seen in commons.rounds if seen.step == "bounded_gram_image"]
    assert len(images) == 2 * 5
    passes = [np.hstack([seen.shared[0] for seen in images[i : i + 2]]) for i in range(0, 10, 2)]
    for basis in passes:
        assert np.abs(basis.T @ basis - np.eye(2)).max() < 1e-9
    noise = images[0].noise[0]
    assert 5 * 2 / (2 * noise**2) == pytest.approx(Privacy(5.0, 1e-5).rho, rel=1e-4)


@pytest.mark.parametrize("sums", ["secure", "normed"])
def test_planted_directions_are_found_with_many_rows(sums):
    rows, directions = low_rank(20_000, k=2)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    parts = [rows[i::3] for i in range(3)]

    def explained(privacy):
        commons = ch.Simulated(parts, secure=True, secrets=SECRETS, privacy=privacy)
        found = ch.SVD(2, sums=sums, random_state=0, tol=1e-6).fit(commons).components_
        return float(np.sum((unit @ found.T) ** 2) / len(unit))

    best = float(np.sum((unit @ directions.T) ** 2) / len(unit))
    assert explained(Privacy(5.0, 1e-5)) > 0.97 * best
    if sums == "normed":  # no value says that a direction is noise
        assert explained(Privacy(0.001, 1e-5)) < 0.7 * best
    else:
        with pytest.raises(InputError, match="stands out from the noise"):
            explained(Privacy(0.001, 1e-5))


def test_directions_that_are_not_orthonormal_are_refused():
    with pytest.raises(InputError, match="orthonormal"):
        bounded_gram_image(np.eye(3), Memory(), np.ones((3, 2)))
