"""Tables that parties make together are those of pooled documents under the same rule."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.commons import Recorded, Simulated
from chatham.errors import InputError, SessionError
from chatham.federation.pinning import rows_hash
from chatham.federation.program import check_told, fit_and_score, program_of
from chatham.federation.tables import TableRules, in_words
from tests.federation.tabled import (
    TABLES,
    corpora_of,
    documents,
    met,
    pooled_by_the_rule,
    tabled,
    weights_of,
)
from tests.federation.test_program import session

GIVEN = [documents(party) for party in range(3)]


@pytest.mark.parametrize("algorithm", ["plsa", "nmf", "lda"])
def test_tables_are_those_of_pooled_documents_under_the_same_rule(algorithm):
    agreed = tabled(algorithm)
    model = met(agreed)
    weights = weights_of(model, GIVEN)
    for rule in TableRules.of(TABLES).rules:
        table = model.tables[rule.column]
        cells = pooled_by_the_rule(model, GIVEN, rule.column, rule.every)
        assert len(table) == 3 * len(cells)
        for name, members in cells.items():
            if rule.every is None or name in ("other", "no value"):
                mine = table[table["span" if rule.every else rule.column] == name]
            else:
                mine = table[table["start"] == pd.Timestamp(name)]
            expected = np.mean([weights[party][row] for party, row in members], axis=0)
            assert mine["documents"].tolist() == [len(members)] * 3, name
            np.testing.assert_allclose(mine["share"], expected, atol=1e-6)
            assert (mine["low"] <= mine["share"]).all()
            assert (mine["share"] <= mine["high"]).all()


def test_the_rule_is_what_the_tables_show():
    """The planted desks: three at each party, two of them everywhere and one of its own."""
    model = met(tabled())
    desks = model.tables["desk"]
    assert desks["desk"].unique().tolist() == ["city", "sport", "other"]
    first = desks.drop_duplicates("desk").set_index("desk")["documents"]
    assert first.sum() == sum(map(len, GIVEN))
    spans = model.tables["date"]
    assert spans["span"].unique()[-1] == "other"
    assert spans["start"].isna().sum() == 3
    assert "2019" not in spans["span"].tolist()
    assert spans.attrs["session"] == tabled().hash.hex()


def test_whoever_takes_part_alone_sees_what_the_simulation_sees():
    """Fixed point or floating point, masked or not: the same rule where holders are private."""
    agreed = tabled()
    one, other = met(agreed), met(agreed)
    for column in one.tables:
        pd.testing.assert_frame_equal(one.tables[column], other.tables[column])


def test_spans_and_groups_that_stand_in_the_session_are_the_cells():
    tables = (
        {"column": "date", "every": "year", "first": "2017", "last": "2018-06"},
        {"column": "desk", "groups": ["sport", "nowhere"]},
    )
    model = met(tabled(tables=tables))
    assert model.tables["date"]["span"].unique().tolist() == ["2017", "2018", "other"]
    assert model.tables["desk"]["desk"].unique().tolist() == ["sport", "other"]
    sport = sum((table["desk"] == "sport").sum() for table in GIVEN)
    assert model.tables["desk"]["documents"].iloc[0] == sport


def test_without_tables_nothing_more_crosses_and_with_them_the_model_is_the_same():
    ledgers, models = [], []
    for agreed in (session("plsa", max_iter=3), tabled()):
        commons = []

        def meet(rows, about, commons=commons):
            commons.append(Recorded(Simulated(rows, secure=True)))
            return commons[-1]

        models.append(fit_and_score(meet, agreed, corpora_of(agreed)))
        ledgers.append([entry.statistic for each in commons for entry in each.ledger])
    assert ledgers[1][: len(ledgers[0])] == ledgers[0]
    assert {name.rpartition(".")[2] for name in ledgers[1][len(ledgers[0]) :]} == {
        "begin_names", "count_offers_of_names", "compare_names", "send_names", "count_fillers",
        "add_up_cells",
    }  # fmt: skip
    assert models[0].tables == {}
    np.testing.assert_array_equal(models[0].topics, models[1].topics)


def test_documents_that_are_held_out_are_in_no_table():
    agreed = replace(tabled(), score={"measures": ["npmi", "perplexity"], "held_out": 0.2})
    model = met(agreed)
    held_out = sum(round(0.2 * len(table)) for table in GIVEN)
    for table in model.tables.values():
        cells = table.drop_duplicates(table.columns[0] if "span" not in table else "span")
        assert cells["documents"].sum() == sum(map(len, GIVEN)) - held_out


def test_a_table_that_cannot_be_made_costs_nothing_else():
    given = [table.copy() for table in GIVEN]
    for party, table in enumerate(given):
        table["desk"] = f"desk {party}"
    model = met(tabled(), given)
    assert model.tables["desk"].empty
    assert (
        "No group has 30 documents of each of two parties"
        in (model.tables["desk"].attrs["skipped"])
    )
    assert len(model.tables["date"]) > 0
    assert list(model.tables["desk"].columns) == [
        "desk", "documents", "topic", "share", "low", "high", "words",
    ]  # fmt: skip


def test_a_column_may_be_called_like_one_of_the_tables():
    tables = ({"column": "topic"},)
    given = [table.rename(columns={"desk": "topic"}) for table in GIVEN]
    table = met(tabled(tables=tables), given).tables["topic"]
    assert table.columns[0] == "group"
    assert set(table["topic"]) == {0, 1, 2}


def test_dates_are_read_as_a_whole_before_any_are_held_out():
    """The one date that tells the day from the month may be held out."""
    agreed = replace(
        tabled(tables=({"column": "date", "every": "month"},)),
        score={"measures": ["npmi"], "held_out": 0.5},
    )
    given = []
    for table in GIVEN:
        day_first = table.copy()
        day_first["date"] = np.resize(["03/04/2017", "05/06/2017", "01/02/2017"], len(table))
        day_first.loc[0, "date"] = "25/12/2017"
        given.append(day_first)
    spans = met(agreed, given).tables["date"]["span"].unique().tolist()
    assert set(spans) < {"2017-02", "2017-04", "2017-06", "other"}


def test_words_differ_only_where_that_is_certain():
    """Of documents that differ in nothing, hardly any word is told; of planted ones, theirs."""
    model = met(tabled())
    alike = [row for table in model.tables.values() for row in table["words"]]
    assert sum(bool(row) for row in alike) <= len(alike) / 5
    given = [table.copy() for table in GIVEN]
    for table in given:
        table.loc[table["desk"] == "sport", "text"] += " goal goal"
        table.loc[table["desk"] == "city", "text"] += " tram tram"
    model = met(tabled(), given)
    desks = model.tables["desk"]
    words = {desk: " ".join(desks[desks["desk"] == desk]["words"]) for desk in ("sport", "city")}
    assert "goal" in words["sport"]
    assert "tram" not in words["sport"]
    assert "tram" in words["city"]
    assert "goal" not in words["city"]


# -- what is refused


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (({"column": "date", "every": "month"}, {"column": "date"}), "name 'date' twice"),
        (({"every": "month"},), "must have a column"),
        (({"column": "date", "grain": "month"},), "must have a column"),
        (({"column": "date", "every": "fortnight"},), "must be one of day, week"),
        (({"column": "date", "every": "months"},), "did you mean 'month'"),
        (({"column": "date", "first": "2016", "last": "2017"},), "not how long a span"),
        (({"column": "date", "every": "day", "first": "2016"},), "one end of the time"),
        (({"column": "date", "every": "day", "first": "2017", "last": "2016"},), "a later one"),
        (({"column": "date", "every": "day", "first": "soon", "last": "2016"},), "a later one"),
        (({"column": "date", "every": "day", "first": "2010", "last": "2016"},), "2,192 spans"),
        (({"column": "desk", "groups": []},), "a list of up to 500 names"),
        (({"column": "desk", "groups": "sport"},), "a list of up to 500 names"),
        (({"column": "desk", "groups": ["a", 1]},), "a list of up to 500 names"),
        (({"column": "desk", "every": "day", "groups": ["a"]},), "a list of up to 500 names"),
        (({"column": "desk", "groups": ["a", "a"]},), "a group twice"),
        (({"column": "desk", "groups": ["a", "other"]},), "which every table has"),
        (({"column": "x" * 101},), "of at most 100"),
        (({"column": "a\nb"},), "can't be printed"),
        (({"column": "desk", "every": 7},), "must be one of day, week"),
        (({"column": "date", "every": "day", "first": 2016, "last": [2]},), "a later one"),
    ],
    ids=str,
)  # fmt: skip
def test_tables_that_cannot_be_are_refused_in_one_sentence(tables, said):
    with pytest.raises(SessionError, match=said) as refused:
        program_of(tabled(tables=tables))
    assert str(refused.value).count(". ") == 0


def test_directions_have_no_tables():
    with pytest.raises(SessionError, match="no shares of the directions"):
        program_of(replace(session("svd"), tables=TABLES))


def test_a_private_session_has_none():
    with pytest.raises(SessionError, match="leave out one of tables and privacy"):
        replace(session("nmf"), tables=TABLES, privacy={"epsilon": 1.0, "delta": 1e-5, "honest": 2})


@pytest.mark.parametrize("tables", [{"column": "date"}, ["date"], 5])
def test_what_is_no_list_of_tables_is_refused(tables):
    from chatham.federation.session import session_of

    with pytest.raises(SessionError):
        session_of({**tabled().as_plain(), "table": tables})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.drop(columns="desk"), r"by the column 'desk', which your documents"),
        (lambda table: table.rename(columns={"desk": "desks"}), "did you mean 'desks'"),
        (lambda table: table.assign(date="a secret day"), "is a date that can be read"),
    ],
)
def test_a_partys_slip_is_said_to_it_alone_and_before_anything_leaves(change, said):
    agreed = tabled()
    (corpus,) = corpora_of(agreed, [change(GIVEN[0])])
    with pytest.raises(InputError, match=said) as refused:
        check_told(program_of(agreed), corpus, None)
    assert "nothing has been sent" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_party_without_any_date_takes_part():
    given = [*GIVEN[:2], GIVEN[2].assign(date=None)]
    agreed = tabled()
    program_of(agreed).tables.check(corpora_of(agreed, given)[2])
    table = met(agreed, given).tables["date"].drop_duplicates("span")
    assert table["documents"].sum() == sum(map(len, GIVEN))


def test_a_party_is_told_of_dates_that_say_little():
    rules = program_of(tabled()).tables
    odd = GIVEN[0].assign(date=["03/04/2017"] * 250 + ["soon"] * 10)
    (corpus,) = corpora_of(tabled(), [odd])
    lost, guessed = rules.concerns(corpus)
    assert "10 values in the column 'date' can't be read" in lost
    assert "the month is taken to be first" in guessed
    assert rules.concerns(corpora_of(tabled(), [GIVEN[0]])[0]) == []


def test_the_hash_of_rows_covers_the_columns_used_and_no_others():
    agreed = tabled()
    rules = TableRules.of(TABLES)
    (corpus,) = corpora_of(agreed, [GIVEN[0]])

    def pinned(**changes):
        return rules.pinned(corpora_of(agreed, [GIVEN[0].assign(**changes)])[0])

    assert rows_hash(corpus) == rows_hash(corpus, TableRules().pinned(corpus))
    assert rows_hash(corpus, pinned()) != rows_hash(corpus)
    assert rows_hash(corpus, pinned(page=7)) == rows_hash(corpus, pinned())
    for name in ("date", "desk"):
        values = GIVEN[0][name].tolist()
        values[-1] = "2016-02-03"
        assert rows_hash(corpus, pinned(**{name: values})) != rows_hash(corpus, pinned())


def test_what_is_confirmed_names_what_crosses():
    said = in_words(TABLES)
    assert "over time by the year in the column 'date'" in said
    assert "Those of 'date' and 'desk' are agreed on" in said
    ranged = ({"column": "date", "every": "year", "first": "2016", "last": "2019"},)
    said = in_words((*ranged, {"column": "desk", "groups": ["sport"]}))
    assert "from 2016 to 2019" in said
    assert "('sport')" in said
    assert "agreed on" not in said


def test_ones_own_documents_by_cell_are_told_to_oneself():
    date, desk = program_of(tabled()).tables.rules
    (corpus,) = corpora_of(tabled(), [GIVEN[0]])
    assert date.brought(corpus).startswith("By 'date': 4 years, ")
    assert "5 documents without any" in date.brought(corpus)
    assert desk.brought(corpus) == "By 'desk': 3 groups, 3 with 30 documents or more; " + (
        "1 document without any."
    )


def test_tables_of_a_model_load_as_they_were(tmp_path):
    model = met(tabled())
    model.save(tmp_path / "model")
    again = ch.load(tmp_path / "model")
    assert list(again.tables) == ["date", "desk"]
    for column, table in model.tables.items():
        pd.testing.assert_frame_equal(again.tables[column], table)
        assert again.tables[column].attrs == table.attrs
    again.save(tmp_path / "again")
    one, other = ((tmp_path / name / "tables.json").read_bytes() for name in ("model", "again"))
    assert one == other
    ch.fit("plsa", ["cats purr", "dogs bark"], n_components=2).save(tmp_path / "model")
    assert ch.load(tmp_path / "model").tables == {}
