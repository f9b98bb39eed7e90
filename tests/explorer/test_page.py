"""The page in a real browser: what it shows, that it can be repeated, and that nothing gets out."""

import json
import re
from contextlib import contextmanager

import pytest

import chatham as ch
from chatham.explorer.report import report_page
from chatham.explorer.server import Server, listening_on
from chatham.explorer.workbench import Workbench
from tests.explorer.conftest import TEXTS, wide_model

pytest.importorskip("uvicorn")
PATIENCE = 300_000
"""Milliseconds after which something will never come."""
WATCH = """
addEventListener('securitypolicyviolation', (event) => {
  window.violations = (window.violations ?? []).concat(event.violatedDirective);
}, true);
"""


@contextmanager
def looked_at(browser, address, *, offline=False, **how):
    """A page that must say nothing on its console, violate no policy, and ask nobody else."""
    context = browser.new_context(offline=offline, **how)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(WATCH)
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    yield page
    assert page.evaluate("window.violations ?? []") == []
    assert page.evaluate("window.exploded ?? null") is None
    assert said == []
    home = re.match(r"\w+://[^/]*/", address)[0]
    assert [url for url in asked if not url.startswith((home, "data:", "blob:"))] == []
    if offline:
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()


@contextmanager
def explored(browser, bench, at="", **how):
    server = Server(bench, listening_on(0))
    with server.in_background() as home, looked_at(browser, f"{home}#{at}", **how) as page:
        yield page
    bench.close()


def words_shown(page):
    return page.locator(".bars .word").all_inner_texts()


def slide(page, lam):
    page.locator("input[type=range]").evaluate(
        "(input, lam) => { input.value = lam; input.dispatchEvent(new Event('input')); }", str(lam)
    )


def test_from_a_bubble_to_a_text_and_back_by_the_address(browser, model, corpus):
    with explored(browser, Workbench(model, corpus)) as page:
        topic = 1
        page.locator(f".bubble[data-topic='{topic}']").click()
        page.wait_for_selector(f".badge[data-topic='{topic}']")
        assert page.url.endswith("#topic=1")
        assert "token" not in page.url
        for by, lam in (("relevance", 0.0), ("relevance", 0.37), ("relevance", 1.0)):
            slide(page, lam)
            assert words_shown(page) == model.top_word_lists(20, by, lam)[topic]
        page.get_by_role("button", name="Uplift").click()
        slide(page, 0.85)
        assert words_shown(page) == model.top_word_lists(20, "uplift", 0.85)[topic]
        page.get_by_role("button", name="Discriminability").click()
        assert words_shown(page) == model.top_word_lists(20, "discriminability")[topic]

        best = int(model.transform(corpus)[:-1, topic].argmax())
        page.locator(".document").first.click()
        page.wait_for_selector(".text")
        assert page.locator(".text").inner_text() == TEXTS[best]
        assert page.locator(".tint").count() > 0
        shared = page.url
        state = page.locator(".bars").inner_text()

        other = page.context.new_page()  # the same browser has the key; the address has the state
        other.set_default_timeout(PATIENCE)
        other.goto(shared)
        other.wait_for_selector(".text")
        assert other.locator(".text").inner_text() == TEXTS[best]
        assert other.locator(".bars").inner_text() == state
        other.close()

        page.get_by_role("button", name="Undo").click()
        page.wait_for_selector(".document")
        page.keyboard.press("Control+Shift+z")
        page.wait_for_selector(".text")


def test_words_search_and_everything_else_by_keyboard(browser, model, corpus):
    with explored(browser, Workbench(model, corpus), at="topic=0") as page:
        page.locator(".bars button").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".homes")
        word = page.locator(".homes h3").inner_text()
        listed = page.locator(".document")
        listed.first.wait_for()
        page.get_by_text(f"with “{word}”").wait_for()
        expected = sum(word in text.lower() for text in TEXTS)
        assert listed.count() == expected
        page.locator("[data-key=close-word]").press("Enter")

        page.keyboard.press("/")
        page.keyboard.type("bold & brave")
        page.keyboard.press("Enter")
        page.get_by_text("that say “bold & brave”").wait_for()
        listed.first.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".text")
        assert "<b>bold & brave</b>" in page.locator(".text").inner_text()
        page.get_by_role("button", name="All documents").press("Enter")
        listed.first.wait_for()

        bubble = page.locator(".bubble[tabindex='0']")
        bubble.focus()
        pressed = page.evaluate("document.activeElement.dataset.topic")
        for arrow in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
            page.keyboard.press(arrow)
            if page.evaluate("document.activeElement.dataset.topic") != pressed:
                break
        moved = page.evaluate("document.activeElement.dataset.topic")
        assert moved != pressed
        page.keyboard.press("Enter")
        page.wait_for_selector(f".badge[data-topic='{moved}']")


