// One document: its mixture of topics, its words tinted by topic, and the passage with most of one.

import { el, percent, setVariables } from "../dom.js";

const TINTS = 0.12;

export function readingOf(page, found) {
  const at = page.topic.number;
  const close = el("button", { type: "button", class: "plain", "data-key": "close-document", onclick: () => page.set({ doc: "" }) }, "← All documents");
  return [
    el("div", { class: "bar" }, close),
    el("h3", { class: "document-name", dir: "auto" }, found.id, found.label ? el("span", { class: "chip", dir: "auto" }, found.label) : null),
    found.columns.length ? el("details", { class: "columns" }, el("summary", {}, "What else is known"), el("dl", {}, found.columns.flatMap(([name, value]) => [el("dt", {}, name), el("dd", { dir: "auto" }, value)]))) : null,
    mixture(page, found, at),
    el("p", { class: "text", dir: "auto" }, tinted(found, at)),
    found.cut ? el("p", { class: "quiet" }, "The text goes on; only its beginning is shown here.") : null,
    found.empty ? el("p", { class: "quiet" }, "The model knows none of its words, so it has the average weights.") : null,
  ];
}

function mixture(page, found, at) {
  const stack = el("div", { class: "stack", "aria-hidden": "true" }, found.mixture.map(([number, weight]) => {
    const part = el("i", { "data-topic": number });
    setVariables(part, { "--part": String(weight) });
    return part;
  }));
  const named = found.mixture.slice(0, 6).map(([number, weight]) => el("button", {
    type: "button", class: "part", "data-topic": number, "data-key": `part-${number}`, "aria-pressed": String(number === at),
    onclick: () => page.set({ topic: String(number) }),
  }, el("i", {}), el("span", { dir: "auto" }, page.called(number)), el("b", {}, percent(weight, 0))));
  return el("div", { class: "mixture" }, stack, el("div", { class: "parts", role: "group", "aria-label": "Topics of the document" }, named));
}

// The pieces, cut where the passage begins and ends.
function cutAt(pieces, places) {
  const cut = [];
  let begin = 0;
  for (const [text, likely] of pieces) {
    const inner = likely ? [] : places.map((each) => each - begin).filter((each) => each > 0 && each < text.length);
    let from = 0;
    for (const to of [...inner, text.length]) {
      cut.push([text.slice(from, to), likely]);
      from = to;
    }
    begin += text.length;
  }
  return cut;
}

// Words of the topic that is looked at are tinted strongly, those of other topics faintly.
function tinted(found, at) {
  const parts = [];
  let place = 0, mark = null;
  for (const [text, likely] of cutAt(found.pieces, [found.passage, found.passage_end])) {
    const inside = place >= found.passage && place < found.passage_end;
    const piece = likely?.length ? word(text, likely, at) : text;
    if (inside && !mark) parts.push(mark = el("mark", { class: "best" }));
    if (!inside) mark = null;
    if (inside) mark.append(piece);
    else parts.push(piece);
    place += text.length;
  }
  return parts;
}

function word(text, likely, at) {
  const own = likely.find(([number]) => number === at);
  const [number, probability] = own ?? likely[0];
  if (probability < TINTS) return text;
  const tint = el("span", { class: own ? "tint own" : "tint", "data-topic": number, title: likely.map(([n, p]) => `${n}: ${percent(p, 0)}`).join("  ") }, text);
  setVariables(tint, { "--tint": `${Math.round((own ? 45 : 18) * probability)}%` });
  return tint;
}
