"""Everything that Chatham computes for its users, as rows of bytes: see `same_bytes`.

`python -m tests.same_bytes_cases FILE.npz` computes them with the Chatham that Python finds. Public
names only, so that one program runs with versions whose modules are elsewhere. A row is called
`case/way/what`, and its value is an array, or a text as bytes. What differs from run to run (how
long it took, a session's number) and from version to version (its name) isn't in any row.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

import chatham as ch
from tests.command import chatham

Row = tuple[str, Any]
Case = Callable[[], Iterator[Row]]

WAYS = ("alone 1", "alone 2", "three", "three secure")
K = 6


# -- the documents


class Data:
    """A few hundred of the bundled abstracts, and what is made of them once for all cases."""

    def __init__(self) -> None:
        everything = ch.sample_corpus(max_features=240)
        self.corpus = everything.rows(slice(0, None, 10))
        self.held_out = everything.rows(slice(5, None, 50))
        self.counts, self.words = self.corpus.counts, self.corpus.vocabulary
        self.new = self.held_out.counts
        rng = np.random.default_rng(0)
        self.topics = rng.dirichlet(np.full(len(self.words), 0.1), K)
        self.vectors = {str(word): rng.standard_normal(8) for word in self.words}

    def rows(self, way: str) -> Any:
        """The documents, wherever they are."""
        if way == "alone 1":
            return self.counts
        if way == "alone 2":
            return ch.Alone(self.counts)
        parts = [self.counts[place::3] for place in range(3)]
        return ch.Recorded(simulated(parts, way))


def simulated(parts: list[Any], way: str) -> ch.Simulated:
    """Three holders; masked ones with exact totals, which up to 0.3.0 was the only way."""
    known = "exact_totals" in inspect.signature(ch.Simulated).parameters
    more = {"exact_totals": True} if known and way == "three secure" else {}
    return ch.Simulated(parts, secure=way == "three secure", **more)


# -- learners


def learners(data: Data) -> dict[str, Any]:
    """Every learner in every notable setting, unfitted."""
    words, topics = len(data.words), data.topics
    made: dict[str, Any] = {
        "kmeans": ch.KMeans(K),
        "kmeans ++": ch.KMeans(K, init="k-means++"),
        "kmeans greedy": ch.KMeans(K, init="greedy"),
        "kmeans random": ch.KMeans(K, init="random"),
        "kmeans given": ch.KMeans(K, init=topics),
        "kmeans relative": ch.KMeans(K, loss="relative"),
        "kmeans many": ch.KMeans(60, init="random", max_iter=20),
        "plsa": ch.PLSA(K, max_iter=60),
        "plsa given": ch.PLSA(K, init=topics, max_iter=30),
        "plsa all iterations": ch.PLSA(K, tol=0, max_iter=10),
        "lda": ch.LDA(K, max_iter=70),
        "lda fixed priors": ch.LDA(K, learn_priors=False, max_iter=30),
        "lda own priors": ch.LDA(
            K, alpha=np.linspace(0.1, 1, K), beta=np.linspace(0.01, 0.1, words),
            burn_in=10, max_iter=40,
        ),
        "lda shards": ch.LDA(K, shards=3, max_iter=30),
        "lda samples": ch.LDA(K, burn_in=10, n_samples=3, max_iter=40),
        "lda given": ch.LDA(K, init=topics, max_iter=30),
        "lda tol": ch.LDA(K, tol=0.05, max_iter=100),
        "svd": ch.SVD(K),
        "svd normed": ch.SVD(3, sums="normed", tol=1e-4, max_iter=60),
        "svd wide": ch.SVD(K, max_iter=3),
    }  # fmt: skip
    for schedule in ("block", "interleaved"):
        for name, settings in {
            "nndsvd": {},
            "random": {"init": "random"},
            "random 2x": {"init": "random_2x", "max_iter": 10},
            "local": {"init": "local"},
            "given": {"init": topics},
            "relative": {"loss": "relative"},
            "penalties": {"l2_weights": -0.01, "l2_topics": 0.02},
            "none": {"constraint": "none"},
            "none penalties": {"constraint": "none", "l1_weights": 0.1, "l1_topics": 0.05,
                               "l2_weights": 0.1, "l2_topics": 0.1},
            "none random": {"constraint": "none", "init": "random"},
            "unobserved": {"missing": "unobserved"},
            "unobserved none": {"missing": "unobserved", "constraint": "none"},
            "many": {"n_components": 40, "init": "random"},
        }.items():  # fmt: skip
            settings = {"n_components": K, "schedule": schedule, "max_iter": 25} | settings
            made[f"nmf {schedule} {name}"] = ch.NMF(**settings)
    made["nmf published"] = ch.NMF(K, schedule="interleaved", weights_step="published", max_iter=25)
    for name, settings in {
        "": {},
        "unrefined": {"refine": 0},
        "fast": {"anchors": "fast", "refine": 0},
        "tsne": {"anchors": "tsne", "refine": 0},
        "pca": {"anchors": "pca", "dimensions": 2, "refine": 0},
        "given": {"anchors": [[3, 5], 20], "refine": 0},
        "diagonal": {"rectify": "diagonal", "refine": 0},
        "unrectified": {"rectify": "none", "refine": 0},
        "l2": {"recover": "l2", "refine": 0},
        "kl": {"recover": "kl", "refine": 0},
        "inverse": {"recover": "inverse", "refine": 0},
        "smoothed": {"smoothing": 1e-5, "refine": 0},
        "single": {"precision": "single", "refine": 0, "keep_cooccurrence": True},
        "rare anchors": {"min_anchor_df": 3, "refine": 0},
        "padd": {"inference": "padd", "refine": 2},
        "spi": {"inference": "spi", "refine": 0},
        "tli": {"inference": "tli", "refine": 0},
        "least squares": {"inference": "least-squares", "refine": 0},
        "two sweeps": {"refine": 2, "beta": 0.1},
    }.items():
        made[f"anchor {name}".strip()] = ch.AnchorWords(K, **settings)
    return made


def fitted_case(name: str, data: Data) -> Case:
    """A learner, fitted wherever the documents are."""

    def rows() -> Iterator[Row]:
        for way in WAYS:
            learner = learners(data)[name]
            learner.set_params(random_state=7, n_jobs=2 if way == "alone 2" else 1)
            for what, value in outcome(lambda: list(fit_rows(learner, way, data))):  # noqa: B023
                yield f"{way}/{what}", value

    return rows


def fit_rows(learner: Any, way: str, data: Data) -> Iterator[Row]:
    """One fit: what was fitted, the weights of new documents, the model's file, the ledger."""
    where = data.rows(way)
    learner.fit(where)
    yield from attributes(learner)
    yield "transform", learner.transform(data.new)
    yield "transform of an empty document", learner.transform(data.new[:1] * 0)
    yield from file_rows(ch.TopicModel(learner, data.words))
    if isinstance(where, ch.Recorded):
        yield from ledger_rows(where.ledger)


