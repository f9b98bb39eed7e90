"""Two documents of a party, planted so that a table over time or by group might tell them apart.

All other parties collude: they take their own parts off each total, and have the victim's own sums
to the last bit. They look for the planted documents by name in all that they see and save; in each
cell; and in every difference that two tables allow: some spans of the one less some groups of the
other. The same is done without the rule, where they are found each time. `docs/security.md` has the
figures.
"""

from itertools import chain, combinations
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from chatham.commons import Simulated
from chatham.federation.words.codes import word_of
from tests.federation.tabled import corpora_of, documents, met, tabled

FEWEST = 30
PLANTED = 2
WORD = "codename"
GROUP = "case 17"


class Overheard(Simulated):
    """Masked holders, what all of them see, and what the first one sends."""

    seen: ClassVar[list] = []

    def _total(self, step, shared, precision):
        total = super()._total(step, shared, precision)
        self.seen.append((step.__name__, shared, total))
        return total

    def _run(self, step, rows, memory, shared):
        parts = super()._run(step, rows, memory, shared)
        if memory.index == 0:
            self.seen.append((f"victim {step.__name__}", shared, parts[0]))
        return parts


def planted(where, seed=0):
    """Three parties' documents; the first one's last two are planted.

    There are tables by year, by desk, and by the year again in a column of its own.
    """
    given = []
    for party in range(3):
        table = documents(party, 240).assign(desk=["sport", "city", "court"] * 80)
        rng = np.random.default_rng(100 * seed + party)
        years = rng.permutation(np.repeat([2016, 2017, 2018], 80))
        given.append(table.assign(date=[f"{year}-06-01" for year in years], issue=years))
    victim = given[0]
    rows = victim.index[-PLANTED:]
    victim["text"] = victim["text"].astype(str)
    victim.loc[rows, "text"] += f" {WORD}" * 9
    where(given, victim, rows)
    return given


def own_group(given, victim, rows):
    """A group that only they are in."""
    victim.loc[rows, "desk"] = GROUP


def beside_forty(given, victim, rows):
    """A group of which another party has forty."""
    own_group(given, victim, rows)
    given[1].loc[:39, "desk"] = GROUP


def beside_forty_of_two(given, victim, rows):
    """A group of which both other parties have forty: it is a cell, and the victim's two aren't in
    it."""
    beside_forty(given, victim, rows)
    given[2].loc[:39, "desk"] = GROUP


def undated(given, victim, rows):
    """They alone have no date, and only their issue says the year."""
    victim["date"] = victim["date"].astype(object)
    victim.loc[rows, "date"] = None


def misdated(given, victim, rows):
    """The two columns of years disagree about them."""
    victim.loc[rows, "date"] = "2016-06-01"
    victim.loc[rows, "issue"] = 2018


def first_ever(given, victim, rows):
    """They are older than all others."""
    victim.loc[rows, "date"] = "1987-06-01"
    victim.loc[rows, "issue"] = 1987


def without_a_desk(given, victim, rows):
    """They alone have no desk."""
    victim.loc[rows, "desk"] = None


def last_of_a_year(given, victim, rows):
    """A year of which the victim has thirty documents by one column, and two less by the other."""
    years = victim["issue"].to_numpy().copy()
    years[:] = np.where(years == 2018, 2017, years)
    years[: FEWEST - PLANTED] = 2018
    years[-PLANTED:] = 2018
    victim["issue"], victim["date"] = years, [f"{year}-06-01" for year in years]
    victim.loc[rows, "date"] = "2017-06-01"


WAYS = (own_group, beside_forty, beside_forty_of_two, undated, misdated, first_ever,
        without_a_desk, last_of_a_year)  # fmt: skip
BETWEEN_TABLES = (undated, misdated, last_of_a_year)
"""Where each table by itself keeps to the rule, and a difference of two shows them all the same."""
TABLES = (
    {"column": "date", "every": "year"},
    {"column": "desk"},
    {"column": "issue", "every": "year"},
)


def choices(n):
    return chain.from_iterable(combinations(range(n), size) for size in range(n + 1))


def small_differences(cells):
    """Choices of cells of one table, or of two, that are over some documents, but few.

    `cells` has, for each table, the sets of documents in each cell.
    """
    found = []
    for one, other in combinations(cells, 2):
        for mine in choices(len(one)):
            plus = set().union(*(one[cell] for cell in mine))
            for theirs in choices(len(other)):
                left = plus ^ set().union(*(other[cell] for cell in theirs))
                if 0 < len(left) < FEWEST:
                    found.append(left)
    return found


def cells_of(memberships):
    """The documents of each cell that has any."""
    return [
        [set(cell.indices.tolist()) for cell in membership.T.tocsr() if cell.nnz]
        for membership in memberships
    ]


