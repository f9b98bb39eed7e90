"""`chatham session`: what will be computed, by whom and how, in a file that all parties share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import (
    Json,
    Learner,
    MaxFeatures,
    MaxIter,
    Ngrams,
    Quiet,
    Seed,
    Settings,
    StopWords,
    Topics,
    Weighting,
)
from chatham.cli.parse import (
    as_choice,
    as_limit,
    as_ngrams,
    as_privacy,
    as_settings,
    as_stop_words,
)
from chatham.cli.wording import as_options
from chatham.errors import InputError

if TYPE_CHECKING:
    from chatham.audit.cost_of_privacy import CostOfPrivacy
    from chatham.commons.privacy import Privacy
    from chatham.federation.session import Session

ELSEWHERE = {"random_state": "--seed", "n_components": "-k", "weighting": "--weighting"}
"""Parameters with their own options."""
EACH_ITS_OWN = ("n_jobs", "verbose")
USUAL_MAX_DF, ALL = "50%", "100%"
"""Of words in texts the usual limit is as in 'chatham fit'."""
Party = Annotated[
    list[str],
    typer.Option(
        "--party",
        metavar="NAME=KEY|FILE",
        help="A party and its public key, as 'chatham keygen' prints it, or the .party file that "
        "it writes; once for each party.",
        show_default=False,
    ),
]
Relay = Annotated[
    str,
    typer.Option(
        "--relay",
        metavar="URL",
        help="The relay's address: https://, or http:// on this machine only.",
        show_default=False,
    ),
]
RelayCertificate = Annotated[
    Path | None,
    typer.Option(
        "--relay-certificate",
        metavar="FILE",
        help="The certificate (PEM) that the relay presents, if no public authority signed it; "
        "then parties accept no other.",
    ),
]
FractionBits = Annotated[
    int,
    typer.Option(
        "--fraction-bits",
        min=0,
        metavar="F",
        help="Precision of sums: steps of 2^-F. More bits leave less room for large numbers.",
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        min=1,
        metavar="N",
        help="Maximum number of rounds; by default 10,000, or as many as normed sums may take.",
    ),
]
MinParties = Annotated[
    int,
    typer.Option(
        "--min-parties",
        min=2,
        metavar="N",
        help="Minimum number of parties that must offer a word.",
    ),
]
MinDf = Annotated[
    str,
    typer.Option(
        "--min-df",
        metavar="LIMIT",
        help="Minimum document frequency of a word over those parties: a number of documents, or a "
        "share of those of all parties (1%).",
    ),
]
MaxDf = Annotated[
    str | None,
    typer.Option(
        "--max-df",
        metavar="LIMIT",
        help="Maximum document frequency of a word over those parties: a number of documents, or a "
        "share; by default 50%, and 100% of items and of a public list.",
    ),
]
OwnDf = Annotated[
    int,
    typer.Option(
        "--own-df",
        min=1,
        metavar="N",
        help="Minimum document frequency at a party for it to offer a word.",
    ),
]
WordList = Annotated[
    Path | None,
    typer.Option(
        "--words",
        metavar="FILE",
        help="A public list of words, one per line, as the vocabulary: stricter, since no word is "
        "offered. Words in fewer than --min-df documents over all parties are left out.",
    ),
]
Items = Annotated[
    bool,
    typer.Option(
        "--items", help="Count items in baskets instead of words; parties join with --basket."
    ),
]
Scores = Annotated[
    list[str] | None,
    typer.Option(
        "--score",
        metavar="MEASURES",
        help="Measures by which the parties score the model together, with commas between them; "
        "may be repeated. 'chatham evaluate --list' lists them.",
    ),
]
HeldOut = Annotated[
    float | None,
    typer.Option(
        "--held-out",
        metavar="SHARE",
        min=0.0,
        max=0.5,
        help="The share of its documents that each party holds out for held-out measures; by "
        "default 0.1 if there is one.",
    ),
]
Tables = Annotated[
    list[str] | None,
    typer.Option(
        "--tables",
        metavar="COLUMNS",
        help="Columns of the documents by which the parties make tables of topics together, with "
        "commas between them: date:month (or day, week, quarter, year, decade) over time, "
        "section by group. Spans and groups are agreed on, or given: date:month:2016-01..2020-12, "
        "'section=sport|politics'. Those of few documents are told as others. May be repeated.",
    ),
]
TwoPartiesKnow = Annotated[
    bool,
    typer.Option(
        "--two-parties-know",
        help="Allow two parties, each of which can derive the other's sums; both must agree to "
        "this.",
    ),
]
Pace = Annotated[
    int,
    typer.Option(
        "--pace",
        min=0,
        metavar="MS",
        help="Milliseconds after a total at which every contribution to the next leaves, so that "
        "the relay can't tell who has more documents by how long they take; by default at once. "
        "If somebody needs longer, all double it.",
    ),
]
ExactTotalsKnow = Annotated[
    bool,
    typer.Option(
        "--exact-totals-know",
        help="Let all totals cross exactly, without noise and with every word, though such totals "
        "give documents away; all parties must agree to this, and see in figures what was rebuilt "
        "from them.",
    ),
]
Dp = Annotated[
    str | None,
    typer.Option(
        "--dp",
        metavar="epsilon=E,delta=D",
        help="Make the fit differentially private (NMF and SVD): noise as large as that needs in "
        "every sum over documents. honest=H too, if more than 2 parties surely don't collude. What "
        "it costs in quality is shown first.",
    ),
]
Try = Annotated[
    Path | None,
    typer.Option(
        "--try",
        metavar="FILE",
        help="With --dp: documents to show the cost in quality on, in place of the bundled sample.",
    ),
]
RosterChangedKnow = Annotated[
    bool,
    typer.Option(
        "--roster-changed-know",
        help="Go on although documents were in a session of other parties: a total of one minus "
        "one of the other is that of the parties that came or left; all must agree to this.",
    ),
]
SessionFile = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="The session's file.")
]


def session(
    party: Party,
    relay: Relay,
    output: SessionFile = Path("session.toml"),
    model: Learner = "lda",
    topics: Topics = 20,
    seed: Seed = 0,
    max_iter: MaxIter = None,
    settings: Settings = None,
    weighting: Weighting = "auto",
    min_parties: MinParties = 2,
    min_df: MinDf = "10",
    max_df: MaxDf = None,
    own_df: OwnDf = 5,
    max_features: MaxFeatures = None,
    stop_words: StopWords = "auto",
    ngrams: Ngrams = "1",
    words: WordList = None,
    items: Items = False,
    score: Scores = None,
    held_out: HeldOut = None,
    tables: Tables = None,
    fraction_bits: FractionBits = 40,
    rounds: Rounds = None,
    pace: Pace = 0,
    two_parties_know: TwoPartiesKnow = False,
    exact_totals_know: ExactTotalsKnow = False,
    roster_changed_know: RosterChangedKnow = False,
    dp: Dp = None,
    tried_on: Try = None,
    relay_certificate: RelayCertificate = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write the session file: what several parties will compute together.

    Everybody gets the same file, session.toml: the parties, which see and confirm what is in it
    when they join, and the relay. It contains no secret. Its hash, which is printed, goes into
    everything that is sent, so parties with different files can't even start; compare it by
    telephone. In the examples $NORTH is the public key that 'chatham keygen North' printed.

    \b
    Examples:
      chatham session --party North=$NORTH --party South=$SOUTH --party West=$WEST \\
          --relay https://relay.example:8443 --model lda -k 20
      chatham session --party North=$NORTH --party South=$SOUTH --party West=$WEST \\
          --relay http://127.0.0.1:8750 --model nmf --words words.txt
      chatham session --party North=$NORTH --party South=$SOUTH --party West=$WEST \\
          --relay https://relay.example:8443 -k 20 --score perplexity,npmi --held-out 0.1
      chatham session --party North=$NORTH --party South=$SOUTH --party West=$WEST \\
          --relay https://relay.example:8443 -k 20 --tables date:month,section
      chatham session --party north.party --party south.party --party west.party \\
          --relay https://relay.example:8443 --model svd --set sums=normed --set tol=1e-6
      chatham session --party North=$NORTH --party South=$SOUTH --party West=$WEST \\
          --relay https://relay.example:8443 --model nmf --dp epsilon=3,delta=1e-6 --try mine.csv
    """
    from chatham.cli.session.contents import (
        cell_tables,
        certificate,
        check_made,
        check_scores,
        roster,
        scores,
    )
    from chatham.cli.session.view import show_session
    from chatham.federation.normed.linking import check_links, enough_rounds
    from chatham.federation.session import Session

    parameters = _parameters(topics, max_iter, settings, weighting)
    privacy = as_privacy(dp)
    _check_learner(model, parameters, exact_totals_know, privacy)
    parameters = _suiting_parties(model, parameters)
    if tried_on is not None and privacy is None:
        raise typer.BadParameter("It goes with --dp.", param_hint="--try")
    agreed = Session(
        id=os.urandom(16).hex(),
        relay=relay,
        parties=roster(party),
        algorithm=model.lower(),
        parameters=parameters,
        vocabulary=_vocabulary(
            min_parties, min_df, max_df, own_df, max_features, stop_words, ngrams, words, items
        ),
        seed=seed,
        fraction_bits=fraction_bits,
        rounds=rounds or enough_rounds(model, parameters),
        pace=pace,
        two_parties_know=two_parties_know,
        exact_totals_know=exact_totals_know,
        roster_changed_know=roster_changed_know,
        certificate=certificate(relay_certificate),
        score=scores(score, held_out),
        privacy={} if privacy is None else privacy.as_plain(),
        tables=cell_tables(tables),
    )
    _check_words(agreed, min_parties)
    check_scores(agreed)
    check_made(agreed)
    check_links(agreed)
    cost = None if privacy is None or quiet else _cost(agreed, tried_on, as_json)
    _write(agreed, output)
    show_session(agreed, output, quiet, as_json, cost)


