"""The explorer in a real browser: its first picture, a click's answer; a report beside pyLDAvis's.

    python -m benchmarks.explorer                          on the bundled sample
    python -m benchmarks.explorer --data FOLDER -o benchmarks/explorer.md

Needs Debian's `chromium`, or another that the variable CHATHAM_CHROMIUM names. All times are the
clock's: from where the browser says that it began to after the frame that shows the answer.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import warnings
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import chatham as ch
from benchmarks.contest import installed, machine, revision
from chatham.cli.paths import check_file, unwritable
from chatham.corpus import Corpus, read_corpus, sample_corpus
from chatham.errors import ChathamError, InputError
from chatham.explorer.server import Server, listening_on
from chatham.explorer.workbench import Workbench
from chatham.model.topic_model import TopicModel

PICTURED, CLICKED, ROUNDS = 50, 200, 30
"""Topics whose first picture is timed; topics among which is clicked; rounds of LDA."""
TRIES, CLICKS = 3, 20
FIRST_PICTURE, ANSWER = 1000, 100
"""Milliseconds aimed at."""
PATIENCE = 120_000
"""Milliseconds after which something will never come."""
VIEW = {"width": 1440, "height": 900}
NAME, FILE = "20 Newsgroups", "20newsgroups_clean.parquet"

MEANING = (
    "The model is LDA as `chatham fit --set max_iter=30` fits it, quickly: what the page does "
    "depends on the numbers of topics, words and documents, hardly on how good they are. Server "
    "and browser (headless chromium, 1,440 × 900) run on the same machine; each first picture is "
    "of a browser that has nothing in its cache. Milliseconds are the page's own clock's: from the "
    "beginning of the visit, or from the click, to after the frame that shows the answer. The "
    "first visit after the server's start also waits for what the page shows to be prepared; "
    "later visits find it. Clicks are sent to what is clicked at, in turn; each text is read out "
    "of the list of a topic's documents, by weight."
)
REPORTS = (
    "Seconds are the clock's, the least of several and each of them, taken in turn in one run; "
    "all start from the model and the documents in memory. A report finds the documents' weights "
    "itself; `pyLDAvis.prepare` is given them, so that *weights* is to be added to it. Its file "
    "loads D3 and LDAvis from the network whenever it is opened, and they aren't counted; a "
    "report holds all that it needs, and documents."
)
FIRSTS = "the first document of each of several topics: its text, tinted"
LAST = "the ten first documents of the last topic: their texts, tinted"
PEER = "pyLDAvis.prepare and save_html"
WITHOUT_PEER = "pyLDAvis isn't installed (`pip install pyldavis`), so it doesn't take part."

PAINT = """
window.pictured = new Promise((tell) => {
  new MutationObserver((_, watcher) => {
    if (!document.querySelector(".bubble")) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => tell(performance.now())));
  }).observe(document, { childList: true, subtree: true });
});
"""
"""Before the page's own scripts: when are the bubbles on the screen?"""

WATCH = """
() => {
  let began, found, tell;
  const note = (name) => requestAnimationFrame(() => setTimeout(() => {
    found[name] ??= performance.now() - began;
    if ("panel" in found && "documents" in found) tell(found);
  }));
  window.expect = () => {
    found = {};
    window.answered = new Promise((resolve, reject) => {
      tell = resolve;
      setTimeout(() => reject(new Error("A click had no answer.")), 60000);
    });
  };
  window.expect();
  addEventListener("click", (event) => {
    began = event.timeStamp;
    note("panel");
  }, { capture: true });
  new MutationObserver(() => note("documents"))
    .observe(document.querySelector(".documents .stage"), { childList: true });
}
"""
"""From a click's own time to the next frame, and to the one with the documents from the server."""


@dataclass(frozen=True)
class Answers:
    """How long a kind of click took, and how long it is meant to take at most (milliseconds)."""

    what: str
    goal: float
    taken: list[float]

    @property
    def cells(self) -> list[str]:
        """The row of the page."""
        within = sum(each < self.goal for each in self.taken)
        verdict = f"{within} of {len(self.taken)}"
        return [
            self.what, f"{min(self.taken):.0f}", f"{median(self.taken):.0f}",
            f"{max(self.taken):.0f}",
            verdict if within == len(self.taken) else f"**{verdict}**",
        ]  # fmt: skip


