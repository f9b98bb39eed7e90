"""No error, warning, note or log line shows a document, whatever is used wrongly.

Every document has a marker in it. Each argument of each public function is replaced by documents
in every form that somebody may have them in, one argument at a time, and every file that commands
read is replaced by one with documents. Then all that comes out is searched for the marker, chained
exceptions too.
"""

import contextlib
import inspect
import io
import json
import logging
import shutil
import traceback
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import chatham as ch
from chatham import plots
from chatham.cli import app
from chatham.ensembles.wr_nmf import Base, merge_topics
from chatham.plots import document
from tests.cli.conftest import PETS

MARK = "zqxjv"
COUNTS = np.array([[2, 1, 0, 1], [0, 1, 3, 0], [1, 0, 1, 2], [2, 2, 0, 1], [0, 0, 2, 1]])
WORDS = ["tea", "milk", "rice", "salt"]
LEARNERS = (ch.NMF, ch.LDA, ch.PLSA, ch.KMeans, ch.SVD, ch.AnchorWords, ch.OnlineLDA)

DOCUMENT = st.builds(
    lambda before, mark, after, join: join.join([*before, mark, *after]),
    st.lists(st.sampled_from(["wheat", "rose", "on", "a/b", "50%", "{x}", "'s", "news.csv,"]),
             min_size=1, max_size=6),
    st.sampled_from([MARK, MARK.upper(), f"{MARK}.", f'"{MARK}"', f"1,{MARK}"]),
    st.lists(st.sampled_from(["and", "corn", "fell", "{}", "%s", "0.5", "été", "小麦"]),
             min_size=1, max_size=30),
    st.sampled_from([" ", " ", "\n", "\t", "  "]),
)  # fmt: skip
"""A text of three words or more; one or two words can't be told from a name that was mistyped."""

FORMS = {
    "texts": lambda texts: texts,
    "one text": lambda texts: texts[0],
    "bytes": lambda texts: texts[0].encode(),
    "a path": lambda texts: Path(texts[0]),
    "a tuple": tuple,
    "a set": set,
    "an iterator": iter,
    "lists of one": lambda texts: [[text] for text in texts],
    "tokens": lambda texts: [text.split() for text in texts],
    "ragged tokens": lambda texts: [text.split()[: n + 1] for n, text in enumerate(texts)],
    "an array": np.array,
    "an array of objects": lambda texts: np.array(texts, dtype=object),
    "a column": lambda texts: np.array(texts)[:, None],
    "a series": pd.Series,
    "a table": lambda texts: pd.DataFrame({"text": texts, "n": range(len(texts))}),
    "a table called by them": lambda texts: pd.DataFrame([range(len(texts))], columns=texts),
    "a mapping": lambda texts: {text: text for text in texts},
    "a mapping to texts": lambda texts: {"text": texts, "id": texts},
    "texts and a number": lambda texts: [*texts, 3.5],
    "numbers and a text": lambda texts: [[1, 2, texts[0]], [3, 4, 5]],
    "an object": lambda texts: SimpleNamespace(texts=texts),
}  # fmt: skip


def called(function, arguments, name, value):
    """The call with one argument replaced; the baseline works."""
    changed = {**arguments, name: value}
    positional = [
        changed.pop(each.name)
        for each in inspect.signature(function).parameters.values()
        if each.kind is each.POSITIONAL_ONLY and each.name in changed
    ]
    return function(*positional, **changed)


def fitted_by(kind):
    """An estimator from all its parameters, fitted and used."""

    def use(X=COUNTS, new=COUNTS, **parameters):
        quick = {"n_components": 2, "max_iter": 2, "random_state": 0, **parameters}
        learner = kind(**quick).fit(X)
        return learner.transform(new), learner.score(new)

    return use


def estimator_arguments(kind):
    names = inspect.signature(kind).parameters
    return {name: None for name in ("X", "new", *names) if name != "verbose"}


