/* Draws the links of a wiki on a canvas; up to 2,000 pages stay smooth, because a worker lays them out. The list
   below says the same, so that the picture is for eyes and pointers only. */
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
    this.listen();
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
    const probe = picture.appendChild(document.createElement("span"));
    const real = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    this.colours = COLOURS.map(real);
    this.ink = { line: real("--line-strong"), near: real("--accent"), text: real("--fg"), halo: real("--bg-raised"), focus: real("--focus") };
    this.font = `11px ${seen.getPropertyValue("--font") || "sans-serif"}`;
    probe.remove();
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

  listen() {
    let from = null;
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX - this.view.x, y: event.clientY - this.view.y, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) {
        const over = this.hit(event);
        canvas.classList.toggle("is-over", over >= 0);
        if (over !== this.over) this.soon((this.over = over));
        return;
      }
      const [x, y] = [event.clientX - from.x, event.clientY - from.y];
      from.moved ||= Math.hypot(x - this.view.x, y - this.view.y) > 3;
      if (!from.moved) return;
      this.touched = true;
      canvas.setPointerCapture(event.pointerId);
      this.view = { ...this.view, x, y };
      this.soon();
    });
    canvas.addEventListener("click", (event) => from?.moved || this.choose(this.hit(event)));
    canvas.addEventListener("dblclick", (event) => {
      const n = this.hit(event);
      if (n >= 0) location.assign(this.data.nodes[n].around);
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls, as everywhere
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.15 : 0.87, { x: event.offsetX, y: event.offsetY });
    }, { passive: false });
    picture.addEventListener("change", () => {
      const boxes = [...picture.querySelectorAll("[data-colour]:not(:checked)")];
      this.hidden = new Set(boxes.map((box) => Number(box.dataset.colour)));
      this.soon();
    });
    picture.addEventListener("click", (event) => {
      const button = event.target.closest("[data-zoom]");
      if (!button) return;
      if (Number(button.dataset.zoom)) this.zoom(Number(button.dataset.zoom));
      else this.soon(this.fit());
    });
    new ResizeObserver(() => this.soon(this.touched || this.fit())).observe(canvas);
    new MutationObserver(() => this.soon(this.theme())).observe(document.documentElement, { attributeFilter: ["class"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.soon(this.theme()));
  }
}

if (picture && source) {
  picture.hidden = false;
  document.querySelector("[data-wiki-card]").hidden = false;
  new Graph(JSON.parse(source.textContent));
}
