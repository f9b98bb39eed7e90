// The documents of a topic by weight, those that have a word or say something, and one of them to read.

import { counted, el, percent, refill, setVariables } from "../dom.js";
import { readingOf } from "./reading.js";

const PAGE = 20;

export function documentsPanel(page) {
  const tools = el("div", { class: "bar" });
  const body = el("div", { class: "stage", "aria-live": "off" });
  const element = el("section", { class: "card documents", "aria-label": "Documents" }, tools, body);
  const search = el("input", {
    type: "search", placeholder: "Search the documents", "aria-label": "Search the documents", dir: "auto",
    onchange: (event) => page.set({ query: event.target.value.trim(), doc: "", start: "0" }),
  });
  let asked = "";
  const update = async () => {
    const { doc, query, word, start } = page.state;
    if (search.value !== query && document.activeElement !== search) search.value = query;
    refill(tools, el("h2", {}, "Documents"), page.hasDocuments ? search : null);
    if (!page.hasDocuments) {
      refill(body, el("p", { class: "quiet" }, why(page)));
      return;
    }
    const topic = query && page.state.topic === "" ? "" : String(page.topic.number);
    const wanted = doc === "" ? JSON.stringify([topic, start, query, word, page.data.model.edits]) : `${doc} ${topic} ${page.data.model.edits}`;
    if (wanted === asked) return;
    asked = wanted;
    try {
      const found = doc === "" ? await page.source.documents({ topic, start, n: PAGE, query, word }) : await page.source.document(doc, topic);
      if (wanted !== asked) return;
      refill(body, doc === "" ? listOf(page, found, topic) : readingOf(page, found));
      body.scrollTop = 0;
      if (doc !== "") body.querySelector("mark")?.scrollIntoView({ block: "center", behavior: "instant" });
    } catch (error) {
      if (wanted === asked) refill(body, el("p", { class: "notice error" }, error.message));
    }
  };
  return { element, update };
}

function why(page) {
  return page.data.documents.source === "left out" ? "This file was written without documents."
    : "Give documents after the model, and they are here: chatham explore model/ news.csv";
}

function listOf(page, found, topic) {
  const { documents } = page.data;
  const start = Number(page.state.start) || 0;
  const about = [counted(found.total, "document")];
  if (page.state.word) about.push(` with “${page.state.word}”`);
  if (page.state.query) about.push(` that say “${page.state.query}”`);
  if (topic !== "") about.push(found.total > 1 ? ", most of this topic first" : "");
  const keeps = documents.source === "file" ? ` This file keeps ${documents.kept.toLocaleString("en")} of ${counted(documents.total, "document")}: the ${documents.per_topic} with most of each topic.` : "";
  const turn = (to) => page.set({ start: String(to) });
  return [
    el("p", { class: "quiet found" }, about.join(""), ".", keeps,
      page.state.query || page.state.word ? [" ", el("button", { type: "button", class: "link", "data-key": "all", onclick: () => page.set({ query: "", word: "", start: "0" }) }, "Show all")] : null),
    el("ol", { class: "found-list", start: start + 1 }, found.documents.map((each) => line(page, each))),
    el("div", { class: "turn" },
      start > 0 ? el("button", { type: "button", class: "plain", "data-key": "before", onclick: () => turn(Math.max(start - PAGE, 0)) }, "← Before") : null,
      start + PAGE < found.total ? el("button", { type: "button", class: "plain", "data-key": "more", onclick: () => turn(start + PAGE) }, "More →") : null),
  ];
}

function line(page, each) {
  const bar = el("span", { class: "bar-of", "data-topic": each.topic });
  setVariables(bar, { "--part": String(each.weight) });
  return el("li", {}, el("button", {
    type: "button", class: "document", "data-key": `document-${each.row}`, onclick: () => page.set({ doc: String(each.row), topic: String(each.topic) }),
  }, el("span", { class: "what" }, el("span", { class: "id", dir: "auto" }, each.id), each.label ? el("span", { class: "chip", dir: "auto" }, each.label) : null,
    each.empty ? el("span", { class: "chip" }, "no known word") : null,
    el("span", { class: "weight" }, bar, percent(each.weight, 0))),
  el("span", { class: "passage", dir: "auto" }, each.passage || "(empty)")));
}
