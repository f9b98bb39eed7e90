// Elements from names, attributes and children. Text only ever becomes text: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "vars") setVariables(element, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Style sheets read these; a style attribute would be refused by the page's policy.
export function setVariables(element, variables) {
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(name, value);
}

// Put new children in place of the old, and leave the keyboard where it was: on what has the same key.
export function refill(parent, ...children) {
  const active = parent.contains(document.activeElement) ? document.activeElement : null;
  const key = active && active.getAttribute("data-key");
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (key) parent.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

// One of several, chosen by pressing it: a group of buttons of which one is pressed.
export function choice(label, options, chosen, choose) {
  return el("div", { class: "choice", role: "group", "aria-label": label },
    options.map(([value, title, hint]) => el("button", {
      type: "button", "aria-pressed": String(value === chosen), title: hint, "data-key": `${label}-${value}`,
      onclick: () => choose(value),
    }, title)));
}

export function percent(share, digits = 1) {
  if (share > 0 && share < 0.5 * 10 ** (-digits - 2)) return `<${(10 ** -digits).toFixed(digits)} %`;
  return `${(100 * share).toFixed(digits)} %`;
}

export function counted(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

// Colours that stay with a topic: neighbours in number differ by the golden angle.
export function hue(number) {
  return `${(number * 137.508 + 205) % 360}`;
}
