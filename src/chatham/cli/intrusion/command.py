"""`chatham intrusion`: whether people see what the topics of a model are about."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import (
    Delimiter,
    Encoding,
    Format,
    Json,
    KnownLearners,
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    Vocabulary,
    output_option,
    seed_option,
    words_option,
)
from chatham.cli.sources import as_reading, called

if TYPE_CHECKING:
    from chatham.cli.progress import Silent
    from chatham.measures.intrusion.score import IntrusionTask

TASKS = ("word", "topic")
INTRUDERS = ("other-topic", "dictionary")


def intrusion(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A model folder that 'chatham fit -o' wrote, or a file of topics, as 'chatham "
            "evaluate' reads them; topic intrusion needs probabilities, not lists of words.",
            show_default=False,
        ),
    ],
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="Documents for topic intrusion, in any form that 'chatham fit' reads.",
            show_default=False,
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="KIND",
            help="word: which word doesn't belong to a topic; topic: which topic doesn't belong "
            "to a document. If not given, topic with a FILE and word without.",
        ),
    ] = None,
    words: Annotated[
        int | None,
        words_option(
            "Words to show for each topic; if not given, 5 in word and 8 in topic intrusion."
        ),
    ] = None,
    documents: Annotated[
        int,
        typer.Option(
            "--documents", min=1, metavar="N", help="Maximum number of documents to ask about."
        ),
    ] = 20,
    topics: Annotated[
        int,
        typer.Option(
            "--topics",
            min=1,
            metavar="N",
            help="How many of a document's topics to show with the intruder.",
        ),
    ] = 3,
    intruder: Annotated[
        str,
        typer.Option(
            "--intruder",
            metavar="FROM",
            help="Where intruding words come from: other-topic (its top words) or dictionary.",
        ),
    ] = "other-topic",
    seed: Annotated[int, seed_option("The same seed gives the same questions.")] = 0,
    output: Annotated[
        Path | None,
        output_option(
            "Write the questions to this .csv file, without the right answers, instead of asking "
            "them here. A file with answers in it is left alone."
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="Write the answers that are given here to this .csv file, as --answers reads it.",
        ),
    ] = None,
    snippets: Annotated[
        bool,
        typer.Option(
            "--snippets",
            help="Write the beginning of each document's text into the file; otherwise only its "
            "most frequent words.",
        ),
    ] = False,
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            "--answers",
            metavar="FILE",
            help="Score this .csv file of answers: columns question, answer and, if there are "
            "several raters, rater. May be repeated, with one file per rater.",
        ),
    ] = None,
    text: Text = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    learner: KnownLearners = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Ask people which word, or which topic, doesn't belong.

    Word intrusion shows the top words of a topic and one word of another topic; topic intrusion
    shows a document, its topics, and one that is not among them. The share of intruders that
    people find, the model precision, shows how clear the topics are.

    Questions are asked here, or written to a file (-o) that goes to others; their answers are then
    scored (--answers) with the same model, documents, options and seed.

    \b
    Examples:
      chatham intrusion model/
      chatham intrusion topics.txt --save mine.csv
      chatham intrusion model/ news.csv --documents 10
      chatham intrusion model/ -o questions.csv
      chatham intrusion model/ --answers questions.csv
    """
    _check_task(task, file, words)
    _check_intruder(intruder)
    _check_snippets(snippets, file, output)
    _check_mode(output, answers, save)
    from chatham.cli.progress import load_measures, print_notes, progress

    quietly = quiet or as_json
    with progress(quietly) as reporter:
        load_measures(reporter)
        _check_files(output, save)
        if file is None:
            questions = _words(model, words, seed, intruder)
        else:
            reading: dict[str, Any] = {
                "text": text,
                "vocabulary": vocabulary,
                **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
            }
            reading["keep_texts"] = snippets or (output is None and not answers)
            questions = _topics(
                model, file, reading, reporter,
                n_documents=documents, n_topics=topics, n_words=words or 8, random_state=seed,
            )  # fmt: skip
    if not quietly:
        print_notes([*reporter.notes, *questions.notes])
    from chatham.cli.intrusion.view import ask, say_score, say_written, write_questions

    if output is not None:
        write_questions(questions.table(snippets), output)
        say_written(questions, output, quiet, as_json)
        return
    answered: Any = list(answers) if answers else ask(questions, save)
    say_score(questions, answered, asked=not answers, quiet=quiet, as_json=as_json)


