"""What shapes words and topics in `fit` does so in a session too, or there is a reason why not."""

import pytest

from chatham.cli.app import command_named


def options_of(name):
    """A command's options and arguments, by the names of its function's parameters."""
    return {each.name: each for each in command_named(name).params}


FIT, SESSION, JOIN = (options_of(name) for name in ("fit", "session", "join"))
ELSEWHERE = {"vocabulary": "words", "files": "corpus", "anchors": "settings", "basket": "items"}
"""Options of `fit` that have another name between parties."""
NOT_BETWEEN_PARTIES = {
    "max_features_by": "the most frequent by documents are kept, which are counted anyway; by "
    "tokens or tf-idf another exact number would cross about every word",
    "slice": "the summary that is kept is of one's own documents alone, and exact",
}
EACH_ITS_OWN = {"words", "quiet", "as_json", "output", "jobs"}
"""What concerns one's own screen, disk and processor; `words` of a session is its list."""
OF_A_SESSION = {
    "party", "relay", "relay_certificate", "min_parties", "own_df", "score", "held_out", "tables",
    "fraction_bits", "rounds", "pace", "two_parties_know", "exact_totals_know",
    "roster_changed_know", "dp", "tried_on",
}  # fmt: skip
"""What only several parties have."""


@pytest.mark.parametrize("name", FIT)
def test_each_option_of_fit_is_a_sessions_or_a_partys_or_has_a_reason_why_not(name):
    between = ELSEWHERE.get(name, name)
    assert between in SESSION or between in JOIN or name in NOT_BETWEEN_PARTIES, (
        f"{name} shapes what chatham fit computes; should chatham session have it?"
    )


def test_no_reason_is_left_over():
    assert not set(NOT_BETWEEN_PARTIES) & (set(SESSION) | set(JOIN))
    assert set(NOT_BETWEEN_PARTIES) | set(ELSEWHERE) <= set(FIT)


@pytest.mark.parametrize("name", SESSION)
def test_each_option_of_a_session_is_one_of_fit_or_only_several_parties_have_it(name):
    assert name in FIT or name in ELSEWHERE.values() or name in OF_A_SESSION


@pytest.mark.parametrize("name", sorted((set(FIT) & set(SESSION)) - EACH_ITS_OWN))
def test_what_both_have_is_written_alike(name):
    alone, together = FIT[name], SESSION[name]
    assert (alone.opts, alone.secondary_opts) == (together.opts, together.secondary_opts)
    assert alone.metavar == together.metavar or name == "topics"  # a session has one number
    assert alone.multiple == together.multiple