@dataclass(frozen=True)
class Written:
    """How long a page took to be written (seconds), and how large it is (bytes)."""

    what: str
    taken: list[float]
    size: int | None

    @property
    def cells(self) -> list[str]:
        """The row of the page."""
        size = "–" if self.size is None else f"{self.size / 1e6:.2f}"
        each = ", ".join(f"{seconds:.2f}" for seconds in self.taken)
        return [self.what, f"{min(self.taken):.2f}", each, size]


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    playwright = installed("playwright")
    path = os.environ.get("CHATHAM_CHROMIUM") or shutil.which("chromium")
    if playwright is None or path is None:
        raise InputError(
            "There is no browser to measure in; install the package 'chromium' and the extra 'dev'."
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def pictures(browser: Any, model: TopicModel, corpus: Corpus, tries: int) -> list[Answers]:
    """The first visit after the server's start, for which the data are prepared, and later ones."""
    bench = Workbench(model, corpus)
    server = Server(bench, listening_on(0))
    with server.in_background() as home:
        taken = [_picture(browser, home) for _ in range(tries + 1)]
    bench.close()
    return [
        Answers("first picture, the server's first visit", FIRST_PICTURE, taken[:1]),
        Answers("first picture, later visits", FIRST_PICTURE, taken[1:]),
    ]


def _picture(browser: Any, home: str) -> float:
    context = browser.new_context(viewport=VIEW)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(PAINT)
    page.goto(home)
    page.locator(".bubble").first.wait_for()
    taken = float(page.evaluate("window.pictured"))
    context.close()
    return taken


def clicks(browser: Any, model: TopicModel, corpus: Corpus, many: int) -> list[Answers]:
    """Clicks at bubbles, at words and at documents, and back."""
    bench = Workbench(model, corpus)
    server = Server(bench, listening_on(0))
    with server.in_background() as home:
        context = browser.new_context(viewport=VIEW)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(home)
        page.locator(".document").first.wait_for()
        page.evaluate(WATCH)
        k = model.n_topics
        bubbles = [
            _click(page, f".bubble[data-topic='{topic}']")
            for topic in np.linspace(1, k - 1, many).astype(int)
        ]
        words = [_click(page, f".bars li:nth-child({1 + i % 20}) button") for i in range(many)]
        page.locator("[data-key=close-word]").click()
        last = [_there_and_back(page, 1 + i % 10) for i in range(many)]
        firsts = []
        for topic in np.linspace(0, k - 2, many).astype(int):
            _click(page, f".bubble[data-topic='{topic}']")
            firsts.append(_there_and_back(page, 1))
        context.close()
    bench.close()
    return [
        Answers("a bubble: its words", ANSWER, [each["panel"] for each in bubbles]),
        Answers("a bubble: its documents", ANSWER, [each["documents"] for each in bubbles]),
        Answers("a word: where else it lives", ANSWER, [each["panel"] for each in words]),
        Answers("a word: its documents", ANSWER, [each["documents"] for each in words]),
        Answers(FIRSTS, ANSWER, [each["documents"] for each in firsts]),
        Answers(LAST, ANSWER, [each["documents"] for each in last]),
    ]


def _click(page: Any, selector: str) -> dict[str, float]:
    page.evaluate("window.expect()")
    page.locator(selector).dispatch_event("click")
    found: dict[str, float] = page.evaluate("window.answered")
    return found


def _there_and_back(page: Any, place: int) -> dict[str, float]:
    page.locator(f".found-list li:nth-child({place}) .document").wait_for()
    taken = _click(page, f".found-list li:nth-child({place}) .document")
    page.get_by_role("button", name="All documents").click()
    page.locator(".found-list").wait_for()
    return taken


def reports(model: TopicModel, corpus: Corpus, tries: int) -> list[Written]:
    """`ch.report` and pyLDAvis in turn; each text is read out "
    "of the list of a topic's documents, by weight."""
    ways: dict[str, Callable[[Path], object]] = {
        "chatham report": lambda path: ch.report(model, corpus, path),
        "chatham report --no-documents": lambda path: ch.report(
            model, corpus, path, documents=False
        ),
        "the documents' weights alone": lambda path: model.transform(corpus),
    }
    if installed("pyLDAvis") is not None:
        weights = model.transform(corpus)
        ways[PEER] = lambda path: by_pyldavis(model, corpus, weights, path)
    taken: dict[str, list[float]] = {name: [] for name in ways}
    sizes: dict[str, int | None] = dict.fromkeys(ways)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(tries):
            for i, (name, write) in enumerate(ways.items()):
                path = Path(folder, f"{i}.html")
                began = time.perf_counter()
                write(path)
                taken[name].append(time.perf_counter() - began)
                sizes[name] = path.stat().st_size if path.exists() else None
    return [Written(name, taken[name], sizes[name]) for name in ways]


def by_pyldavis(model: TopicModel, corpus: Corpus, weights: Any, path: Path) -> None:
    """The peer's page, of the documents that the model was fitted to."""
    peer: Any = installed("pyLDAvis")
    counts = corpus.counts
    prepared = peer.prepare(
        model.topics, weights, np.asarray(counts.sum(axis=1)).ravel(),
        [str(word) for word in model.vocabulary], np.asarray(counts.sum(axis=0)).ravel(),
    )  # fmt: skip
    peer.save_html(prepared, str(path))


def fitted(corpus: Corpus, k: int) -> TopicModel:
    """A model to look at."""
    return ch.fit("lda", corpus, n_components=k, max_iter=ROUNDS, random_state=0)


def page_of(
    seen: Mapping[str, Sequence[Answers]], written: Mapping[str, Sequence[Written]], note: str = ""
) -> str:
    """The whole page: tables of what was seen and of what was written, by heading."""
    where = (
        f"At revision {revision()}. Measured on: {machine()}{_also()}.{f' {note}' if note else ''}"
    )
    lines = ["# The explorer", "", MEANING, "", where]
    for heading, answers in seen.items():
        lines += ["", f"## {heading}", "", f"Goal: under {answers[0].goal:.0f} ms.", ""]
        head = ["milliseconds", "least", "median", "most", "within the goal"]
        lines += _table(head, [each.cells for each in answers])
    for heading, files in written.items():
        lines += ["", f"## {heading}", "", REPORTS, ""]
        lines += _table(["", "seconds", "each", "MB"], [each.cells for each in files])
        if all(each.what != PEER for each in files):
            lines += ["", WITHOUT_PEER]
    return "\n".join(lines) + "\n"


def _also() -> str:
    """What the other pages of measurements don't use."""
    return "".join(
        f", {name} {metadata.version(name)}"
        for name, module in (("playwright", "playwright"), ("pyldavis", "pyLDAvis"))
        if installed(module) is not None
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def measured(name: str, corpus: Corpus, tries: int, many: int, note: str) -> str:
    """Everything in turn; the page."""
    size = f"{name}, {len(corpus):,} documents"
    with chromium() as browser:
        _say(f"fitting {PICTURED} topics")
        small = fitted(corpus, PICTURED)
        _say("first pictures")
        seen = {f"First picture: {size}, k = {PICTURED}": pictures(browser, small, corpus, tries)}
        _say(f"fitting {CLICKED} topics")
        large = fitted(corpus, CLICKED)
        _say("clicks")
        seen[f"A click: {size}, k = {CLICKED}"] = clicks(browser, large, corpus, many)
    _say("reports")
    written = {f"A report: {size}, k = {PICTURED}": reports(small, corpus, tries)}
    return page_of(seen, written, note)


def documents_of(folder: Path | None) -> tuple[str, Corpus]:
    """The documents and what they are called."""
    if folder is None:
        return "bundled sample", sample_corpus()
    if not (folder / FILE).exists():
        raise InputError(
            f"The folder '{folder}' has no {FILE}; name another with --data, or leave it out to "
            "measure on the bundled sample."
        )
    return NAME, read_corpus(folder / FILE)


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print the page; 1 where that can't be done."""
    parser = ArgumentParser(
        "python -m benchmarks.explorer",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the folder of real corpora")
    parser.add_argument("--tries", type=int, default=TRIES, help="visits, and reports of each kind")
    parser.add_argument("--clicks", type=int, default=CLICKS, help="clicks of each kind")
    parser.add_argument("--note", default="", help="a sentence about the run, for the page")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the page here too")
    options = parser.parse_args(words)
    try:
        check_file(options.output)
        with warnings.catch_warnings(action="ignore"):
            name, corpus = documents_of(options.data)
            page = measured(name, corpus, options.tries, options.clicks, options.note)
        if options.output is not None:
            _write(options.output, page)
    except ChathamError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(page, end="")
    return 0


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from None


def _say(stage: str) -> None:
    print(stage, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
