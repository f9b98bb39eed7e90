"""`chatham session`: what will be computed, by whom and how, in a file that all parties share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.fit_options import (
    Learner,
    MaxFeatures,
    MaxIter,
    Ngrams,
    Seed,
    Settings,
    StopWords,
    Topics,
    Weighting,
)
from chatham.cli.options import Json, Quiet
from chatham.cli.parse import as_choice, as_ngrams, as_settings, as_stop_words
from chatham.cli.session_options import (
    FractionBits,
    HeldOut,
    Items,
    MinDf,
    MinParties,
    OwnDf,
    Party,
    Relay,
    RelayCertificate,
    Rounds,
    Scores,
    SessionFile,
    TwoPartiesKnow,
    WordList,
)
from chatham.errors import InputError

if TYPE_CHECKING:
    from chatham.federation.session import Session

ELSEWHERE = {"random_state": "--seed", "n_components": "-k", "weighting": "--weighting"}
"""Parameters with an option of their own."""
EACH_ITS_OWN = ("n_jobs", "verbose")
NORMED_TOL = 1e-6
"""Unless told otherwise: the blur of normed sums is above what suits plain ones."""


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
    min_df: MinDf = 10,
    own_df: OwnDf = 5,
    max_features: MaxFeatures = None,
    stop_words: StopWords = "auto",
    ngrams: Ngrams = "1",
    words: WordList = None,
    items: Items = False,
    score: Scores = None,
    held_out: HeldOut = None,
    fraction_bits: FractionBits = 40,
    rounds: Rounds = None,
    two_parties_know: TwoPartiesKnow = False,
    relay_certificate: RelayCertificate = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write down what several parties will compute together.

    Everybody gets the same file, session.toml: the parties, which see and confirm what is in it
    when they join, and the relay. There is no secret in it. Its hash, which is printed, enters
    everything that is sent, so parties with different files can't even begin; compare it by
    telephone.

    \b
    Examples:
      chatham session --party North=1f0c… --party South=77aa… --party West=c03e… \\
          --relay https://relay.example:8443 --model lda -k 20
      chatham session … --relay http://127.0.0.1:8750 --model nmf --words words.txt
      chatham session … --model lda -k 20 --score perplexity,npmi --held-out 0.1
      chatham session --party north.party --party south.party --party west.party … \\
          --model svd --set sums=normed --set tol=1e-6
    """
    from chatham.cli.session_roster import certificate, roster
    from chatham.cli.session_scores import check_scores, scores
    from chatham.cli.session_view import show_session
    from chatham.federation.normed.linking import check_links, enough_rounds
    from chatham.federation.session import Session

    parameters = _parameters(topics, max_iter, settings, weighting)
    _check_learner(model, parameters)
    made = Session(
        id=os.urandom(16).hex(),
        relay=relay,
        parties=roster(party),
        algorithm=model.lower(),
        parameters=parameters,
        vocabulary=_vocabulary(
            min_parties, min_df, own_df, max_features, stop_words, ngrams, words, items
        ),
        seed=seed,
        fraction_bits=fraction_bits,
        rounds=rounds or enough_rounds(model, parameters),
        two_parties_know=two_parties_know,
        certificate=certificate(relay_certificate),
        score=scores(score, held_out),
    )
    _check_words(made, min_parties)
    check_scores(made)
    check_links(made)
    _write(made, output)
    show_session(made, output, quiet, as_json)


def _parameters(
    topics: int, max_iter: int | None, settings: list[str] | None, weighting: str
) -> dict[str, Any]:
    given = as_settings(settings or [])
    for name in given:
        if name in EACH_ITS_OWN:
            raise typer.BadParameter(
                f"{name} is each party's own choice and no part of a session.", param_hint="--set"
            )
        if name in ELSEWHERE:
            raise typer.BadParameter(f"Give {name} with {ELSEWHERE[name]}.", param_hint="--set")
        if given[name] is None:
            raise typer.BadParameter(
                f"{name} has no value, and a session holds values only; leave it out.",
                param_hint="--set",
            )
    if given.get("sums") == "normed":
        given.setdefault("tol", NORMED_TOL)
    parameters: dict[str, Any] = {"n_components": topics}
    if max_iter is not None:
        parameters["max_iter"] = max_iter
    if as_choice(weighting, ("auto", "counts", "tfidf"), "--weighting") != "auto":
        parameters["weighting"] = weighting
    return parameters | given


def _check_learner(model: str, parameters: dict[str, Any]) -> None:
    from chatham.model.registry import make_estimator

    own = {name: value for name, value in parameters.items() if name != "weighting"}
    try:
        make_estimator(model, own)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


def _vocabulary(
    min_parties: int,
    min_df: int,
    own_df: int,
    max_features: int | None,
    stop_words: str,
    ngrams: str,
    words: Path | None,
    items: bool,
) -> dict[str, Any]:
    found: dict[str, Any] = {"items": True} if items else _what_words_are(stop_words, ngrams)
    if words is not None:
        from chatham.corpus.readers.files import read_lines

        return found | {"words": sorted({word.strip() for word in read_lines(words)} - {""})}
    limits = {"min_parties": min_parties, "min_df": min_df, "own_df": own_df}
    return found | limits | ({} if max_features is None else {"max_features": max_features})


def _what_words_are(stop_words: str, ngrams: str) -> dict[str, Any]:
    from chatham.corpus.readers.files import read_lines
    from chatham.corpus.text.stop_words import language_code

    chosen = as_stop_words(stop_words) or "none"
    shortest, longest = as_ngrams(ngrams)
    if longest > 1 and chosen == "auto":
        raise typer.BadParameter(
            "With --ngrams parties can't each guess their stop words; name a language, or none.",
            param_hint="--stop-words",
        )
    known = chosen in ("auto", "none") or language_code(chosen) is not None
    found: dict[str, Any] = {
        "stop_words": chosen
        if known
        else sorted({word.strip() for word in read_lines(Path(chosen))} - {""})
    }
    return found if longest == 1 else found | {"ngrams": [shortest, longest]}


def _check_words(made: Session, min_parties: int) -> None:
    from chatham.federation.words.rules import WordRules

    WordRules.of(made.vocabulary)
    if "words" not in made.vocabulary and min_parties > len(made.parties):
        raise typer.BadParameter(
            f"{min_parties} parties can't offer a word, since {len(made.parties)} take part.",
            param_hint="--min-parties",
        )


def _write(made: Session, output: Path) -> None:
    from chatham.cli.places import check_file, unwritable

    if output.exists():
        raise InputError(
            f"'{output}' exists, and parties may have it already; choose another name with -o."
        )
    check_file(output)
    try:
        output.write_text(made.to_toml(), "utf-8")
    except OSError as error:
        raise unwritable(output, error) from None
