"""A small real corpus that ships with the package, so that everything can be tried offline.

2,887 English abstracts of the ACL Anthology (2016 and later) from three communities of
computational linguistics, which stand in for three organisations: ``generation`` (translation,
dialogue, text generation), ``applications`` (health, education, law, finance, social media) and
``resources`` (corpora, lexicons, annotation). Terms and selection: ``ATTRIBUTION.md`` beside it.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

from chatham.corpus.corpus import Corpus
from chatham.corpus.read import read_corpus

SAMPLE = "acl_abstracts.parquet"


def sample_corpus(**options: Any) -> Corpus:
    """Read the bundled abstracts; options are those of ``read_corpus``.

    The label is the community; title, year and venue are in the metadata.

    >>> corpus = sample_corpus(max_features=1000)
    >>> sorted(corpus.parties(by="community"))
    ['applications', 'generation', 'resources']
    """
    options = {"text": "text", "label": "community", "id": "id", "stop_words": "en", **options}
    with as_file(files(__package__) / SAMPLE) as path:
        return read_corpus(path, **options)