def test_hostile_documents_are_text(browser, model, corpus):
    row = next(row for row, text in enumerate(TEXTS) if "exploded" in text)
    with explored(browser, Workbench(model, corpus), at=f"doc={row}") as page:
        page.wait_for_selector(".text")
        assert page.locator(".text").inner_text() == TEXTS[row]
        assert page.locator(".text img, .text script, .text b").count() == 0


def test_ratings_undo_and_intrusion(browser, model, corpus):
    bench = Workbench(model, corpus)
    with explored(browser, bench) as page:
        page.get_by_role("button", name="Rate 4 of 5").click()
        page.locator("[data-key=star-0-4][aria-pressed=true]").wait_for()
        assert bench.judgements.topics()[0]["rating"] == 4
        page.keyboard.press("Control+z")
        page.locator("[data-key=star-0-4][aria-pressed=false]").wait_for()
        assert bench.judgements.topics()[0]["rating"] is None

        page.get_by_role("button", name="Intrusion").click()
        asked = json.loads(bench.data)["intrusion"]
        for number, each in enumerate(asked, start=1):
            page.get_by_text(f"Question {number} of").wait_for()
            page.locator(".options").get_by_role(
                "button", name=each["intruder"], exact=True
            ).click()
        page.get_by_text("100 %").wait_for()
        assert len(bench.judgements.answers()) == len(asked)


def test_a_name_is_kept_in_the_model_and_undone(browser, model, corpus, tmp_path):
    model.save(tmp_path / "model")
    bench = Workbench(ch.load(tmp_path / "model"), corpus, tmp_path / "model")
    with explored(browser, bench, at="topic=1") as page:
        automatic = page.locator(".topic-name").inner_text()
        page.get_by_role("button", name="Rename").click()
        page.get_by_label("Name of the topic").fill("<i>rockets</i> & co")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Saved.").wait_for()
        assert ch.load(tmp_path / "model").names.given == {1: "<i>rockets</i> & co"}
        page.reload()
        page.wait_for_selector("html[data-ready]")
        assert page.locator(".topic-name").inner_text() == "<i>rockets</i> & co"
        page.get_by_role("button", name="Rename").click()
        page.get_by_label("Name of the topic").fill("moon")
        page.get_by_role("button", name="Save").click()
        page.locator(".topic-name").get_by_text("moon", exact=True).wait_for()
        page.keyboard.press("Control+z")
        page.locator(".topic-name").get_by_text("<i>rockets</i> & co").wait_for()
        page.get_by_role("button", name="Rename").click()
        page.get_by_role("button", name="Automatic").click()
        page.locator(".topic-name").get_by_text(automatic, exact=True).wait_for()
        assert ch.load(tmp_path / "model").names.given == {}


def test_topics_are_merged_split_and_brought_back(browser, model, corpus, tmp_path):
    model.save(tmp_path / "model")
    before = {each.name: each.read_bytes() for each in (tmp_path / "model").iterdir()}
    bench = Workbench(ch.load(tmp_path / "model"), corpus, tmp_path / "model")
    with explored(browser, bench, at="view=judge") as page:
        for number in (0, 2):
            page.get_by_label(f"Pick topic {number}").check()
        page.get_by_role("button", name="Merge", exact=True).click()
        page.get_by_text("Saved.").wait_for()
        assert page.locator(".judged tbody tr").count() == 2
        assert ch.load(tmp_path / "model").numbers.tolist() == [0, 1]
        page.get_by_label("Pick topic 1").check()
        page.get_by_role("button", name="Split", exact=True).click()
        page.locator(".judged tbody tr").nth(2).wait_for()
        assert ch.load(tmp_path / "model").numbers.tolist() == [0, 3, 4]
        page.get_by_role("button", name="Topics", exact=True).click()
        page.locator(".bubble[data-topic='4']").click()
        page.wait_for_selector(".badge[data-topic='4']")
        assert words_shown(page) == bench.model.top_word_lists(20, "relevance")[2]
        page.get_by_role("button", name="Judging").click()
        third = page.locator(".judged tbody tr").nth(2)
        for state in ("detached", "attached"):
            page.locator("[data-key=edit-undo]").click()
            third.wait_for(state=state)
    after = {each.name: each.read_bytes() for each in (tmp_path / "model").iterdir()}
    assert after == before


def test_a_report_opens_from_a_disk_without_a_network(browser, model, corpus, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report_page(model, corpus)[0], "utf-8")
    with looked_at(browser, f"{path.as_uri()}#topic=2&lam=0.2", offline=True) as page:
        assert words_shown(page) == model.top_word_lists(20, "relevance", 0.2)[2]
        page.locator(".document").first.click()
        page.wait_for_selector(".text")
        best = int(model.transform(corpus)[:-1, 2].argmax())
        assert page.locator(".text").inner_text() == TEXTS[best]
        for view in ("Matrix", "By group", "Over time", "Intrusion"):
            page.get_by_role("button", name=view, exact=True).click()
            page.wait_for_selector("main section.wide")


