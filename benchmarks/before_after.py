"""Two versions of Chatham side by side: has a change made anything slower?

    make bench-compare BASE=main DATA=folder
    python benchmarks/before_after.py --base v0.1.0 --only 'lda*,padd' --alternations 9

*Before* is the revision BASE, checked out into a temporary folder; *after* is the working tree.
Each alternation starts a process for each version, which take turns at every try of every row:
they share what the machine does at that moment, and neither is always first. Of an alternation the
best try counts, of all alternations the median of the ratio after : before. Rows above `--most`
are measured as often once more before they are held against anyone; if they stay there, the exit
code is 1.

Rows use public names alone, so that the same code runs on both versions wherever their modules are.
"""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]

COUNTS, TEXTS = "nips12_bow.npz", "20newsgroups_clean.parquet"
WORDS, FEWER_WORDS = 5000, 1000
"""Words that are kept; fewer for anchors, which make a table of words by words."""
READ = 1500
"""How many texts are read and measured on."""

TRIES = 3
LONG_ENOUGH = 0.2
"""Seconds: what takes less is repeated within a try."""

Work = Callable[[], object]


# The rows: what is done once for each process, and what is timed.


class Material:
    """What the rows of one process work on, made when it is first needed."""

    def __init__(self, data: Path | None, scratch: Path, threads: int) -> None:
        self.data, self.scratch, self.threads = data, scratch, threads

    @cached_property
    def corpus(self) -> Any:
        """Documents as counts."""
        return self._counted(WORDS)

    @cached_property
    def fewer_words(self) -> Any:
        """The same documents, counts of fewer words."""
        return self._counted(FEWER_WORDS).counts

    @cached_property
    def file(self) -> Path:
        """A file of texts."""
        import pandas as pd

        if self.data is None:
            import chatham as ch

            texts = list(ch.sample_corpus().texts or [])
        else:
            texts = list(pd.read_parquet(self.data / TEXTS, columns=["text"])["text"][:READ])
        pd.DataFrame({"text": texts}).to_parquet(self.scratch / "texts.parquet")
        return self.scratch / "texts.parquet"

    @cached_property
    def texts(self) -> Any:
        """That file as a corpus."""
        import chatham as ch

        return ch.read_corpus(self.file, text="text", max_features=WORDS)

    def counts(self, name: str) -> Any:
        """What a learner of that name is given."""
        return self.fewer_words if name == "AnchorWords" else self.corpus.counts

    def learner(self, name: str, k: int, **parameters: Any) -> Any:
        """A learner of ours that isn't fitted yet."""
        import chatham as ch

        return getattr(ch, name)(k, random_state=0, n_jobs=self.threads, **parameters)

    def fitted(self, name: str, **parameters: Any) -> Any:
        """A learner of 20 topics after a few iterations."""
        return self.learner(name, 20, max_iter=5, **parameters).fit(self.counts(name))

    def model(self, corpus: Any, k: int) -> Any:
        """Topics with words, of any quality."""
        import chatham as ch

        settings: dict[str, Any] = {"max_iter": 5, "random_state": 0, "n_jobs": self.threads}
        return ch.fit("plsa", corpus, n_components=k, **settings)

    def _counted(self, words: int) -> Any:
        import chatham as ch

        if self.data is None:
            return ch.sample_corpus(min_df=2, max_features=words)
        return ch.read_corpus(self.data / COUNTS, max_features=words)


Row = Callable[[Material], Work]


def fit(name: str, k: int, **parameters: Any) -> Row:
    """A fit from counts."""

    def prepare(material: Material) -> Work:
        counts, learner = material.counts(name), material.learner(name, k, **parameters)
        return lambda: learner.fit(counts)

    return prepare


def transform(name: str, documents: int | None = None, **parameters: Any) -> Row:
    """The weights of so many documents, or of all."""

    def prepare(material: Material) -> Work:
        counts, learner = material.counts(name)[:documents], material.fitted(name, **parameters)
        return lambda: learner.transform(counts)

    return prepare


def coherence(measure: str) -> Row:
    """The coherence of 100 topics in the texts that they are of."""

    def prepare(material: Material) -> Work:
        import chatham as ch

        texts, threads = material.texts, material.threads
        model = material.model(texts, 100)
        return lambda: ch.evaluate(model, texts, measures=[measure], n_jobs=threads)

    return prepare


def left_to_right(material: Material) -> Work:
    """The probability of a few documents."""
    import chatham as ch

    model, threads = material.model(material.corpus, 20), material.threads
    few = material.corpus.rows(slice(0, 8))
    return lambda: ch.evaluate(model, held_out=few, measures=["left_to_right"], n_jobs=threads)


def masked_sums(material: Material) -> Work:
    """NMF of three holders whose sums go the way they go between parties."""
    import chatham as ch

    parts = [material.corpus.counts[holder::3] for holder in range(3)]
    learner = material.learner("NMF", 20, max_iter=3, tol=0)
    return lambda: learner.fit(ch.Simulated(parts, secure=True))


