"""What is done with Chatham, with every sentence in it as it is and reworded: see `reworded`.

A broad set of things, through the library and the command line, that take each way on which
somebody might look at a sentence: refusals, notes and warnings, progress, sessions.
"""

from __future__ import annotations

import hashlib
import inspect
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TEXTS = [
    "Cats purr and the cats sleep on the sofa",
    "The cat sleeps, and the kitten purrs at the cat",
    "Kittens and cats purr on the sofa",
    "Dogs bark at the postman and at the cat",
    "A dog barks, a puppy barks at the dog",
    "Puppies and dogs bark at the cats",
]


def files() -> None:
    """Files of every kind that is read, in the working folder."""
    import numpy as np
    import scipy.sparse as sp

    import chatham as ch

    rows = [f'd{place},"{text}",{"dogs" if place > 2 else "cats"}'
            for place, text in enumerate(TEXTS)]  # fmt: skip
    write("pets.csv", "id,story,label", *rows, 'd9,"",cats')
    write("new.csv", "id,text", "n1,the cat purrs", "n2,zebra okapi gnu", "n3,")
    write("zh.txt", "主题模型 发现文档 中的主题", "文档由词语 组成", "主题模型 文档由词语")
    write("words.txt", "cats", "dogs", "Sofa")
    write("topics.txt", "cats purr sofa", "dogs bark postman")
    write("empty.txt")
    write("bad.json", "{")
    write("no-text.csv", "a,b", "1,2")
    Path("latin.csv").write_bytes("text\ncafé au lait\n".encode("latin-1"))
    Path("damaged.txt.gz").write_bytes(b"no gzip")
    stars = [f"u{u},{f},{1 + (u + f) % 5}" for u in range(8) for f in range(6) if (u + f) % 3]
    write("stars.csv", "user,film,stars", *stars, "u9,,3")
    write("films.csv", "film,title,year", *(f"{f},Film {f // 2},19{f}0" for f in range(6)))
    corpus = ch.read_corpus(TEXTS, stop_words=None)
    sp.save_npz("counts.npz", sp.csr_matrix(corpus.counts))
    write("counts.vocab.txt", *corpus.vocabulary)
    sp.save_npz("wordless.npz", sp.csr_matrix(corpus.counts))
    np.save("array.npy", np.ones((2, 3)))


def write(name: str, *lines: str) -> None:
    """A file of these lines."""
    Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def digest(array: Any) -> str:
    """What tells an array."""
    return hashlib.sha256(array.tobytes()).hexdigest()