def told_by_victim(seen):
    """Its cells with documents, in the numbers that the coalition has: one array for each table."""
    tables = [shared[2] for name, shared, _ in seen if name == "victim add_up_cells"]
    sums = [parts for name, _, parts in seen if name == "victim add_up_cells"]
    return tables, sums


@pytest.mark.parametrize("where", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("seed", [0, 1])
def test_two_planted_documents_are_found_nowhere(where, seed, tmp_path, capsys, monkeypatch):
    import chatham.groups.sums as sums_module

    given = planted(where, seed)
    agreed = tabled(tables=TABLES)
    Overheard.seen = []
    memberships = []
    told = sums_module._told
    monkeypatch.setattr(
        sums_module, "_told", lambda *rows: memberships.append((rows, told(*rows)))
        or memberships[-1][1],
    )  # fmt: skip
    model = met(agreed, given, commons=Overheard)
    model.save(tmp_path / "model")

    # By name: the group, and the word that only they have.
    everything = "".join(
        f"{part}" for name, *parts in Overheard.seen if not name.startswith("victim")
        for part in parts
    )  # fmt: skip
    files = b"".join(path.read_bytes() for path in (tmp_path / "model").iterdir())
    assert WORD not in everything
    assert WORD.encode() not in files
    if where is not beside_forty_of_two:
        assert GROUP not in everything
        assert GROUP.encode() not in files
    assert "1987-" not in everything
    assert b"1987-" not in files
    spelt = {
        word_of(row // parties)
        for name, _, total in Overheard.seen if name == "send_names"
        for row in total[0] for parties in (1, 2, 3)
    }  # fmt: skip
    assert "1987-01-01" not in spelt
    assert (GROUP in spelt) == (where is beside_forty_of_two)
    assert "sport" in spelt

    # By numbers: each cell that the victim tells of, and every difference of two tables.
    (arguments, (own, _)), *_ = memberships
    for _, parts in zip(*told_by_victim(Overheard.seen), strict=True):
        sizes, _, _, counts, _, _ = parts
        assert ((sizes == 0) | (sizes >= FEWEST)).all()
        assert not ((counts > 0).sum(axis=1)[sizes == 0]).any()
    small = small_differences(cells_of(own))
    documents_, *before = arguments
    naive = small_differences(cells_of(before)) + [
        cell for table in cells_of(before) for cell in table if len(cell) < FEWEST
    ]
    mine = set(np.flatnonzero(np.isin(documents_.rows, given[0].index[-PLANTED:])).tolist())
    assert mine in naive
    assert small == []
    monkeypatch.setattr(sums_module, "keep_apart", lambda cells, *_: list(cells))
    each_alone = small_differences(cells_of(told(*arguments)[0]))
    assert any(each <= mine for each in each_alone) == (where in BETWEEN_TABLES)
    with capsys.disabled():
        print(
            f"\n{where.__name__}: {len(naive):,} small sums without the rule, "
            f"{len(each_alone)} where each table keeps to it alone, {len(small)} with it",
            end="",
        )


def test_totals_are_those_cells_and_nothing_else():
    """What is counted above is what the coalition has: totals less its own parts are these sums."""
    given = planted(undated)
    Overheard.seen = []
    met(tabled(tables=TABLES), given, commons=Overheard)
    totals = [total for name, _, total in Overheard.seen if name == "add_up_cells"]
    _, victims = told_by_victim(Overheard.seen)
    assert len(totals) == len(victims) == len(TABLES)
    for total, parts in zip(totals, victims, strict=True):
        assert (total[0] >= parts[0]).all()
        assert (total[0] > parts[0]).any()


def test_a_word_of_few_documents_is_in_no_cell():
    """Also one that all know, that two documents of a large cell have."""
    given = planted(own_group)
    for table in given[1:]:
        table.loc[:99, "text"] += f" {WORD}"
    victim = given[0]
    victim["desk"] = ["sport", "city", "court"] * 80
    victim.loc[:5, "text"] += f" {WORD}"
    Overheard.seen = []
    model = met(tabled(tables=TABLES), given, commons=Overheard)
    column = model.vocabulary.tolist().index(WORD)
    _, victims = told_by_victim(Overheard.seen)
    for sizes, _, _, counts, _, silent in victims:
        assert not counts[:, column].any()
        assert (silent[sizes > 0, column] == 1).all()


def test_the_ends_of_time_are_nobodys_alone():
    """A hundred early documents of one party: the table begins where two have some."""
    given = planted(own_group)
    given[0].loc[:99, "date"] = "1987-06-01"
    model = met(tabled(tables=TABLES[:1]), given)
    assert model.tables["date"]["start"].min() == pd.Timestamp("2016-01-01")
    assert len(corpora_of(tabled(tables=TABLES), given)) == 3
