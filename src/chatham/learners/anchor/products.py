"""C by a few of its products: what parties add up instead of C, which would tell too much.

One exact total of co-occurrences gives documents away: words that occur together in one document
only share 1/n(n−1), and are tied together by it, with the document's length. Rectification needs
C's leading eigenvectors alone, and these follow from products with a few blocks of vectors: for a
document of n words with counts h, the product of its part of C with Q is (h(hᵀQ) − h∘Q) / n(n−1),
so a holder adds up Xᵀ(XQ) less what words add with themselves, and no d×d array is ever formed.
The first block is random but fixed, the next ones are the images of those before, and the best
eigenvectors are sought in the space of all of them (Rayleigh–Ritz). Five products with k + 20
columns give the anchors that C gives.

**It is no proof of secrecy.** Every column of a block is an equation for each row of C, and who has
as many equations as a row has unknowns solves it; fewer are enough where a row is sparse. So a
holder leaves out of its part the words that fewer than ten of its own documents have, and takes no
part at all where a row that remains has no more nonzero entries than equations are told, over this
fit and all before. And products cross with no more bits than the eigenvectors need: co-occurrences
are multiples of 1/n(n−1), and digits enough would pin such a row down whatever the number of
equations.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.commons.precision import LOG_LIKELIHOOD, PAIR_PRODUCTS
from chatham.errors import InputError
from chatham.learners.anchor.rectify import Leading, first_block
from chatham.learners.cooccurrence import (
    ALIKE,
    PairedDocuments,
    Pairing,
    check_pairs,
    documents_with_pairs,
    paired_documents,
)
from chatham.learners.documents import (
    OWN_WORDS,
    Documents,
    counts_of,
    distinct_holders,
    with_words,
)
from chatham.naming import plural
from chatham.numerics.eigen import leading
from chatham.numerics.products import multiply, sums_by
from chatham.numerics.threads import blocks, each
from chatham.wording import say

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

EXTRA, PRODUCTS = 20, 5
"""Columns of a block beyond k, and blocks: with fewer some anchors differ from those of C."""
FEWEST = 10
"""A word that fewer of its own documents have is left out of a holder's part."""


def measurements(k: int) -> int:
    """How many equations for each row of a holder's co-occurrence a fit of k topics tells.

    >>> measurements(20)
    200
    """
    return PRODUCTS * (k + EXTRA)


def leading_by_products(
    commons: Commons, k: int, pairing: Pairing = ALIKE
) -> tuple[Leading, PairedDocuments]:
    """C's leading eigenvectors from sums of products, and the documents that they come from.

    A document adds at most one to an entry of a product with unit vectors, or by length at most its
    length; divided by the number of documents, or of their words, entries are below one.
    """
    paired, total = _counted(commons, k, pairing)
    occurs = paired.document_frequencies > 0
    size = 2.0 ** ceil(log2(total))

    def times(block: Array) -> Array:
        product = commons.sum(multiply_pairs, block, 1.0 / size, pairing, most=PAIR_PRODUCTS)
        return np.asarray(product) * (size / total)

    vectors, values = leading(
        times,
        first_block(occurs, min(k + EXTRA, int(occurs.sum()))),
        k,
        tol=-1.0,  # never early: how many products are told doesn't depend on the documents
        depth=PRODUCTS - 1,
        most=PRODUCTS,
        blind=PRODUCTS,
    )
    return Leading(vectors, values, occurs), paired


def _counted(commons: Commons, k: int, pairing: Pairing) -> tuple[PairedDocuments, float]:
    """The documents, and what C is the mean over: their number, or that of their words."""
    told = measurements(k)
    if not pairing.by_length:
        frequencies, numbers = commons.sum(count_pairs, told, pairing)
        paired = paired_documents(frequencies, numbers, pairing)
        return paired, paired.kept
    frequencies, numbers, length = commons.sum(
        count_pairs_and_words, told, pairing, most=(1.0, 1.0, LOG_LIKELIHOOD)
    )
    return paired_documents(frequencies, numbers, pairing), float(length)


def least_value(words: int) -> float:
    """The size of eigenvalues below which rounding in the sums accounts for them."""
    return float(2.0**-PAIR_PRODUCTS.bits * np.sqrt(words))


@keeps(own_words="which words enough of my documents have for pairs of them to be told")
def count_pairs(
    rows: Any, memory: Memory, told: int, pairing: Pairing = ALIKE
) -> tuple[Whole, Whole]:
    """Document frequencies of words that ten of my documents have; documents kept and dropped.

    `told` is how many equations for each row of my co-occurrence the products will be.
    """
    return documents_with_pairs(_told_documents(rows, memory, told, pairing), pairing)


@keeps(own_words="which words enough of my documents have for pairs of them to be told")
def count_pairs_and_words(
    rows: Any, memory: Memory, told: int, pairing: Pairing
) -> tuple[Whole, Whole, Array]:
    """Document frequencies of words that ten of my documents have; documents and words kept."""
    documents = _told_documents(rows, memory, told, pairing)
    check_even(documents, pairing)
    length = documents.sizes[pairing.takes(documents.sizes)].sum()
    return *documents_with_pairs(documents, pairing), np.array(length)


def _told_documents(rows: Any, memory: Memory, told: int, pairing: Pairing) -> Documents:
    """My documents without the words that few of them have, if enough hides in them."""
    whole = Documents(rows)
    check_pairs(whole.sizes)
    own_words = words_of_enough(whole, pairing=pairing)
    documents = Documents(with_words(rows, own_words))
    check_hidden(documents, told, memory.told, pairing)
    memory[OWN_WORDS] = own_words
    return documents


