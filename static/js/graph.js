/* Draws the graph of a knowledge base from #graph-data. The list below the picture says the same, so that the
   picture is for eyes and pointers only: choose, move, make larger, hide kinds. */
import { ROUNDS, begin, step } from "./graph-layout.js";

const SVG = "http://www.w3.org/2000/svg";
const ROUNDS_A_FRAME = 12;
const LONGEST_LABEL = 28;
const LABELS = 40; // of the most mentioned; others appear when they are chosen or near to who is

const make = (name, attributes, parent) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
};
const radius = (node) => 4 + Math.min(14, 2.2 * Math.sqrt(node.passages));
const shorten = (text) => (text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text);

class Picture {
  constructor(figure, data) {
    this.figure = figure;
    this.svg = figure.querySelector("svg");
    this.layer = this.svg.querySelector("g");
    this.data = data;
    this.places = begin(data.nodes.length);
    this.near = data.nodes.map((_, n) => new Set([n]));
    for (const { from, to } of data.lines) {
      this.near[from].add(to);
      this.near[to].add(from);
    }
    this.view = { x: 0, y: 0, scale: 1 };
    this.draw();
    this.listen();
    this.settle(0);
  }

  draw() {
    this.lines = this.data.lines.map((line) => {
      const element = make("line", { class: "graph-line" }, this.layer);
      make("title", {}, element).append(line.kind);
      return element;
    });
    this.nodes = this.data.nodes.map((node, n) => {
      const group = make("g", { class: `graph-node is-${node.colour}`, "data-node": n }, this.layer);
      make("circle", { r: radius(node) }, group);
      make("text", { x: radius(node) + 3, y: 4 }, group).append(shorten(node.name));
      make("title", {}, group).append(node.kind ? `${node.name} (${node.kind})` : node.name);
      group.classList.toggle("has-label", n < LABELS);
      return group;
    });
  }

  settle(round) {
    if (!this.svg.isConnected) return;
    const end = Math.min(ROUNDS, round + ROUNDS_A_FRAME);
    for (let n = round; n < end; n += 1) step(this.places, this.data.lines, n);
    this.place();
    if (!this.touched) this.fit();
    if (end < ROUNDS) requestAnimationFrame(() => this.settle(end));
    else this.figure.dataset.settled = "";
  }

  place() {
    this.nodes.forEach((group, n) => {
      const { x, y } = this.places[n];
      group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    });
    this.lines.forEach((element, n) => {
      const { from, to } = this.data.lines[n];
      element.setAttribute("x1", this.places[from].x.toFixed(1));
      element.setAttribute("y1", this.places[from].y.toFixed(1));
      element.setAttribute("x2", this.places[to].x.toFixed(1));
      element.setAttribute("y2", this.places[to].y.toFixed(1));
    });
  }

  fit() {
    const { width, height } = this.svg.getBoundingClientRect();
    const xs = this.places.map(({ x }) => x);
    const ys = this.places.map(({ y }) => y);
    const [left, right] = [Math.min(...xs) - 40, Math.max(...xs) + 140];
    const [top, bottom] = [Math.min(...ys) - 40, Math.max(...ys) + 40];
    const scale = Math.min(2, width / (right - left), height / (bottom - top));
    this.look({ scale, x: (width - scale * (left + right)) / 2, y: (height - scale * (top + bottom)) / 2 });
  }

  look(view) {
    this.view = view;
    this.layer.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  }

  zoom(factor, at) {
    this.touched = true;
    const { width, height } = this.svg.getBoundingClientRect();
    const { x, y } = at ?? { x: width / 2, y: height / 2 };
    const scale = Math.max(0.1, Math.min(6, this.view.scale * factor));
    const grown = scale / this.view.scale;
    this.look({ scale, x: x - (x - this.view.x) * grown, y: y - (y - this.view.y) * grown });
  }

  choose(number) {
    this.nodes.forEach((group, n) => {
      group.classList.toggle("is-chosen", n === number);
      group.classList.toggle("is-near", this.near[number].has(n));
      group.classList.toggle("is-far", !this.near[number].has(n));
    });
    this.lines.forEach((element, n) => {
      const { from, to } = this.data.lines[n];
      element.classList.toggle("is-near", from === number || to === number);
      element.classList.toggle("is-far", from !== number && to !== number);
    });
    window.htmx.ajax("GET", this.data.nodes[number].url, { target: "#graph-entity", swap: "innerHTML" });
  }

  hide() {
    const boxes = [...this.figure.querySelectorAll("[data-colour]")];
    const hidden = new Set(boxes.filter((box) => !box.checked).map((box) => Number(box.dataset.colour)));
    const gone = (n) => hidden.has(this.data.nodes[n].colour);
    this.nodes.forEach((group, n) => group.classList.toggle("is-hidden", gone(n)));
    this.lines.forEach((element, n) => {
      const { from, to } = this.data.lines[n];
      element.classList.toggle("is-hidden", gone(from) || gone(to));
    });
  }

  listen() {
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX - this.view.x, y: event.clientY - this.view.y, moved: false };
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const x = event.clientX - from.x;
      const y = event.clientY - from.y;
      from.moved ||= Math.hypot(x - this.view.x, y - this.view.y) > 3;
      if (!from.moved) return;
      this.touched = true;
      this.svg.setPointerCapture(event.pointerId);
      this.look({ ...this.view, x, y });
    });
    this.svg.addEventListener("click", (event) => {
      const group = event.target.closest("[data-node]");
      if (group && !from?.moved) this.choose(Number(group.dataset.node));
    });
    this.svg.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // the page scrolls, as everywhere
        event.preventDefault();
        const box = this.svg.getBoundingClientRect();
        this.zoom(event.deltaY < 0 ? 1.15 : 0.87, { x: event.clientX - box.left, y: event.clientY - box.top });
      },
      { passive: false },
    );
    new ResizeObserver(() => this.touched || this.fit()).observe(this.svg);
    this.figure.addEventListener("change", () => this.hide());
    this.figure.addEventListener("click", (event) => {
      const button = event.target.closest("[data-zoom]");
      if (button) Number(button.dataset.zoom) ? this.zoom(Number(button.dataset.zoom)) : this.fit();
    });
  }
}

function start() {
  const figure = document.querySelector("[data-graph][hidden]");
  const data = document.getElementById("graph-data");
  if (!figure || !data) return;
  figure.hidden = false;
  document.querySelector("[data-graph-panel]").hidden = false;
  new Picture(figure, JSON.parse(data.textContent));
}

document.addEventListener("htmx:afterSettle", start);
start();
