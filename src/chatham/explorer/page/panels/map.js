// The map: a bubble for each topic, its area the topic's share, lines between those that occur together.

import { el, percent, svg } from "../dom.js";

const WIDTH = 840, HEIGHT = 900, MARGIN = 64;
const LEAST_LABEL = 20, LEAST_SEEN = 11.5;

export function drawMap(page) {
  const topics = page.data.topics;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "map", role: "group", "aria-label": "Map of topics; arrow keys move between them" });
  const lines = svg("g", { class: "lines", "aria-hidden": "true" });
  const bubbles = svg("g", {});
  const labels = svg("g", { class: "labels", "aria-hidden": "true" });
  picture.append(lines, bubbles, labels);
  const about = el("p", { class: "about", "aria-live": "off" });
  const zoom = zooming(picture);
  let layout = null, places = [], hovered = null;

  const nodes = topics.map((topic, i) => {
    const node = svg("g", {
      class: "bubble", role: "button", "data-topic": topic.number, "data-key": `bubble-${topic.number}`,
      onclick: () => page.select(topic.number),
      onkeydown: (event) => press(event, i),
      onpointerenter: () => hover(topic.number), onpointerleave: () => hover(null),
      onfocus: () => hover(topic.number), onblur: () => hover(null),
    }, svg("circle", {}), svg("text", { class: "in" }));
    bubbles.append(node);
    return node;
  });

  const links = page.data.links.map(([a, b, lift]) => {
    const line = svg("line", {});
    lines.append(line);
    return { a, b, lift, line };
  });
  const strongest = Math.max(...links.map(({ lift }) => lift), 1.0001);

  function press(event, i) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      page.select(topics[i].number);
      return;
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const next = nearestThatWay(places, i, way);
    if (next >= 0) nodes[next].focus();
  }

  function hover(number) {
    hovered = number;
    light();
  }

  function place() {
    layout = chosenLayout(page);
    places = placed(layout, topics);
    nodes.forEach((node, i) => {
      const { x, y, r } = places[i];
      node.querySelector("circle").setAttribute("r", r.toFixed(1));
      node.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    });
    const at = new Map(topics.map((topic, i) => [topic.number, places[i]]));
    for (const { a, b, lift, line } of links) {
      const [from, to] = [at.get(a), at.get(b)];
      for (const [name, value] of Object.entries({ x1: from.x, y1: from.y, x2: to.x, y2: to.y })) line.setAttribute(name, value.toFixed(1));
      const weight = Math.log(lift) / Math.log(strongest);
      line.setAttribute("stroke-width", (0.8 + 4 * Math.max(weight, 0)).toFixed(2));
    }
  }

  function light() {
    const shown = hovered ?? page.topic.number;
    for (const { a, b, line } of links) line.classList.toggle("lit", a === shown || b === shown);
    about.replaceChildren(...describe(page, shown));
  }

  function update() {
    if (layout !== chosenLayout(page)) place();
    nodes.forEach((node, i) => {
      const topic = topics[i], chosen = topic === page.topic;
      const { junk } = page.judgement(topic.number);
      node.classList.toggle("chosen", chosen);
      node.classList.toggle("junk", junk);
      node.setAttribute("tabindex", chosen ? "0" : "-1");
      node.setAttribute("aria-pressed", String(chosen));
      node.setAttribute("aria-label", `Topic ${topic.number}, ${topic.name}, ${percent(topic.share)} of documents${junk ? ", junk" : ""}`);
      node.querySelector(".in").textContent = places[i].r > 13 || chosen ? String(topic.number) : "";
    });
    const size = Math.max(LEAST_LABEL, LEAST_SEEN * WIDTH / (picture.clientWidth || WIDTH)); // pixels on the screen
    picture.setAttribute("font-size", size.toFixed(1));
    labels.replaceChildren(...labelled(places, topics, topics.indexOf(page.topic), size));
    light();
  }

  return { element: el("div", { class: "mapped" }, picture, zoom, about), update };
}

function chosenLayout(page) {
  return page.data.layouts.find(({ name }) => name === page.state.layout) ?? page.data.layouts[0];
}

// Points between −1 and 1 as bubbles on the picture, moved apart until none hides another.
function placed(layout, topics) {
  const largest = Math.max(...topics.map(({ share }) => share), 1e-12);
  const radius = Math.min(62, 250 / Math.sqrt(topics.length));
  const [xs, ys] = [spread(layout.x), spread(layout.y)];
  const places = topics.map((topic, i) => ({
    x: MARGIN + xs[i] * (WIDTH - 2 * MARGIN),
    y: MARGIN + (1 - ys[i]) * (HEIGHT - 2 * MARGIN),
    r: Math.max(radius * Math.sqrt(topic.share / largest), 5),
  }));
  for (let round = 0; round < 60; round++) if (!moveApart(places)) break;
  return places;
}

function spread(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (high > low ? (value - low) / (high - low) : 0.5));
}