class Uses:
    """Functions with arguments that work, made once."""

    def __init__(self, folder):
        corpus = ch.read_corpus(PETS)
        model = ch.fit("lda", corpus, n_components=2, max_iter=5, random_state=0)
        rated = pd.DataFrame({"who": [1, 1, 2, 2], "what": ["a", "b", "a", "c"]})
        key, here = folder / "none.key", folder / "party"
        fit = {"name": "plsa", "corpus": corpus, "n_components": 2, "max_iter": 2}
        self.of = {
            "fit": (ch.fit, {**fit, "weighting": "counts", "random_state": 0, "n_jobs": 1}),
            "fit of counts": (ch.fit, {**fit, "corpus": COUNTS, "vocabulary": WORDS,
                                        "init": "random"}),
            "fit of anchors": (ch.fit, {**fit, "name": "anchor", "corpus": COUNTS, "anchors": "qr",
                                        "vocabulary": WORDS, "min_anchor_df": 1}),
            "read_corpus": (ch.read_corpus, {"source": PETS, **dict.fromkeys(
                ("text", "label", "id", "vocabulary", "encoding", "tokenizer", "min_df", "max_df",
                 "max_features")), "stop_words": None, "ngrams": (1, 1), "min_length": 2,
                 "weighting": "counts", "max_features_by": "count", "lowercase": True}),
            "read_corpus of a table": (ch.read_corpus, {"source": pd.DataFrame({"text": PETS}),
                                       "text": "text", "label": None, "id": None}),
            "read_corpus of counts": (ch.read_corpus, {"source": COUNTS, "vocabulary": WORDS,
                                      "label": None, "id": None}),
            "read_baskets": (ch.read_baskets, {"source": rated, "basket": "who", "item": "what",
                             "rating": None, "names": None, "title": None, "scale": 2.0,
                             "least": 0, "vocabulary": None}),
            "synthetic_corpus": (ch.synthetic_corpus, {"topics": [[0.5, 0.5, 0], [0, 0.5, 0.5]],
                                 "n_documents": 3, "lengths": 5, "prior": 0.1, "anchors": None,
                                 "vocabulary": None, "random_state": 0}),
            "transform": (model.transform, {"documents": PETS}),
            "weights_table": (model.weights_table, {"documents": PETS}),
            "document_info": (model.document_info, {"documents": PETS, "n": 2}),
            "representative": (model.representative, {"documents": PETS, "topic": 0, "n": 2,
                               "columns": False}),
            "representative of topics": (ch.representative, {"model": [[0.5, 0.5, 0], [0, 0, 1]],
                                         "documents": PETS, "vocabulary": ["cats", "dogs", "purr"],
                                         "topic": 1}),
            "tinted": (model.tinted, {"text": PETS[0]}),
            "tinted by topics": (ch.tinted, {"model": [[0.5, 0.5, 0], [0, 0, 1]], "text": PETS[0],
                                 "vocabulary": ["cats", "dogs", "purr"]}),
            "document": (document, {"model": model, "text": PETS[0], "topics": None,
                         "title": None}),
            "map": (plots.map, {"model": model, "documents": PETS, "by": None, "method": "pca",
                    "distance": "hellinger", "vocabulary": None, "title": None}),
            "words": (plots.words, {"model": model, "topics": None, "n": 3, "by": "prevalence",
                      "lam": 0.6, "vocabulary": None, "title": None}),
            "matrix": (plots.matrix, {"model": model, "topics": None, "n": 3, "by": "prevalence",
                       "lam": 0.6, "vocabulary": None, "title": None}),
            "similarity": (plots.similarity, {"model": model, "documents": PETS, "by": None,
                           "vocabulary": None, "title": None}),
            "hierarchy": (plots.hierarchy, {"model": model, "levels": [2], "title": None}),
            "pictured over time": (plots.over_time, {"model": model, "documents": PETS,
                                   "date": "date", "every": None, "topics": None, "names": None}),
            "pictured by group": (plots.by_group, {"model": model, "documents": PETS,
                                  "by": "label", "names": None}),
            "top_words": (model.top_words, {"n": 3, "by": "prevalence", "lam": 0.6}),
            "TopicModel": (ch.TopicModel, {"estimator": model.estimator,
                           "vocabulary": list(model.vocabulary), "documents": corpus}),
            "parties": (corpus.parties, {"n": 2, "random_state": 0}),
            "split": (corpus.split, {"test": 2, "random_state": 0}),
            "rows": (corpus.rows, {"index": slice(0, 2)}),
            "evaluate": (ch.evaluate, {"model": model, "corpus": corpus, "measures": ["npmi"],
                         **dict.fromkeys(("held_out", "reference", "labels", "true_topics",
                         "true_weights", "vectors", "vocabulary"))}),
            "evaluate topics": (ch.evaluate, {"model": [["cats", "purr"], ["dogs", "bark"]],
                                "corpus": PETS, "measures": "npmi", "vocabulary": None}),
            "compare": (ch.compare, {"models": {"a": model, "b": model}, "corpus": corpus,
                        "measures": ["npmi"]}),
            "publish": (ch.publish, {"model": model, "documents": corpus, "name": "North",
                        "random_state": 0}),
            "merge": (ch.merge, {"summaries": [], "n_components": 2, "random_state": 0,
                      "parties": None, "init": "base"}),
            "audit": (ch.audit, {"corpus": corpus, "learner": "none"}),
            "load": (ch.load, {"folder": folder / "none", "learners": ()}),
            "read_summary": (ch.read_summary, {"path": folder / "none.summary"}),
            "write_summary": (ch.write_summary, {"summary": None, "path": folder / "x.summary"}),
            "register": (ch.register, {"learner": ch.NMF}),
            "join": (ch.join, {"session": folder / "none.toml", "rows": corpus, "key": key,
                     "folder": here}),
            "read_for": (ch.read_for, {"session": folder / "none.toml", "source": PETS}),
            "fit_together": (ch.fit_together, {"session": folder / "none.toml", "corpus": corpus,
                             "key": key, "folder": here}),
            "Alone": (ch.Alone, {"rows": COUNTS}),
            "Recorded": (ch.Recorded, {"commons": ch.Alone(COUNTS)}),
            "Simulated": (simulated, {"parts": [COUNTS, COUNTS], "secure": False}),
            "masked": (simulated, {"parts": [COUNTS, COUNTS], "secure": True, "fraction_bits": 40}),
            "Weighted": (weighted, {"counts": COUNTS, "sample_weight": None, "cell_weight": None}),
            "Corpus": (ch.Corpus, {"counts": sp.csr_array(COUNTS), "vocabulary": np.array(WORDS),
                       "ids": None, "labels": None, "texts": None, "metadata": None}),
            **{kind.__name__: (fitted_by(kind), estimator_arguments(kind)) for kind in LEARNERS},
        }  # fmt: skip