def attributes(learner: Any) -> Iterator[Row]:
    """Fitted names, those that are computed when asked for too."""
    own = [name for name in vars(learner) if name.endswith("_")]
    computed = [name for name in dir(type(learner)) if name.endswith("_")]
    for name in sorted({name for name in own + computed if not name.startswith("_")}):
        yield name, getattr(learner, name)


def file_rows(model: ch.TopicModel) -> Iterator[Row]:
    """A saved model, all but the version in it; and the model that is loaded again."""
    with tempfile.TemporaryDirectory() as place:
        model.save(place)
        for path in sorted(Path(place).iterdir()):
            found = path.read_bytes()
            plain_text = path.suffix == ".json"
            yield f"file {path.name}", masked(found.decode("ascii")) if plain_text else found
        yield "loaded topics", ch.load(place).topics


def ledger_rows(ledger: list[Any]) -> Iterator[Row]:
    """What crossed in each round, in words and bytes; not where its code is, nor how it is cut up.

    How many fraction bits it had, `tests/learners/ledgers.py` compares.
    """
    rounds: dict[int, list[Any]] = {}
    for entry in ledger:
        rounds.setdefault(entry.round, [entry.meaning, 0])[1] += entry.bytes
    yield "ledger", list(rounds.values())


def model_rows(name: str, data: Data, **settings: Any) -> Iterator[Row]:
    """`ch.fit` of the texts, with what suits them: the model's words, tables and file."""
    model = ch.fit(name, data.corpus, n_components=K, random_state=7, **settings)
    yield from attributes(model.estimator)
    for by in ("prevalence", "discriminability", "uplift", "relevance"):
        yield f"top words by {by}", model.top_words(8, by=by).to_json(double_precision=15)
    yield "parameters", model.parameters
    yield "topic info", model.topic_info().to_json(double_precision=15)
    yield "document info", model.document_info().to_json(double_precision=15)
    yield "weights", model.weights
    yield "weights of texts", model.transform(list(data.held_out.texts)[:20])
    yield "weights of counts", model.transform(data.new)
    yield "representation", repr(model)
    yield "in a notebook", model._repr_html_()
    yield from file_rows(model)
    if name == "anchor":
        yield "related topics", model.related_topics().to_json(double_precision=15)
        for level, found in vars(model.estimator.hierarchy((3, 2))).items():
            yield f"hierarchy's {level}", repr(found)


