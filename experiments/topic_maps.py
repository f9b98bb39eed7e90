"""Do maps of topics keep related topics together? Figure 1.20 of the thesis.

LDA with twenty topics of 20 Newsgroups. The contingency C = WᵀW becomes distances by the
probabilistic conversion (eqs. 1.33 and 1.34), and these become places in the plane, by locally
linear embedding with 16 neighbours and by t-SNE; a topic is named by its five first words by
discriminability. The source sees that the maps leave a lot to be desired: topics without meaning
are shown, labels are hard to place, and t-SNE seems to separate related topics.

Here related is what the newsgroups' names say: a topic belongs to the family (comp, rec, sci, talk
and the like) that most of its documents' weight is in. Principal coordinates, and distances of
topics' words (Hellinger's) instead of contingency, are beside them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.manifold import trustworthiness

import chatham as ch
from chatham.looking.contingency import contingency_of
from chatham.looking.distances import word_distances
from chatham.looking.embeddings import embedded
from chatham.looking.topics import topics_of
from chatham.plots.palette import COLOURS
from chatham.plots.panels import MARKERS, safe, save_figure, style
from exploring_study.labels import label
from exploring_study.models import NEWS, failed, options, sizes_of, trials
from inference_study.markdown import markdown, number
from inference_study.records import Record
from triangle import spread

Array = NDArray[np.float64]

MAPS = {
    "lle": "locally linear", "tsne": "t-SNE", "pca": "principal coordinates",
    "alike": "principal coordinates, topics alike",
}  # fmt: skip
"""The library's three, in which principal coordinates count topics by their shares, and once more
with all topics alike."""
DISTANCES = ("documents", "words")
"""By contingency, and by words."""
DRAWN = ("lle", "tsne")
NEAR = 3
"""Neighbours that a map ought to keep."""
FAMILIES = {
    "comp": "computers", "rec": "recreation", "sci": "science", "talk": "politics and religion",
    "soc": "politics and religion", "alt": "politics and religion", "misc": "for sale",
}  # fmt: skip
CLEAR = 0.5
"""A topic with less than this share of its weight in one family has none."""
WORDS = 5


def family_of(label: str) -> str:
    """The family that a newsgroup's name begins with; other labels are families themselves.

    >>> family_of("comp.graphics"), family_of("spoken")
    ('computers', 'spoken')
    """
    return FAMILIES.get(label.partition(".")[0], label)


def trial(corpus: ch.Corpus, model: ch.TopicModel) -> Record:
    """The places of topics on every map, how good the map is, and what the topics are about."""
    topics, weights = topics_of(model), model.transform(corpus)
    distances = {
        "documents": contingency_of(topics, corpus).distances,
        "words": word_distances(topics.profiles),
    }
    families, shares = family_shares(corpus, weights)
    main = [int(place) for place in shares.argmax(axis=1)]
    clear = (shares.max(axis=1) >= CLEAR).tolist()
    found: Record = {
        "lists": model.top_word_lists(WORDS, by="discriminability"),
        "weights": weights.sum(axis=0).tolist(),
        "families": [families[place] for place in main], "clear": clear,
        "places": {}, "trust": {}, "related": {},
        "chance": related(np.zeros((len(main), len(main))), main, clear),
        "before": {name: related(each, main, clear) for name, each in distances.items()},
    }  # fmt: skip
    for name, each in distances.items():
        for method in MAPS:
            places = placed(each, method, topics.shares)
            key = f"{name}, {method}"
            found["places"][key] = places.tolist()
            near = min(NEAR, (len(main) - 1) // 2)
            found["trust"][key] = float(
                trustworthiness(each, places, n_neighbors=near, metric="precomputed")
            )
            found["related"][key] = related(apart(places), main, clear)
    return found


def placed(distances: Array, method: str, shares: Array) -> Array:
    """The topics' places on one of the maps."""
    if method == "alike":
        return embedded(distances, "pca")
    return embedded(distances, method, masses=shares)


def family_shares(corpus: ch.Corpus, weights: Array) -> tuple[list[str], Array]:
    """The families, and how each topic's weight is spread over them."""
    labels = corpus.labels if corpus.labels is not None else ["all"] * len(corpus)
    of_document = np.array([family_of(str(label)) for label in labels])
    families = sorted(set(of_document))
    sums = np.stack([weights[of_document == name].sum(axis=0) for name in families], axis=1)
    return families, np.asarray(sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-300))


def apart(places: Array) -> Array:
    """How far places are from each other."""
    return np.asarray(np.linalg.norm(places[:, None] - places[None], axis=2))


