"""The demonstration's report: everyone's topics beside one party's documents."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from chatham.cli.demo.study import Study
from chatham.corpus import Corpus
from chatham.explorer.prepare import Titles
from chatham.explorer.report import report
from chatham.notes import UnknownWordsWarning

BY = "community"


def write_report(study: Study, corpus: Corpus, path: Path) -> int:
    """Write what the first party would see: it has the model, and no documents but its own."""
    first = next(iter(study.parties))
    own = corpus.rows(np.array([str(name) == first for name in corpus.column(BY)]))
    home = "party-1" if study.meeting.home is None else study.meeting.home.name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownWordsWarning)  # words that no other party has
        titles = Titles(f"{home}/lda-model", f"{home}/texts.csv")
        return report(study.lda, own, path, titles=titles)