def read_parquet(material: Material) -> Work:
    """From a file of texts to counts."""
    import chatham as ch

    file = material.file
    return lambda: ch.read_corpus(file, text="text", max_features=WORDS)


def save(material: Material) -> Work:
    """A model's folder, written over the last one."""
    model = material.model(material.corpus, 20)
    return lambda: model.save(material.scratch / "saved")


def load(material: Material) -> Work:
    """A model from its folder."""
    import chatham as ch

    material.model(material.corpus, 20).save(material.scratch / "loaded")
    return lambda: ch.load(material.scratch / "loaded")


ROWS: dict[str, Row] = {
    "nmf-20": fit("NMF", 20, max_iter=10, tol=0),
    "nmf-100": fit("NMF", 100, max_iter=3, tol=0),
    "plsa-20": fit("PLSA", 20, max_iter=10, tol=0),
    "plsa-100": fit("PLSA", 100, max_iter=4, tol=0),
    "lda-20": fit("LDA", 20, max_iter=4),
    "lda-200": fit("LDA", 200, max_iter=2),
    "lda-shards-20": fit("LDA", 20, max_iter=4, shards=2),
    "lda-shards-200": fit("LDA", 200, max_iter=2, shards=2),
    "kmeans": fit("KMeans", 20, max_iter=5, tol=0),
    "svd": fit("SVD", 20),
    "anchors-20": fit("AnchorWords", 20, refine=0, max_iter=5),
    "anchors-100": fit("AnchorWords", 100, refine=0, max_iter=2),
    "anchors-refined": fit("AnchorWords", 20, refine=3, max_iter=2),
    "transform-nmf": transform("NMF"),
    "transform-plsa": transform("PLSA", 50),
    "transform-lda": transform("LDA", 100),
    "transform-kmeans": transform("KMeans"),
    "transform-svd": transform("SVD"),
    "transform-anchors": transform("AnchorWords", 300),
    "padd": transform("AnchorWords", refine=0, inference="padd"),
    "left-to-right": left_to_right,
    "npmi": coherence("npmi"),
    "c_v": coherence("c_v"),
    "masked-sums": masked_sums,
    "read-parquet": read_parquet,
    "save": save,
    "load": load,
}


# The process of one version: it does what it is asked, a line of JSON each.


def be_version(sources: Path, material: Material) -> None:
    """Prepare rows and time tries of them, as asked on standard input, until it closes."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints, answers stay apart
    warnings.simplefilter("ignore")
    import chatham

    if not Path(chatham.__file__ or "").is_relative_to(sources):
        sys.exit(f"Chatham was imported from {chatham.__file__} and not from {sources}.")
    work: Work = list
    repeats = 1
    for line in sys.stdin:
        asked = json.loads(line)
        if asked is None:
            answer: Any = seconds_of(work, repeats)
        else:
            try:
                work = ROWS[asked](material)
                seconds_of(work, 1)  # compile
                repeats = math.ceil(LONG_ENOUGH / max(seconds_of(work, 1), 1e-6))
                answer = None
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), file=answers, flush=True)


def seconds_of(work: Work, repeats: int) -> float:
    """How long the work takes once, from doing it so often."""
    gc.collect()
    began = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - began) / repeats


# The process that asks.


class Version:
    """A process that does rows with the sources of one version."""

    def __init__(self, sources: Path, cache: Path, options: Any) -> None:
        words = ["--be", str(sources), "--threads", str(options.threads)]
        words += [] if options.data is None else ["--data", str(options.data.resolve())]
        single = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "MKL", "OMP")}
        ours = {"PYTHONPATH": str(sources), "NUMBA_CACHE_DIR": str(cache), "PYTHONHASHSEED": "0"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, *words],
            env={**os.environ, **single, **ours},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def prepare(self, row: str) -> str | None:
        """Make ready for a row; why that can't be done, if it can't."""
        answer: str | None = self._ask(row)
        return answer

    def seconds(self) -> float:
        """One try of the row."""
        return float(self._ask(None))

    def _ask(self, what: str | None) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        answer = ""
        with suppress(BrokenPipeError):
            print(json.dumps(what), file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit("Error: a version ended before it was done; what it said is above.")
        return json.loads(answer)

    def __enter__(self) -> Version:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # its input closes, and so it ends


@dataclass
class Times:
    """The best seconds of each alternation, or why a row couldn't be done."""

    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def ratios(self) -> list[float]:
        """After : before, an alternation each."""
        return [after / before for before, after in zip(self.before, self.after, strict=True)]

    def is_worse(self, most: float) -> bool:
        """Whether it is slower than allowed, or can't be done any more."""
        if self.failed:
            return list(self.failed) == ["after"]
        return median(self.ratios) > most


