// What is looked at as one line of text: the command, the Python, and the address itself.

import { choice, el, refill } from "./dom.js";
import { hasLambda } from "./order.js";
import { writeState } from "./state.js";

export function repeatLine(page) {
  const element = el("footer", { class: "repeat" });
  let form = "command";
  const update = () => {
    const line = lineOf(page, form);
    const copied = el("span", { class: "quiet", role: "status" });
    refill(element,
      el("span", { class: "quiet" }, "The same again"),
      choice("as", [["command", "Command"], ["python", "Python"], ["numbers", "Its numbers"]], form, (next) => {
        form = next;
        update();
      }),
      el("code", { class: "line", tabindex: "0", "aria-label": "The same again, as text" }, line),
      el("button", { type: "button", class: "plain", "data-key": "copy", onclick: async () => {
        try {
          await navigator.clipboard.writeText(line);
          copied.textContent = "Copied.";
        } catch {
          copied.textContent = "Select it and copy.";
        }
      } }, "Copy"), copied);
  };
  return { element, update };
}

function lineOf(page, form) {
  const { titles, documents } = page.data;
  const at = writeState(page.state);
  const files = documents.total ? `${quoted(titles.model)} ${quoted(titles.documents)}` : quoted(titles.model);
  if (form === "command") return `chatham explore ${files}${at ? ` --at ${quoted(at)}` : ""}`;
  if (form === "python") {
    return `ch.explore(model${documents.total ? ", corpus" : ""}${at ? `, at=${JSON.stringify(at)}` : ""})`;
  }
  return numbersOf(page);
}

function numbersOf(page) {
  const number = page.topic.number;
  const { view, doc, word, column } = page.state;
  if (view === "time" || view === "group") {
    const tables = page.data.cells ?? page.data.documents.columns ?? [];
    const chosen = tables.find((each) => each.kind === view && (each.column === column || !column));
    const name = JSON.stringify(chosen ? chosen.column : column);
    return view === "time" ? `model.over_time(corpus, ${name})` : `model.by_group(corpus, ${name})`;
  }
  if (view === "measures") return "ch.evaluate(model, corpus)";
  if (view === "intrusion") return "chatham intrusion " + quoted(page.data.titles.model);
  if (view === "judge") return "model.topic_info()";
  if (doc !== "") return `model.transform(corpus)[${Number(doc)}]`;
  if (word) return `model.topics[:, list(model.vocabulary).index(${JSON.stringify(word)})]`;
  const lam = hasLambda(page.by) ? `, lam=${page.lam}` : "";
  return `model.top_words(${page.n}, by=${JSON.stringify(page.by)}${lam}).query("topic == ${number}")`;
}

function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
