"""What the thesis found (Tables 1.4 to 1.6), and which of our measures each row stands for."""

from __future__ import annotations

from dataclasses import dataclass

LDA, NMF, KMEANS = "lda", "nmf", "kmeans"
ALGORITHMS = (LDA, NMF, KMEANS)
SHOWN = {LDA: "LDA", NMF: "NMF", KMEANS: "k-means"}


@dataclass(frozen=True)
class Row:
    """One of the seventeen: its name there and here, and what the thesis says about it.

    `delta` is the mean lead in percent; `topics` are the best numbers of topics on 20 Newsgroups
    of LDA, NMF and k-means.
    """

    name: str
    measure: str
    best: str
    second: str
    delta: float
    topics: tuple[int, int, int]
    labels: bool = False


ROWS = (
    Row("VI IS", "variation_of_information", LDA, KMEANS, 3.97, (5, 100, 15), True),
    Row("VI oos", "variation_of_information_held_out", LDA, KMEANS, 0.23, (5, 35, 15), True),
    Row("ARI IS", "ari_over_all_pairs", LDA, NMF, 204.71, (30, 45, 120), True),
    Row("ARI oos", "ari_over_all_pairs_held_out", LDA, NMF, 166.29, (30, 45, 120), True),
    Row("coherence", "expected_umass", KMEANS, NMF, 26.87, (15, 145, 20)),
    Row("frob fit oos", "frobenius_held_out", NMF, LDA, 26.90, (195, 190, 190)),
    Row("loglike oos", "log_likelihood_held_out", LDA, KMEANS, 9.61, (195, 160, 190)),
    Row("perplexity oos", "perplexity_of_average_weights", KMEANS, LDA, 0.01, (195, 5, 5)),
    Row("frob fit is", "frobenius", NMF, KMEANS, 35.21, (195, 190, 190)),
    Row("loglike is", "log_likelihood", LDA, KMEANS, 7.52, (195, 160, 190)),
    Row("topic uniform", "topic_uniform", NMF, LDA, 100.60, (195, 155, 155)),
    Row("topic average", "topic_average", NMF, LDA, 63.61, (190, 195, 155)),
    Row("weights background", "weights_background", KMEANS, NMF, 159.37, (185, 100, 155)),
    Row("doc average", "document_average", NMF, LDA, 117.20, (190, 195, 155)),
    Row("discriminability topics", "discriminability_topics", KMEANS, NMF, 159.37, (185, 100, 155)),
    Row("discriminability words", "discriminability_words", NMF, KMEANS, 27.82, (190, 195, 15)),
    Row("closeness", "closeness", LDA, KMEANS, 100.0, (5, 5, 15)),
)
"""In the order of Table 1.4; only those with `labels` need labelled documents."""

TIMES_BEST = {NMF: (6, 61.89), LDA: (7, 70.32), KMEANS: (4, 86.40)}
"""Table 1.5: how often each is best, and its mean lead in percent when it is."""

MEDIAN_DELTA = 28
"""The median of the leads, in percent ("nearly 28%")."""
