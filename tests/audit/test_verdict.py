"""The verdict on mechanisms with known leaks: who is exposed, by how much, and with which error."""

import json
import re
from functools import cache

import numpy as np
import pytest
from scipy.stats import ks_2samp, norm

from chatham.audit.guessing import guess_all
from chatham.audit.membership import Attacked, pooled_risk
from chatham.audit.neighbours import CoinFlips
from chatham.audit.samples import Plan
from chatham.audit.sampling import sample
from chatham.audit.verdict import DOUBTFUL, EXPOSED, NOTHING, judge
from chatham.errors import InputError
from tests.audit.toys import (
    PLANTED,
    Constant,
    Database,
    LowBit,
    NoiseVaries,
    NoisySums,
    RoundWithout,
    SeedTwice,
    bags,
)

IDS = ["planted", "other"]


@cache
def samples_of(mechanism, databases=200, seed=0, targets=(PLANTED, 10), size=40):
    counts = bags()
    design = CoinFlips(counts.shape[0], np.array(targets), size, databases)
    return sample(Plan(mechanism, counts, design, seed))


def verdict_of(*samples, **more):
    return judge(samples_of(*samples, **more), IDS, adversary="Sees everything.")


def test_of_a_constant_mechanism_nothing_is_found_and_half_of_all_guesses_are_right():
    verdict = verdict_of(Constant())
    for each in verdict.documents:
        assert each.outcome == NOTHING
        assert (each.p, each.p_holm, each.right.estimate, each.epsilon.low) == (1, 1, 0.5, 0)
        assert {finding.p for finding in each.findings} == {1}
        assert each.figures.learned_advantage.estimate == 0
        assert each.figures.optimal_advantage.estimate == 0
        assert each.figures.statistical_distance.estimate == 0
    assert verdict.pooled.auc.estimate == 0.5
    assert verdict.exposed == ()


def test_a_released_database_exposes_every_document():
    verdict = verdict_of(Database(), databases=60)
    for each in verdict.documents:
        assert each.outcome == EXPOSED
        assert each.right.estimate == 1.0
        assert each.right.low > 0.8
        assert each.epsilon.low > 0.5
        assert "right in 100 %" in each.in_words
        assert each.figures.learned_advantage.low > 0.2  # learned from 30 databases
        assert each.figures.optimal_advantage.low > 0.2
        assert each.figures.statistical_distance.low > 0.35  # of 15 in an arm of a half
        assert each.figures.true_positives[0.001].estimate > 0.99
    assert verdict.pooled.true_positives[0.01].estimate == 1.0


def test_the_exposed_document_comes_first_and_nothing_is_found_of_the_other():
    verdict = verdict_of(NoiseVaries())
    first, second = verdict.documents
    assert (first.document, first.outcome) == ("planted", EXPOSED)
    assert (second.document, second.outcome) in {("other", NOTHING), ("other", DOUBTFUL)}
    assert first.findings[0].statistic in {"second_moment", "own_second_moment", "change_squares"}
    assert second.right.low < 0.5 < second.right.high
    assert "Nothing found with 200 databases" in second.in_words or second.outcome == DOUBTFUL


@pytest.mark.parametrize(
    "mechanism", [LowBit(), SeedTwice(deviation=50.0), RoundWithout(deviation=50.0)], ids=repr
)
def test_planted_leaks_are_in_the_verdict(mechanism):
    verdict = verdict_of(mechanism)
    assert verdict.documents[0].outcome == EXPOSED
    assert "planted" in {each.document for each in verdict.exposed}


def test_figures_are_those_of_the_samples_and_holm_counts_all_tests():
    samples = samples_of(NoiseVaries())
    verdict = judge(samples, IDS, adversary="")
    table = verdict.by_statistic()
    family = (len(samples.statistics) + 1) * len(IDS)  # and the learned one
    assert len(table) == family
    assert table["p_holm"].min() == pytest.approx(table["p"].min() * family, rel=1e-12)
    for row in table[table["statistic"] != "learned"].to_dict("records"):
        arms = samples.arms(row["statistic"], IDS.index(row["document"]))
        if len(np.unique(np.concatenate(arms))) == sum(map(len, arms)):  # no ties
            assert row["p"] == pytest.approx(ks_2samp(*arms, method="exact").pvalue, rel=1e-6)
        pairs = np.sign(np.subtract.outer(*arms))
        assert row["auc"] == pytest.approx(0.5 + pairs.mean() / 2)


