// The ledger: what left the building while this model was fitted, and how large it was.

import { counted, el, refill } from "../dom.js";

export function ledgerView(page) {
  const body = el("div", { class: "scrolls" });
  const element = el("section", { class: "card wide", "aria-label": "Ledger" }, el("div", { class: "bar" }, el("h2", {}, "What left the building")), body);
  return { element, update: () => refill(body, table(page.data.ledger)) };
}

function table(ledger) {
  const rows = ledger.kinds.map((each) => el("tr", {},
    el("th", { scope: "row" }, each.meaning), el("td", {}, rounds(each.rounds)), el("td", {}, each.shapes.join(", ")),
    el("td", { class: "amount" }, size(each.bytes)), el("td", {}, each.direct ? "in shares, directly" : "masked")));
  const shown = ledger.shown.map((each) => el("tr", {},
    el("th", { scope: "row" }, each.meaning), el("td", {}, counted(each.times, "time")), el("td", {}, each.shape),
    el("td", { class: "amount" }, size(each.bytes)), el("td", { dir: "auto" }, `shown to ${each.to.join(", ")}`)));
  const titles = ["What it says", "Rounds", "Numbers", "Size", "How"];
  return [el("p", {}, `${counted(ledger.rounds, "round")}, ${size(ledger.bytes)} in all; ${size(ledger.bytes_of_totals)} of totals came back. Documents never leave.`),
    el("table", { class: "ledger" }, el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))), el("tbody", {}, rows, shown))];
}

function rounds(numbers) {
  const [first, last] = [numbers[0], numbers.at(-1)];
  return first === last ? String(first) : `${first}…${last}, ${numbers.length} in all`;
}

function size(bytes) {
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`;
}
