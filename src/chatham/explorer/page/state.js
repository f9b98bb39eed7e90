// What is being looked at, as text: the address's fragment holds all of it, and nothing else does.
// Undo and redo go through what was looked at and through what was changed, in one row.

export const USUAL = {
  view: "topics", show: "map", topic: "", by: "relevance", lam: "0.6", n: "20", layout: "", word: "",
  doc: "", query: "", start: "0", column: "", measure: "", other: "", theme: "",
};

export function readState(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = { ...USUAL };
  for (const name of Object.keys(USUAL)) if (given.has(name)) state[name] = given.get(name);
  return state;
}

export function writeState(state) {
  const said = new URLSearchParams();
  for (const [name, usual] of Object.entries(USUAL)) if (state[name] !== usual) said.set(name, state[name]);
  return said.toString();
}

export class Store {
  constructor(at = "") {
    this.state = readState(location.hash.length > 1 ? location.hash : at);
    this.listeners = [];
    this.past = [];
    this.future = [];
    addEventListener("hashchange", () => this.follow(readState(location.hash)));
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  // Change what is looked at. Changes that `slides`, such as of a slider, become one step back.
  set(change, slides = "") {
    const next = { ...this.state, ...change };
    if (writeState(next) === writeState(this.state)) return;
    const last = this.past.at(-1);
    if (!slides || last?.slides !== slides) this.past.push({ from: this.state, slides });
    this.future = [];
    this.show(next, Boolean(slides) && last?.slides === slides);
  }

  // The address was changed by hand, or by the browser's own buttons.
  follow(next) {
    if (writeState(next) === writeState(this.state)) return;
    this.past.push({ from: this.state, slides: "" });
    this.future = [];
    this.state = next;
    this.tell();
  }

  // Something was changed, and `back` and `forth` change it back and again.
  did(back, forth) {
    this.past.push({ back, forth });
    this.future = [];
    this.tell();
  }

  async undo() {
    const step = this.past.pop();
    if (!step) return;
    if (step.back) {
      this.future.push(step);
      await step.back();
      this.tell();
    } else {
      this.future.push({ from: this.state });
      this.show(step.from, false);
    }
  }

  async redo() {
    const step = this.future.pop();
    if (!step) return;
    if (step.forth) {
      this.past.push(step);
      await step.forth();
      this.tell();
    } else {
      this.past.push({ from: this.state, slides: "" });
      this.show(step.from, false);
    }
  }

  show(state, replaces) {
    this.state = state;
    const fragment = `#${writeState(state)}`;
    try {
      if (replaces) history.replaceState(null, "", fragment);
      else history.pushState(null, "", fragment);
    } catch {
      // A report within a notebook has no address of its own.
    }
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener(this.state);
  }
}
