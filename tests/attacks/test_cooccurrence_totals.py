"""One exact total of co-occurrences gives documents away; by default parties don't add it up."""

import pytest

import chatham as ch
from chatham.learners.cooccurrence import pair_statistics, unpacked
from tests.attacks.cooccurrence_totals import figures
from tests.attacks.sample_parties import three_parties
from tests.learners.spying import Spied

CURIOUS = 0


def overheard(mean_over="auto", **more):
    """A fit of anchor words, and all that its parties added up."""
    commons = Spied(three_parties(), secure=True, **more)
    ch.AnchorWords(20, refine=0, max_iter=1, tol=0, mean_over=mean_over, random_state=0).fit(
        commons
    )
    return commons


@pytest.mark.parametrize("mean_over", ["documents", "tokens"])
def test_an_exact_total_ties_the_words_of_most_documents_together(mean_over):
    """Why all must know: thousands of groups, in most documents, and hardly one false."""
    by_length = mean_over == "tokens"
    commons = overheard(mean_over, exact_totals=True)
    name = f"{pair_statistics.__module__}.{pair_statistics.__qualname__}"
    total = next(array for step, array in commons.totals if step == name)
    own = next(array for step, array in commons.contributions if step == name)
    others = three_parties()[CURIOUS + 1 :]
    matrix = unpacked(total - own, commons.n_features)
    found = figures(matrix, others, 1e-5 if by_length else 1e-6, by_length)
    print(mean_over, found)
    assert found["groups"] > 10_000
    assert found["true"] > 0.99 * found["groups"]
    assert found["rebuilt rightly"] >= 1
    assert found["documents tied"] > 0.7 * sum(part.shape[0] for part in others)


def test_by_default_no_total_has_a_number_for_every_pair_of_words():
    """Nor as many products as would amount to it."""
    commons = overheard()
    d = commons.n_features
    assert all(array.size < d * d / 4 for _, array in commons.totals)
    columns = sum(array.shape[1] for _, array in commons.totals if array.ndim == 2)
    assert columns == ch.AnchorWords(20)._measurements() == 200


@pytest.mark.parametrize("name", ["rectify", "keep_cooccurrence"])
def test_what_needs_the_exact_total_is_refused_unless_all_know(name):
    learner = ch.AnchorWords(5, **{name: {"rectify": "none", "keep_cooccurrence": True}[name]})
    commons = ch.Simulated(three_parties(), secure=True)
    for refused in (learner._check_between_parties, lambda: learner.fit(commons)):
        with pytest.raises(ch.InputError) as error:
            refused()
        assert error.value.kind == "exact totals"
        assert set(error.value.parameters) == {name, "exact_totals_know"}
    learner._check_between_parties(exact_totals=True)
