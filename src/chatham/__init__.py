"""Chatham: topic models of text that can't be pooled.

>>> import chatham as ch
>>> model = ch.fit("nmf", ch.sample_corpus(), n_components=10, random_state=0)
>>> len(model.top_words(5))
50
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham import plots
    from chatham.audit.auditing import audit
    from chatham.commons import Alone, Recorded, Simulated
    from chatham.corpus import (
        Corpus,
        read_baskets,
        read_corpus,
        sample_corpus,
        synthetic_corpus,
    )
    from chatham.documents.representative import representative
    from chatham.documents.tinting import tinted
    from chatham.ensembles.file import read_summary, write_summary
    from chatham.ensembles.merge import MergedModel, merge
    from chatham.ensembles.publish import publish
    from chatham.ensembles.summary import Summary
    from chatham.ensembles.update import keep_summary, update
    from chatham.errors import ChathamError, InputError
    from chatham.explorer.explore import explore
    from chatham.explorer.report import report
    from chatham.federation.join import join, read_for
    from chatham.federation.program import fit_together
    from chatham.groups.tables import by_group, over_time
    from chatham.learners.anchor import AnchorWords
    from chatham.learners.base import TopicLearner
    from chatham.learners.kmeans import KMeans
    from chatham.learners.lda import LDA
    from chatham.learners.nmf import NMF
    from chatham.learners.online_lda import OnlineLDA
    from chatham.learners.plsa import PLSA
    from chatham.learners.svd import SVD
    from chatham.learners.weighted import Weighted
    from chatham.measures.compare import compare
    from chatham.measures.evaluate import evaluate
    from chatham.measures.several import fit_several
    from chatham.model.file import load
    from chatham.model.fit import fit
    from chatham.model.registry import register
    from chatham.model.topic_model import TopicModel

    __version__: str

# Names are imported when they are first used, so that `chatham --help` needs no numpy.
_HOMES = {
    "Alone": "chatham.commons",
    "Recorded": "chatham.commons",
    "Simulated": "chatham.commons",
    "by_group": "chatham.groups.tables",
    "Corpus": "chatham.corpus",
    "read_baskets": "chatham.corpus",
    "read_corpus": "chatham.corpus",
    "sample_corpus": "chatham.corpus",
    "synthetic_corpus": "chatham.corpus",
    "ChathamError": "chatham.errors",
    "InputError": "chatham.errors",
    "compare": "chatham.measures.compare",
    "evaluate": "chatham.measures.evaluate",
    "AnchorWords": "chatham.learners.anchor",
    "explore": "chatham.explorer.explore",
    "fit": "chatham.model.fit",
    "fit_several": "chatham.measures.several",
    "fit_together": "chatham.federation.program",
    "join": "chatham.federation.join",
    "read_for": "chatham.federation.join",
    "keep_summary": "chatham.ensembles.update",
    "KMeans": "chatham.learners.kmeans",
    "LDA": "chatham.learners.lda",
    "load": "chatham.model.file",
    "merge": "chatham.ensembles.merge",
    "MergedModel": "chatham.ensembles.merge",
    "NMF": "chatham.learners.nmf",
    "over_time": "chatham.groups.tables",
    "OnlineLDA": "chatham.learners.online_lda",
    "PLSA": "chatham.learners.plsa",
    "publish": "chatham.ensembles.publish",
    "read_summary": "chatham.ensembles.file",
    "register": "chatham.model.registry",
    "report": "chatham.explorer.report",
    "representative": "chatham.documents.representative",
    "tinted": "chatham.documents.tinting",
    "Summary": "chatham.ensembles.summary",
    "SVD": "chatham.learners.svd",
    "TopicLearner": "chatham.learners.base",
    "TopicModel": "chatham.model.topic_model",
    "update": "chatham.ensembles.update",
    "write_summary": "chatham.ensembles.file",
    "Weighted": "chatham.learners.weighted",
}

__all__ = [
    "LDA",
    "NMF",
    "PLSA",
    "SVD",
    "Alone",
    "AnchorWords",
    "ChathamError",
    "Corpus",
    "InputError",
    "KMeans",
    "MergedModel",
    "OnlineLDA",
    "Recorded",
    "Simulated",
    "Summary",
    "TopicLearner",
    "TopicModel",
    "Weighted",
    "__version__",
    "audit",
    "by_group",
    "compare",
    "evaluate",
    "explore",
    "fit",
    "fit_several",
    "fit_together",
    "join",
    "keep_summary",
    "load",
    "merge",
    "over_time",
    "plots",
    "publish",
    "read_baskets",
    "read_corpus",
    "read_for",
    "read_summary",
    "register",
    "report",
    "representative",
    "sample_corpus",
    "synthetic_corpus",
    "tinted",
    "update",
    "write_summary",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from chatham.version import version

        return version()
    if name in ("audit", "plots"):  # one can be called, the other is a room of functions
        return import_module(f"chatham.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'chatham' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
