// The page: a head with what is looked at, one view below it, and a line that repeats it as text.

import { counted, el, hue, refill, setVariables } from "./dom.js";
import { repeatLine } from "./repeat.js";
import { openSource } from "./source.js";
import { Store } from "./state.js";
import { cellsView } from "./panels/cells.js";
import { comparedView } from "./panels/compared.js";
import { documentsPanel } from "./panels/documents.js";
import { intrusionView } from "./panels/intrusion.js";
import { judgeView } from "./panels/judge.js";
import { ledgerView } from "./panels/ledger.js";
import { matrixView } from "./panels/matrix.js";
import { measuresView } from "./panels/measures.js";
import { risksView } from "./panels/risks.js";
import { topicsPanel } from "./panels/topics.js";
import { wordsPanel } from "./panels/words.js";

const VIEWS = [
  ["topics", "Topics", topicsView],
  ["matrix", "Matrix", matrixView],
  ["time", "Over time", (page) => cellsView(page, "time")],
  ["group", "By group", (page) => cellsView(page, "group")],
  ["measures", "Measures", measuresView],
  ["compared", "Compared", comparedView],
  ["ledger", "Ledger", ledgerView],
  ["risks", "Audit", risksView],
  ["judge", "Judging", judgeView],
  ["intrusion", "Intrusion", intrusionView],
];

function topicsView(page) {
  const parts = [topicsPanel(page), wordsPanel(page), documentsPanel(page)];
  return {
    element: el("div", { class: "bench" }, parts.map((part) => part.element)),
    update: () => parts.forEach((part) => part.update()),
  };
}

// What every panel works with: the data, what people said, what is looked at, and how to change it.
class Page {
  constructor(source, data, said) {
    this.source = source;
    this.store = new Store(data.at);
    this.take(data, said);
  }

  take(data, said) {
    this.data = data;
    this.byNumber = new Map(data.topics.map((topic) => [topic.number, topic]));
    this.hear(said);
  }

  hear(said) {
    this.said = said;
    this.judged = new Map(said.topics.map((each) => [each.topic, each]));
  }

  get state() { return this.store.state; }

  // The topic that is looked at; the largest if none is.
  get topic() {
    const number = this.state.topic === "" ? NaN : Number(this.state.topic);
    return this.byNumber.get(number) ?? this.data.topics[0];
  }

  get lam() {
    const given = Number(this.state.lam);
    return given >= 0 && given <= 1 ? given : 0.6;
  }

  get n() {
    const given = Math.round(Number(this.state.n));
    return given >= 1 ? Math.min(given, this.data.shown_words) : 20;
  }

  get by() {
    return ["prevalence", "discriminability", "uplift"].includes(this.state.by) ? this.state.by : "relevance";
  }

  get hasDocuments() {
    return ["server", "file"].includes(this.data.documents.source);
  }

  called(number) {
    const topic = this.byNumber.get(number);
    return topic ? `${number} ${topic.name}` : String(number);
  }

  judgement(number) {
    return this.judged.get(number) ?? { topic: number, rating: null, junk: false, note: "" };
  }

  set(change, slides) { this.store.set(change, slides); }
  select(number) { this.set({ topic: String(number), doc: "", start: "0" }); }
  tell(sentence, isError = false) { tell(sentence, isError); }

  // Change something for good, in a way that can be undone.
  async act(name, forth, back) {
    const step = async (wanted, target = name) => {
      const { kept } = await this.source.change(target, wanted);
      const [data, said] = await Promise.all([
        target === "judge" ? this.data : this.source.data(), this.source.said()]);
      this.take(data, said);
      this.tell(kept ? "Saved." : "Kept only while the explorer runs: its folder can't be written.");
    };
    try {
      await step(forth.wanted, forth.name);
      this.store.did(() => this.guarded(() => step(back.wanted, back.name)),
        () => this.guarded(() => step(forth.wanted, forth.name)));
    } catch (error) {
      this.tell(error.message, true);
    }
  }

  async guarded(work) {
    try {
      await work();
    } catch (error) {
      this.tell(error.message, true);
    }
  }
}

const notice = el("p", { class: "notice", role: "status", "aria-live": "polite" });

function tell(sentence, isError) {
  notice.textContent = sentence;
  notice.classList.toggle("error", isError);
}

