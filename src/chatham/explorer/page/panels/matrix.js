// Words by topics: the area of a disc is the word's probability in the topic. Rows and columns are
// ordered so that neighbours are alike.

import { el, percent, svg } from "../dom.js";
import { orderedWords } from "../order.js";

const CELL = 26, LEFT = 190, TOP = 150, MOST_TOPICS = 40, EACH = 3;

export function matrixView(page) {
  const body = el("div", { class: "scrolls" });
  const hint = el("p", { class: "quiet" });
  const element = el("section", { class: "card wide", "aria-label": "Matrix of words and topics" },
    el("div", { class: "bar" }, el("h2", {}, "Words by topics")), hint, body);
  const update = () => {
    const topics = orderedTopics(page);
    const rest = page.data.topics.length - topics.length;
    hint.textContent = `The area of a disc is the word's probability in the topic; ${EACH} words of each topic, by ${page.by}.${rest > 0 ? ` The ${topics.length} largest topics are shown.` : ""}`;
    body.replaceChildren(draw(page, topics));
  };
  return { element, update };
}

// In the order of the tree's leaves, where alike topics are neighbours.
function orderedTopics(page) {
  const order = page.data.order ?? page.data.topics.map(({ number }) => number);
  const largest = new Set([...page.data.topics].sort((a, b) => b.share - a.share).slice(0, MOST_TOPICS).map(({ number }) => number));
  return order.filter((number) => largest.has(number)).map((number) => page.byNumber.get(number));
}

function draw(page, topics) {
  const { words } = page.data;
  const rows = [...new Set(topics.flatMap((topic) => orderedWords(topic, words, page.by, page.lam, EACH).map(({ word }) => word)))];
  const column = new Map(topics.map((topic, i) => [topic.number, i]));
  const cells = rows.map((word) => words.homes[word].filter(([number]) => column.has(number)));
  const most = usualLargest(topics);
  const discs = cells.flatMap((homes, row) => homes.map(([number, share, probability]) => svg("circle", {
    "data-topic": number, cx: LEFT + CELL * (column.get(number) + 0.5), cy: TOP + CELL * (row + 0.5),
    r: Math.max(0.48 * CELL * Math.sqrt(Math.min(probability / most, 1.4)), 1).toFixed(2),
  }, svg("title", {}, `${words.word[rows[row]]}: ${percent(probability, 2)} of topic ${page.called(number)}, where ${percent(share, 0)} of it is`))));
  const heads = topics.map((topic, i) => named(topic === page.topic, `translate(${LEFT + CELL * (i + 0.5)} ${TOP - 10}) rotate(-50)`, page.called(topic.number).slice(0, 22), `column-${topic.number}`, "start", () => page.select(topic.number)));
  const lines = rows.map((place, row) => named(words.word[place] === page.state.word, `translate(${LEFT - 10} ${TOP + CELL * (row + 0.5) + 5})`, words.word[place].slice(0, 24), `row-${place}`, "end", () => page.set({ word: words.word[place], view: "topics", topic: String(words.homes[place][0]?.[0] ?? "") })));
  const chosen = column.get(page.topic.number);
  const band = chosen === undefined ? null : svg("rect", { class: "band", x: LEFT + CELL * chosen, y: TOP, width: CELL, height: CELL * rows.length });
  const size = [LEFT + CELL * topics.length + 110, TOP + CELL * rows.length + 10];
  return svg("svg", { viewBox: `0 0 ${size.join(" ")}`, width: size[0], height: size[1], class: "matrix", role: "group", "aria-label": "Words by topics" },
    band, svg("g", { "aria-hidden": "true" }, discs), heads, lines);
}

// The median of the topics' most probable words: one odd topic doesn't make all other discs dots.
function usualLargest(topics) {
  const largest = topics.map(({ entries }) => Math.max(...entries.probability)).sort((a, b) => a - b);
  return largest[Math.floor(largest.length / 2)] || 1;
}

function named(chosen, transform, text, key, anchor, choose) {
  return svg("g", {
    class: chosen ? "label chosen" : "label", role: "button", tabindex: "0", "data-key": key, transform, onclick: choose,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } },
  }, svg("text", { "text-anchor": anchor }, text));
}
