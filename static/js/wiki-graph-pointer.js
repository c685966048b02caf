/* What pointers do with the picture of a wiki's links: move, choose, make larger, hide kinds. */

/** Lets pointers reach `graph`, drawn on `canvas` inside of `picture`. */
export function listen(graph, canvas, picture) {
  let from = null;
  canvas.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX - graph.view.x, y: event.clientY - graph.view.y, moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from || !event.buttons) {
      const over = graph.hit(event);
      canvas.classList.toggle("is-over", over >= 0);
      if (over !== graph.over) graph.soon((graph.over = over));
      return;
    }
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    from.moved ||= Math.hypot(x - graph.view.x, y - graph.view.y) > 3;
    if (!from.moved) return;
    graph.touched = true;
    canvas.setPointerCapture(event.pointerId);
    graph.view = { ...graph.view, x, y };
    graph.soon();
  });
  canvas.addEventListener("click", (event) => from?.moved || graph.choose(graph.hit(event)));
  canvas.addEventListener("dblclick", (event) => {
    const n = graph.hit(event);
    if (n >= 0) location.assign(graph.data.nodes[n].around);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls, as everywhere
    event.preventDefault();
    graph.zoom(event.deltaY < 0 ? 1.15 : 0.87, { x: event.offsetX, y: event.offsetY });
  }, { passive: false });
  picture.addEventListener("change", () => {
    const boxes = [...picture.querySelectorAll("[data-colour]:not(:checked)")];
    graph.hidden = new Set(boxes.map((box) => Number(box.dataset.colour)));
    graph.soon();
  });
  picture.addEventListener("click", (event) => {
    const button = event.target.closest("[data-zoom]");
    if (!button) return;
    if (Number(button.dataset.zoom)) graph.zoom(Number(button.dataset.zoom));
    else graph.soon(graph.fit());
  });
  new ResizeObserver(() => graph.soon(graph.touched || graph.fit())).observe(canvas);
  new MutationObserver(() => graph.soon(graph.theme())).observe(document.documentElement, { attributeFilter: ["class"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.soon(graph.theme()));
}