def test_a_notebooks_frame_works_and_cant_reach_the_notebook(browser, model, tmp_path):
    from chatham.explorer.explore import Exploration

    outer = tmp_path / "notebook.html"
    shown = Exploration(report_page(model, at="topic=1")[0])._repr_html_()
    outer.write_text(f"<!doctype html><html data-ready><body>{shown}</body></html>", "utf-8")
    with looked_at(browser, outer.as_uri(), offline=True) as page:
        frame = page.frame_locator("iframe")
        frame.locator(".badge[data-topic='1']").wait_for()
        frame.locator(".bubble[data-topic='0']").click()
        frame.locator(".badge[data-topic='0']").wait_for()


RISKS = {
    "summary": "One document is exposed.",
    "documents": [
        {"id": "3", "outcome": "exposed", "in_words": "<b>Right</b> in 90 %.", "right": 0.9},
        {"id": "5", "outcome": "nothing found", "in_words": "Right in half.", "right": 0.5},
    ],
}
LEDGER = {
    "kinds": [
        {"meaning": "Sums <of> documents.", "rounds": [1, 2], "shapes": ["3 × 33"], "bytes": 1600,
         "direct": False},
    ],
    "shown": [], "rounds": 2, "bytes": 1600, "bytes_of_totals": 1600,
}  # fmt: skip


def test_the_ledger_and_an_audits_ranking_lead_to_documents(browser, model, corpus):
    bench = Workbench(model, corpus, more={"ledger": LEDGER, "risks": RISKS})
    with explored(browser, bench, at="view=ledger") as page:
        page.get_by_text("Sums <of> documents.").wait_for()
        page.get_by_role("button", name="Audit", exact=True).click()
        page.get_by_text("<b>Right</b> in 90 %.").wait_for()
        page.locator("[data-key=risk-3]").click()
        page.locator(".document").first.wait_for()
        assert page.locator(".document").count() == 1
        assert page.locator(".document .id").inner_text() == "3"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_is_wrong_for_people_who_cant_see_it(browser, axe, model, corpus, scheme):
    more = {"ledger": LEDGER, "risks": RISKS}
    bench = Workbench(model, corpus, other=model, other_title="again/", more=more)
    with explored(browser, bench, at="topic=1&word=rocket", color_scheme=scheme) as page:
        page.evaluate(axe)
        for at, ready in (
            ("topic=1&word=rocket", ".homes"), ("show=list", ".list"), ("show=tree", ".tree"),
            ("doc=2&topic=1", ".text"), ("view=matrix", ".matrix"), ("view=group", ".groups"),
            ("view=time", ".chart"), ("view=judge", ".judged"), ("view=intrusion", ".options"),
            ("view=compared", ".compared"), ("view=ledger", ".ledger"), ("view=risks", ".risks"),
        ):  # fmt: skip
            page.evaluate("(at) => { location.hash = at; }", at)
            page.wait_for_selector(ready)
            found = page.evaluate("axe.run().then((result) => result.violations)")
            serious = [
                (each["id"], [node["html"][:200] for node in each["nodes"]][:3])
                for each in found if each["impact"] in ("serious", "critical")
            ]  # fmt: skip
            assert serious == [], at


@pytest.mark.parametrize("width", [360, 800, 1600, 2560])
def test_nothing_hangs_over_the_edge(browser, model, corpus, width):
    how = {"viewport": {"width": width, "height": 900}}
    with explored(browser, Workbench(model, corpus), at="topic=1", **how) as page:
        page.wait_for_selector(".document")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_one_topic_and_two_hundred(browser, model, corpus):
    with explored(browser, Workbench(wide_model()), at="topic=150") as page:
        assert page.locator(".bubble").count() == 200
        assert page.locator(".badge").inner_text() == "150"
        assert page.get_by_text("Give documents after the model").count() == 1
    single = ch.fit("nmf", TEXTS[:12], n_components=1, random_state=0)
    with explored(browser, Workbench(single, corpus)) as page:
        assert page.locator(".bubble").count() == 1
        page.get_by_role("button", name="Tree").click()
        page.get_by_text("alike to no other").wait_for()


def test_all_measures_with_bars_for_topics(browser, model, corpus):
    bench = Workbench(model, corpus)
    with explored(browser, bench, at="view=measures&measure=npmi") as page:
        page.wait_for_selector(".signed")
        assert page.locator(".signed li").count() == model.n_topics
