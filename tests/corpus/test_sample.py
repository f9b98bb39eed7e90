"""The bundled sample: there, small, licensed, and selected by a rule that can be run again."""

from importlib.resources import files

import pandas as pd

from chatham.corpus import sample, sample_corpus
from chatham.corpus.sample import SAMPLE
from tests.conftest import CORPORA, excused

SOURCE = CORPORA / "acl_abstracts_2016on.parquet"
FOLDER = files("chatham.corpus.sample")

COMMUNITIES = {
    "generation": (
        "amta dialdoc eamt eval4nlp gem humeval inlg iwsds iwslt loresmt mtsummit newsum ngt "
        "nlp4convai sigdial tsar wat wmt wnu yrrsds"
    ),
    "applications": (
        "alw argmining bea bionlp case cl4health clinicalnlp clpsych ecnlp fever finnlp fnp "
        "louhi ltedi nllp nlp4dh nlp4pi nlpcovid19 nlpcss politicalnlp privatenlp sdp smm4h "
        "socialnlp trac wassa wnut woah"
    ),
    "resources": (
        "bucc computel dmr gwc isa law ldl lrec lt4hala mwe osact parlaclarin resourceful sigul udw"
    ),
}


def select(abstracts):
    """Select the sample from the full file, as ATTRIBUTION.md describes it."""
    community_of = {venue: name for name, all in COMMUNITIES.items() for venue in all.split()}
    venues = abstracts["venue"].str.split("|")
    found = venues.map(lambda names: {community_of[n] for n in names if n in community_of})
    chosen = (
        found.map(len).eq(1)
        & ~venues.map(lambda names: "coling" in names)
        & abstracts["text"].str.len().between(300, 2500)
    )
    sample = abstracts[chosen].assign(community=found[chosen].map(lambda names: next(iter(names))))
    columns = ["id", "year", "venue", "community", "title", "text"]
    return sample.sort_values("id")[columns].reset_index(drop=True)


def test_sample_is_the_described_selection():
    if not SOURCE.exists():
        excused("CHATHAM_DATA names no folder with the full file of abstracts")
    shipped = pd.read_parquet(str(FOLDER / SAMPLE))
    pd.testing.assert_frame_equal(shipped, select(pd.read_parquet(SOURCE)))


def test_sample_is_about_a_megabyte_and_attributed():
    assert 800_000 < len((FOLDER / SAMPLE).read_bytes()) < 1_100_000
    attribution = (FOLDER / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert "CC BY 4.0" in attribution
    assert "ACL Anthology" in attribution
    for venues in COMMUNITIES.values():
        assert venues in " ".join(attribution.split())


def test_sample_has_three_natural_parties():
    corpus = sample_corpus()
    parties = corpus.parties(by="community")
    assert {name: len(party) for name, party in parties.items()} == {
        "applications": 1034,
        "generation": 879,
        "resources": 974,
    }
    assert not corpus.empty.any()
    assert {"title", "year", "venue"} <= set(corpus.metadata.columns)
    assert corpus.metadata["year"].min() >= 2016


def test_options_reach_the_reader():
    corpus = sample_corpus(max_features=50, label="year", keep_texts=False)
    assert corpus.n_words == 50
    assert corpus.texts is None
    assert 2020 in corpus.labels


def test_the_description_says_how_many_abstracts_there_are():
    assert sample.__doc__.count(f"{len(sample_corpus()):,} English abstracts") == 1
