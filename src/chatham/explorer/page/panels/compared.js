// Two models side by side: each topic with the one of the other model that is most like it.

import { el, percent, refill, setVariables } from "../dom.js";

export function comparedView(page) {
  const body = el("div", { class: "scrolls" });
  const element = el("section", { class: "card wide", "aria-label": "Compared" }, el("div", { class: "bar" }, el("h2", {}, "Compared")), body);
  let found = null, of = null;
  const update = async () => {
    if (of !== page.data) {
      of = page.data;
      found = await page.source.compared();
    }
    refill(body, table(page, found));
  };
  return { element, update };
}

function table(page, found) {
  const rows = found.pairs.map(({ topic, other, similarity, here, there }) => {
    const bar = el("span", { class: "bar-of", "data-topic": topic });
    setVariables(bar, { "--part": String(similarity ?? 0) });
    return el("tr", { "aria-current": topic === page.topic.number ? "true" : null },
      el("th", { scope: "row" }, topic === null ? "–" : el("button", { type: "button", class: "link", dir: "auto", "data-key": `compared-${topic}`, onclick: () => page.select(topic) }, page.called(topic))),
      el("td", { class: "some", dir: "auto" }, here.join(" · ")), el("td", { class: "amount" }, bar, similarity === null ? "–" : percent(similarity, 0)),
      el("td", { class: "some", dir: "auto" }, there.join(" · ")), el("td", {}, other === null ? "–" : el("span", { dir: "auto" }, `${other} ${found.names[other]}`)));
  });
  return [el("p", {}, `${found.here} beside ${found.there}: each topic with the one that is most like it, none twice. Similarity is 1 minus half the sum of differences of their words' probabilities.`),
    el("table", { class: "compared" }, el("thead", {}, el("tr", {}, [found.here, "its words", "similarity", "its words", found.there].map((title) => el("th", { scope: "col", dir: "auto" }, title)))), el("tbody", {}, rows))];
}
