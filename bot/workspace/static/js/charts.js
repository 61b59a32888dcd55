// The data_visualization block, drawn as SVG.

import { el, replace, svg } from "./dom.js";

const COLOURS = ["#1d7fb8", "#e8912d", "#2eb67d", "#9a5fc0", "#d8435f", "#5a7184"];
const WIDEST = 560;
const HIGH = 230;
const EDGE = { left: 58, right: 14, top: 12, bottom: 40 };

export function chart(block) {
  const { chart: drawn, title } = block;
  const picture = drawn.type === "pie" ? pie(drawn.segments) : fitted(drawn);
  const names = drawn.type === "pie"
    ? drawn.segments.map((segment) => `${segment.label} · ${share(segment, drawn.segments)}`)
    : drawn.series.map((series) => series.name);
  return el(
    "figure",
    { class: drawn.type === "pie" ? "chart is-pie" : "chart" },
    el("figcaption", {}, title),
    el("div", { class: "chart-body" }, picture, names.length > 1 || drawn.type === "pie" ? legend(names) : null),
  );
}

// Drawn anew for the width that there is, so that the words keep their size.
function fitted(drawn) {
  const holder = el("div", { class: "plot-frame" }, plot(drawn, WIDEST));
  let wide = WIDEST;
  new ResizeObserver(([{ contentRect }]) => {
    const now = Math.round(Math.max(260, Math.min(WIDEST, contentRect.width)));
    if (contentRect.width && Math.abs(now - wide) > 8) {
      wide = now;
      replace(holder, plot(drawn, wide));
    }
  }).observe(holder);
  return holder;
}

function legend(names) {
  return el("ul", { class: "legend" }, names.map((name, index) =>
    el("li", {}, el("span", { class: "swatch", style: { background: COLOURS[index] } }), name)));
}

function share(segment, segments) {
  const sum = segments.reduce((total, one) => total + one.value, 0);
  return `${((segment.value / sum) * 100).toFixed(0)} %`;
}

export function ticks(low, high) {
  const span = high - low || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const found = [];
  for (let at = Math.floor(low / step) * step; at < high + step * 0.999; at += step) {
    found.push(Number(at.toPrecision(12)));
  }
  return found;
}

export function short(value) {
  const size = Math.abs(value);
  for (const [unit, mark] of [[1e9, "B"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit) return `${Number((value / unit).toPrecision(3))}${mark}`;
  }
  return `${Number(value.toPrecision(4))}`;
}

function plot(drawn, wide) {
  const { categories, x_label: xLabel, y_label: yLabel } = drawn.axis_config;
  const values = drawn.series.flatMap((series) => series.data.map((point) => point.value));
  const marks = ticks(Math.min(0, ...values), Math.max(0, ...values));
  const [low, high] = [marks[0], marks.at(-1)];
  const bottom = xLabel ? EDGE.bottom : EDGE.bottom - 16;
  const across = (wide - EDGE.left - EDGE.right) / categories.length;
  const scale = {
    x: (index) => EDGE.left + across * (index + 0.5),
    y: (value) => EDGE.top + ((high - value) / (high - low)) * (HIGH - EDGE.top - bottom),
    across,
    bottom,
    wide,
  };
  const draw = { bar: bars, line: lines, area: areas }[drawn.type];
  return svg(
    "svg",
    { viewBox: `0 0 ${wide} ${HIGH}`, role: "img", "aria-label": summary(drawn), class: "plot" },
    marks.map((value) => grid(scale, value)),
    draw(drawn.series, scale),
    axis(categories, scale, xLabel),
    yLabel ? svg("text", {
      class: "axis-title", transform: `translate(13 ${HIGH / 2 - 14}) rotate(-90)`,
    }, yLabel) : null,
  );
}

function summary(drawn) {
  return drawn.series
    .map((series) => `${series.name}: ${series.data.map((p) => `${p.label} ${p.value}`).join(", ")}`)
    .join("; ");
}

function grid(scale, value) {
  const y = scale.y(value);
  return [
    svg("line", { class: value === 0 ? "zero" : "grid", x1: EDGE.left, x2: scale.wide - EDGE.right, y1: y, y2: y }),
    svg("text", { class: "tick to-end", x: EDGE.left - 8, y: y + 4 }, short(value)),
  ];
}

function axis(categories, scale, label) {
  const longest = Math.min(90, Math.max(...categories.map((name) => name.length)) * 6.6 + 10);
  const every = Math.ceil(longest / scale.across);
  const most = Math.max(5, Math.floor((scale.across * every) / 6.6));
  const names = categories.map((name, index) => (index % every ? null
    : svg("text", { class: "tick", x: scale.x(index), y: HIGH - scale.bottom + 17 },
      name.length > most ? `${name.slice(0, most - 1)}…` : name)));
  const title = label ? svg("text", { class: "axis-title", x: scale.wide / 2, y: HIGH - 5 }, label) : null;
  return [names, title];
}

function tip(series, point) {
  return svg("title", {}, `${series.name} · ${point.label}: ${point.value.toLocaleString()}`);
}

function bars(series, scale) {
  const wide = Math.min(34, (scale.across * 0.72) / series.length);
  return series.map((one, s) => one.data.map((point, index) => {
    const [top, zero] = [scale.y(Math.max(0, point.value)), scale.y(Math.min(0, point.value))];
    return svg("rect", {
      x: scale.x(index) + (s - series.length / 2) * wide + 1, y: top,
      width: Math.max(1, wide - 2), height: Math.max(1, zero - top), rx: 2, fill: COLOURS[s],
    }, tip(one, point));
  }));
}

function path(one, scale) {
  return one.data.map((point, i) => `${i ? "L" : "M"}${scale.x(i)} ${scale.y(point.value)}`).join("");
}

function lines(series, scale) {
  return series.map((one, s) => [
    svg("path", { d: path(one, scale), class: "stroke", stroke: COLOURS[s] }),
    one.data.map((point, i) => svg("circle", {
      cx: scale.x(i), cy: scale.y(point.value), r: 3.5, fill: COLOURS[s],
    }, tip(one, point))),
  ]);
}

function areas(series, scale) {
  return series.map((one, s) => {
    const last = scale.x(one.data.length - 1);
    const closed = `${path(one, scale)}L${last} ${scale.y(0)}L${scale.x(0)} ${scale.y(0)}Z`;
    return svg("path", { d: closed, fill: COLOURS[s], class: "area", stroke: COLOURS[s] });
  });
}

function pie(segments) {
  const sum = segments.reduce((total, segment) => total + segment.value, 0);
  let from = -Math.PI / 2;
  const slices = segments.map((segment, index) => {
    const turn = Math.min((segment.value / sum) * Math.PI * 2, Math.PI * 1.99999);
    const [a, b] = [from, from + turn];
    from += (segment.value / sum) * Math.PI * 2;
    const point = (angle) => `${100 + 92 * Math.cos(angle)} ${100 + 92 * Math.sin(angle)}`;
    return svg("path", {
      d: `M100 100L${point(a)}A92 92 0 ${turn > Math.PI ? 1 : 0} 1 ${point(b)}Z`,
      fill: COLOURS[index], class: "slice",
    }, svg("title", {}, `${segment.label}: ${segment.value.toLocaleString()} (${share(segment, segments)})`));
  });
  const words = segments.map((s) => `${s.label} ${share(s, segments)}`).join(", ");
  return svg("svg", { viewBox: "0 0 200 200", class: "pie", role: "img", "aria-label": words }, slices);
}
