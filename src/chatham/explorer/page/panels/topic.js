// The head of a topic: its number, its name, which can be changed here, and what people think of it.

import { el, percent, refill } from "../dom.js";

export function topicHead(page) {
  const element = el("div", { class: "topic-head" });
  let naming = null;
  const update = () => {
    const topic = page.topic;
    if (naming !== null && naming !== topic.number) naming = null;
    refill(element,
      el("span", { class: "badge", "data-topic": topic.number }, String(topic.number)),
      naming === null ? named(page, topic, () => { naming = topic.number; update(); element.querySelector("input")?.select(); })
        : nameForm(page, topic, () => { naming = null; update(); element.querySelector("[data-key=rename]")?.focus(); }),
      el("p", { class: "quiet" }, `${percent(topic.share)} of documents · ${Math.round(topic.effective_words).toLocaleString("en")} effective words${topic.anchor ? ` · anchor ${topic.anchor}` : ""}`),
      page.source.canChange ? judging(page, topic) : null);
  };
  return { element, update };
}

function named(page, topic, begin) {
  return el("div", { class: "named" }, el("h2", { dir: "auto", class: "topic-name" }, topic.name),
    page.source.canChange ? el("button", { type: "button", class: "plain", "data-key": "rename", onclick: begin }, "Rename") : null);
}

function nameForm(page, topic, end) {
  const input = el("input", { type: "text", value: topic.name, maxlength: "60", "aria-label": "Name of the topic", "data-key": "name", dir: "auto" });
  const before = topic.given ? topic.name : null;
  const give = async (name) => {
    end();
    if (name === before) return;
    await page.act("name", { wanted: { topic: topic.number, name } }, { wanted: { topic: topic.number, name: before } });
  };
  return el("form", { class: "named", onsubmit: (event) => { event.preventDefault(); give(input.value.trim() || null); } }, input,
    el("button", { type: "submit", class: "strong" }, "Save"),
    topic.given ? el("button", { type: "button", class: "plain", onclick: () => give(null) }, "Automatic") : null,
    el("button", { type: "button", class: "plain", onclick: end }, "Cancel"));
}

export function judging(page, topic) {
  const said = page.judgement(topic.number);
  // Only what changes is sent: another page may have said something else of this topic.
  const judge = (change) => {
    const before = Object.fromEntries(Object.keys(change).map((name) => [name, said[name]]));
    return page.act("judge", { wanted: { topic: topic.number, ...change } }, { wanted: { topic: topic.number, ...before } });
  };
  const stars = [1, 2, 3, 4, 5].map((n) => el("button", {
    type: "button", class: "star", "aria-pressed": String(said.rating >= n && said.rating !== null), "aria-label": `Rate ${n} of 5`,
    "data-key": `star-${topic.number}-${n}`, onclick: () => judge({ rating: said.rating === n ? null : n }),
  }, said.rating !== null && said.rating >= n ? "★" : "☆"));
  return el("div", { class: "judging" }, el("span", { class: "stars", role: "group", "aria-label": "Rating" }, stars),
    el("button", { type: "button", class: "plain", "aria-pressed": String(said.junk), "data-key": `junk-${topic.number}`, onclick: () => judge({ junk: !said.junk }) }, said.junk ? "Junk ✓" : "Junk?"),
    noteOf(page, said, judge));
}

function noteOf(page, said, judge) {
  const area = el("textarea", { rows: "2", maxlength: "4000", "aria-label": "Note", "data-key": `note-${said.topic}`, placeholder: "A note for yourself and others", dir: "auto" });
  area.value = said.note;
  return el("details", { class: "note" }, el("summary", { "data-key": `note-open-${said.topic}` }, said.note ? "Note ✓" : "Note"), area,
    el("button", { type: "button", class: "strong", onclick: () => { if (area.value !== said.note) judge({ note: area.value }); } }, "Keep"));
}