def _parameters(
    topics: int, max_iter: int | None, settings: list[str] | None, weighting: str
) -> dict[str, Any]:
    parameters: dict[str, Any] = {"n_components": topics}
    if max_iter is not None:
        parameters["max_iter"] = max_iter
    assigned = as_settings(settings or [], parameters, ELSEWHERE)
    for name in assigned:
        if name in EACH_ITS_OWN:
            raise typer.BadParameter(
                f"{name} is each party's own choice, not part of a session.", param_hint="--set"
            )
        if assigned[name] is None:
            raise typer.BadParameter(
                f"{name} has no value, but a session holds only values; leave it out.",
                param_hint="--set",
            )
    if as_choice(weighting, ("auto", "counts", "tfidf"), "--weighting") != "auto":
        parameters["weighting"] = weighting
    return parameters | assigned


def _cost(session: Session, tried_on: Path | None, as_json: bool) -> CostOfPrivacy:
    """What the privacy costs in quality, measured before anybody gets the file."""
    from chatham.cli.progress import progress

    with progress(as_json) as reporter:
        from chatham.audit.cost_of_privacy import cost_of_privacy
        from chatham.corpus import read_corpus, sample_corpus

        reporter.stage("Reading documents to try it on")
        corpus = sample_corpus() if tried_on is None else read_corpus(tried_on, keep_texts=False)
        reporter.stage("Measuring what privacy costs")
        return cost_of_privacy(session, corpus, progress=reporter.count)