# -- measures


def measured(data: Data, way: str) -> Iterator[Row]:
    """Every measure of several models, on documents wherever they are."""
    settings: dict[str, Any] = {"true_topics": data.topics, "vectors": data.vectors}
    if way.startswith("three"):
        settings["labels"] = sorted(set(map(str, data.corpus.labels)))
    else:
        truth = np.random.default_rng(1)
        settings["true_weights"] = truth.dirichlet(np.ones(K), len(data.corpus))
    for name in ("nmf", "lda", "plsa", "kmeans", "anchor"):
        short = {} if name == "kmeans" else {"refine": 0} if name == "anchor" else {"max_iter": 20}
        model = ch.fit(name, data.corpus, n_components=K, random_state=7, **short)
        yield from score_rows(name, model, data.corpus, data.held_out, way, **settings)
    found = ch.synthetic_corpus(data.topics, 120, lengths=40, random_state=4)
    model = ch.fit("lda", found.corpus, n_components=K, random_state=7, max_iter=20)
    parts = found.corpus.rows(slice(0, 90)), found.corpus.rows(slice(90, None))
    yield from score_rows("drawn", model, *parts, way, true_topics=found.topics)


def score_rows(
    name: str, model: Any, corpus: Any, held_out: Any, way: str, **settings: Any
) -> Iterator[Row]:
    """A model's scores, and which measures have none and why."""
    if way.startswith("three"):
        corpus, held_out = (
            simulated([each.rows(slice(place, None, 3)) for place in range(3)], way)
            for each in (corpus, held_out)
        )
    jobs = 2 if way == "alone 2" else 1
    scores = ch.evaluate(model, corpus, held_out=held_out, strict=False, n_jobs=jobs, **settings)
    for score in scores.to_dict("records"):
        what = f"{name} {score.pop('measure')}"
        yield what, np.float64(score.pop("value"))
        yield f"{what}, the rest", score
    yield f"{name} skipped", scores.attrs["skipped"]


def evaluated(data: Data) -> Iterator[Row]:
    """Measures in every way; and several models side by side."""
    for way in WAYS:
        for what, value in outcome(lambda: list(measured(data, way))):  # noqa: B023
            yield f"{way}/{what}", value
    lists = [["language", "model", "word"], ["dialogue", "speech", "user"]]
    both = {"words": lists, "nmf": ch.fit("nmf", data.corpus, n_components=3, random_state=0)}
    table = ch.compare(both, data.corpus)
    yield "compare/table", table.to_json(double_precision=15)


# -- documents


def corpora(data: Data) -> Iterator[Row]:
    """Documents in every form that is read, and drawn ones."""
    texts = list(data.corpus.texts)[:80]
    options: dict[str, dict[str, Any]] = {
        "as they are": {},
        "no stop words": {"stop_words": None},
        "pairs": {"ngrams": (1, 2), "min_df": 2, "stop_words": "en"},
        "tfidf": {"weighting": "tfidf"},
        "few": {"max_features": 50, "max_features_by": "tfidf"},
        "shares": {"min_df": 0.02, "max_df": 0.3},
        "every word": {"lowercase": False, "min_length": 1, "numbers": True, "hyphens": True},
        "given words": {"vocabulary": ["language", "model", "speech"]},
    }
    for name, given in options.items():
        for what, value in corpus_rows(ch.read_corpus(texts, **given)):
            yield f"read {name}/{what}", value
    with tempfile.TemporaryDirectory() as place:
        for name, corpus in files_read(Path(place), texts):
            for what, value in corpus_rows(corpus):
                yield f"read {name}/{what}", value
    for what, value in corpus_rows(ch.sample_corpus()):
        yield f"sample/{what}", value
    for name, party in data.corpus.parties(by="community").items():
        yield f"parties/{name}", party.counts.toarray()
    for place, part in enumerate(data.corpus.split(0.3, random_state=3)):
        yield f"split/{place}", part.counts.toarray()
    yield from drawn(data)


