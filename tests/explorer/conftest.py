"""What tests of the explorer share: a model with hostile documents, and a browser."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import chatham as ch

ROOT = Path(__file__).resolve().parents[2]
EXPLODES = "<script>window.exploded = 1</script><img src=x onerror='window.exploded = 2'>"
TEXTS = [
    "rocket orbit moon launch rocket engine",
    "moon orbit rocket shuttle launch <b>bold & brave</b>",
    "orbit launch moon station shuttle 🚀 rocket",
    f"rocket {EXPLODES} orbit",
    "bread oven flour yeast dough bread",
    "flour dough bread oven crust לחם خبز",
    "yeast bread dough crust \"quoted\" 'single' flour",
    "oven bread recipe yeast </script> flour",
    "goal match team striker goal",
    "team match goal league striker keeper",
    "league goal team match referee",
    "striker team goal referee keeper match",
    "",
]
LABELS = ["space", "space", "space", "space", *["food"] * 4, *["sport"] * 4, None]
DATES = [f"20{20 + i % 3}-0{1 + i % 4}-01" for i in range(len(TEXTS))]


def small_corpus():
    """A few documents about three things, some of them hostile, the last one empty."""
    import pandas as pd

    table = pd.DataFrame({"text": TEXTS, "label": LABELS, "date": DATES})
    return ch.read_corpus(table, text="text", label="label", min_df=1, max_df=1.0)


@pytest.fixture(scope="session")
def corpus():
    return small_corpus()


@pytest.fixture
def model(corpus):
    return ch.fit("lda", corpus, n_components=3, max_iter=60, random_state=0)


def wide_model(k=200, d=600, seed=0):
    """A model of many topics that never saw a document."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.3, (k * 3, d)) + 5 * (rng.random((k * 3, d)) < 0.01)
    words = [f"word{j:03}" for j in range(d)]
    return ch.fit(ch.LDA(k, max_iter=2, random_state=0), counts, vocabulary=words)


@pytest.fixture(scope="module")
def browser():
    """Debian's chromium, one for all tests of a file.

    Not for all files: while Playwright runs, an event loop does in this thread, and tests of
    others couldn't begin theirs.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    path = os.environ.get("CHATHAM_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, which npm installs for the tests."""
    source = ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not source.exists():
        pytest.skip("npm install --no-save axe-core wasn't run")
    return source.read_text("utf-8")