def _check_task(task: str | None, file: Path | None, words: int | None) -> None:
    """With documents it is topic intrusion; --task must not contradict that."""
    if task not in (None, *TASKS):
        raise typer.BadParameter(f"'{task}' is not word or topic.", param_hint="--task")
    if task == "topic" and file is None:
        raise typer.BadParameter("Topic intrusion needs documents; name a file.", param_hint="FILE")
    if task == "word" and file is not None:
        raise typer.BadParameter(
            "Word intrusion needs no documents; leave the file out.", param_hint="FILE"
        )
    if file is None and words == 1:
        raise typer.BadParameter("One word is too few; show 2 or more.", param_hint="-n")


def _check_intruder(intruder: str) -> None:
    if intruder not in INTRUDERS:
        raise typer.BadParameter(
            f"'{intruder}' is not other-topic or dictionary.", param_hint="--intruder"
        )


def _check_snippets(snippets: bool, file: Path | None, output: Path | None) -> None:
    if snippets and (file is None or output is None):
        raise typer.BadParameter(
            "Snippets are written into the file of topic intrusion; give FILE and -o too.",
            param_hint="--snippets",
        )


def _check_mode(output: Path | None, answers: list[Path] | None, save: Path | None) -> None:
    """One thing at a time: ask here, write questions, or score answers."""
    if output is not None and answers:
        raise typer.BadParameter("Write questions or score answers, not both.", param_hint="-o")
    if save is not None and (output is not None or answers):
        raise typer.BadParameter(
            "Answers are saved only if questions are asked here; leave -o and --answers out.",
            param_hint="--save",
        )
    for path, option in ((output, "-o"), (save, "--save")):
        if path is not None and path.suffix.lower() != ".csv":
            raise typer.BadParameter(f"'{path}' must end in .csv.", param_hint=option)
    in_terminal = sys.stdin.isatty() and sys.stderr.isatty()
    if output is None and not answers and not in_terminal:
        raise typer.BadParameter(
            "Questions can be asked only in a terminal, and this isn't one; write them to a file "
            "with -o, or score answers with --answers.",
            param_hint="-o or --answers",
        )


def _check_files(*files: Path | None) -> None:
    """Refuse files that can't be written, or whose answers would be lost, before any work."""
    from chatham.cli.paths import check_file
    from chatham.measures.intrusion.answers import check_unanswered

    for path in filter(None, files):
        check_file(path)
        check_unanswered(path)


def _words(path: Path, words: int | None, seed: int, intruder: str) -> IntrusionTask:
    from chatham.measures.elsewhere.files import read_topics
    from chatham.measures.intrusion.tasks import word_intrusion

    source = intruder.replace("-", "_")
    return word_intrusion(read_topics(path), words or 5, seed, intruder=source)


def _topics(
    path: Path, file: Path, reading: dict[str, Any], reporter: Silent, **settings: int
) -> IntrusionTask:
    from chatham.cli.wording import news
    from chatham.measures.elsewhere.files import read_topics
    from chatham.measures.intrusion.tasks import topic_intrusion
    from chatham.measures.reading import read_documents
    from chatham.model.intake import columns_where, opened_where, where_in

    subject = read_topics(path)
    reporter.stage(f"Reading {called(file)}")
    where, others = where_in(reading)
    others |= columns_where(where)
    contents = opened_where(file, where)
    corpus = read_documents(contents, [subject], **others, progress=reporter.count)
    reporter.notes = tuple(news(corpus.notes))
    reporter.stage("Making questions")
    return topic_intrusion(subject, corpus, **settings)
