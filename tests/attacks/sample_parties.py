"""The bundled abstracts as three parties, with the words that they agree on by default."""

from functools import cache

import numpy as np
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Simulated
from chatham.federation.words import agree_vocabulary, recounted
from chatham.federation.words.rules import WordRules

COLUMN = "community"


@cache
def communities():
    """Each community's documents, read as `chatham join` reads them."""
    sample = ch.sample_corpus(min_df=1, stop_words=None)
    owners = np.array(list(sample.column(COLUMN)))
    texts = np.array(sample.texts, dtype=object)
    return tuple(rules().read(list(texts[owners == owner]), {}) for owner in np.unique(owners))


def rules(**policy):
    """A session's rules about words, the default ones unless others are given."""
    return WordRules.of({"stop_words": "en", **policy})


def counted(corpora, **policy):
    """Each party's counts of the words that these parties agree on."""
    agreed = agree_vocabulary(
        Simulated([rules(**policy).offered(corpus) for corpus in corpora]), policy=policy
    )
    return [sp.csr_array(recounted(corpus, agreed.words).counts) for corpus in corpora]


@cache
def three_parties():
    """The three communities' counts under the default rules."""
    return tuple(counted(communities()))


@cache
def four_parties():
    """The same with the largest community's documents held by two."""
    parts = sorted(three_parties(), key=lambda counts: counts.shape[0])
    return (*parts[:-1], sp.csr_array(parts[-1][0::2]), sp.csr_array(parts[-1][1::2]))


@cache
def with_public_list():
    """Counts of a public list of words: all that anybody has, however rare they are here."""
    offered = {word for corpus in communities() for word in map(str, corpus.vocabulary)}
    return tuple(counted(communities(), words=tuple(sorted(offered)), min_df=5))