FUNCTIONS = {
    "whole": lambda text: [text], "itself": lambda text: text, "nothing": lambda text: None,
    "number": lambda text: 3, "numbers": lambda text: [1, 2], "nested": lambda text: [[text]],
}  # fmt: skip


def by_function(source, function):
    return ch.read_corpus(source, tokenizer=FUNCTIONS[function], stop_words=None, max_df=1.0)


def simulated(parts, **how):
    commons = ch.Recorded(ch.Simulated(parts, **how))
    ch.PLSA(2, max_iter=1, random_state=0).fit(commons)
    return commons, commons.ledger


def weighted(counts, **weights):
    return ch.NMF(2, max_iter=1, random_state=0).fit(ch.Weighted(counts, **weights))


@pytest.fixture(scope="module")
def uses(tmp_path_factory):
    return Uses(tmp_path_factory.mktemp("uses")).of


class Heard(logging.Handler):
    """Every log line, of anybody."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.lines = []

    def emit(self, record):
        self.lines.append(self.format(record))


def told_by(use):
    """All that a use says, except what it returns: of that only how it is shown."""
    heard, said, shown = Heard(), io.StringIO(), []
    root = logging.getLogger()
    level = root.level
    root.addHandler(heard)
    root.setLevel(logging.DEBUG)
    try:
        with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(said):
            warnings.simplefilter("always")
            with contextlib.redirect_stdout(said):
                try:
                    shown += of_result(use())
                except Exception as error:
                    shown += of_error(error)
    finally:
        root.removeHandler(heard)
        root.setLevel(level)
    of_warnings = [f"{each.message} {each.message!r} {each.message.args}" for each in caught]
    return "\n".join([*shown, *of_warnings, *heard.lines, said.getvalue()])


def of_result(result):
    """How it is shown; of a model, whose words are shown, only what it isn't about."""
    if isinstance(result, ch.Corpus):
        return [repr(result), str(result.summary()), *map(str, result.notes)]
    ours = type(result).__module__.startswith("chatham.")
    return [repr(result)] if ours and not isinstance(result, ch.TopicModel) else []


def of_error(error):
    """What it says and carries, and those before it, also such as a traceback leaves out."""
    seen, waiting = [], [error]
    while waiting:
        each = waiting.pop()
        if each is not None and each not in seen:
            seen.append(each)
            waiting += [each.__cause__, each.__context__]
    return [
        text
        for each in seen
        for text in (str(each), repr(each), str(vars(each)), *traceback.format_exception_only(each))
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), texts=st.lists(DOCUMENT, min_size=1, max_size=6))
def test_no_wrong_use_shows_a_document(uses, data, texts):
    name = data.draw(st.sampled_from(sorted(uses)))
    function, arguments = uses[name]
    argument = data.draw(st.sampled_from(sorted(arguments)))
    form = data.draw(st.sampled_from(sorted(FORMS)))
    check(function, arguments, argument, FORMS[form](texts))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_tokenizer_shows_a_document(function):
    texts = [*TEXTS, TEXTS[0], f"{MARK} " * 200]
    told = told_by(lambda: by_function(texts, function))
    assert MARK not in told.lower(), told