def library() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Corpora, models, measures and sessions, and what is refused of each."""
    import numpy as np

    import chatham as ch

    counts = np.array([[2, 1, 0], [0, 1, 3], [1, 0, 1]])
    for name, source, more in (
        ("guesses", "pets.csv", {}),
        ("named columns", "pets.csv", {"text": "story", "stop_words": "en", "min_df": 1}),
        ("a list of stop words", "pets.csv", {"stop_words": ["the"], "max_features": 3}),
        ("a vocabulary", "pets.csv", {"vocabulary": "words.txt"}),
        ("counts", "counts.npz", {"min_df": 2, "stop_words": "en"}),
        ("no spaces", "zh.txt", {}),
        ("no file", "nothing.csv", {}),
        ("no column", "pets.csv", {"text": "txt"}),
        ("no text", "no-text.csv", {}),
        ("no encoding", "latin.csv", {}),
        ("unknown encoding", "latin.csv", {"encoding": "klingon"}),
        ("unknown stop words", "pets.csv", {"stop_words": "klingon"}),
        ("nothing left", "pets.csv", {"min_df": 7}),
        ("no words", ["1", "a"], {}),
        ("counted already", "counts.npz", {"ngrams": (1, 2)}),
        ("wordless", "wordless.npz", {}),
        ("damaged", "damaged.txt.gz", {}),
        ("no limit", "pets.csv", {"min_df": 2.5}),
        ("negative", -counts, {"vocabulary": list("abc")}),
        ("an object", object(), {}),
    ):
        yield f"read/{name}", lambda source=source, more=more: ch.read_corpus(source, **more)
    baskets: dict[str, Any] = {"basket": "user", "item": "film"}
    for name, more in (
        ("plain", {}),
        ("rated", {"rating": "stars", "scale": 0.1, "names": "films.csv", "least": 1}),
        ("few", {"max_features": 2}),
        ("no column", {"rating": "sters"}),
        ("no title", {"names": "films.csv", "title": "name"}),
        ("one column", {"item": "user"}),
        ("no scale", {"scale": 0}),
        ("no basket", {"least": 10**6}),
        ("nothing left", {"min_df": 100}),
        ("another vocabulary", {"vocabulary": ["x"]}),
    ):
        yield f"baskets/{name}", lambda more=more: ch.read_baskets("stars.csv", **baskets | more)
    yield from measured()
    yield from learned()
    yield from together()


def learned() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Fits that warn, and what learners refuse."""
    import numpy as np

    import chatham as ch
    from chatham.model.infer import infer

    counts = np.random.default_rng(0).poisson(1.0, (12, 8))
    words = list("abcdefgh")

    def fit(name: str, **more: Any) -> Any:
        return ch.fit(name, counts, vocabulary=words, random_state=0, **more)

    for name, algorithm, more in (
        ("unsettled", "svd", {"n_components": 3, "max_iter": 1}),
        ("revived", "kmeans", {"n_components": 8, "max_iter": 3}),
        ("a whole number", "nmf", {"n_components": "x"}),
        ("a choice", "nmf", {"n_components": 2, "constraint": "sphere"}),
        ("together", "nmf", {"n_components": 2, "l1_topics": 1.0}),
        ("a seed", "lda", {"n_components": 2, "alpha": -1}),
        ("unknown", "plsa", {"n_topics": 2}),
        ("sweeps", "lda", {"n_components": 2, "max_iter": 2}),
        ("anchors", "anchor", {"n_components": 3, "anchors": ["zebra"]}),
        ("rare anchors", "anchor", {"n_components": 3, "min_anchor_df": 50}),
        ("many topics", "plsa", {"n_components": 9}),
    ):
        yield f"learn/{name}", lambda a=algorithm, m=more: fit(a, **m)
    nmf = fit("nmf", n_components=2)
    yield "learn/correlations", lambda: nmf.related_topics()
    yield "learn/padd", lambda: digest(infer(nmf, counts, "padd"))
    yield "learn/one text", lambda: nmf.transform("a text")


def measured() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Scores, on documents that models know and on others, and what is lacking."""
    import chatham as ch
    from chatham.measures.elsewhere.files import read_topics

    corpus = ch.read_corpus("pets.csv", min_df=1)
    model = ch.fit("nmf", corpus, n_components=2, random_state=0, max_iter=5)
    yield "measure/all", lambda: ch.evaluate(model, corpus)
    yield "measure/strangers", lambda: ch.evaluate(model, ["zebra cat", "okapi gnu", "cats purr"])
    yield "measure/strict", lambda: ch.evaluate(model, corpus, measures=["perplexity"])
    yield "measure/topics", lambda: ch.evaluate(model, measures=["c_v"])
    yield "measure/labels", lambda: ch.evaluate(model, corpus, labels="cats")
    yield "measure/vectors", lambda: ch.evaluate(model, corpus, vectors=[1])
    yield "measure/truth", lambda: ch.evaluate(model, corpus, true_topics=[["zebra"]])
    yield "transform/strangers", lambda: digest(model.transform(["zebra okapi", "cats"]))
    yield (
        "transform/other words",
        lambda: digest(
            model.transform(ch.read_corpus(["zebra cats", "gnu dogs"], keep_texts=False))
        ),
    )
    for name in ("empty.txt", "bad.json", "array.npy", "damaged.txt.gz", "nothing.txt"):
        yield f"topics/{name}", lambda name=name: read_topics(Path.cwd() / name).top_words(2)


def together() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Sessions: how words are read and agreed on, scored together, and waited for."""
    import chatham as ch
    from chatham.federation.program import fit_and_score

    def read(source: Any, vocabulary: dict[str, Any], **reading: Any) -> Callable[[], Any]:
        return lambda: ch.read_for(session(vocabulary=vocabulary), source, **reading)

    yield "session/guess", read("pets.csv", {}, text="story")
    yield "session/none", read("pets.csv", {"stop_words": "none"}, text="story")
    yield "session/German", read("pets.csv", {"stop_words": "de"}, text="story")
    yield "session/list", read("pets.csv", {"stop_words": ["the", "and"]}, text="story")
    yield "session/short", read(["tea"], {})
    pairs = {"ngrams": [1, 2], "stop_words": "en"}
    yield "session/pairs", read("pets.csv", pairs, text="story")
    yield "session/counts", read("counts.npz", {"stop_words": "en"})
    yield "session/counted already", read("counts.npz", pairs)
    yield "session/counts without words", read("wordless.npz", pairs)
    yield "session/items", read("stars.csv", {"items": True}, basket="user", item="film")
    yield "session/no items", read("pets.csv", {"items": True})
    yield "session/no words", read("stars.csv", {}, basket="user", item="film")
    yield "session/no column", read("pets.csv", {}, text="txt")

    def score() -> Any:
        measures = {"measures": ["npmi", "perplexity"], "held_out": 0.2}
        agreed = session(vocabulary={"min_df": 2, "own_df": 1}, score=measures)
        corpora = [ch.read_for(agreed, TEXTS) for _ in agreed.parties]

        def meet(rows: list[Any], about: bytes) -> Any:
            return ch.Simulated(rows, secure=True)

        return fit_and_score(meet, agreed, corpora).scores

    yield "session/score", score
    yield "session/waiting", waited_for


