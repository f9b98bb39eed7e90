"""The result of a fit: topics with their words, tables about topics and documents, a file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.parameters import learner_called
from chatham.learners.words import best_words, effective_words, score_words
from chatham.model.edits import Edit, Edits, State, dropped, merged, shown_weights
from chatham.model.names import CANDIDATES, Names
from chatham.model.plain import separated
from chatham.model.registry import algorithm_of, estimator_of
from chatham.model.tables import (
    anchor_labels,
    beside,
    checked_number,
    in_a_row,
    largest_entries,
    related_table,
    rows_of_words,
    signed_words,
    table_of,
    weight_table,
    word_table,
)
from chatham.model.tinted import Tinted
from chatham.model.vocabulary import as_vocabulary
from chatham.model.word_space import WordSpace, word_space
from chatham.wording import Either, say

if TYPE_CHECKING:
    import pandas as pd
    import scipy.sparse as sp

    from chatham.learners.base import TopicLearner
    from chatham.learners.settings.base import Settings
    from chatham.model.history import History
    from chatham.model.intake import Intake, Where

Array = NDArray[np.float64]


class TopicModel:
    """Topics over a vocabulary, numbered by size: topic 0 is the largest, here and everywhere.

    Topics of a model that grows by slices (`ch.update`) keep their numbers instead.

    `ch.fit` makes one; a fitted estimator and its vocabulary do too.

    >>> import chatham as ch
    >>> texts = ["cats purr and cats sleep", "dogs bark", "a dog may bark at cats", "cats sleep"]
    >>> model = ch.fit("nmf", texts, n_components=2, random_state=0)
    >>> model.topics.shape == (2, len(model.vocabulary))
    True
    >>> model.top_words(1)["rank"].tolist()
    [1, 1]
    >>> model.transform(["cats sleep"]).shape
    (1, 2)
    """

    def __init__(
        self,
        estimator: TopicLearner,
        vocabulary: Sequence[str] | NDArray[Any],
        *,
        vectorizer: Any = None,
        documents: Any = None,
    ) -> None:
        """Name the columns of a fitted estimator.

        `vectorizer` turns texts into counts as the training texts were; `documents` are the
        training documents if they are at hand, for `weights`. They are never saved.
        """
        self.algorithm: str = algorithm_of(estimator)
        if not hasattr(estimator, "components_"):
            raise InputError(
                f"The {type(estimator).__name__} given to TopicModel is not fitted; fit it first."
            )
        self._fitted: Settings = estimator
        self.vocabulary: NDArray[np.object_] = as_vocabulary(
            vocabulary, estimator.components_.shape[1]
        )
        self.vectorizer = vectorizer
        self.scores: pd.DataFrame | None = None
        """Measures by which parties scored it together, if they did; saved with the model."""
        self.tables: dict[str, pd.DataFrame] = {}
        """Tables over time and by group that parties made together, by their columns, of the topics
        as they were fitted; saved too."""
        self._grown: History | None = None
        self._kept: tuple[bytes, ...] = ()
        """The summary of each slice of its history, as a file; see `ch.update`."""
        self._documents = documents
        self._weights: Array | None = None
        self._space: tuple[Array, Any, WordSpace] | None = None
        self._given_names: dict[int, str] = {}
        """Names that somebody gave, by number, also those of topics that edits have hidden."""
        self._names: tuple[Array, Names] | None = None
        self._edits: Edits | None = None

    @classmethod
    def _of(cls, fitted: Settings, vocabulary: Sequence[str], vectorizer: Any) -> TopicModel:
        """A model of settings with the numbers of a fit; the estimator is made when it is needed.

        Making it needs imports that looking at topics shouldn't wait for.
        """
        estimator: Any = fitted
        return cls(estimator, vocabulary, vectorizer=vectorizer)

    @property
    def estimator(self) -> TopicLearner:
        """The fitted estimator; an `UnknownLearnerError` where its learner isn't known here."""
        if not hasattr(self._fitted, "transform"):  # settings alone
            self._fitted = estimator_of(self._fitted)
        return cast("TopicLearner", self._fitted)

    @estimator.setter
    def estimator(self, estimator: TopicLearner) -> None:
        self._fitted = estimator

    @property
    def topics(self) -> Array:
        """The topics as distributions over words (k×d): rows sum to one, idf is divided out.

        Row r is topic `numbers[r]`. The directions of a decomposition, such as SVD's, are as the
        estimator has them. `estimator.components_` are the topics in the learner's own terms, and
        as they were fitted, whatever edits the model has.
        """
        return self.word_space.topics if self._edits is None else self._edits.edited_topics

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The topics' numbers, in the order of rows: 0 to k − 1, unless the model was edited.

        A number is an id, and never another topic's: a merged topic keeps the smallest of its
        group, a dropped one leaves a gap, and the parts of a split one get new numbers.
        """
        if self._edits is None:
            return np.arange(self.n_topics)
        return np.array(self._edits.last.numbers, dtype=np.int64)

    @property
    def names(self) -> Names:
        """What the topics are called, by their numbers: `model.names[3] = "child custody"`.

        A name that nobody gave is the words that tell most about the topic; `del model.names[3]`
        gives it back. Given ones are saved with the model.

        >>> import chatham as ch
        >>> texts = ["cats purr and cats sleep", "dogs bark", "a dog may bark at cats"]
        >>> model = ch.fit("nmf", texts, n_components=2, random_state=0)
        >>> model.names[0] = "cats"
        >>> list(model.names), model.names[0]
        ([0, 1], 'cats')
        """
        topics = self.topics
        if self._names is None or self._names[0] is not topics:
            names = Names(self.numbers.tolist(), self._telling_words, self._given_names)
            self._names = topics, names
        return self._names[1]

    def _telling_words(self) -> list[list[str]]:
        """For each topic the words that tell most about it, best first."""
        by = "prevalence" if self.kind == "direction" else "relevance"
        return signed_words(self, self.top_word_lists(CANDIDATES, by))

    @property
    def word_space(self) -> WordSpace:
        """The map from the estimator's topics and weights to those of plain words, before edits."""
        components, idf = self._fitted.components_, getattr(self.vectorizer, "idf", None)
        if self._space is None or self._space[0] is not components or self._space[1] is not idf:
            space = (
                WordSpace(components, components, None)
                if self.kind == "direction"
                else word_space(components, idf)
            )
            self._space = components, idf, space
        return self._space[2]

    @property
    def kind(self) -> str:
        """What its rows are: "topic", or "direction" for a decomposition such as SVD.

        A direction has two ends, and words with positive and with negative entries; documents have
        coordinates along it, and it is no distribution over words.
        """
        return "direction" if self._fitted._gives_directions else "topic"

    @property
    def prevalence(self) -> Array:
        """Each topic's share of the training documents; they sum to one, the largest first.

        Of a model that grows by slices, the share of all of them, in the order of numbers, as of
        an edited one. Of a direction, its share of what all of them explain.
        """
        return self._fitted.prevalence_ if self._edits is None else self._edits.edited_prevalence

    @property
    def history(self) -> pd.DataFrame:
        """What became of each topic in each slice: slice, topic, share, event, others.

        `event` is born, split, merged, died, gone, back, grew, shrank or nothing, and `others` are
        the topics that it split off from, split into, or merged into. For models that `ch.update`
        made, or that were kept for it.
        """
        return self._history.table()

    @property
    def slices(self) -> pd.DataFrame:
        """The slices of such a model: slice, documents, tokens, topics (how many it has)."""
        return self._history.slice_table()

    @property
    def _history(self) -> History:
        if self._grown is None:
            raise InputError(
                say(
                    "This model has no history, since it wasn't kept to grow; {how}.",
                    how=Either(
                        "make it one with ch.keep_summary, and add documents with ch.update",
                        "fit it with --slice NAME, and add documents with 'chatham update'",
                    ),
                )
            )
        return self._grown

    @property
    def n_topics(self) -> int:
        """How many topics there are."""
        return int(self.topics.shape[0])

    @property
    def anchors(self) -> list[list[str]] | None:
        """Each topic's anchor words, mostly one; None for models without anchors."""
        groups = self._anchor_columns
        if groups is None:
            return None
        return [[str(word) for word in self.vocabulary[group]] for group in groups]

    @property
    def _anchor_columns(self) -> list[NDArray[np.int64]] | None:
        groups = getattr(self._fitted, "anchor_groups_", None)
        if groups is None or self._edits is None:
            return groups
        nothing = np.zeros(0, dtype=np.int64)  # the parts of a topic that was split have none
        return [
            np.concatenate([nothing, *(groups[m] for m in members if m < len(groups))])
            for members in self._edits.last.members
        ]

    @property
    def parameters(self) -> dict[str, Any]:
        """The learner's parameters, as plain values; an array is given by its shape."""
        return separated(self._fitted._parameter_values())[0]

    @property
    def seed(self) -> int | None:
        """The seed of the fit, if it was a number."""
        seed = self._fitted.random_state
        return int(seed) if isinstance(seed, Integral) else None

    @property
    def weights(self) -> Array:
        """The weights of the training documents (n×k), computed when first needed; never saved."""
        if self._weights is None:
            self._weights = self.transform(self._training_documents())
        return self._weights

    def transform(self, documents: Any, **where: Unpack[Where]) -> Array:
        """The weights (n×k) of whatever `read_corpus` reads, or of counts over this vocabulary.

        Rows sum to one: they are the shares of a document's words that come from each topic, and
        an empty document has the average ones. (Of a decomposition, such as SVD's, they are the
        estimator's plain coordinates.) A corpus with another vocabulary is read again from its
        texts, or, if it has only counts, matched word by word; a warning says how much was left
        out. Plain counts are weighted as the training documents were. `text`, `id`, `format` and
        the like say where things are in files and tables, as in `read_corpus`.
        """
        return self._weights_of(self._take_in(documents, **where).counts)

    def _weights_of(self, counts: Any) -> Array:
        """The weights of documents that have been taken in."""
        return self.in_words(self.estimator.transform(counts), counts)

    def in_words(self, coordinates: Array, counts: Any) -> Array:
        """What the estimator gives these documents, as their weights: shares of plain words."""
        if self.kind == "direction":
            return coordinates
        shares = self._fitted.prevalence_
        return shown_weights(self.word_space, self._edits, shares, coordinates, counts)

    def top_words(
        self, n: int = 10, by: str = "prevalence", lam: float = 0.6, *, wide: bool = False
    ) -> pd.DataFrame:
        """The `n` words that best describe each topic: topic, rank, word, score.

        `by` is one of

        - "prevalence": T_tj, the word's probability in the topic;
        - "discriminability": T_tj·disc(j), which plays down words that many topics share; disc(j)
          (eq. 1.31) alone belongs to no topic, so it can't order the words of one;
        - "uplift": (1 − lam)·T_tj + lam·T_tj / Σ_t' T_t'j (eq. 1.32);
        - "relevance": lam·log P(j|t) + (1 − lam)·log(P(j|t) / P(j)) (Sievert and Shirley).

        Where the learner got words weighted by idf, they are ordered with their weights, which put
        words that are common everywhere behind; scores are always those of plain words. A topic
        with fewer than `n` words of positive probability has fewer rows. The words of a direction
        are those with the largest entries of either sign, which are their scores. `wide=True` gives
        one row per topic and one column per rank instead.
        """
        table = word_table(*self._best(n, by, lam), self.vocabulary, self.numbers, self.kind)
        if not wide:
            return table
        reshaped = table.pivot(index=self.kind, columns="rank", values="word")
        return reshaped.reindex(self.numbers).rename_axis(self.kind).fillna("")

    def top_word_lists(
        self, n: int = 10, by: str = "prevalence", lam: float = 0.6
    ) -> list[list[str]]:
        """The same words as plain lists, one per topic."""
        best = self._best(n, by, lam)[0]
        return [[str(word) for word in self.vocabulary[columns]] for columns in best]

    def topic_info(self, n: int = 10, by: str = "prevalence", lam: float = 0.6) -> pd.DataFrame:
        """One row per topic: its name and share, its top words, how many it effectively uses.

        `effective_words` is the exponential of the topic's entropy: a topic that spreads evenly
        over m words has m. `anchor` is there if the model has anchors; one in brackets no longer
        fits after refinement: another topic gives it a larger probability than its own.
        """
        columns = {
            self.kind: self.numbers,
            "name": list(self.names.values()),
            "prevalence": self.prevalence,
            "anchor": anchor_labels(self),
            "words": rows_of_words(self, self.top_word_lists(n, by, lam)),
            "effective_words": effective_words(
                self.topics if self.kind == "topic" else self.topics**2
            ),
        }
        return table_of(columns)

    def related_topics(self, n: int = 3) -> pd.DataFrame:
        """Which topics co-occur: up to `n` others for each, the closest first.

        Columns topic, rank, related, lift: how many times as often as by chance they co-occur in a
        document. Those that co-occur less often are left out. For models with correlations.
        """
        return related_table(self._correlations, self.numbers, checked_number(n))

    @property
    def _correlations(self) -> Array:
        """The joint probability of two topics for two words of a document (k×k)."""
        correlations: Array | None = getattr(self._fitted, "correlations_", None)
        if correlations is None:
            raise InputError(
                say(
                    "The topics of {learner} have no correlations; fit a model that has them, "
                    "with {example}.",
                    learner=self._learner,
                    example=Either("ch.fit('anchor', ...)", "--model anchor"),
                )
            )
        if self._edits is None:
            return correlations
        edited = self._edits.map.T @ correlations @ self._edits.map
        return edited / edited.sum()

    @property
    def _learner(self) -> str:
        """The name of the learner's class, or the one it has in files if it isn't known here."""
        return learner_called(self._fitted)

    def document_info(
        self, documents: Any = None, n: int = 5, **where: Unpack[Where]
    ) -> pd.DataFrame:
        """One row per document: id, label if any, main topic, its name, weight and words.

        By default, the training documents, if this model still has them. An empty
        document has the average weights and `empty` says so. The corpus's other columns follow;
        one that is called like any of these has `corpus_` before its name.
        """
        if self.kind == "direction":
            raise InputError(
                f"Documents have no main topic among the directions of {self._learner}; transform "
                "gives their coordinates, and models of topics have main topics."
            )
        documents = self._training_documents() if documents is None else documents
        intake = self._take_in(documents, **where)
        weights = self._weights_of(intake.counts)
        main = weights.argmax(axis=1)
        words = np.array([in_a_row(words) for words in self.top_word_lists(n)], dtype=object)
        columns = {
            "id": intake.ids,
            "label": intake.labels,
            "topic": self.numbers[main],
            "name": np.array(list(self.names.values()), dtype=object)[main],
            "weight": weights[np.arange(len(main)), main],
            "words": words[main],
            "empty": intake.counts.sum(axis=1) == 0,
        }
        table = table_of(columns)
        return table if intake.metadata is None else beside(table, intake.metadata)

    def representative(
        self,
        documents: Any = None,
        topic: int | Sequence[int] | None = None,
        n: int = 5,
        *,
        columns: bool | Sequence[str] = False,
        **where: Unpack[Where],
    ) -> pd.DataFrame:
        """Up to `n` documents that show a topic best, each with the passage that has most of it.

        Mostly from the topic, with enough words to tell, and no near-copies of each other;
        `ch.representative` has the rest. By default, of the training documents, and of all topics.

        >>> import chatham as ch
        >>> model = ch.fit("nmf", ch.sample_corpus(), n_components=5, random_state=0)
        >>> model.representative(topic=3, n=2)["rank"].tolist()
        [1, 2]
        """
        documents = self._training_documents() if documents is None else documents
        table: pd.DataFrame = _above("documents.representative", "representative")(
            self, documents, topic, n, columns=columns, **where
        )
        return table

    def tinted(self, text: Any) -> Tinted:
        """The topic that each word of a text is from, with its place in the text.

        `text` is one text, or a list of its words. A notebook shows it in colours.

        >>> import chatham as ch
        >>> model = ch.fit("nmf", ["cats purr", "dogs bark"], n_components=2, random_state=0)
        >>> [span.word for span in model.tinted("Dogs rarely purr.").spans]
        ['dogs', 'purr']
        """
        document: Tinted = _above("documents.tinting", "tinted")(self, text)
        return document

    def weights_table(self, documents: Any, **where: Unpack[Where]) -> pd.DataFrame:
        """The weights with names: one row per document, with columns id, topic_0, topic_1, ….

        >>> import chatham as ch
        >>> model = ch.fit("nmf", ["cats purr", "dogs bark"], n_components=2, random_state=0)
        >>> list(model.weights_table(["cats"]))
        ['id', 'topic_0', 'topic_1']
        """
        intake = self._take_in(documents, **where)
        return weight_table(self._weights_of(intake.counts), intake.ids, self.numbers, self.kind)

    def over_time(
        self, documents: Any, date: str = "date", *, every: str | None = None, words: int = 5
    ) -> pd.DataFrame:
        """Each topic's share of the documents of each span of time; `ch.over_time` has the rest."""
        table: pd.DataFrame = _above("groups.tables", "over_time")(
            self, documents, date, every=every, words=words
        )
        return table

    def by_group(self, documents: Any, by: str, *, words: int = 5) -> pd.DataFrame:
        """Each topic's share of each group of documents; `ch.by_group` has the rest.

        >>> import chatham as ch
        >>> corpus = ch.Corpus([[3, 0], [0, 2]], ["tea", "beer"], labels=["day", "night"])
        >>> model = ch.fit("nmf", corpus, n_components=2, random_state=0)
        >>> table = model.by_group(corpus, "label")
        >>> sorted(table["share"].round(3).tolist())
        [0.0, 0.0, 1.0, 1.0]
        """
        table: pd.DataFrame = _above("groups.tables", "by_group")(self, documents, by, words=words)
        return table

    def predict(self, documents: Any, cells: Any = None) -> sp.csr_array:
        """What a model of ratings expects in the cells of these documents that nobody stored.

        `documents` have the known cells: a corpus, or a matrix. `cells` is a sparse matrix of the
        same shape in which the wanted cells are stored, whatever is in them; by default the known
        ones again. A document without any known cell gets NaN. For models to which a cell that
        isn't stored is unknown: NMF with `missing="unobserved"`.

        >>> import numpy as np, scipy.sparse as sp, chatham as ch
        >>> stars = np.array([[4.0, 2, 0], [2, 1, 3], [0, 2, 6]])
        >>> model = ch.fit("nmf", stars, vocabulary=["Alien", "Emma", "Heat"], n_components=1,
        ...                missing="unobserved", l2_weights=0, l2_topics=0, random_state=0)
        >>> model.predict(stars, sp.csr_array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])).data.round(1)
        array([6., 4.])
        """
        from chatham.model.prediction import predictions

        intake = self._take_in(documents)
        return predictions(self.estimator, self.vectorizer, intake.counts, cells)

    def recommend(self, documents: Any, n: int = 10) -> pd.DataFrame:
        """For each document the `n` words with the highest predictions, among those it has not.

        Columns id, rank, word, predicted. Documents without any known cell have no rows.
        """
        from chatham.model.prediction import recommendations

        intake, n = self._take_in(documents), checked_number(n)
        return recommendations(
            self.estimator, self.vectorizer, intake.counts, intake.ids, self.vocabulary, n
        )

    def merge(self, groups: Sequence[Sequence[int]]) -> TopicModel:
        """A model in which each of these groups of topics is one; this one stays as it is.

        The merged topic has the smallest number of its group and the sum of their weights, and its
        words are theirs, by the topics' shares.

        >>> import numpy as np, chatham as ch
        >>> model = ch.fit("nmf", np.eye(3), vocabulary=["tea", "beer", "milk"], n_components=3)
        >>> merged = model.merge([[0, 2]])
        >>> merged.numbers.tolist(), merged.undo().numbers.tolist()
        ([0, 1], [0, 1, 2])
        """
        return self._edited(merged(self._state, groups))

    def drop(self, topics: Sequence[int] | int) -> TopicModel:
        """A model without these topics; the others' weights are scaled to sum to one again.

        A document that has nothing else has the average weights, as an empty one has.
        """
        return self._edited(dropped(self._state, topics))

    def split(
        self, topic: int, documents: Any, *, into: int = 2, random_state: int = 0,
        **where: Unpack[Where],
    ) -> TopicModel:  # fmt: skip
        """A model in which this topic is several, as these documents tell them apart.

        The parts are found by LDA of the words that are expected to come from the topic, and get
        numbers that no topic had. A document's weight of the topic is divided between them by its
        own words. `documents` are best those that the model was fitted to.
        """
        from chatham.model.splitting import split_topic

        edits = self._begun_edits
        intake = self._take_in(documents, **where)
        step = split_topic(
            edits, topic, edits.plain(intake.counts), self._weights_of(intake.counts),
            into=into, random_state=random_state,
        )  # fmt: skip
        return self._edited(step)

    def undo(self) -> TopicModel:
        """The model as it was before its last edit; names stay, but of topics that it hasn't."""
        if self._edits is None:
            raise InputError("This model has no edits, so there is nothing to undo.")
        edits = self._edits.but_the_last()
        return self._with(edits if edits.steps else None)

    @property
    def original(self) -> TopicModel:
        """The model without any edits; itself, if it has none."""
        return self if self._edits is None else self._with(None)

    @property
    def edits(self) -> pd.DataFrame:
        """What was merged, dropped and split, in order: edit, topics, into."""
        return self._begun_edits.table()

    @property
    def _begun_edits(self) -> Edits:
        """Its edits, of which there may be none yet."""
        if self._edits is not None:
            return self._edits
        if self.kind == "direction":
            raise InputError(
                f"The directions of {self._learner} can't be edited; merge, drop and split the "
                "topics of a model that has topics."
            )
        idf = getattr(self.vectorizer, "idf", None)
        return Edits(self.word_space.topics, self._fitted.prevalence_, idf)

    @property
    def _state(self) -> State:
        return self._begun_edits.last

    def _edited(self, step: Edit) -> TopicModel:
        return self._with(self._begun_edits.and_then(step))

    def _with(self, edits: Edits | None) -> TopicModel:
        """The same fit with these edits."""
        model = TopicModel._of(self._fitted, list(self.vocabulary), self.vectorizer)
        model.scores, model.tables = self.scores, self.tables
        model._grown, model._kept = self._grown, self._kept
        model._documents, model._edits = self._documents, edits
        known = len(self._fitted.components_) if edits is None else edits.last.next_number
        model._given_names = {n: name for n, name in self._given_names.items() if n < known}
        return model

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the model to a folder of two files, for `ch.load` to read; no document is in it.

        Where parties have scored it together, the scores are in a third; where they made tables,
        these are in another.
        """
        from chatham.model.file import save

        save(self, folder)

    def __repr__(self) -> str:
        from chatham.model.notebook import text_of

        return text_of(self)

    def _repr_html_(self) -> str:
        from chatham.model.notebook import html_of

        return html_of(self)

    def _take_in(self, documents: Any, **where: Unpack[Where]) -> Intake:
        from chatham.model.intake import take_in

        return take_in(documents, self.vocabulary, self.vectorizer, **where)

    def _training_documents(self) -> Any:
        if self._documents is None:
            raise InputError(
                "This model does not have its training documents (it was loaded, or fitted where "
                "others keep them); give the method documents."
            )
        return self._documents

    def _best(self, n: int, by: str, lam: float) -> tuple[list[NDArray[np.intp]], Array]:
        if self.kind == "direction":
            return largest_entries(self.topics, list(self.vocabulary), checked_number(n), by)
        ordering = self.word_space.ordering if self._edits is None else self._edits.ordering
        order = scores = score_words(ordering, self.prevalence, by, lam)
        if ordering is not self.topics:
            scores = score_words(self.topics, self.prevalence, by, lam)
        return best_words(order, ordering, list(self.vocabulary), checked_number(n)), scores


def _above(file: str, name: str) -> Any:
    """A function that looks at models: its room stands above this one, and imports it."""
    return getattr(import_module(f"chatham.{file}"), name)
