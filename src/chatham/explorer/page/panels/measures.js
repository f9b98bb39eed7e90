// All measures of the model, and one of them topic by topic.

import { el, refill, setVariables } from "../dom.js";

export function measuresView(page) {
  const body = el("div", { class: "stage" });
  const element = el("section", { class: "card wide", "aria-label": "Measures" }, el("div", { class: "bar" }, el("h2", {}, "Measures")), body);
  let found = null, of = null;
  const draw = () => refill(body, el("div", { class: "two" }, table(page, found), detail(page, found)));
  const update = async () => {
    if (found && of === page.data) return draw();
    of = page.data;
    refill(body, el("p", { class: "quiet" }, "Measuring; with many documents this takes a while…"));
    try {
      found = await page.source.scores();
      draw();
    } catch (error) {
      refill(body, el("p", { class: "notice error" }, error.message));
    }
  };
  return { element, update };
}

function chosenOf(page, found) {
  return found.measures.find(({ measure }) => measure === page.state.measure) ?? found.measures.find(({ topics }) => topics) ?? found.measures[0];
}

function table(page, found) {
  const chosen = chosenOf(page, found);
  const rows = found.measures.map((each) => el("tr", { "aria-current": each === chosen ? "true" : null },
    el("th", { scope: "row" }, el("button", { type: "button", class: "link", "data-key": `measure-${each.measure}`, onclick: () => page.set({ measure: each.measure }) }, each.measure)),
    el("td", { class: "amount" }, written(each.value)), el("td", { class: "quiet" }, each.higher_is_better ? "higher is better" : "lower is better"),
    el("td", { class: "quiet" }, each.topics ? "by topic" : "")));
  const skipped = Object.entries(found.skipped);
  return el("div", {}, el("div", { class: "scrolls" }, el("table", { class: "measures" }, el("thead", {}, el("tr", {}, ["Measure", "Value", "", ""].map((title) => el(title ? "th" : "td", title ? { scope: "col" } : {}, title)))), el("tbody", {}, rows))),
    skipped.length ? el("details", {}, el("summary", {}, `${skipped.length} can't be measured here`), el("dl", {}, skipped.flatMap(([name, reason]) => [el("dt", {}, name), el("dd", {}, reason)]))) : null);
}

function detail(page, found) {
  const each = chosenOf(page, found);
  if (!each) return el("p", { class: "quiet" }, "No measure has a value.");
  return el("div", { class: "measure" }, el("h3", {}, each.measure), el("p", {}, each.definition), el("p", { class: "quiet" }, each.source), each.topics ? byTopic(page, each) : el("p", { class: "quiet" }, "It has no value for single topics."));
}

function byTopic(page, each) {
  const known = each.topics.filter((value) => value !== null);
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const place = (value) => (value - low) / Math.max(high - low, 1e-300);
  const rows = page.data.topics.map((topic, i) => ({ topic, value: each.topics[i] }))
    .sort((a, b) => (each.higher_is_better ? -1 : 1) * ((a.value ?? NaN) - (b.value ?? NaN)) || 0);
  return el("ol", { class: "signed" }, rows.map(({ topic, value }) => {
    const bar = el("span", { class: "signed-bar", "data-topic": topic.number });
    setVariables(bar, { "--from": String(Math.min(place(0), place(value ?? 0))), "--to": String(Math.max(place(0), place(value ?? 0))) });
    return el("li", {}, el("button", { type: "button", "data-key": `measured-${topic.number}`, "aria-current": topic === page.topic ? "true" : null, onclick: () => page.select(topic.number) },
      el("span", { class: "name", dir: "auto" }, page.called(topic.number)), bar, el("span", { class: "amount" }, value === null ? "–" : written(value))));
  }));
}

export function written(value) {
  if (value === null) return "–";
  const size = Math.abs(value);
  return size >= 1000 ? Math.round(value).toLocaleString("en") : size >= 0.001 || size === 0 ? value.toPrecision(4) : value.toExponential(2);
}
