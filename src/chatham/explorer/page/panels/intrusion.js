// Word intrusion: which word doesn't belong? The answers say whether people see what topics are about.

import { counted, el, percent, refill } from "../dom.js";

export function intrusionView(page) {
  const body = el("div", { class: "stage" });
  const element = el("section", { class: "card wide narrow", "aria-label": "Word intrusion" }, el("div", { class: "bar" }, el("h2", {}, "Which word doesn't belong?")), body);
  const here = new Map();
  const update = () => {
    const questions = page.data.intrusion;
    const answers = new Map([...page.said.answers.map((each) => [each.question, each.answer]), ...here]);
    const open = questions.find(({ id }) => !answers.has(id));
    const done = questions.filter(({ id }) => answers.has(id));
    refill(body, open ? question(page, open, done.length, questions.length, answer) : result(page, done, answers, questions), done.length ? answered(page, done, answers) : null);
  };
  const answer = async (each, option) => {
    here.set(each.id, option);
    if (page.source.canChange) {
      await page.guarded(async () => {
        const { kept } = await page.source.change("answer", { question: each.id, answer: option });
        page.hear(await page.source.said());
        page.tell(kept ? "Saved." : "Kept only while the explorer runs: its folder can't be written.");
      });
    }
    update();
    body.querySelector(".options button")?.focus();
  };
  return { element, update };
}

function question(page, each, n, of, answer) {
  return el("div", { class: "question" },
    el("p", { class: "quiet" }, `Question ${n + 1} of ${of}. All but one of these words are foremost words of one topic.`),
    el("div", { class: "options", role: "group", "aria-label": "Words" }, each.options.map((option) => el("button", { type: "button", dir: "auto", onclick: () => answer(each, option) }, option))));
}

function result(page, done, answers, questions) {
  if (!questions.length) return el("p", { class: "quiet" }, "No question can be made of this model.");
  const right = done.filter((each) => answers.get(each.id) === each.intruder).length;
  const options = questions[0].options.length;
  return el("p", { class: "precision" }, el("b", {}, percent(right / done.length, 0)), ` of ${counted(done.length, "answer")} were right (model precision); guessing gives ${percent(1 / options, 0)}.`);
}

function answered(page, done, answers) {
  return el("ol", { class: "answered" }, done.map((each) => {
    const given = answers.get(each.id), right = given === each.intruder;
    return el("li", { class: right ? "right" : "wrong" }, el("button", { type: "button", class: "link", onclick: () => page.set({ view: "topics", topic: String(each.topic) }) }, page.called(each.topic)),
      right ? ` – right: ${each.intruder} doesn't belong.` : ` – you said ${given}; it was ${each.intruder}.`);
  }));
}
