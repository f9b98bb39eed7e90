// Judging: all topics in one table, edits with suggestions, and the way out as CSV.

import { el, percent, refill } from "../dom.js";
import { judging } from "./topic.js";

export function judgeView(page) {
  const edits = el("div", { class: "edits" });
  const body = el("div", { class: "scrolls" });
  const element = el("section", { class: "card wide", "aria-label": "Judging" },
    el("div", { class: "bar" }, el("h2", {}, "Judging"), el("a", { class: "plain", href: "/judgements.csv", download: "judgements.csv" }, "Export as CSV"), ), edits, body);
  const picked = new Set();
  const update = () => {
    for (const number of picked) if (!page.byNumber.has(number)) picked.delete(number);
    refill(edits, editing(page, picked, update));
    refill(body, table(page, picked, update));
  };
  return { element, update };
}

function editing(page, picked, update) {
  const chosen = [...picked].sort((a, b) => a - b);
  const edit = async (kind, topics) => {
    picked.clear();
    await page.act("edit", { wanted: { edit: kind, topics } }, { wanted: { edit: "undo", topics: [] } });
    update();
  };
  const button = (title, works, kind) => el("button", { type: "button", class: "strong", disabled: !works, "data-key": `edit-${kind}`, onclick: () => edit(kind, chosen) }, title);
  const named = chosen.map((number) => page.called(number)).join(", ");
  const { merge, split } = page.data.suggestions;
  const suggested = [
    ...merge.map(([a, b, distance]) => el("li", {}, el("button", { type: "button", class: "link", "data-key": `merge-${a}-${b}`, onclick: () => pick([a, b]) }, `Merge ${page.called(a)} and ${page.called(b)}`), el("span", { class: "quiet" }, ` distance ${distance.toFixed(2)}`))),
    ...(page.hasDocuments ? split.slice(0, 3).map(([number, words]) => el("li", {}, el("button", { type: "button", class: "link", "data-key": `split-${number}`, onclick: () => pick([number]) }, `Split ${page.called(number)}`), el("span", { class: "quiet" }, ` ${Math.round(words).toLocaleString("en")} effective words`))) : []),
  ];
  const pick = (numbers) => {
    picked.clear();
    numbers.forEach((number) => picked.add(number));
    update();
  };
  return [
    el("p", {}, chosen.length ? `Picked: ${named}.` : "Pick topics in the table, or a suggestion, and merge, split or drop them. Every edit can be undone; numbers stay."),
    el("div", { class: "bar" }, button("Merge", chosen.length > 1, "merge"), button("Split", chosen.length === 1 && page.hasDocuments, "split"),
      button("Drop", chosen.length > 0 && chosen.length < page.data.topics.length, "drop"),
      el("button", { type: "button", class: "plain", disabled: !page.data.model.edits, "data-key": "edit-undo", onclick: () => page.guarded(async () => {
        await page.source.change("edit", { edit: "undo", topics: [] });
        page.take(await page.source.data(), await page.source.said());
        page.store.tell();
        page.tell("The last edit was undone.");
      }) }, "Undo the model's last edit")),
    suggested.length ? el("details", { class: "suggestions" }, el("summary", {}, "Suggestions"), el("ul", {}, suggested)) : null,
  ];
}

function table(page, picked, update) {
  const rows = page.data.topics.map((topic) => el("tr", { "aria-current": topic === page.topic ? "true" : null },
    el("td", {}, el("input", { type: "checkbox", checked: picked.has(topic.number), "aria-label": `Pick topic ${topic.number}`, "data-key": `pick-${topic.number}`, onchange: (event) => {
      if (event.target.checked) picked.add(topic.number); else picked.delete(topic.number);
      update();
    } })),
    el("th", { scope: "row" }, el("button", { type: "button", class: "link", dir: "auto", "data-key": `judged-${topic.number}`, onclick: () => page.set({ view: "topics", topic: String(topic.number) }) }, page.called(topic.number))),
    el("td", { class: "amount" }, percent(topic.share)), el("td", {}, judging(page, topic))));
  return el("table", { class: "judged" }, el("thead", {}, el("tr", {}, ["Pick", "Topic", "Share", "What you think"].map((title) => el("th", { scope: "col" }, title)))), el("tbody", {}, rows));
}
