// The audit's ranking: documents by how well somebody who has one can tell whether it took part.

import { el, percent, refill, setVariables } from "../dom.js";

export function risksView(page) {
  const body = el("div", { class: "scrolls" });
  const element = el("section", { class: "card wide", "aria-label": "Audit" }, el("div", { class: "bar" }, el("h2", {}, "What taking part would give away")), body);
  return { element, update: () => refill(body, ranking(page, page.data.risks)) };
}

function ranking(page, risks) {
  const rows = risks.documents.map((each) => {
    const bar = el("span", { class: "bar-of", "data-topic": page.topic.number });
    setVariables(bar, { "--part": String(Math.max(0, 2 * each.right - 1)) });
    const named = page.hasDocuments
      ? el("button", { type: "button", class: "link", dir: "auto", "data-key": `risk-${each.id}`, onclick: () => page.set({ view: "topics", query: each.id, doc: "", start: "0" }) }, each.id)
      : el("span", { dir: "auto" }, each.id);
    return el("tr", {}, el("th", { scope: "row" }, named), el("td", {}, el("span", { class: "chip" }, each.outcome)),
      el("td", { class: "amount" }, bar, " ", percent(each.right, 0)), el("td", { class: "some" }, each.in_words));
  });
  const titles = ["Document", "Outcome", "Right guesses", "In words"];
  return [el("p", {}, risks.summary), el("p", { class: "quiet" }, "A guess is right half of the time by chance; the bar begins there."),
    el("table", { class: "risks" }, el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))), el("tbody", {}, rows))];
}