def related(distances: Array, families: Sequence[int], clear: Sequence[bool]) -> float | None:
    """How many topics have a nearest topic of their own family; of several as near, the share.

    Topics without a family, and those that are the only one of theirs, don't count.

    >>> line = np.abs(np.subtract.outer([0.0, 1, 3, 4.5], [0.0, 1, 3, 4.5]))
    >>> related(line, [0, 0, 1, 1], [True] * 4), related(line, [0, 1, 0, 1], [True] * 4)
    (1.0, 0.0)
    >>> related(np.zeros((4, 4)), [0, 0, 0, 1], [True] * 4)  # by chance
    0.6666666666666666
    """
    known = np.flatnonzero(clear)
    own = np.array(families)[known]
    shares = []
    for place, topic in enumerate(known):
        others = np.delete(np.arange(len(known)), place)
        if (own[others] == own[place]).any():
            away = distances[topic, known[others]]
            nearest = away <= away.min() * (1 + 1e-9)
            shares.append(float((own[others][nearest] == own[place]).mean()))
    return fmean(shares) if shares else None


def page(found: Sequence[Record]) -> str:
    """How good each map is, over seeds; and the topics of the first."""
    seeds = ", ".join(str(record["seed"]) for record in found)
    rows = []
    for distances in DISTANCES:
        before = _spread([record["before"][distances] for record in found])
        rows.append([distances, "no map", "", before])
        for method, name in MAPS.items():
            key = f"{distances}, {method}"
            rows.append([
                distances, name, spread([record["trust"][key] for record in found]),
                _spread([record["related"][key] for record in found]),
            ])  # fmt: skip
    first, chance = found[0], _spread([record["chance"] for record in found])
    without = ", ".join(f"{unclear(record)} of {record['k']}" for record in found)
    topics = [
        [topic, " ".join(words), f"{first['weights'][topic]:.0f}",
         first["families"][topic] if first["clear"][topic] else "–"]
        for topic, words in enumerate(first["lists"])
    ]  # fmt: skip
    parts = [
        "# Maps of topics", __doc__.split("\n\n", 1)[1].strip(),
        "Written by `topic_maps.py`; what we make of it is in [the README](../README.md). Figure: "
        f"[topic_maps.png](topic_maps.png), of seed {first['seed']}. {sizes_of(found)}; "
        f"{first['k']} topics, {first['sweeps']} sweeps. t-SNE's perplexity is 8, or a third "
        "of the other topics where these are few.",
        "## How good the maps are",
        f"*Trustworthiness*: whether the {NEAR} nearest topics on the map are near by the distances"
        " it was made of (1 is best, 0.5 chance). *Related*: how many topics with a family have a "
        f"nearest topic of the same one; by chance {chance}. Topics without a family (less than "
        f"{CLEAR:.0%} of their weight in one): {without}. Seeds {seeds}: the mean, with the least "
        "and the most in brackets.",
        markdown(["distances by", "map", "trustworthiness", "related"], rows),
        f"## Topics of seed {first['seed']}",
        markdown(["topic", "words by discriminability", "weight", "family"], topics),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def unclear(record: Record) -> int:
    """How many topics have no family."""
    return sum(not clear for clear in record["clear"])


def _spread(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return spread(known) if known else number(None)


def plot(record: Record) -> Any:
    """The thesis's two maps, topics coloured by family."""
    from matplotlib.figure import Figure

    families = sorted({f for f, clear in zip(record["families"], record["clear"], strict=True)
                       if clear})  # fmt: skip
    with style():
        figure: Any = Figure(figsize=(10.6, 5.4))
        for side, method in enumerate(DRAWN):
            axes = figure.add_axes((0.01 + 0.5 * side, 0.1, 0.48, 0.82), xticks=[], yticks=[])
            axes.set_title(f"{MAPS[method]} on W")
            axes.spines[:].set_visible(False)
            _draw(figure, axes, np.array(record["places"][f"documents, {method}"]), record,
                  families)  # fmt: skip
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=len(labels), frameon=False)
    return figure


def _draw(figure: Any, axes: Any, places: Array, record: Record, families: Sequence[str]) -> None:
    sizes = 260 * np.array(record["weights"]) / max(record["weights"])
    kinds = [f if clear else "" for f, clear in zip(record["families"], record["clear"],
                                                    strict=True)]  # fmt: skip
    for kind, colour, mark in zip((*families, ""), (*COLOURS[: len(families)], "#BBBBBB"),
                                  (*MARKERS[: len(families)], "o"), strict=True):  # fmt: skip
        mine = [place for place, each in enumerate(kinds) if each == kind]
        axes.scatter(*places[mine].T, s=sizes[mine], color=colour, marker=mark, alpha=0.75,
                     label=safe(kind) or "no family", linewidths=0)  # fmt: skip
    axes.margins(0.2)
    texts = [f"{' '.join(words[:3])}\n{' '.join(words[3:])}" for words in record["lists"]]
    label(figure, axes, places, texts, np.sqrt(sizes) / 2, fontsize=6)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options(__doc__, (NEWS,), 20, "topic_maps.md and topic_maps.png")
    given = parser.parse_args(arguments)
    if given.topics < 4:
        parser.error("--topics must be at least 4, for topics to have neighbours")
    try:
        found = trials(given, (NEWS,), trial)
    except ch.ChathamError as error:
        return failed(error)
    written = page(found)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "topic_maps.md").write_text(written, encoding="utf-8")
        save_figure(plot(found[0]), given.output / "topic_maps.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
