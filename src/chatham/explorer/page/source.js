// Where the page's data come from: the server, or the file that the page itself is.

import { passageOf, pieceText } from "./passage.js";

export function openSource() {
  const embedded = document.getElementById("data");
  return embedded ? new FileSource(embedded) : new ServerSource();
}

class ServerSource {
  canChange = true;

  data() { return this.get("data"); }
  said() { return this.get("said"); }
  scores() { return this.get("scores"); }
  compared() { return this.get("compared"); }
  cells(column, kind) { return this.get("cells", { column, kind }); }
  documents(wanted) { return this.get("documents", wanted); }
  document(row, topic) { return this.get("document", { row, topic }); }

  async get(name, wanted = {}) {
    const query = new URLSearchParams(wanted).toString();
    return answered(await reached(fetch(query ? `/${name}?${query}` : `/${name}`)));
  }

  async change(name, wanted) {
    const how = {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wanted),
    };
    return answered(await reached(fetch(`/${name}`, how)));
  }
}

async function reached(asking) {
  try {
    return await asking;
  } catch {
    throw new Error("The explorer's server doesn't answer; start it again, and reload this page.");
  }
}

async function answered(response) {
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

class FileSource {
  canChange = false;

  constructor(element) {
    this.whole = JSON.parse(element.textContent);
    this.rows = new Map((this.whole.documents.rows ?? []).map((each) => [each.row, each]));
    this.already = JSON.parse(document.getElementById("said").textContent);
  }

  async data() { return this.whole; }
  async said() { return this.already; }
  async scores() { return this.whole.scores; }
  async compared() { return this.whole.compared; }

  async cells(column) {
    const found = (this.whole.cells ?? []).find((each) => each.column === column);
    if (!found) throw new Error("This file has no such table.");
    return found;
  }

  async documents({ topic, start, n, query, word }) {
    let found = [...this.rows.values()];
    if (word) found = found.filter((each) => each.pieces.some(([text, of]) => of && text.toLowerCase() === word));
    if (query) found = found.filter((each) => says(each, query));
    const weight = (each) => (each.mixture.find(([number]) => number === Number(topic)) ?? [0, 0])[1];
    if (topic !== "") found = found.filter((each) => weight(each) > 0).sort((a, b) => weight(b) - weight(a));
    const listed = found.slice(Number(start), Number(start) + Number(n)).map((each) => ({
      row: each.row, id: each.id, label: each.label, empty: each.empty,
      topic: topic === "" ? each.topic : Number(topic),
      weight: topic === "" ? (each.mixture[0] ?? [0, 0])[1] : weight(each),
      passage: passageOf(each.pieces, topic === "" ? each.topic : Number(topic), query || word).text,
    }));
    return { total: found.length, start: Number(start), documents: listed };
  }

  async document(row, topic) {
    const found = this.rows.get(Number(row));
    if (!found) throw new Error("This file keeps only some documents, and this one isn't among them.");
    const shown = topic === "" ? found.topic : Number(topic);
    const passage = found.passage < 0 ? null : passageOf(found.pieces, shown, "");
    return {
      ...found, topic: shown,
      passage: passage ? passage.begin : -1, passage_end: passage ? passage.end : -1,
    };
  }
}

function says(each, query) {
  const wanted = query.toLowerCase();
  return pieceText(each.pieces).toLowerCase().includes(wanted) || each.id.toLowerCase() === wanted;
}
