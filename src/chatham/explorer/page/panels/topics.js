// The topics: the map, the same as a list, and the tree of what is alike.

import { choice, el, percent, refill, setVariables } from "../dom.js";
import { orderedWords } from "../order.js";
import { drawMap } from "./map.js";
import { drawTree } from "./tree.js";

const SHOWS = [["map", "Map", "Where topics stand to each other"], ["list", "List", "The same as a list"], ["tree", "Tree", "Which topics are alike"]];

export function topicsPanel(page) {
  const tools = el("div", { class: "bar" });
  const body = el("div", { class: "stage" });
  const element = el("section", { class: "card topics", "aria-label": "Topics" }, tools, body);
  let map = null;
  const update = () => {
    const show = SHOWS.some(([name]) => name === page.state.show) ? page.state.show : "map";
    refill(tools, el("h2", {}, "Topics"), choice("Topics as", SHOWS, show, (next) => page.set({ show: next })),
      show === "map" ? layouts(page) : null);
    if (show === "map") {
      if (!map || map.of !== page.data) map = { of: page.data, ...drawMap(page) };
      if (body.firstChild !== map.element) body.replaceChildren(map.element);
      map.update();
    } else if (show === "tree") {
      refill(body, drawTree(page));
    } else {
      refill(body, topicList(page));
      body.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    }
  };
  return { element, update };
}

function layouts(page) {
  if (page.data.layouts.length < 2) return null;
  const chosen = page.data.layouts.find(({ name }) => name === page.state.layout) ?? page.data.layouts[0];
  return el("label", { class: "field" }, "near",
    el("select", { "data-key": "layout", onchange: (event) => page.set({ layout: event.target.value }) },
      page.data.layouts.map(({ name, title }) => el("option", { value: name, selected: name === chosen.name }, title))));
}

function topicList(page) {
  const largest = Math.max(...page.data.topics.map(({ share }) => share), 1e-12);
  return el("ol", { class: "list" }, page.data.topics.map((topic) => {
    const best = orderedWords(topic, page.data.words, page.by, page.lam, 6);
    const junk = page.judgement(topic.number).junk;
    const bar = el("span", { class: "bar-of", "data-topic": topic.number });
    setVariables(bar, { "--part": String(topic.share / largest) });
    return el("li", {}, el("button", {
      type: "button", "data-key": `topic-${topic.number}`, "data-topic": topic.number,
      class: junk ? "junk" : null,
      "aria-current": topic.number === page.topic.number ? "true" : null, onclick: () => page.select(topic.number),
    }, el("span", { class: "number" }, String(topic.number)),
    el("span", { class: "name", dir: "auto" }, topic.name, junk ? el("em", {}, " junk") : null),
    el("span", { class: "share" }, bar, percent(topic.share)),
    el("span", { class: "some", dir: "auto" }, best.map(({ word }) => page.data.words.word[word]).join(" · "))));
  }));
}
