// Builds nodes from data: text always goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.setAttribute("class", value);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else if (name === "data") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

const ICONS = {
  bell: "M5 16h14l-1.6-2.2V10a5.4 5.4 0 0 0-10.8 0v3.8zM10 19a2 2 0 0 0 4 0",
  caret: "M7 10l5 5 5-5",
  clip: "M20 11.5l-8.2 8.2a5 5 0 0 1-7-7L13 4.4a3.3 3.3 0 0 1 4.7 4.7l-8.2 8.2a1.7 1.7 0 0 1-2.4-2.4l7.5-7.5",
  close: "M6 6l12 12M18 6L6 18",
  dots: "M5 12h.01M12 12h.01M19 12h.01",
  down: "M12 4v11M7 11l5 5 5-5M5 20h14",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  hash: "M9.5 4L7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  inside: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20M7.5 12V9.5M10.5 13V8M13.5 12v-1.5",
  letter: "M3 6h18v13H3zM3 7l9 6.5L21 7",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  message: "M4 5h16v11H9l-5 4z",
  plus: "M12 5v14M5 12h14",
  send: "M4 4l17 8-17 8 3-8zM7 12h14",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
  smile: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.5 14.5a4 4 0 0 0 7 0M9 9.5h.01M15 9.5h.01",
  stop: "M7 7h10v10H7z",
  thread: "M4 5h16v10H11l-4 4v-4H4zM8 9h8M8 12h5",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  thumbDown: "M7 14V4H4v10zM7 14l4 6c1.6 0 2.3-1 2-3l-.5-3H18a2 2 0 0 0 2-2.4l-1.2-6A2 2 0 0 0 16.8 4H7",
  thumbUp: "M7 10v10H4V10zM7 10l4-6c1.6 0 2.3 1 2 3l-.5 3H18a2 2 0 0 1 2 2.4l-1.2 6a2 2 0 0 1-2 1.6H7",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
};

export function icon(name, size = 18) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", width: size, height: size, class: "icon", "aria-hidden": "true" },
    svg("path", { d: ICONS[name] }),
  );
}

export function button(label, attributes = {}, ...children) {
  return el(
    "button",
    { type: "button", "aria-label": label, title: label, ...attributes },
    ...(children.length ? children : [label]),
  );
}

export function announce(sentence) {
  document.getElementById("announcer").textContent = sentence;
}