def _check_learner(
    model: str, parameters: dict[str, Any], exact_totals: bool, privacy: Privacy | None
) -> None:
    from chatham.model.registry import learner_typed, make_estimator

    own = {name: value for name, value in parameters.items() if name != "weighting"}
    try:
        learner = make_estimator(learner_typed(model), own)
        learner._check_between_parties(exact_totals)
        learner._check_privacy(privacy)
    except InputError as error:
        raise typer.BadParameter(as_options(error)) from None


def _suiting_parties(model: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters, and after them the learner's own defaults between parties."""
    from chatham.model.registry import learner_named

    defaults = learner_named(model)._for_parties(parameters)
    return parameters | {name: defaults[name] for name in defaults if name not in parameters}


def _vocabulary(
    min_parties: int,
    min_df: str,
    max_df: str | None,
    own_df: int,
    max_features: int | None,
    stop_words: str,
    ngrams: str,
    words: Path | None,
    items: bool,
) -> dict[str, Any]:
    rules: dict[str, Any] = {"items": True} if items else _tokens(stop_words, ngrams)
    usual = USUAL_MAX_DF if words is None and not items else ALL
    most = as_limit(max_df or usual, "--max-df")
    policy: dict[str, Any] = {
        "min_parties": min_parties if words is None else None,
        "min_df": as_limit(min_df, "--min-df"),
        "max_df": None if (type(most), most) == (float, 1.0) else most,
        "own_df": own_df if words is None else None,
        "max_features": max_features,
    }
    policy = {name: value for name, value in policy.items() if value is not None}
    _check_policy(policy)
    if words is not None:
        from chatham.corpus.readers.files import read_lines

        policy["words"] = sorted({word.strip() for word in read_lines(words)} - {""})
    return rules | policy


def _check_policy(policy: dict[str, Any]) -> None:
    from chatham.federation.words.rules import VocabularyRules

    try:
        VocabularyRules.of(policy)
    except InputError as error:
        raise typer.BadParameter(as_options(error)) from None


def _tokens(stop_words: str, ngrams: str) -> dict[str, Any]:
    from chatham.corpus.text.stop_words import AUTO, choices_in, language_code

    choices = choices_in(as_stop_words(stop_words) or "none")
    shortest, longest = as_ngrams(ngrams)
    if longest > 1 and AUTO in choices:
        raise typer.BadParameter(
            "With --ngrams parties can't each guess their stop words; name a language, or none.",
            param_hint="--stop-words",
        )
    if len(choices) == 1 and (choices[0] in (AUTO, "none") or language_code(choices[0])):
        rules: dict[str, Any] = {"stop_words": choices[0]}
    else:
        words = sorted({word for each in choices if each != AUTO for word in _words_of(each)})
        rules = {"stop_words": [AUTO, words] if AUTO in choices else words}
    return rules if longest == 1 else rules | {"ngrams": [shortest, longest]}


def _words_of(choice: str) -> set[str]:
    """A language's words, or a file's: the parties don't have the file."""
    from chatham.corpus.readers.files import read_lines
    from chatham.corpus.text.stop_words import language_code, language_stop_words

    code = language_code(choice)
    if code is not None:
        return set(language_stop_words(code))
    return {word.strip() for word in read_lines(Path(choice))} - {""}


def _check_words(session: Session, min_parties: int) -> None:
    from chatham.federation.words.rules import WordRules

    WordRules.of(session.vocabulary)
    if "words" not in session.vocabulary and min_parties > len(session.parties):
        raise typer.BadParameter(
            f"{min_parties} parties can't offer a word, since {len(session.parties)} take part.",
            param_hint="--min-parties",
        )


def _write(session: Session, output: Path) -> None:
    from chatham.cli.paths import check_file, unwritable

    if output.exists():
        raise InputError(
            f"'{output}' exists, and parties may have it already; choose another name with -o."
        )
    check_file(output)
    try:
        output.write_text(session.to_toml(), "utf-8")
    except OSError as error:
        raise unwritable(output, error) from None