def multiply_pairs(
    rows: Any, memory: Memory, block: Array, factor: float, pairing: Pairing = ALIKE
) -> Array:
    """Word co-occurrence times directions over words; words that few documents have left out."""
    documents = counts_of(rows, memory)
    weights = memory.derived("pair weights", pairing.weights, documents)
    image = multiply(documents, np.ascontiguousarray(block)) * weights[:, None]
    product = multiply(documents.by_word, image)
    alone = sums_by(documents.indices, documents.data * weights[documents.owners], documents.d)
    return (product - alone[:, None] * block) * factor


def words_of_enough(
    documents: Documents, fewest: int = FEWEST, pairing: Pairing = ALIKE
) -> NDArray[np.bool_]:
    """The words that enough documents have, counting only documents that have another of them.

    What is left of a document once rare words are gone may have no pair any more, and then it
    hides nothing: words are left out until nothing changes. Copies count once.

    >>> rows = np.array([[1, 1, 0], [1, 2, 0], [1, 0, 1], [1, 0, 1]])
    >>> words_of_enough(Documents(rows), fewest=2)
    array([ True,  True, False])
    """
    words = np.ones(documents.d, dtype=bool)
    owners = documents.owners
    while True:
        cells = words[documents.indices]
        sizes = sums_by(owners[cells], documents.data[cells], documents.n)
        cells &= pairing.takes(sizes)[owners]
        enough = distinct_holders(documents, cells) >= fewest
        if (enough == words).all():
            return enough
        words = enough


def check_even(documents: Documents, pairing: Pairing) -> None:
    """Refuse where one document has so many of my words that products by length would be its own.

    Where documents count alike none has a larger share than where ten have a word. By length one
    that is far longer than the rest would make every product its own counts times one number.
    """
    lengths = documents.sizes[pairing.takes(documents.sizes)]
    if not len(lengths) or FEWEST * float(lengths.max()) <= float(lengths.sum()):
        return
    raise InputError(
        say(
            "The longest document here has {share:.0%} of all words, and none may have more than "
            "{most:.0%} with {mean_over='tokens'} between parties, where products would tell its "
            "words; leave {mean_over} at 'auto', or bring more long documents.",
            share=float(lengths.max()) / float(lengths.sum()),
            most=1.0 / FEWEST,
        )
    )


def check_hidden(documents: Documents, told: int, before: int, pairing: Pairing = ALIKE) -> None:
    """Refuse where a row of my co-occurrence has no more entries than equations are told for it."""
    entries = row_entries(documents, pairing)
    entries = entries[entries > 0]
    sparsest = int(entries.min(initial=np.iinfo(np.int64).max))
    if told + before < sparsest:
        return
    raise _unhidden(told, before, sparsest, "only")


def check_ever_hidden(rows: Any, told: int, before: int, pairing: Pairing = ALIKE) -> None:
    """Refuse, before words are agreed on, where that will be so whichever these are.

    With fewer words no row has more entries. So the fullest row of all words bounds the sparsest of
    those agreed on; between the two, only the words can tell.
    """
    own = Documents(with_words(rows, words_of_enough(Documents(rows), pairing=pairing)))
    fullest = int(row_entries(own, pairing).max(initial=0))
    if 0 < fullest <= told + before:
        raise _unhidden(told, before, fullest, "at most")


def _unhidden(told: int, before: int, words: int, how_many: str) -> InputError:
    return InputError(
        say(
            "This fit tells {told} numbers about each word's co-occurrences{earlier}, and here a "
            "word that {fewest} documents or more have occurs together with {words}, so that these "
            "could be worked out; no product has left. Make a new session with fewer topics, or "
            "bring more or longer documents to a new one.",
            told=told,
            earlier=f", and earlier sessions told {before}" if before else "",
            fewest=FEWEST,
            words=f"{how_many} {plural(words, 'word')}",
        ),
        kind="sparse",
    )


def row_entries(documents: Documents, pairing: Pairing = ALIKE) -> Whole:
    """The number of nonzero entries in each row of the documents' co-occurrence.

    >>> row_entries(Documents(np.array([[1, 1, 1, 0], [1, 2, 0, 0], [0, 0, 0, 1]]))).tolist()
    [2, 3, 2, 0]
    """
    words, has_pairs = documents.by_word, pairing.takes(documents.sizes)
    entries = np.empty(documents.d, dtype=np.int64)

    def work(block: tuple[int, int]) -> None:
        _count_row_entries(
            documents.indptr, documents.indices, words.indptr, words.indices, words.data,
            has_pairs, entries, *block,
        )  # fmt: skip

    each(work, blocks(words.indptr))
    return entries


@njit(cache=True, nogil=True)
def _count_row_entries(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    word_indptr: NDArray[Any],
    word_documents: NDArray[Any],
    word_data: Array,
    has_pairs: NDArray[np.bool_],
    entries: Whole,
    first: int,
    last: int,
) -> None:
    met_by = np.full(len(word_indptr) - 1, -1)
    for word in range(first, last):
        count, with_itself = 0, False
        met_by[word] = word
        for entry in range(word_indptr[word], word_indptr[word + 1]):
            document = word_documents[entry]
            if not has_pairs[document]:
                continue
            with_itself = with_itself or word_data[entry] != 1.0
            for cell in range(indptr[document], indptr[document + 1]):
                if met_by[indices[cell]] != word:
                    met_by[indices[cell]] = word
                    count += 1
        entries[word] = count + with_itself
