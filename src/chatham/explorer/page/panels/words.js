// A topic's words in any of the four orders, and where else a word lives.

import { choice, el, percent, refill, setVariables } from "../dom.js";
import { ORDERS, hasLambda, orderedWords } from "../order.js";
import { topicHead } from "./topic.js";

export function wordsPanel(page) {
  const title = topicHead(page);
  const controls = el("div", { class: "controls" });
  const list = el("div", { class: "stage" });
  const element = el("section", { class: "card words", "aria-label": "Words" }, title.element, controls, list);
  const slider = lambdaSlider(page);
  let shown = "";
  const update = () => {
    title.update();
    refill(controls,
      choice("Words by", ORDERS, page.by, (by) => page.set({ by })),
      hasLambda(page.by) ? slider.element : null,
      el("label", { class: "field" }, "show", el("select", {
        "data-key": "n", onchange: (event) => page.set({ n: event.target.value }),
      }, [...new Set([10, 20, 30, page.n])].sort((a, b) => a - b).map((n) => el("option", { value: n, selected: n === page.n }, String(n))))));
    slider.update();
    const place = page.data.words.word.indexOf(page.state.word);
    refill(list, bars(page), page.state.word ? wordHomes(page, place) : null);
    if (page.state.word !== shown) list.querySelector(".homes")?.scrollIntoView({ block: "nearest" });
    shown = page.state.word;
  };
  return { element, update };
}

// One slider that stays, so that sliding isn't interrupted.
function lambdaSlider(page) {
  const value = el("output", {});
  const input = el("input", {
    type: "range", min: "0", max: "1", step: "0.01", "aria-label": "λ", "data-key": "lambda",
    oninput: (event) => page.set({ lam: String(Number(event.target.value)) }, "lam"),
  });
  const element = el("label", { class: "slider" }, "λ", input, value);
  const update = () => {
    if (input.value !== String(page.lam)) input.value = String(page.lam);
    value.textContent = page.lam.toFixed(2);
  };
  return { element, update };
}

function bars(page) {
  const { words } = page.data;
  const shown = orderedWords(page.topic, words, page.by, page.lam, page.n);
  const own = ({ probability }) => probability * page.topic.share;
  const most = Math.max(...shown.map((each) => Math.max(words.share[each.word], own(each))), 1e-300);
  const rows = shown.map((each) => {
    const word = words.word[each.word];
    const bar = el("span", { class: "both" }, el("i", { class: "all" }), el("i", { class: "own" }));
    setVariables(bar, { "--all": String(words.share[each.word] / most), "--own": String(own(each) / most) });
    return el("li", {}, el("button", {
      type: "button", "data-key": `word-${word}`, "aria-pressed": String(word === page.state.word),
      title: `${percent(each.probability, 2)} of the topic's words; ${percent(words.share[each.word], 3)} of all words`,
      onclick: () => page.set({ word: word === page.state.word ? "" : word, doc: "", start: "0" }),
    }, el("span", { class: "word", dir: "auto" }, word), bar, el("span", { class: "amount" }, percent(each.probability, 2))));
  });
  return [
    el("p", { class: "legend" }, el("i", { class: "own" }), " in this topic ", el("i", { class: "all" }), " in all topics"),
    el("ol", { class: "bars", "data-topic": page.topic.number, "aria-label": "Words of the topic" }, rows),
  ];
}

function wordHomes(page, place) {
  const { words } = page.data;
  const word = page.state.word;
  const close = el("button", { type: "button", class: "plain", "data-key": "close-word", onclick: () => page.set({ word: "", start: "0" }) }, "Close");
  const top = el("div", { class: "bar" }, el("h3", { dir: "auto" }, word), close);
  if (place < 0) return el("div", { class: "homes" }, top, el("p", { class: "quiet" }, "None of the topics' foremost words; its documents are listed."));
  const homes = words.homes[place].map(([number, share, probability]) => {
    const bar = el("span", { class: "bar-of", "data-topic": number });
    setVariables(bar, { "--part": String(share) });
    return el("li", {}, el("button", {
      type: "button", "data-key": `home-${number}`, "aria-current": number === page.topic.number ? "true" : null,
      title: `${percent(probability, 2)} of that topic's words`, onclick: () => page.select(number),
    }, el("span", { class: "name", dir: "auto" }, page.called(number)), bar, el("span", { class: "amount" }, percent(share, 0))));
  });
  return el("div", { class: "homes" }, top,
    el("p", { class: "quiet" }, `${percent(words.share[place], 3)} of all words. Where it comes from:`), el("ol", {}, homes));
}