def session(keys: tuple[str, ...] = ("0" * 64, "1" * 64, "2" * 64), **more: Any) -> Any:
    """A session between whoever has these keys."""
    from chatham.federation.session import Member, Session

    return Session(
        id="ab" * 16,
        relay="https://relay.example",
        parties=tuple(Member(f"Party {place}", key) for place, key in enumerate(keys)),
        algorithm="nmf",
        parameters={"n_components": 2, "max_iter": 3},
        two_parties_know=True,
        **more,
    )


def waited_for() -> str:
    """What the command line shows of a party that waits for the other one to join."""
    from chatham.cli.progress import in_words
    from tests.federation.parties import Federation, all_good, play
    from tests.federation.parties import together as at_once

    with tempfile.TemporaryDirectory() as folder:
        parties, told = Federation(Path(folder), parties=2), []

        def first() -> Any:
            return play(parties.connect(0, tell=told.append), 1, finish=True)

        def second() -> Any:
            while not any(each.waiting for each in told):
                pass
            return play(parties.connect(1), 1, finish=True)

        all_good(at_once(first, second))
    waiting = next(each for each in told if each.waiting)
    alone = len(inspect.signature(in_words).parameters) == 1
    return in_words(waiting) if alone else in_words(waiting.round, waiting.step, waiting.waiting)


