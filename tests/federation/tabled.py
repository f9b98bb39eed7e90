"""Three parties with texts, dates and desks, for the tests of tables between parties."""

from dataclasses import replace

import numpy as np
import pandas as pd

import chatham as ch
from chatham.commons import Simulated
from chatham.federation.join import read_for
from chatham.federation.program import fit_and_score
from tests.cli.federation import texts
from tests.federation.test_program import session

TABLES = ({"column": "date", "every": "year"}, {"column": "desk"})
SIZES = (260, 210, 240)
DESKS = (("sport", "city", "court"), ("sport", "city", "abroad"), ("sport", "city", "garden"))


def documents(party, size=None):
    """A table of documents: of three years and a few of a fourth, at desks; some without either."""
    rng = np.random.default_rng(party)
    size = SIZES[party] if size is None else size
    days = np.datetime64("2016-01-01") + rng.integers(0, 3 * 365, size)
    dates = [str(day) for day in days]
    desks = rng.choice(DESKS[party], size, p=[0.5, 0.3, 0.2]).astype(object)
    table = pd.DataFrame({"text": texts(size, seed=party), "date": dates, "desk": desks})
    table.loc[5:9, "date"] = "2019-01-01"
    table.loc[:4, "date"] = None
    table.loc[3 : 3 + 7 * party, "desk"] = None
    return table


def tabled(algorithm="plsa", tables=TABLES, **parameters):
    """A session that makes tables."""
    return replace(session(algorithm, **{"max_iter": 3, **parameters}), tables=tables)


def corpora_of(agreed, given=None):
    """Each party's documents, read as `chatham join` reads them."""
    given = [documents(party) for party in range(3)] if given is None else given
    return [read_for(agreed, each, text="text") for each in given]


def met(agreed, given=None, commons=Simulated, **options):
    """The model of these parties, in one process."""
    options = {"secure": True, **options}
    return fit_and_score(lambda rows, about: commons(rows, **options), agreed,
                         corpora_of(agreed, given))  # fmt: skip


def pooled_by_the_rule(model, given, column, every, most=30):
    """Cells with their documents, by the rule, from documents in one place: written once more.

    Returns {cell: [(party, row), ...]} with the names of spans as pandas has them, and which cells
    every party fills.
    """
    told, filled = [], []
    for table in given:
        names = cell_of(table[column], every)
        sizes = {name: names.count(name) for name in set(names)}
        moved = {name for name, size in sizes.items() if size < most} | {"other"}
        held = sum(sizes.get(name, 0) for name in moved)
        for name in sorted(set(sizes) - moved, key=lambda each: (sizes[each], each)):
            if held == 0 or held >= most:
                break
            moved.add(name)
            held += sizes[name]
        told.append(["other" if name in moved else name for name in names])
        filled.append(set(told[-1]))
    fillers = {name: sum(name in each for each in filled) for name in set().union(*filled)}
    kept = {name for name in fillers if name != "other" and fillers[name] >= 2}
    lonely = [name for name in fillers if name not in kept and name != "other"]
    if (lonely or fillers.get("other")) and fillers.get("other", 0) < 2 and kept:
        kept -= {min(kept, key=lambda each: (fillers[each], [-ord(c) for c in each]))}
    cells = {}
    for party, names in enumerate(told):
        for row, name in enumerate(names):
            cells.setdefault(name if name in kept else "other", []).append((party, row))
    return cells


def cell_of(values, every):
    """The span or group of each document, or that it has none."""
    if every is None:
        return ["no value" if value is None or value != value else value for value in values]
    period = {"year": "Y", "quarter": "Q", "month": "M"}[every]
    days = pd.to_datetime(values)
    return [
        "no value" if pd.isna(day) else str(day.to_period(period).start_time.date()) for day in days
    ]


def weights_of(model, given):
    """Each party's weights over topics."""
    return [np.asarray(model.transform(list(table["text"]))) for table in given]


def plain_corpus(model, table):
    """The documents as counts of the model's words."""
    return ch.read_corpus(list(table["text"]), vocabulary=model.vocabulary.tolist())