def test_choosing_among_many_statistics_that_tell_nothing_is_right_half_the_time():
    """The best of all on the same databases would look better than chance: this one doesn't."""
    shares, covered, luck = [], 0, []
    for seed in range(12):
        samples = samples_of(NoisySums(deviation=50.0), databases=64, seed=seed)
        guessing = guess_all(samples, seed=seed)
        for target in range(2):
            right = guessing.share_right(target)
            shares.append(right.estimate)
            covered += right.low <= 0.5 <= right.high
            values, present = samples.features(target)
            middle = np.median(values, axis=0)
            each = ((values > middle) == present[:, None]).mean(axis=0)
            luck.append(max(each.max(), 1 - each.min()))
    assert np.mean(luck) > 0.57  # what would have been told
    assert np.mean(shares) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(64 * 24))
    assert covered >= 22  # of 24


def test_guesses_are_as_good_as_the_best_test_of_a_gaussian():
    """A statistic shifted by two deviations: Φ(1) of guesses are right, and no more."""
    samples = samples_of(Constant(), databases=2000)
    records = samples.records()
    names = samples.statistics
    draws = np.random.default_rng(5)
    for name in names:
        samples._values[name] = draws.standard_normal(len(records.present))
    samples._values[names[2]] = samples._values[names[2]] + 2 * records.present
    guessing = guess_all(samples)
    assert (guessing.chosen == 2).all()
    for target in range(2):
        right = guessing.share_right(target, level=0.999)
        assert right.low < norm.cdf(1) < right.high
        assert right.high - right.low < 0.1
    samples_of.cache_clear()


def test_groups_that_have_databases_of_their_own_are_pooled():
    targets = (3, 10, 20, 30, 40)
    samples = samples_of(Database(), databases=60, targets=targets, size=40)
    groups = samples.plan.design.groups
    assert len({len(each) for each in groups}) == 2  # not all as large
    guessing = guess_all(samples)
    asked = ~np.isnan(guessing.attacked.ratios)
    assert asked.sum(axis=0).tolist() == [60] * 5
    verdict = judge(samples, list("abcde"), adversary="")
    assert len(verdict.exposed) == 5
    assert verdict.pooled.auc.estimate == 1.0


def test_cases_that_a_database_is_not_about_do_not_count():
    draws = np.random.default_rng(0)
    ratios, included = draws.normal(size=(80, 3)), draws.random((80, 3)) < 0.5
    half = np.arange(80) % 2
    apart = np.full((80, 6), np.nan)
    apart[:, ::2] = ratios
    twice = np.repeat(included, 2, axis=1)
    one = pooled_risk(Attacked(ratios, included, half), draws=50)
    other = pooled_risk(Attacked(apart, twice, half), draws=50)
    assert one == other


def test_every_figure_has_its_interval_and_all_of_it_is_json():
    told = json.loads(json.dumps(verdict_of(NoiseVaries()).to_dict(), allow_nan=False))
    figures = [told["pooled"]["auc"], *told["pooled"]["true_positives"].values()]
    for each in told["documents"]:
        figures += [each["right"], each["epsilon"]]
        figures += [f[name] for f in each["findings"] for name in ("auc", "epsilon")]
        figures += each["figures"].values()
        assert each["figures"]["optimal_advantage"]["caveat"] == "asymptotic"
        assert each["figures"]["true_positives_0.01"]["caveat"] == "extrapolated"
    for each in figures:
        assert each["low"] <= each["estimate"]
        assert each["high"] is None or each["estimate"] <= each["high"]
        assert each["level"] == 0.95
    assert told["neighbours"] == samples_of(NoiseVaries()).neighbours
    assert told["parameters"]["corpus"]
    assert len(told["samples_sha256"]) == 64
    assert set(told["statistics"]) == {f["statistic"] for f in told["documents"][0]["findings"]}


def test_the_same_samples_give_the_same_verdict_and_a_table():
    verdict = verdict_of(NoiseVaries())
    assert verdict.to_dict() == verdict_of(NoiseVaries()).to_dict()
    table = verdict.table()
    assert table["document"].tolist() == ["planted", "other"]
    for name in ("right", *verdict.documents[0].figures.by_name):
        assert (table[f"{name}_low"] <= table[name]).all()
        assert (table[name] <= table[f"{name}_high"]).all()
    assert table["databases_with"].add(table["databases_without"]).tolist() == [200, 200]


def test_details_have_a_line_for_each_figure_with_its_interval_and_caveat():
    planted = verdict_of(NoiseVaries()).documents[0]
    first, *lines = planted.details.splitlines()
    assert first == planted.in_words
    assert len(lines) == len(planted.figures.by_name)
    for line in lines:
        assert re.search(r"^[a-z 0-9.]+: -?\d\.\d{3} \(-?\d\.\d{3} to \d\.\d{3}", line)
    assert "asymptotic)" in planted.details
    assert planted.details.count("extrapolated)") == 2


def test_too_few_databases_are_refused():
    with pytest.raises(InputError, match=r"ask for more databases\.$"):
        verdict_of(Constant(), databases=20)