function offered(page) {
  const columns = page.data.documents.columns ?? [];
  const tables = page.data.cells ?? columns;
  const kinds = page.hasDocuments || page.data.cells ? tables.map((each) => each.kind) : [];
  const without = new Set();
  for (const kind of ["time", "group"]) if (!kinds.includes(kind)) without.add(kind);
  if (!page.source.canChange) without.add("judge");
  if (!page.source.canChange && !page.data.scores) without.add("measures");
  if (!page.data.compares) without.add("compared");
  for (const name of ["ledger", "risks"]) if (!page.data[name]) without.add(name);
  if (!page.data.intrusion.length) without.add("intrusion");
  return VIEWS.filter(([name]) => !without.has(name));
}

function head(page) {
  const nav = el("nav", { "aria-label": "Views" });
  const undo = el("button", { type: "button", class: "plain", title: "Undo (Ctrl+Z)", onclick: () => page.store.undo() }, "Undo");
  const redo = el("button", { type: "button", class: "plain", title: "Redo (Ctrl+Shift+Z)", onclick: () => page.store.redo() }, "Redo");
  const look = el("button", { type: "button", class: "plain", onclick: () => page.set({ theme: isDark() ? "light" : "dark" }) });
  const facts = el("p", { class: "facts" });
  const element = el("header", { class: "head" },
    el("div", { class: "brand" }, mark(), el("h1", {}, "Chatham"), facts),
    nav, el("div", { class: "tools" }, undo, redo, look));
  const update = () => {
    const { model, documents } = page.data;
    const many = documents.total ? ` · ${counted(documents.total, "document")}` : "";
    facts.textContent = `${model.algorithm} · ${counted(model.topics, "topic")} · ${counted(model.words, "word")}${many}`;
    refill(nav, offered(page).map(([name, title]) => el("button", {
      type: "button", "data-key": name, "aria-current": name === viewOf(page) ? "page" : null,
      onclick: () => page.set({ view: name }),
    }, title)));
    undo.disabled = page.store.past.length === 0;
    redo.disabled = page.store.future.length === 0;
    look.textContent = isDark() ? "Light" : "Dark";
    look.title = isDark() ? "Show it light" : "Show it dark";
  };
  return { element, update };
}

function mark() {
  const dots = [["big", ""], ["small", ""]].map(([name]) => el("i", { class: name }));
  return el("span", { class: "mark", "aria-hidden": "true" }, dots);
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function viewOf(page) {
  const names = offered(page).map(([name]) => name);
  return names.includes(page.state.view) ? page.state.view : "topics";
}

function keys(page) {
  addEventListener("keydown", (event) => {
    const writes = event.target instanceof Element && event.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
    if ((event.ctrlKey || event.metaKey) && !writes && event.key.toLowerCase() === "z") {
      event.preventDefault();
      if (event.shiftKey) page.store.redo(); else page.store.undo();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || writes) return;
    const move = { j: 1, k: -1 }[event.key];
    if (move) {
      const at = page.data.topics.indexOf(page.topic) + move;
      const next = page.data.topics[Math.max(0, Math.min(at, page.data.topics.length - 1))];
      page.select(next.number);
    }
    if (event.key === "/") {
      event.preventDefault();
      document.querySelector("input[type=search]")?.focus();
    }
  });
}

function colours() {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  return (topics) => sheet.replaceSync(topics.map(({ number }) => `[data-topic="${number}"]{--h:${hue(number)}}`).join(""));
}

async function start() {
  const app = document.getElementById("app");
  const source = openSource();
  const [data, said] = await Promise.all([source.data(), source.said()]);
  const page = new Page(source, data, said);
  const top = head(page), line = repeatLine(page), main = el("main", {});
  const paint = colours();
  const made = new Map();
  app.replaceChildren(top.element, notice, main, line.element);
  const update = () => {
    const { theme } = page.state;
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    paint(page.data.topics);
    const name = viewOf(page);
    if (!made.has(name)) made.set(name, VIEWS.find(([each]) => each === name)[2](page));
    const view = made.get(name);
    if (main.firstChild !== view.element) main.replaceChildren(view.element);
    top.update();
    view.update();
    line.update();
    document.title = `${page.called(page.topic.number)} · Chatham explorer`;
    document.documentElement.dataset.ready = "yes";
  };
  page.store.listen(update);
  keys(page);
  setVariables(document.documentElement, { "--most": "1" });
  update();
}

start().catch((error) => {
  document.getElementById("app").replaceChildren(el("p", { class: "notice error" }, error.message));
});
