"""The experiment on the one-bit sum has the thesis's figures, and those that are right."""

import pytest

import one_bit_sum
from chatham.audit.one_bit_sum import OneBitSum, curves, epsilon_by_ratio


def test_the_distances_of_ten_bits_are_those_printed():
    for p, printed in one_bit_sum.PRINTED.items():
        found = OneBitSum(one_bit_sum.TEN - 1, p).kolmogorov_smirnov
        assert found == pytest.approx(printed, abs=0.005)


def test_the_lower_end_alone_is_too_small_above_one_half():
    assert one_bit_sum.lower_end(100, 0.75, 1e-3) == pytest.approx(0.662, abs=5e-4)
    assert one_bit_sum.lower_end(100, 0.5, 1e-3) == pytest.approx(epsilon_by_ratio(100, 0.5, 1e-3))


def test_rates_are_exponents():
    table = curves([10_000, 20_000])
    assert one_bit_sum.rate(table, "kolmogorov_smirnov") == pytest.approx(-0.5, abs=1e-3)
    assert one_bit_sum.rate(table, "squared_deviation") == pytest.approx(-2.0, abs=1e-3)
    # A δ that falls costs a logarithm.
    assert -0.46 < one_bit_sum.rate(table, "ratio_cubic") < -0.42


def test_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(one_bit_sum, "DRAWN", (10, 100))
    assert one_bit_sum.main(["--output", str(tmp_path)]) == 0
    page = (tmp_path / "one_bit_sum.md").read_text("utf-8")
    assert "| 0.75 | 100 | 0.001 | 0.6617 | 1.018 |" in page
    assert "| 0.95 | 0.63 | 0.6302 |" in page
    assert {each.name for each in tmp_path.iterdir()} == {
        "one_bit_sum.md", "one_bit_sum.png", "one_bit_sum_ten.png"
    }  # fmt: skip
    assert one_bit_sum.main([]) == 0
    assert capsys.readouterr().out in page
