"""Every link between our pages leads to a file that is there, and to a heading that it has."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHERE = ("*.md", "docs/**/*.md", "experiments/README.md", "benchmarks/*.md")
PAGES = sorted({page for pattern in WHERE for page in ROOT.glob(pattern)})

FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+).+?\1", re.DOTALL)
TARGETS = (
    re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+[\"'][^)]*)?\)"),
    re.compile(r"^\[[^]]+\]:\s*<?([^\s>]+)", re.MULTILINE),
    re.compile(r"(?:href|src)=[\"']([^\"']+)"),
)
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def links_in(text):
    """Where a page's own links lead; what looks like one in code is none."""
    prose = CODE.sub("", FENCE.sub("", text))
    found = [target for pattern in TARGETS for target in pattern.findall(prose)]
    return [target for target in found if not ELSEWHERE.match(target)]


def anchors_in(text):
    """The names that headings have in links: small letters, no punctuation, blanks as hyphens."""
    anchors = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        again = sum(1 for known in anchors if re.fullmatch(rf"{re.escape(name)}(-\d+)?", known))
        anchors.add(f"{name}-{again}" if name in anchors else name)
    return anchors


def broken(page):
    """The links of a page that lead nowhere."""
    text = page.read_text(encoding="utf-8")
    for link in links_in(text):
        path, _, anchor = unquote(link).partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists() or not place.is_relative_to(ROOT):
            yield f"{link}: no such file"
        elif anchor and anchor not in anchors_in(place.read_text(encoding="utf-8")):
            yield f"{link}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    assert list(broken(page)) == []


def test_pages_are_looked_at_and_have_links():
    assert ROOT / "README.md" in PAGES
    assert ROOT / "docs" / "decisions" / "0007-anchor-words.md" in PAGES
    assert sum(len(links_in(page.read_text(encoding="utf-8"))) for page in PAGES) > 30


def test_what_leads_nowhere_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    page, other = tmp_path / "page.md", tmp_path / "a file.md"
    other.write_text("# What `it` is: a *test*\n\n## Again\n\n## Again\n\n```\n# none\n```\n")
    good = (
        "[a](a%20file.md) [b](a%20file.md#what-it-is-a-test) [c](a%20file.md#again-1) [d](#own) "
        "[e](https://example.org/x) `[f](code.md)` [g](<a%20file.md> 'titled')\n\n# Own\n\n"
    )
    bad = "[a](gone.md) [b](a%20file.md#none) [c](#none) ![d](gone.png)\n\n[e]: ../out.md\n"
    page.write_text(good + bad)
    assert sorted(line.partition(":")[0] for line in broken(page)) == [
        "#none", "../out.md", "a%20file.md#none", "gone.md", "gone.png",
    ]  # fmt: skip