def files_read(place: Path, texts: list[str]) -> Iterator[tuple[str, ch.Corpus]]:
    """The same texts in files, and baskets."""
    import pandas as pd

    table = pd.DataFrame({"text": texts, "label": ["a", "b"] * (len(texts) // 2)})
    table.to_csv(place / "t.csv", index=False)
    table.to_json(place / "t.jsonl", orient="records", lines=True)
    table.to_parquet(place / "t.parquet")
    (place / "t.txt").write_text("\n".join(text.replace("\n", " ") for text in texts), "utf-8")
    for ending in ("csv", "jsonl", "parquet", "txt"):
        yield ending, ch.read_corpus(place / f"t.{ending}")
    rng = np.random.default_rng(5)
    rated = pd.DataFrame({"user": rng.integers(0, 20, 400), "film": rng.integers(0, 15, 400)})
    rated = rated.drop_duplicates().assign(stars=lambda t: (1 + (t.user * t.film) % 10) / 2)
    yield "baskets", ch.read_baskets(rated, basket="user", item="film")
    yield "ratings", ch.read_baskets(rated, basket="user", item="film", rating="stars")


def corpus_rows(corpus: ch.Corpus) -> Iterator[Row]:
    """All of a corpus."""
    for name in ("data", "indices", "indptr"):
        yield name, getattr(corpus.counts, name)
    yield "words", list(map(str, corpus.vocabulary))
    yield "summary", corpus.summary()
    yield "notes", list(corpus.notes)


def drawn(data: Data) -> Iterator[Row]:
    """Documents drawn from topics."""
    options: dict[str, dict[str, Any]] = {
        "plain": {},
        "poisson": {"lengths": [5, 20, 80], "poisson": True, "prior": list(np.linspace(0.1, 1, K))},
        "anchors": {"anchors": "top", "lengths": 30},
        "likely anchors": {"anchors": 0.05, "n_jobs": 2},
    }
    for name, given in options.items():
        found = ch.synthetic_corpus(data.topics, 100, random_state=4, **given)
        for what, value in corpus_rows(found.corpus):
            yield f"drawn {name}/{what}", value
        for what in ("topics", "weights", "anchors", "correlations"):
            yield f"drawn {name}/{what}", getattr(found, what)


# -- names and commands


def public() -> Iterator[Row]:
    """The public names, and what they take; annotations may name modules and are left out."""
    yield "names/all", sorted(ch.__all__)
    for name in sorted(ch.__all__):
        found = getattr(ch, name)
        if callable(found):
            yield f"{name}/takes", takes(found)
        if inspect.isclass(found):
            for member in sorted(each for each in dir(found) if not each.startswith("_")):
                value = getattr(found, member)
                yield f"{name}/{member}", takes(value) if callable(value) else type(value).__name__


def takes(function: Any) -> list[str]:
    """Parameters with their kinds and defaults."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ["?"]
    return [
        str(each.replace(annotation=inspect.Parameter.empty)) + f" ({each.kind.description})"
        for each in parameters
    ]


def helped() -> Iterator[Row]:
    """The help of every command; `bench` is about other people's libraries."""
    top = chatham("--help").out
    yield "chatham/help", top
    for name in commands_in(top):
        if name != "bench":
            yield f"{name}/help", chatham(name, "--help").out


def commands_in(text: str) -> list[str]:
    """The commands that a help text lists.

    >>> commands_in("Usage: x\\n\\nCommands:\\n  fit   Fit a\\n        model.\\n  demo  See.\\n")
    ['fit', 'demo']
    """
    return re.findall(r"^  (\w[\w-]*)  ", text.partition("Commands:\n")[2], re.M)


def typed(data: Data) -> Iterator[Row]:
    """What commands print for machines and for people, and what they write."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)  # so that paths are the same wherever it is
        try:
            yield from typed_here(data)
        finally:
            os.chdir(before)


def typed_here(data: Data) -> Iterator[Row]:
    """The same, where files may be written."""
    import pandas as pd

    labels = list(map(str, data.corpus.labels))
    table = pd.DataFrame({"text": list(data.corpus.texts), "label": labels})
    table.to_csv("news.csv", index=False)
    Path("words.txt").write_text("language\nmodel\nspeech\nuser\n", "utf-8")
    for name in ("lda", "nmf", "plsa", "kmeans", "anchor", "svd"):
        short = ("--set", "refine=0") if name == "anchor" else ("--max-iter", "30")
        fit = ("fit", "news.csv", "-m", name, "-k", "5", *short, "--max-features", "200")
        yield f"fit {name}/json", told(*fit, "-o", name, "--json")
        yield f"fit {name}/for people", told(*fit)
        yield f"topics {name}/json", told("topics", name, "--json", "--by", "relevance")
        yield f"topics {name}/for people", told("topics", name)
        yield (
            f"transform {name}",
            told("transform", name, "news.csv", "-o", "weights.csv", "--json"),
        )
        yield f"transform {name}/file", Path("weights.csv").read_text("utf-8")
    yield "topics anchor/levels", told("topics", "anchor", "--levels", "2", "--correlations")
    yield (
        "topics anchor/levels json",
        told("topics", "anchor", "--levels", "2", "--correlations", "--json"),
    )
    for name in ("padd", "spi", "tli", "least-squares"):
        infer = ("transform", "nmf", "news.csv", "--inference", name, "-o", "weights.csv", "--json")
        yield f"infer {name}", told(*infer)
        yield f"infer {name}/file", Path("weights.csv").read_text("utf-8")
    evaluate = ("evaluate", "lda", "nmf", "news.csv", "--label", "label", "--held-out", "20%")
    yield "evaluate/json", told(*evaluate, "--json")
    yield "evaluate/for people", told(*evaluate)
    yield "evaluate/list", told("evaluate", "--list")
    yield "intrusion/json", told("intrusion", "nmf", "-o", "questions.csv", "--json")
    yield "intrusion/file", Path("questions.csv").read_text("utf-8")
    yield "intrusion/score", told("intrusion", "nmf", "--answers", "questions.csv", "--json")
    yield from sessions()
    yield from refused()


def sessions() -> Iterator[Row]:
    """Sessions of every kind, but for their drawn numbers."""
    parties = [word for n in (1, 2, 3) for word in ("--party", f"Party {n}={public_key(n)}")]
    usual = ("session", *parties, "--relay", "https://relay.example:8443")
    for place, more in enumerate((
        ("--model", "lda", "-k", "7"),
        ("--model", "nmf", "--set", "init=random", "--seed", "4", "--weighting", "counts"),
        ("--model", "plsa", "--score", "perplexity,npmi"),
        ("--model", "kmeans", "--words", "words.txt", "--stop-words", "words.txt"),
        ("--model", "anchor", "--ngrams", "2", "--stop-words", "en", "--max-features", "9"),
        ("--items", "--min-parties", "3"),
    )):  # fmt: skip
        yield f"session {place}/json", told(*usual, *more, "-o", f"{place}.toml", "--json")
        yield f"session {place}/file", masked(Path(f"{place}.toml").read_text("utf-8"))
        yield f"session {place}/for people", told(*usual, *more, "-o", f"{place}-again.toml")


def public_key(number: int) -> str:
    """A point of the curve that stands for a party; nobody has its other half."""
    from hashlib import sha256

    return sha256(f"party {number}".encode()).hexdigest()


def refused() -> Iterator[Row]:
    """What is said where something can't be done."""
    for words in (
        (),
        ("fit",),
        ("fit", "missing.csv"),
        ("fit", "news.csv", "-k", "0"),
        ("fit", "news.csv", "-k", "9999"),
        ("fit", "news.csv", "--set", "alhpa=1"),
        ("fit", "news.csv", "--text", "nothing"),
        ("fit", "news.csv", "-m", "bert"),
        ("fit", "news.csv", "--min-df", "2000"),
        ("topics", "news.csv"),
        ("topics", "nmf", "--correlations"),
        ("topics", "nmf", "--by", "length"),
        ("evaluate", "nmf", "news.csv", "--measure", "nmpi"),
        ("session", "--party", "A=1", "--relay", "https://relay.example"),
        ("ledger", "nmf"),
        ("keygen", ""),
        ("join", "nothing.toml", "--corpus", "news.csv", "--key", "no.key", "--folder", "f"),
    ):
        yield f"refused/{' '.join(words)}", told(*words)


def told(*words: str) -> str:
    """All that a command says, and its exit code."""
    said = chatham(*words)
    return masked(f"{said.code}\n{said.out}\n--\n{said.errors}")


MASKS = (
    (re.escape(str(ch.__version__)), "VERSION"),
    (r'"seconds": [\d.e-]+', '"seconds": 0'),
    (r"\b\d+(\.\d+)? s\b", "0 s"),
    (r'(\b(id|hash)"? ?[:=] ")[0-9a-f]+', r"\1DRAWN"),
    (r"(?m)^((?:Session|Hash) +)[0-9a-f]{32,64}", r"\1DRAWN"),
    (r"\w+\.py, line \d+", "FILE, line 0"),
)
"""What may differ from run to run and from version to version, and by what it is replaced."""


def masked(text: str) -> str:
    """A text without times, versions and drawn numbers.

    >>> masked('"seconds": 0.123, "hash": "ab12", "x": 1; NMF: 3 iterations, 1.5 s in all.')
    '"seconds": 0, "hash": "DRAWN", "x": 1; NMF: 3 iterations, 0 s in all.'
    """
    for pattern, instead in MASKS:
        text = re.sub(pattern, instead, text)
    return text


# -- all of it


def outcome(rows: Callable[[], list[Row]]) -> list[Row]:
    """The rows, what was warned of, or why there are none: a refusal is a result as well."""
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            found = rows()
        except ch.ChathamError as error:
            return [("refused", f"{type(error).__name__}: {error}")]
    return [*found, ("warnings", [str(each.message) for each in met])]


def cases(data: Data) -> dict[str, Case]:
    """All of them by name."""
    made: dict[str, Case] = {
        "public names": public,
        "help": helped,
        "corpora": lambda: corpora(data),
    }
    for name in learners(data):
        made[name] = fitted_case(name, data)
    for name in ("lda", "nmf", "plsa", "kmeans", "anchor", "svd"):
        short = {} if name in ("kmeans", "anchor", "svd") else {"max_iter": 30}
        made[f"fit {name}"] = _named(model_rows, name, data, **short)
    made["fit plsa tfidf"] = _named(model_rows, "plsa", data, weighting="tfidf", max_iter=30)
    made["fit svd tfidf"] = _named(model_rows, "svd", data, weighting="tfidf")
    made["fit nmf counts"] = _named(model_rows, "nmf", data, weighting="counts", loss="absolute")
    made["evaluate"] = lambda: evaluated(data)
    made["commands"] = lambda: typed(data)
    return made


def _named(rows: Callable[..., Iterator[Row]], *given: Any, **settings: Any) -> Case:
    def case() -> Iterator[Row]:
        for what, value in outcome(lambda: list(rows(*given, **settings))):
            yield f"texts/{what}", value

    return case


def as_array(value: Any) -> np.ndarray:
    """A value as an array without objects: a text is its bytes, plain values are JSON.

    >>> as_array([1, "a"]).tobytes()
    b'[1, "a"]'
    """
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf":
        return np.asarray(value)
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def plain(value: Any) -> Any:
    """Nested values as JSON knows them; floats keep every bit in their shortest form."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def compute(path: Path, only: list[str]) -> None:
    """Write every row of the cases that are asked for."""
    warnings.simplefilter("ignore")
    rows: dict[str, np.ndarray] = {}
    for name, case in cases(Data()).items():
        if not only or any(fnmatchcase(name, pattern) for pattern in only):
            print(f"  {name}", file=sys.stderr)
            rows |= {f"{name}/{what}": as_array(value) for what, value in case()}
    with path.open("wb") as file:
        write_rows(file, rows)


def write_rows(file: Any, rows: dict[str, np.ndarray]) -> None:
    """Arrays by number, and their names: a name may hold what a file's can't."""
    names = np.frombuffer(json.dumps(list(rows)).encode(), np.uint8)
    np.savez(file, names=names, **{f"row{n}": array for n, array in enumerate(rows.values())})


def read_rows(path: Path) -> dict[str, np.ndarray]:
    """What `write_rows` has written."""
    with np.load(path, allow_pickle=False) as found:
        names = json.loads(found["names"].tobytes())
        return {name: found[f"row{n}"] for n, name in enumerate(names)}


def main() -> None:
    """Compute with the Chatham that is found, if it is the one that was meant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--source", type=Path, help="the folder that Chatham must come from")
    parser.add_argument("--only", action="append", default=[], metavar="CASE")
    given = parser.parse_args()
    source = Path(str(ch.__file__)).resolve().parents[1]
    if given.source is not None and source != given.source.resolve():
        sys.exit(f"Chatham comes from {source} and not from {given.source}.")
    compute(given.file, given.only)


if __name__ == "__main__":
    main()
