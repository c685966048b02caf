/* Draws the links of a wiki on a canvas; up to 2,000 pages stay smooth, because a worker lays them out. The list
   below says the same, so that the picture is for eyes and pointers only. */
import { listen } from "./wiki-graph-pointer.js";

const picture = document.querySelector("[data-wiki-graph]");
const source = document.getElementById("wiki-graph-data");
const LABELS = 40; // of the most linked; others appear near to the pointer and when one comes closer
const COLOURS = ["--fg-3", "--chart-1", "--chart-2", "--chart-3", "--info", "--bad", "--ok"];

class Graph {
  constructor(data) {
    this.data = data;
    this.canvas = picture.querySelector("canvas");
    this.pen = this.canvas.getContext("2d");
    this.places = new Float32Array(data.nodes.length * 2);
    this.near = data.nodes.map((_, n) => new Set([n]));
    for (const { from, to } of data.lines) {
      this.near[from].add(to);
      this.near[to].add(from);
    }
    this.view = { x: 0, y: 0, scale: 1 };
    this.hidden = new Set();
    this.chosen = this.over = -1;
    this.theme();
    listen(this, this.canvas, picture);
    const worker = new Worker(picture.dataset.worker, { type: "module" });
    worker.onmessage = ({ data: { places, isLast } }) => {
      this.places = places;
      if (!this.touched) this.fit();
      this.soon();
      if (!isLast) return;
      picture.dataset.settled = "";
      worker.terminate();
    };
    worker.postMessage({ count: data.nodes.length, lines: data.lines });
  }

  theme() {
    const seen = getComputedStyle(document.documentElement);
    const real = (name) => {
      const probe = document.createElement("span"); // a new one each time: colours may fade over
      probe.style.color = `var(${name})`;
      picture.append(probe);
      const found = getComputedStyle(probe).color;
      probe.remove();
      return found;
    };
    this.colours = COLOURS.map(real);
    const inks = { line: "--line-strong", near: "--accent", text: "--fg", halo: "--bg-raised", focus: "--focus" };
    this.ink = Object.fromEntries(Object.entries(inks).map(([key, name]) => [key, real(name)]));
    this.font = `11px ${seen.getPropertyValue("--font") || "sans-serif"}`;
  }

  radius(node) {
    return 4 + Math.min(14, 2 * Math.sqrt(node.links));
  }

  fit() {
    const { width, height } = this.canvas.getBoundingClientRect();
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let n = 0; n < this.places.length; n += 2) {
      left = Math.min(left, this.places[n]);
      right = Math.max(right, this.places[n]);
      top = Math.min(top, this.places[n + 1]);
      bottom = Math.max(bottom, this.places[n + 1]);
    }
    [left, top, right, bottom] = [left - 40, top - 40, right + 120, bottom + 40];
    const scale = Math.min(1.6, width / (right - left), height / (bottom - top));
    this.view = { scale, x: (width - scale * (left + right)) / 2, y: (height - scale * (top + bottom)) / 2 };
  }

  soon() {
    this.asked ??= requestAnimationFrame(() => {
      this.asked = undefined;
      this.draw();
    });
  }

  draw() {
    const { pen, places, view, data } = this;
    const { width, height } = this.canvas.getBoundingClientRect();
    const dense = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * dense) || this.canvas.height !== Math.round(height * dense)) {
      this.canvas.width = Math.round(width * dense);
      this.canvas.height = Math.round(height * dense);
    }
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.clearRect(0, 0, width, height);
    const at = (n) => [places[2 * n] * view.scale + view.x, places[2 * n + 1] * view.scale + view.y];
    const gone = (n) => this.hidden.has(data.nodes[n].colour);
    const lit = this.chosen >= 0 ? this.near[this.chosen] : null;
    const stroke = (colour, alpha, wanted) => {
      pen.strokeStyle = colour;
      pen.globalAlpha = alpha;
      pen.beginPath();
      for (const { from, to } of data.lines) {
        if (gone(from) || gone(to) || !wanted(from, to)) continue;
        pen.moveTo(...at(from));
        pen.lineTo(...at(to));
      }
      pen.stroke();
    };
    const isLit = (from, to) => from === this.chosen || to === this.chosen;
    pen.lineWidth = 1;
    stroke(this.ink.line, lit ? 0.25 : 1, (from, to) => !lit || !isLit(from, to));
    if (lit) stroke(this.ink.near, 1, isLit);
    pen.font = this.font;
    const small = Math.min(1, Math.max(0.35, view.scale));
    data.nodes.forEach((node, n) => {
      if (gone(n)) return;
      const [x, y] = at(n);
      if (x < -20 || y < -20 || x > width + 20 || y > height + 20) return;
      pen.globalAlpha = lit && !lit.has(n) ? 0.25 : 1;
      pen.fillStyle = this.colours[node.colour];
      pen.beginPath();
      pen.arc(x, y, this.radius(node) * small, 0, 7);
      pen.fill();
      if (n !== this.chosen) return;
      pen.strokeStyle = this.ink.focus;
      pen.lineWidth = 3;
      pen.stroke();
    });
    pen.strokeStyle = this.ink.halo;
    pen.fillStyle = this.ink.text;
    pen.lineWidth = 3;
    pen.globalAlpha = 1;
    const hovered = this.over >= 0 ? this.near[this.over] : null;
    data.nodes.forEach((node, n) => {
      const speaks = n < LABELS || view.scale > 1.1 || lit?.has(n) || hovered?.has(n);
      if (gone(n) || !speaks || (lit && !lit.has(n) && n !== this.over)) return;
      const [x, y] = at(n);
      const label = node.name.length > 30 ? `${node.name.slice(0, 29)}…` : node.name;
      const start = x + this.radius(node) * small + 3;
      pen.strokeText(label, start, y + 4);
      pen.fillText(label, start, y + 4);
    });
  }

  hit({ offsetX, offsetY }) {
    let best = -1;
    let nearest = 14;
    this.data.nodes.forEach((node, n) => {
      if (this.hidden.has(node.colour)) return;
      const x = this.places[2 * n] * this.view.scale + this.view.x - offsetX;
      const y = this.places[2 * n + 1] * this.view.scale + this.view.y - offsetY;
      const far = Math.hypot(x, y) - this.radius(node) / 2;
      if (far < nearest) [best, nearest] = [n, far];
    });
    return best;
  }

  zoom(factor, at) {
    this.touched = true;
    const { width, height } = this.canvas.getBoundingClientRect();
    const { x, y } = at ?? { x: width / 2, y: height / 2 };
    const scale = Math.max(0.03, Math.min(6, this.view.scale * factor));
    const grown = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * grown, y: y - (y - this.view.y) * grown };
    this.soon();
  }

  choose(n) {
    this.chosen = n;
    this.soon();
    if (n >= 0) window.htmx.ajax("GET", this.data.nodes[n].card, { target: "#wiki-graph-card", swap: "innerHTML" });
  }
}

if (picture && source) {
  picture.hidden = false;
  document.querySelector("[data-wiki-card]").hidden = false;
  new Graph(JSON.parse(source.textContent));
}
