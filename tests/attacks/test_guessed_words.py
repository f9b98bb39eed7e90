"""What a party learns of words that another one alone offers, if it can guess them.

Nobody is told the letters of such a word. But every party has the key of the buckets, so it looks a
guess up in the total of offers: a bucket in which one party offers something, and it isn't me, is
nearly always that word. `docs/vocabulary.md` says so, with these figures.
"""

import numpy as np

import chatham as ch
from chatham.corpus import read_corpus, sample_corpus
from chatham.federation.words import agree_vocabulary, offered_words
from chatham.federation.words.codes import flags_counted, hashes_of, word_of


class Overheard(ch.Simulated):
    """Masked holders, and all that any of them sees: what is shared, and totals."""

    def __init__(self, parts):
        self.seen = []
        super().__init__(parts, secure=True)

    def sum(self, step, *shared, **more):
        total = super().sum(step, *shared, **more)
        self.seen.append((step.__name__, shared, total))
        return total

    def of(self, name):
        return [(shared, total) for step, shared, total in self.seen if step == name]


def three_newsrooms():
    """The sample corpus at three parties; all their words, and those that they offer."""
    texts = [party.texts for party in sample_corpus().parties(by="label").values()]
    own = [read_corpus(each, stop_words="en", min_df=1, max_df=1.0) for each in texts]
    offers = [offered_words(corpus, own_df=5) for corpus in own]
    return [{str(word) for word in corpus.vocabulary} for corpus in own], offers


def test_who_guesses_a_word_sees_that_one_party_offers_it(capsys):
    own, offers = three_newsrooms()
    commons = Overheard(offers)
    agree_vocabulary(commons, min_parties=2, min_df=10)
    (key, buckets), total = commons.of("count_offers")[0]
    counts = flags_counted(total, buckets, 3)
    offered = [set(table.words) for table in offers]
    nobodys = sorted(set().union(*own) - set().union(*offered))
    absent = counts[hashes_of(nobodys, key, buckets)[0]]
    said = []
    for me, mine in enumerate(offered):
        others = [each for place, each in enumerate(offered) if place != me]
        alone = sorted((others[0] ^ others[1]) - mine)
        seen = counts[hashes_of(alone, key, buckets)[0]]
        said.append((int((seen == 1).sum()), len(alone)))
        assert (seen >= 1).all()
        assert (seen == 1).mean() > 0.95
    with capsys.disabled():
        print("\nwords of one other party that a guess shows as such:", said)
        print(
            f"of {len(nobodys):,} that nobody offers: {int((absent == 0).sum()):,} shown as such, "
            f"{int((absent == 1).sum())} as one party's"
        )
    assert (absent == 0).mean() > 0.95


def test_a_limit_on_common_words_tells_the_number_of_documents_and_nothing_else():
    """Which words are too common follows from document frequencies that are summed anyhow, and of
    the number of documents every fit tells (`tests/federation/test_program.py`)."""
    _, offers = three_newsrooms()
    seen = []
    for limit in ({}, {"max_df": 600}, {"max_df": 0.2}):
        commons = Overheard(offers)
        agreed = agree_vocabulary(commons, min_parties=2, min_df=10, **limit)
        totals = [
            (step, [np.asarray(each).tolist() for each in np.atleast_1d(total).tolist()])
            if not isinstance(total, tuple)
            else (step, [each.tolist() for each in total])
            for step, _, total in commons.seen
        ]
        seen.append((len(agreed), totals))
    (all_words, plain), (fewer, in_numbers), (fewest, in_shares) = seen
    assert all_words > fewer > fewest
    assert in_numbers == plain
    assert in_shares == [("count_all", [len(sample_corpus())]), *plain]


def test_no_letter_of_it_crosses():
    _, offers = three_newsrooms()
    commons = Overheard(offers)
    agreed = set(agree_vocabulary(commons, min_parties=2, min_df=10).words.tolist())
    offered = [set(table.words) for table in offers]
    passes = zip(commons.of("count_offers"), commons.of("send_words"), strict=True)
    for ((_, buckets), total), ((full, expected), (letters, _)) in passes:
        parties = flags_counted(total, buckets, 3)[full][expected >= 0]
        for row, number in zip(letters, parties, strict=True):
            word = "" if (row % number).any() else word_of(row // number)
            assert not word or sum(word in each for each in offered) >= 2
    assert all(sum(word in each for each in offered) >= 2 for word in agreed)