function moveApart(places) {
  let moved = false;
  for (let i = 0; i < places.length; i++) {
    for (let j = 0; j < i; j++) {
      const [a, b] = [places[i], places[j]];
      let [dx, dy] = [a.x - b.x, a.y - b.y];
      if (dx === 0 && dy === 0) [dx, dy] = [Math.cos(i), Math.sin(i)];
      const distance = Math.hypot(dx, dy), wanted = a.r + b.r + 3;
      if (distance >= wanted) continue;
      const push = (wanted - distance) / 2 / distance;
      a.x += dx * push; a.y += dy * push; b.x -= dx * push; b.y -= dy * push;
      moved = true;
    }
  }
  for (const each of places) {
    each.x = Math.max(each.r + 4, Math.min(each.x, WIDTH - each.r - 4));
    each.y = Math.max(each.r + 4, Math.min(each.y, HEIGHT - each.r - 4));
  }
  return moved;
}

function nearestThatWay(places, from, [wx, wy]) {
  let best = -1, least = Infinity;
  places.forEach(({ x, y }, i) => {
    const [dx, dy] = [x - places[from].x, y - places[from].y];
    const along = dx * wx + dy * wy, aside = Math.abs(dx * wy) + Math.abs(dy * wx);
    if (i !== from && along > 0 && along + 2 * aside < least) [best, least] = [i, along + 2 * aside];
  });
  return best;
}

// Names where there is room for them, the chosen topic's first, then by size.
function labelled(places, topics, chosen, size) {
  const taken = places.map(({ x, y, r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
  const order = topics.map((_, i) => i).sort((a, b) => (b === chosen) - (a === chosen) || places[b].r - places[a].r);
  const shown = [];
  for (const i of order) {
    const { x, y, r } = places[i];
    const text = shortened(topics[i].name);
    const width = 0.56 * size * text.length;
    const beside = r + 8 + width / 2;
    const spots = [[x, y + r + size + 1], [x, y - r - 8], [x + beside, y + 7], [x - beside, y + 7]].map(([cx, cy]) => {
      const middle = Math.max(width / 2 + 4, Math.min(cx, WIDTH - width / 2 - 4));
      return { middle, cy, left: middle - width / 2, right: middle + width / 2, top: cy - size + 3, bottom: cy + 4 };
    });
    const free = spots.find((box) => box.bottom < HEIGHT && box.top > 0 && !taken.some((other) => overlaps(box, other)));
    const box = free ?? (i === chosen ? spots[0] : null);
    if (!box) continue;
    taken.push(box);
    shown.push(svg("text", { x: box.middle.toFixed(1), y: box.cy.toFixed(1), class: i === chosen ? "chosen" : null }, text));
  }
  return shown;
}

function shortened(name) {
  const signs = [...name];
  return signs.length > 26 ? `${signs.slice(0, 25).join("")}…` : name;
}

function overlaps(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function describe(page, number) {
  const topic = page.byNumber.get(number);
  const near = page.data.links.filter(([a, b]) => a === number || b === number).sort((a, b) => b[2] - a[2]).slice(0, 3);
  const parts = [el("b", { dir: "auto" }, page.called(number)), ` · ${percent(topic.share)} of documents`];
  if (!near.length) return parts;
  const how = page.data.source === "correlations" ? "goes with" : "occurs with";
  parts.push(` · ${how} `);
  near.forEach(([a, b, lift], i) => {
    const other = a === number ? b : a;
    parts.push(i ? ", " : "", el("button", { type: "button", class: "link", onclick: () => page.select(other) }, page.called(other)), ` ×${lift.toFixed(1)}`);
  });
  return parts;
}

function zooming(picture) {
  let view = [0, 0, WIDTH, HEIGHT];
  const show = () => picture.setAttribute("viewBox", view.map((each) => each.toFixed(1)).join(" "));
  const zoom = (factor) => {
    const width = Math.max(WIDTH / 8, Math.min(view[2] * factor, WIDTH)), height = width * HEIGHT / WIDTH;
    const [cx, cy] = [view[0] + view[2] / 2, view[1] + view[3] / 2];
    view = inside([cx - width / 2, cy - height / 2, width, height]);
    show();
  };
  let from = null;
  picture.addEventListener("pointerdown", (event) => { from = view[2] < WIDTH ? [event.clientX, event.clientY, ...view] : null; });
  addEventListener("pointerup", () => { from = null; });
  picture.addEventListener("pointermove", (event) => {
    if (!from) return;
    const scale = view[2] / picture.clientWidth;
    view = inside([from[2] - (event.clientX - from[0]) * scale, from[3] - (event.clientY - from[1]) * scale, view[2], view[3]]);
    show();
  });
  const button = (title, sign, factor) => el("button", { type: "button", class: "plain", title, "aria-label": title, onclick: () => zoom(factor) }, sign);
  return el("div", { class: "zoom" }, button("Closer", "+", 0.66), button("Further away", "−", 1.5));
}

function inside([x, y, width, height]) {
  return [Math.max(0, Math.min(x, WIDTH - width)), Math.max(0, Math.min(y, HEIGHT - height)), width, height];
}
