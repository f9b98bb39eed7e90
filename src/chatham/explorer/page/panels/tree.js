// The tree of topics: the two that are most alike are joined first, and so on.

import { el, svg } from "../dom.js";

const ROW = 26, LEAF = 270, DEPTH = 290;

export function drawTree(page) {
  const topics = page.data.topics, joins = page.data.tree;
  if (!joins.length) return el("p", { class: "quiet" }, "One topic is alike to no other.");
  const nodes = nodesOf(topics.length, joins);
  const height = ROW * topics.length + 20;
  const distances = joins.map(([, , distance]) => distance);
  const far = Math.max(...distances, 1e-9), near = Math.min(...distances);
  const across = (distance) => LEAF + 24 + (DEPTH - 24) * (far > near ? (distance - near) / (far - near) : 0.5);
  const lines = joins.map(([left, right, distance], i) => {
    const [a, b] = [nodes[left], nodes[right]], x = across(distance);
    nodes[topics.length + i].x = x;
    return svg("path", { d: `M${a.x ?? LEAF} ${a.y}H${x}V${b.y}H${b.x ?? LEAF}` });
  });
  const leaves = topics.map((topic, i) => svg("g", {
    class: `leaf${topic === page.topic ? " chosen" : ""}`, role: "button", tabindex: "0", "data-key": `leaf-${topic.number}`,
    "data-topic": topic.number, transform: `translate(${LEAF} ${nodes[i].y})`, "aria-label": `Topic ${page.called(topic.number)}`,
    onclick: () => page.select(topic.number),
    onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      page.select(topic.number);
    },
  }, svg("rect", { x: -LEAF, y: -ROW / 2, width: LEAF, height: ROW }), svg("circle", { cx: -8, r: 5 }),
  svg("text", { x: -20, y: 5 }, [...page.called(topic.number)].slice(0, 32).join(""))));
  return el("div", { class: "scrolls" },
    svg("svg", { viewBox: `0 0 ${LEAF + DEPTH + 10} ${height}`, class: "tree", role: "group", "aria-label": "Tree of topics" },
      svg("g", { class: "joins", "aria-hidden": "true" }, lines), leaves),
    el("p", { class: "quiet" }, "Joined by how alike their words are (Jensen–Shannon distance, average linkage): the further left, the more alike."));
}

// Leaves from top to bottom so that no lines cross; a join is half-way between what it joins.
function nodesOf(k, joins) {
  const nodes = Array.from({ length: k + joins.length }, () => ({ y: 0 }));
  let row = 0;
  const visit = (node) => {
    if (node < k) nodes[node].y = ROW * (row++ + 0.5) + 10;
    else {
      const [left, right] = joins[node - k];
      nodes[node].y = (visit(left) + visit(right)) / 2;
    }
    return nodes[node].y;
  };
  visit(nodes.length - 1);
  return nodes;
}
