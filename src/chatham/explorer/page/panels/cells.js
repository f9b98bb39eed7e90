// Topics over time or by group: each topic's share with its interval, and the words that differ.

import { choice, counted, el, percent, refill, setVariables, svg } from "../dom.js";

const WIDTH = 900, HEIGHT = 300, LEFT = 56, BOTTOM = 34, TOP = 14, RIGHT = 12;

export function cellsView(page, kind) {
  const tools = el("div", { class: "bar" });
  const body = el("div", { class: "stage" });
  const element = el("section", { class: "card wide", "aria-label": kind === "time" ? "Over time" : "By group" }, tools, body);
  let asked = "", found = null;
  const draw = () => refill(body, chosen(page, found, kind), others(page, found, kind));
  const update = async () => {
    const offered = (page.data.cells ?? page.data.documents.columns).filter((each) => each.kind === kind);
    const column = offered.some((each) => each.column === page.state.column) ? page.state.column : offered[0].column;
    refill(tools, el("h2", {}, kind === "time" ? "Over time" : "By group"),
      offered.length > 1 ? choice("Column", offered.map((each) => [each.column, each.column]), column, (next) => page.set({ column: next })) : el("span", { class: "quiet" }, column));
    const wanted = `${column} ${page.data.model.edits}`;
    if (wanted === asked && found) return draw();
    asked = wanted;
    if (!found) refill(body, el("p", { class: "quiet" }, "Adding up…"));
    try {
      const answer = await page.source.cells(column, kind);
      if (wanted !== asked) return;
      found = answer;
      draw();
    } catch (error) {
      refill(body, el("p", { class: "notice error" }, error.message));
    }
  };
  return { element, update };
}

function sharesOf(found, number) {
  return found.topics.find((each) => each.topic === number) ?? found.topics[0];
}

function chosen(page, found, kind) {
  const shares = sharesOf(found, page.topic.number);
  return el("div", { class: "chosen-cells", "data-topic": shares.topic },
    el("h3", { dir: "auto" }, page.called(shares.topic)),
    kind === "time" ? lines(found, shares) : bars(found, shares),
    el("p", { class: "quiet" }, kind === "time" ? "The topic's share of each span's documents; the band is the 95 % interval. A gap is a span without documents."
      : "The topic's share of each group's documents; the thin line is the 95 % interval."));
}

function lines(found, shares) {
  const most = Math.max(...shares.high.map((each) => each ?? 0), 1e-6);
  const n = found.cells.length;
  const x = (i) => LEFT + (n > 1 ? i / (n - 1) : 0.5) * (WIDTH - LEFT - RIGHT);
  const y = (share) => TOP + (1 - share / most) * (HEIGHT - TOP - BOTTOM);
  const runs = runsOf(shares.share);
  const bands = runs.map((run) => svg("path", { class: "band", d: `M${run.map((i) => `${x(i)} ${y(shares.high[i])}`).join("L")}L${[...run].reverse().map((i) => `${x(i)} ${y(shares.low[i])}`).join("L")}Z` }));
  const paths = runs.map((run) => svg("path", { class: "line", d: `M${run.map((i) => `${x(i)} ${y(shares.share[i])}`).join("L")}` }));
  const dots = shares.share.map((share, i) => share === null ? null : svg("circle", { cx: x(i), cy: y(share), r: 4 }, svg("title", {}, tip(found, shares, i))));
  const step = Math.max(1, Math.ceil(n / 10));
  const ticks = found.cells.map((name, i) => i % step ? null : svg("text", { x: x(i), y: HEIGHT - 10, class: "tick", "text-anchor": i === 0 ? "start" : i === n - 1 ? "end" : "middle" }, name));
  const levels = [0, most / 2, most].map((share) => svg("g", {}, svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share) }), svg("text", { x: LEFT - 8, y: y(share) + 5, class: "tick", "text-anchor": "end" }, percent(share, most < 0.1 ? 1 : 0))));
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": said(found, shares) }, levels, bands, paths, dots.filter(Boolean), ticks.filter(Boolean));
}

function runsOf(values) {
  const runs = [];
  let run = [];
  values.forEach((value, i) => {
    if (value === null) run = [];
    else if (run.push(i) === 1) runs.push(run);
  });
  return runs;
}

function bars(found, shares) {
  const most = Math.max(...shares.high.map((each) => each ?? 0), 1e-6);
  return el("ol", { class: "groups" }, found.cells.map((name, i) => {
    const share = shares.share[i] ?? 0;
    const bar = el("span", { class: "ranged" }, el("i", {}), el("b", {}));
    setVariables(bar, { "--part": String(share / most), "--low": String((shares.low[i] ?? 0) / most), "--high": String((shares.high[i] ?? 0) / most) });
    return el("li", { title: tip(found, shares, i) }, el("span", { class: "name", dir: "auto" }, name), bar,
      el("span", { class: "amount" }, shares.share[i] === null ? "–" : percent(share)),
      el("span", { class: "some", dir: "auto" }, shares.words[i] ? `more: ${shares.words[i]}` : ""));
  }));
}

function tip(found, shares, i) {
  if (shares.share[i] === null) return `${found.cells[i]}: no documents`;
  const more = shares.words[i] ? `; more: ${shares.words[i]}` : "";
  return `${found.cells[i]}: ${percent(shares.share[i])} (${percent(shares.low[i])} to ${percent(shares.high[i])}) of ${counted(found.documents[i], "document")}${more}`;
}

function said(found, shares) {
  return found.cells.map((name, i) => shares.share[i] === null ? null : `${name} ${percent(shares.share[i])}`).filter(Boolean).join(", ");
}

// All topics small, those that vary most first: which one is worth a look?
function others(page, found, kind) {
  const variation = ({ share }) => {
    const known = share.filter((each) => each !== null);
    const mean = known.reduce((sum, each) => sum + each, 0) / Math.max(known.length, 1);
    return Math.max(...known.map((each) => Math.abs(each - mean)), 0);
  };
  const sorted = [...found.topics].sort((a, b) => variation(b) - variation(a));
  return el("div", { class: "small-multiples" }, el("h3", {}, "All topics, those that vary most first"), el("div", { class: "multiples" }, sorted.map((each) => el("button", {
    type: "button", class: "multiple", "data-topic": each.topic, "data-key": `multiple-${each.topic}`,
    "aria-current": each.topic === page.topic.number ? "true" : null, onclick: () => page.select(each.topic),
  }, el("span", { class: "name", dir: "auto" }, page.called(each.topic)), spark(each.share, kind)))));
}

function spark(share, kind) {
  const most = Math.max(...share.map((each) => each ?? 0), 1e-9), n = share.length;
  const step = 160 / n;
  return svg("svg", { viewBox: "0 0 160 36", class: "spark", "aria-hidden": "true" }, share.map((each, i) => each === null ? null
    : svg("rect", { x: (i * step).toFixed(2), width: Math.max(step * (kind === "time" ? 1 : 0.8), 0.6).toFixed(2), y: (36 - 36 * each / most).toFixed(2), height: (36 * each / most).toFixed(2) })).filter(Boolean));
}
