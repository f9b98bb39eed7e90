"""All measures by name, in one table."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from chatham.errors import InputError
from chatham.measures import (
    discriminability,
    distances,
    diversity,
    factors,
    objectives,
    ratings,
    shape,
)
from chatham.measures.coherence import context, embeddings, pairwise
from chatham.measures.held_out import completion, left_to_right, perplexity
from chatham.measures.labels import accuracy, agreement
from chatham.measures.measure import Measure
from chatham.measures.truth import topics as true_topics
from chatham.measures.truth import weights as true_weights
from chatham.naming import value_shown

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        pairwise.NPMI(),
        context.CV(),
        pairwise.UCI(),
        pairwise.UMass(),
        pairwise.ExpectedUMass(),
        embeddings.EmbeddingCoherence(),
        objectives.FrobeniusError(),
        objectives.FrobeniusError(held_out=True),
        objectives.LogLikelihood(),
        objectives.LogLikelihood(held_out=True),
        ratings.RMSE(),
        ratings.RMSE(held_out=True),
        ratings.MAE(),
        ratings.MAE(held_out=True),
        left_to_right.LeftToRight(),
        completion.Completion(),
        perplexity.Perplexity(),
        objectives.AverageWeightsPerplexity(),
        agreement.NormalizedMutualInformation(),
        agreement.NormalizedMutualInformation(held_out=True),
        agreement.AdjustedRandIndexOfMainTopics(),
        agreement.AdjustedRandIndexOfMainTopics(held_out=True),
        agreement.AdjustedRandIndex(),
        agreement.AdjustedRandIndex(held_out=True),
        agreement.AdjustedRandIndexOverAllPairs(),
        agreement.AdjustedRandIndexOverAllPairs(held_out=True),
        agreement.VariationOfInformation(),
        agreement.VariationOfInformation(held_out=True),
        accuracy.Accuracy(),
        distances.TopicUniform(),
        distances.TopicAverage(),
        distances.DocumentAverage(),
        distances.WeightsBackground(),
        discriminability.DiscriminabilityOfWords(),
        discriminability.DiscriminabilityOfTopics(),
        diversity.Closeness(),
        diversity.UniqueWords(),
        diversity.TopicDiversity(),
        diversity.Overlap(),
        diversity.RankBiasedOverlap(),
        shape.Specificity(),
        shape.Dissimilarity(),
        shape.Entropy(),
        shape.Sparsity(),
        factors.RecoveryError(),
        factors.ApproximationError(),
        factors.Validity(),
        factors.Legality(),
        factors.Dominancy(),
        factors.HardRank(),
        factors.SoftRank(),
        true_topics.L1ToTruth(),
        true_topics.DistanceToTruth(),
        true_weights.PrecisionOfTopics(),
        true_weights.RecallOfTopics(),
        true_weights.F1OfTopics(),
        true_weights.Hellinger(),
        true_weights.KLToTrueWeights(),
        true_weights.L1OfWeights(),
        true_weights.LInfOfWeights(),
        true_weights.PriorDistance(),
        true_weights.NonSupport(),
    )
}
"""In the order in which people want to read them; each with the settings it usually has."""


def measures_named(requested: Any) -> list[Measure]:
    """Measures from names, classes or measures with their own settings; by default the usual."""
    if requested is None:
        return [each for each in map(_measure, MEASURES.values()) if each.by_default]
    listed: Iterable[Any] = (
        [requested] if isinstance(requested, str | Measure | type) else requested
    )
    measures = [_measure(each) for each in listed]
    if not measures:
        raise InputError("No measure was named; leave measures out for all of them.")
    return measures


def _measure(requested: Any) -> Measure:
    if isinstance(requested, Measure):
        return requested
    if isinstance(requested, type) and issubclass(requested, Measure):
        return requested()
    name = str(requested).lower().replace("-", "_")
    if name in MEASURES:
        return _measure(MEASURES[name])
    near: Sequence[str] = difflib.get_close_matches(name, MEASURES, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(MEASURES)}."
    raise InputError(f"There is no measure called {value_shown(requested)}; {advice}")
