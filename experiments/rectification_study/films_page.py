"""The page of films: fifteen topics by three methods (appendix A.4), their genres and decades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rectification_study.documents import MOVIES
from rectification_study.films import COLUMNS, DRAWS, N_FILMS, Films
from rectification_study.plan import AP, BASELINE, FILM_TOPICS, GIBBS, SHOWN, Plan
from rectification_study.report import markdown, written
from rectification_study.scores import unique_words
from rectification_study.study import Record
from rectification_study.tables import aligned

N_TITLES = 5
ORDER = (BASELINE, AP, GIBBS)


def films_page(
    plan: Plan, records: Sequence[Record], listed: Sequence[Record], films: Films
) -> str:
    """How much of one genre and one decade topics are, and titles of those that are `listed`."""
    parts = [
        f"# {FILM_TOPICS} topics of films",
        written(plan),
        f"## The {N_FILMS} top films of each topic, the mean over topics",
        numbers_table(_tops(records), films, plan.seed),
        f"By chance: {DRAWS:,} lists of {N_FILMS} films drawn in proportion to how often films "
        "are watched. A film of several genres counts in each of them for the commonest genre, and "
        "in equal parts otherwise.",
        f"## The first {N_TITLES} titles, and what {N_FILMS} have in common",
        "Of the first seed.",
        titles_table(_tops(listed), films),
    ]
    return "\n\n".join(parts) + "\n"


def _tops(records: Sequence[Record]) -> dict[str, list[list[str]]]:
    """Titles of the topics of films, by method."""
    return {
        record["method"]: record["tops"]
        for record in records
        if (record["corpus"], record["k"]) == (MOVIES, FILM_TOPICS)
    }


def numbers_table(of: Mapping[str, list[list[str]]], films: Films, seed: int) -> str:
    """Genres and decades of each method's topics, of the most watched films, and of any."""
    said = {SHOWN[name]: films.of_topics(of[name]) for name in ORDER}
    said |= {"the most watched": films.of_most_watched(), "by chance": films.by_chance(seed)}
    first = [str(unique_words(of[name], N_TITLES)) for name in ORDER] + [str(N_TITLES), "–"]
    rows = [
        [name, unique, *(f"{values[column]:.2f}" for column in COLUMNS)]
        for unique, (name, values) in zip(first, said.items(), strict=True)
    ]
    return markdown(["", f"different films of {FILM_TOPICS * N_TITLES}", *COLUMNS.values()], rows)


def titles_table(of: Mapping[str, list[list[str]]], films: Films) -> str:
    """A row for each topic of Gibbs, with that of each other method that is most like it."""
    orders = {name: aligned(of[name], of[GIBBS]) for name in ORDER}
    rows = []
    for place in range(FILM_TOPICS):
        topics = [of[name][orders[name][place]] for name in ORDER]
        rows.append([_titles(titles, films) for titles in topics])
    return markdown([SHOWN[name] for name in ORDER], rows)


def _titles(titles: Sequence[str], films: Films) -> str:
    shown = [title.replace("|", "/") for title in titles[:N_TITLES]]
    return "<br>".join([f"*{films.name(titles)}*", *shown])
