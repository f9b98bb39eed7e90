"""The options of `chatham session` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
        help="The relay's address: https://, or http:// on this machine alone.",
        show_default=False,
    ),
]
RelayCertificate = Annotated[
    Path | None,
    typer.Option(
        "--relay-certificate",
        metavar="FILE",
        help="The certificate (PEM) that the relay shows, if no public authority signed it; then "
        "parties believe no other.",
    ),
]
FractionBits = Annotated[
    int,
    typer.Option(
        "--fraction-bits",
        min=0,
        metavar="F",
        help="How finely numbers are added up: in steps of 2^-F. More leave less room for large "
        "ones.",
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        min=1,
        metavar="N",
        help="The most rounds; 10,000 if not given, or as many as normed sums may take.",
    ),
]
MinParties = Annotated[
    int,
    typer.Option(
        "--min-parties", min=2, metavar="N", help="A word enters if so many parties offer it."
    ),
]
MinDf = Annotated[
    int,
    typer.Option(
        "--min-df", min=1, metavar="N", help="And if so many of their documents have it, in all."
    ),
]
OwnDf = Annotated[
    int,
    typer.Option(
        "--own-df",
        min=1,
        metavar="N",
        help="A party offers only words that so many of its own documents have.",
    ),
]
WordList = Annotated[
    Path | None,
    typer.Option(
        "--words",
        metavar="FILE",
        help="A public list of words, one a line, as the vocabulary: stricter, since no "
        "word is offered. Those in fewer than --min-df documents of all are left out.",
    ),
]
Items = Annotated[
    bool,
    typer.Option(
        "--items", help="Items in baskets are counted, and no words; parties join with --basket."
    ),
]
Scores = Annotated[
    list[str] | None,
    typer.Option(
        "--score",
        metavar="MEASURES",
        help="Measures that the parties take of the model together, with commas between them; may "
        "be given again. 'chatham evaluate --list' says what there are.",
    ),
]
HeldOut = Annotated[
    float | None,
    typer.Option(
        "--held-out",
        metavar="SHARE",
        min=0.0,
        max=0.5,
        help="The share of its documents that each party holds out for measures of unseen text; "
        "0.1 if one is named.",
    ),
]
TwoPartiesKnow = Annotated[
    bool,
    typer.Option(
        "--two-parties-know",
        help="Allow two parties, each of which can work out the other's sums; both must know.",
    ),
]
SessionFile = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="The session's file.")
]
