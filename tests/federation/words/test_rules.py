"""What a session may say about its vocabulary."""

from hashlib import sha256

import numpy as np
import pytest

from chatham.commons import Recorded, Simulated
from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.federation.words import agree_vocabulary, offered_words
from chatham.federation.words.agreeing import AgreedVocabulary
from chatham.federation.words.rules import VocabularyRules
from tests.federation.words.agreeing_parties import PLANTED, tables

LISTED = ["tea", "rum", "tea", "unheard"]


def test_a_public_list_taken_whole_asks_nobody():
    commons = Recorded(Simulated(tables(PLANTED)))
    agreed = agree_vocabulary(commons, policy={"words": LISTED, "min_df": 1})
    assert agreed.words.tolist() == ["rum", "tea", "unheard"]
    assert agreed.document_frequencies is None is agreed.parties
    assert commons.ledger == []


def test_words_of_a_public_list_must_be_in_enough_documents():
    commons = Recorded(Simulated(tables(PLANTED), secure=True))
    agreed = agree_vocabulary(commons, policy={"words": LISTED})
    known = [dict(zip(one.words, one.frequencies, strict=True)) for one in tables(PLANTED)]
    documents = [sum(one.get(word, 0) for one in known) for word in ("rum", "tea")]
    assert agreed.words.tolist() == ["rum", "tea"]
    assert agreed.document_frequencies.tolist() == documents
    assert [entry.shape for entry in commons.ledger] == [(3,)]
    most = {"words": LISTED, "min_df": int(min(documents)) + 1}
    assert agree_vocabulary(commons, policy=most).words.tolist() == ["rum"]
    assert agree_vocabulary(commons, words=LISTED, max_features=1).words.tolist() == ["rum"]


def test_common_words_of_a_public_list_are_left_out_too():
    commons = Recorded(Simulated(tables(PLANTED, documents=45)))
    policy = {"words": LISTED, "min_df": 1, "max_df": 22}
    assert agree_vocabulary(commons, policy=policy).words.tolist() == ["tea"]
    assert [entry.shape for entry in commons.ledger] == [(3,)]
    share = {**policy, "max_df": 0.2}  # of 135 documents 27
    assert agree_vocabulary(commons, policy=share).words.tolist() == ["tea"]


def test_a_policy_goes_before_arguments():
    policy = {"min_parties": 3, "own_df": 7}
    agreed = agree_vocabulary(Simulated(tables(PLANTED)), min_parties=2, policy=policy)
    assert agreed.words.tolist() == ["tea"]
    assert VocabularyRules.of(policy).own_df == 7


@pytest.mark.parametrize(
    "policy",
    [
        {"min_parties": 1}, {"min_parties": 2.0}, {"min_df": 0}, {"own_df": 0}, {"own_df": "5"},
        {"max_features": 0}, {"max_features": True}, {"words": []}, {"words": "tea"},
        {"words": ["tea", 3]}, {"words": [""]}, {"language": "en"}, {"min_parties": 4},
        {"max_df": 0}, {"max_df": 0.0}, {"max_df": 1.5}, {"max_df": True}, {"max_df": "50%"},
        {"min_df": 0.0}, {"min_df": 1.1}, {"min_df": 9, "max_df": 8},
        {"min_df": 0.5, "max_df": 0.4}, {"max_df": float("nan")},
    ],
)  # fmt: skip
def test_rules_that_cannot_be_are_refused(policy):
    with pytest.raises(InputError):
        agree_vocabulary(Simulated(tables(PLANTED)), policy=policy)


@pytest.mark.parametrize("own_df", [0, 2.5, True])
def test_own_df_is_a_whole_number(own_df):
    with pytest.raises(InputError, match="own_df"):
        offered_words(Corpus(np.ones((2, 1)), ["tea"]), own_df)


def test_more_than_200_parties_are_refused():
    assert len(agree_vocabulary(Simulated(tables([{"tea": 5}] * 200)))) == 1
    with pytest.raises(InputError, match="200"):
        agree_vocabulary(Simulated(tables([{"tea": 5}] * 201)))


def test_the_hash_is_of_the_words_and_their_borders():
    def hash_of(*words):
        return AgreedVocabulary(np.array(words)).hash

    assert hash_of("tea", "milk") == hash_of("tea", "milk")
    assert len({hash_of("tea", "milk"), hash_of("te", "amilk"), hash_of("milk", "tea")}) == 3
    framed = b"chatham vocabulary" + b"\0\0\0\x03tea"
    assert hash_of("tea") == sha256(framed).digest()
