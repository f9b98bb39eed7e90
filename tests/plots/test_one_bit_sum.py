"""The figure of the one-bit sum has every curve where the closed forms are."""

import numpy as np
import pandas as pd
import pytest

from chatham.audit.one_bit_sum import DELTAS, OneBitSum, curves, epsilon_by_ratio
from chatham.errors import InputError
from chatham.plots import plot_one_bit_sum, save_figure

pytest.importorskip("matplotlib")

SIZES = (2, 11, 101, 1001)


@pytest.mark.parametrize("p", [0.5, 0.75])
def test_the_table_has_both_epsilons_and_all_distances(p):
    table = curves(SIZES, p).set_index("n")
    assert table.loc[11, "kolmogorov_smirnov"] == OneBitSum(10, p).kolmogorov_smirnov
    assert table.loc[101, "statistical_distance"] == table.loc[101, "kolmogorov_smirnov"]
    assert table.loc[101, "squared_deviation"] == OneBitSum(100, p).squared_deviation
    for name, delta in DELTAS.items():
        assert table.loc[1001, f"ratio_{name}"] == epsilon_by_ratio(1001, p, delta(1001))
        exact = table.loc[1001, f"exact_{name}"]
        # A window of 1 − δ within e^±ε is enough for (ε, δ), and more than it needs.
        assert 0 < exact < table.loc[1001, f"ratio_{name}"]
        assert OneBitSum(1000, p).delta(exact) <= delta(1001) * (1 + 1e-9)


def test_every_curve_is_drawn_where_it_is(tmp_path):
    table = curves(SIZES)
    left, right = plot_one_bit_sum(table, "p = ½").axes
    drawn = {line.get_label(): line.get_ydata() for line in (*left.lines, *right.lines)}
    assert len(drawn) == 2 * len(DELTAS) + 3
    assert drawn["Kolmogorov–Smirnov"] == pytest.approx(table["kolmogorov_smirnov"].to_numpy())
    exact = table["exact_cubic"].to_numpy()
    assert np.isinf(exact[:2]).all()  # a sum of 0 is likelier than 1/n³
    shown = drawn["δ = 1/n³, exact"]
    assert np.isnan(shown[:2]).all()
    assert shown[2:] == pytest.approx(exact[2:])
    for name in ("one.png", "other.png"):
        save_figure(plot_one_bit_sum(table), tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "other.png").read_bytes()


def test_another_table_is_refused():
    with pytest.raises(InputError, match="lacks 'kolmogorov_smirnov'"):
        plot_one_bit_sum(pd.DataFrame({"n": [1]}))
    with pytest.raises(InputError, match="0 rows"):
        plot_one_bit_sum(curves(SIZES).head(0))