TEXTS = [f"wheat rose {MARK} and corn fell", f"a/b {MARK} 50% {{x}}", f"corn {MARK}\nfell again"]


@pytest.mark.parametrize("argument", ["name", "corpus", "vocabulary", "n_components", "weighting"])
@pytest.mark.parametrize("form", FORMS)
def test_nothing_that_fit_is_given_is_shown(uses, argument, form):
    check(*uses["fit of counts"], argument, FORMS[form](TEXTS))


def check(function, arguments, argument, value):
    if function.__name__ == "use":  # an estimator's parameters have defaults of their own
        arguments = {}
    told = told_by(lambda: called(function, arguments, argument, value))
    assert MARK not in told.lower(), told


BASE = Base(np.eye(2), np.ones(2, bool), np.ones(2))
WRONG = {
    "swapped": (lambda: ch.fit(TEXTS, "lda"), "a learner first"),
    "a path swapped": (lambda: ch.fit("news.csv", "lda"), "other way round"),
    "texts for an estimator": (lambda: ch.LDA(5).fit(TEXTS), "takes a matrix of counts"),
    "texts to transform": (lambda: fitted().transform(TEXTS), "takes a matrix of counts"),
    "an array of texts": (lambda: ch.NMF(5).fit(np.array(TEXTS)), "takes a matrix of counts"),
    "rows of different lengths": (lambda: ch.NMF(1).fit([[1, 2], [3]]), "different lengths"),
    "arrays of different lengths": (
        lambda: ch.NMF(1).fit([np.ones(2), np.ones(1)]), "different lengths",
    ),
    "a row": (lambda: ch.NMF(1).fit([1, 2]), "Reshape your data"),
    "a row of NumPy's numbers": (lambda: ch.NMF(1).fit(list(np.ones(2))), "Reshape your data"),
    "a corpus for an estimator": (lambda: ch.NMF(1).fit(ch.read_corpus(PETS)), "its counts"),
    "no documents": (lambda: ch.fit("lda", []), "^There are no documents"),
    "none to transform": (lambda: model().transform([]), "^There are no documents"),
    "ragged commons": (lambda: ch.Simulated([[[1, 2], [3]]]), "different lengths"),
    "texts as commons": (lambda: ch.Simulated([TEXTS]), "got texts"),
    "a ragged start": (lambda: ch.NMF(2, init=[[1, 2], [3]]).fit([[1, 2], [2, 1]]), "'init'"),
    "a ragged start of a merge": (
        lambda: merge_topics([BASE], 2, init=[[1, 2], [3]]),
        "init must be an array of numbers",
    ),
}  # fmt: skip


def model():
    return ch.fit("plsa", PETS, n_components=2, max_iter=2)


def fitted():
    return ch.PLSA(2, max_iter=2).fit(COUNTS)


@pytest.mark.parametrize(("use", "wanted"), WRONG.values(), ids=WRONG)
def test_a_wrong_use_says_what_is_wrong(use, wanted):
    with pytest.raises(ch.InputError, match=wanted) as refused:
        use()
    told = "\n".join(of_error(refused.value))
    assert MARK not in told
    assert "inhomogeneous" not in told  # NumPy's own word