def commands() -> Iterator[tuple[str, ...]]:
    """Commands that work, and commands that are refused."""
    yield from ("fit pets.csv -k 2 -m plsa --max-iter 3 -o plsa --json",
                "fit pets.csv -k 2 -m nmf -o nmf --text story --seed 1",
                "fit pets.csv -k 9 -m plsa --max-iter 3 --json",
                "fit pets.csv -k 3 -m anchor -o anchor --set refine=0 --min-df 1 --json",
                "fit new.csv -k 2 -m plsa --max-iter 2 -o new --json",
                "fit zh.txt -k 2 -m plsa --max-iter 2 --json",
                "fit pets.csv -k 2 -m plsa --vocabulary words.txt --json",
                "fit pets.csv -k 3 -m svd --max-iter 1 --json",
                "fit pets.csv -k 5 -m kmeans --max-iter 2 --json",
                "fit stars.csv -k 2 -m plsa --basket user --item film --rating stars --names "
                "films.csv -o films --json",
                "fit stars.csv -k 2 -m plsa --basket user --item film --least 999999",
                "fit stars.csv -k 2 -m plsa --basket user --item user",
                "fit stars.csv -k 2 -m plsa --basket user --item film --scale 0",
                "fit stars.csv -k 2 -m plsa --basket user --item film --min-df 99",
                "fit nothing.csv",
                "fit pets.csv --text txt",
                "fit no-text.csv",
                "fit latin.csv",
                "fit latin.csv --encoding klingon",
                "fit pets.csv --min-df 7",
                "fit wordless.npz",
                "fit counts.npz --ngrams 2",
                "fit pets.csv -k 2 --set n_components=x",
                "fit pets.csv -k 2 --set alhpa=1",
                "fit pets.csv -k 99",
                "fit pets.csv -k 2 -m lda --max-iter 2",
                "fit pets.csv -k 2 -m anchor --anchors zebra",
                "topics nmf --correlations",
                "topics anchor --levels 5,9",
                "topics nmf --by length",
                "transform nmf new.csv --json",
                "transform nmf counts.npz --json",
                "transform nmf new.csv --inference padd",
                "transform anchor new.csv --inference padd --json",
                "transform films stars.csv --basket user --item film --rating stars --names "
                "films.csv --json",
                "transform films stars.csv --basket user --item film --json")  # fmt: skip
    yield from ("evaluate nmf pets.csv --json",
                "evaluate nmf pets.csv",
                "evaluate nmf pets.csv --measure perplexity",
                "evaluate nmf pets.csv --measure perplexity --held-out 30% --json",
                "evaluate nmf pets.csv --measure npmi --words 1",
                "evaluate nmf pets.csv --words 1 --json",
                "evaluate nmf pets.csv --measure hellinger",
                "evaluate nmf pets.csv --measure nmpi",
                "evaluate nmf pets.csv --measure c_v --reference counts.npz",
                "evaluate nmf counts.npz --measure c_v",
                "evaluate nmf counts.npz --json",
                "evaluate nmf new new.csv --json",
                "evaluate topics.txt pets.csv --json",
                "evaluate nmf wordless.npz",
                "evaluate empty.txt pets.csv",
                "evaluate bad.json pets.csv",
                "evaluate films stars.csv --basket user --item film --rating stars --names "
                "films.csv --json",
                "evaluate nmf --measure npmi",
                "intrusion nmf -o word-questions.csv --json",
                "intrusion nmf pets.csv -o topic-questions.csv --topics 1",
                "intrusion nmf pets.csv -o more-questions.csv --topics 9",
                "session --party A=1 --relay https://relay.example",
                f"session {PARTIES} -o a.toml --model nmf --set n_components=x",
                f"session {PARTIES} -o a.toml --score nmpi",
                f"session {PARTIES} -o a.toml --score accuracy",
                "join pairs.toml --corpus counts.npz --key A.key --folder A --yes",
                "join pairs.toml --corpus stars.csv --basket user --item film --key A.key "
                "--folder A --yes",
                "join items.toml --corpus pets.csv --key A.key --folder A --yes",
                "join rules.toml --corpus pets.csv --key A.key --folder A --yes",
                "join nothing.toml --corpus pets.csv --key A.key --folder A --yes")  # fmt: skip


PARTIES = "--relay https://relay.example " + " ".join(
    f"--party {name}={hashlib.sha256(name.encode()).hexdigest()}" for name in "AB"
)


def sessions() -> None:
    """Sessions that a party of ours can join, as files."""
    from chatham.commons.secure.keys import Identity

    mine = Identity.new()
    mine.save(Path("A.key"))
    for name, vocabulary in (
        ("pairs", {"ngrams": [1, 2], "stop_words": "en"}),
        ("items", {"items": True}),
        ("rules", {"min_df": 0}),
    ):
        made = session((mine.public.hex(), "1" * 64, "2" * 64), vocabulary=vocabulary)
        Path(f"{name}.toml").write_text(made.to_toml(), "utf-8")


SAMPLE = "a few sentences"
"""Among the outcomes what differs: else nothing was reworded."""


def sample() -> list[str]:
    """A refusal, a note, and what a command says."""
    import chatham as ch
    from tests.command import chatham

    try:
        ch.read_corpus("nothing.csv")
    except ch.InputError as error:
        refusal = str(error)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        notes = ch.read_corpus("zh.txt").notes
    said = [*map(str, notes), *(str(each.message) for each in caught)]
    return [refusal, *said, chatham("fit", "nothing.csv").errors]