def measure(
    versions: dict[str, tuple[Path, Path]], rows: Sequence[str], options: Any
) -> dict[str, Times]:
    """Every row, as many alternations as asked for, and those that look worse once more."""
    found = {row: Times() for row in rows}
    alternate(versions, found, options)
    doubtful = {row: times for row, times in found.items() if times.is_worse(options.most)}
    alternate(versions, {row: t for row, t in doubtful.items() if not t.failed}, options)
    return found


def alternate(
    versions: dict[str, tuple[Path, Path]], found: dict[str, Times], options: Any
) -> None:
    """Add the times of more alternations; who goes first changes from one to the next."""
    for number in range(options.alternations if found else 0):
        order = list(versions) if number % 2 == 0 else list(versions)[::-1]
        with ExitStack() as stack:
            running = {
                name: stack.enter_context(Version(*versions[name], options)) for name in order
            }
            for row, times in found.items():
                print(f"{number + 1} of {options.alternations}: {row}", file=sys.stderr)
                one_row(running, row, times)


def one_row(running: dict[str, Version], row: str, times: Times) -> None:
    """Both versions ready, then a try of each in turn."""
    answers = {name: version.prepare(row) for name, version in running.items()}
    times.failed |= {name: why for name, why in answers.items() if why is not None}
    if times.failed:
        return
    tries = [{name: one.seconds() for name, one in running.items()} for _ in range(TRIES)]
    times.before.append(min(each["before"] for each in tries))
    times.after.append(min(each["after"] for each in tries))


def as_table(found: dict[str, Times], most: float) -> str:
    """A line a row: medians, their ratio, and the lowest and the highest of the alternations."""
    lines = ["| row | before (ms) | after (ms) | ratio | spread | |", "|---|---|---|---|---|---|"]
    for row, times in found.items():
        if times.failed:
            why = "; ".join(f"{name}: {said}" for name, said in sorted(times.failed.items()))
            lines.append(f"| {row} | – | – | – | – | failed {why} |")
            continue
        ratios = times.ratios
        before, after = median(times.before) * 1e3, median(times.after) * 1e3
        spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
        mark = "**slower**" if times.is_worse(most) else ""
        lines.append(
            f"| {row} | {before:.1f} | {after:.1f} | {median(ratios):.3f} | {spread} | {mark} |"
        )
    return "\n".join(lines) + "\n"


@contextmanager
def checked_out(revision: str, folder: Path) -> Iterator[Path]:
    """The sources of a revision, in a worktree that is gone afterwards."""
    git = ["git", "-C", str(REPOSITORY), "worktree"]
    made = subprocess.run(
        [*git, "add", "--quiet", "--detach", str(folder), revision], capture_output=True, text=True
    )
    if made.returncode:
        raise SystemExit(f"Error: {revision!r} can't be checked out. {made.stderr.strip()}")
    try:
        yield folder / "src"
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print the table; 1 if a row is worse than before."""
    options = _parser().parse_args(words)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name).resolve()
        if options.be is not None:
            be_version(options.be, Material(options.data, scratch, options.threads))
            return 0
        with checked_out(options.base, scratch / "base") as base:
            versions = {
                "before": (base, scratch / "before"),
                "after": (REPOSITORY / "src", scratch / "after"),
            }
            found = measure(versions, options.only, options)
    print(as_table(found, options.most), end="")
    worse = [row for row, times in found.items() if times.is_worse(options.most)]
    if worse:
        print(f"Worse than {options.most} × {options.base}: {', '.join(worse)}", file=sys.stderr)
    return 1 if worse else 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--base", metavar="REVISION", default="HEAD", help="the version before; HEAD if not given")
    add(
        "--only", type=_rows, metavar="NAMES", default=list(ROWS),
        help=f"which rows, as in lda*,padd; all if not given: {','.join(ROWS)}",
    )  # fmt: skip
    add(
        "--data", type=_folder, metavar="FOLDER",
        help=f"the folder with {COUNTS} and {TEXTS}; the bundled sample if not given",
    )  # fmt: skip
    add("--alternations", type=_at_least_one, metavar="N", default=5, help="5 if not given")
    add("--threads", type=_at_least_one, metavar="N", default=2, help="2 if not given")
    add("--most", type=float, metavar="RATIO", default=1.03, help="1.03 if not given")
    add("--be", type=Path, help=SUPPRESS)
    return parser


def _rows(written: str) -> list[str]:
    """The rows that match one of the patterns, in their own order."""
    patterns = [pattern.strip() for pattern in written.split(",")]
    matching = [row for row in ROWS if any(fnmatchcase(row, pattern) for pattern in patterns)]
    if not matching:
        raise ArgumentTypeError(f"{written!r} must match some of {', '.join(ROWS)}")
    return matching


def _folder(written: str) -> Path:
    missing = [name for name in (COUNTS, TEXTS) if not (Path(written) / name).is_file()]
    if missing:
        raise ArgumentTypeError(f"'{written}' must have {' and '.join(missing)} in it")
    return Path(written)


def _at_least_one(written: str) -> int:
    number = int(written)
    if number < 1:
        raise ArgumentTypeError(f"{written} must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