PATHS = [
    "news.csv", "data/news", "my survey answers of 2024.csv", "/mnt/archive/2024/" + "x" * 300,
    "../" * 20 + "news", "~/news/of/yesterday/evening/that/nobody/has/ever/read/before",
    "C:\\Users\\anna\\news_of_yesterday_evening_that_nobody_has_read_yet",
    "/" + "a/" * 400 + "b.csv",
    "HERE/a folder with many words in its name/that is not there",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_a_wrong_path_is_shown_however_long(path, tmp_path):
    path = path.replace("HERE", str(tmp_path))
    for given_as in (path, Path(path)):
        with pytest.raises(ch.InputError) as refused:
            ch.read_corpus(given_as)
        assert f"'{given_as}'" in str(refused.value)


@pytest.mark.parametrize(
    "text",
    ["I have cancer", "one line\nanother", "/r/news says it", "He/she had it", "a" * 41, "小麦" * 9,
     "see www.example.org for more", "a path has one line\n.csv"],
)  # fmt: skip
def test_what_may_be_a_text_is_not(text):
    with pytest.raises(ch.InputError, match=rf"\(a name of {len(text)} characters\)"):
        ch.read_corpus(text)


FILES = {
    "headless.csv": lambda texts: "\n".join(texts),
    "quoted.csv": lambda texts: "id,text\n" + "\n".join(f'1,"{text}' for text in texts),
    "fields.csv": lambda texts: "id,text\n" + "\n".join(f"1,{text},x,y" for text in texts),
    "twice.csv": lambda texts: f"{texts[0]},{texts[0]}\n1,2\n",
    "lines.txt": lambda texts: "\n".join(texts),
    "broken.jsonl": lambda texts: "\n".join(f'{{"text": "{text}' for text in texts),
    "lists.jsonl": lambda texts: "\n".join(json.dumps([text]) for text in texts),
    "good.jsonl": lambda texts: "\n".join(json.dumps({"text": text, "id": 1}) for text in texts),
    "columns.jsonl": lambda texts: json.dumps({text: text for text in texts}),
    "no.parquet": lambda texts: "PAR1" + "".join(texts),
    "no.mtx": lambda texts: "%%MatrixMarket matrix\n" + "\n".join(texts),
    "docword.no.txt": lambda texts: "\n".join(texts),
    "no.npz": lambda texts: "".join(texts),
    "no.gz": lambda texts: "".join(texts),
    "no.toml": lambda texts: f'id = "{texts[0]}"\nrelay = {texts[-1]}\n',
    "no.summary": lambda texts: "".join(texts),
    "no.party": lambda texts: f'name = "{texts[0]}',
    "no.key": lambda texts: "".join(texts),
    "model.json": lambda texts: json.dumps({"format": "chatham model", "algorithm": texts[0]}),
    "scores.json": lambda texts: json.dumps({"scores": texts}),
    "tables.json": lambda texts: json.dumps({"tables": texts}),
}  # fmt: skip
"""Files with documents where commands expect something else."""
COMMANDS = """
fit FILE -k 2 --max-iter 2
fit FILE --text nothing
fit FILE --label text -k 2 --max-iter 2
fit FILE --id text
fit FILE -k 9999
fit FILE --min-df 99
fit FILE --basket text --item id
fit FILE -m anchor --anchors cats,dogs
fit FILE --encoding utf-16
fit pets.csv --vocabulary FILE
fit pets.csv --stop-words FILE -k 2
fit pets.csv -o FILE
transform m FILE
transform m FILE --id text
transform FILE pets.csv
evaluate m FILE --measure npmi
evaluate m FILE --label text --measure accuracy
evaluate m pets.csv --held-out FILE --measure perplexity
evaluate FILE pets.csv --measure npmi
topics FILE
report FILE
report m FILE -o report.html
report m FILE --label text -o report.html
report m --redacted -o FILE/report.html
explore m FILE --port 1
documents m FILE
documents FILE pets.csv --topic 0
documents m FILE --topic 9 --column text
intrusion FILE
intrusion m FILE
intrusion m --answers FILE
publish FILE pets.csv -o x.summary
publish m FILE -o x.summary
merge FILE FILE
relay FILE
join FILE --corpus pets.csv --key k --folder f
ledger FILE
audit FILE --documents x
audit pets.csv --documents FILE
session --party FILE --party FILE --relay http://127.0.0.1:1
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """Where commands are run: a file of pets, a model of them."""
    here = tmp_path_factory.mktemp("desk")
    pd.DataFrame({"text": PETS}).to_csv(here / "pets.csv", index=False)
    ch.fit("plsa", PETS, n_components=2, max_iter=2).save(here / "m")
    return here


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), texts=st.lists(DOCUMENT, min_size=1, max_size=6))
def test_no_command_shows_a_document(desk, data, texts):
    words = data.draw(st.sampled_from(COMMANDS.strip().splitlines())).split()
    name = data.draw(st.sampled_from(sorted(FILES)))
    check_command(desk, words, name, FILES[name](texts))


def check_command(desk, words, name, content):
    folder = desk / "given"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / name).write_bytes(content.encode())
    file = folder if name.endswith(".json") else folder / name
    with contextlib.chdir(desk):
        done = CliRunner().invoke(app, [str(file) if word == "FILE" else word for word in words])
    told = done.stderr if done.exit_code == 0 else done.output  # tables of topics have words
    assert MARK not in told.lower(), (words, name, told)
    assert "unexpected" not in done.stderr, (words, name, done.stderr)
