/* Two revisions: beside each other or in one column, and from change to change (n and p, too). */
const box = document.querySelector(".wiki-compare");
const KEY = "wiki-compare";
const narrow = matchMedia("(max-width: 860px)");

function show(view, { keep = false } = {}) {
  box.dataset.view = view;
  for (const button of document.querySelectorAll("[data-view-is]")) {
    button.setAttribute("aria-pressed", String(button.dataset.viewIs === view));
  }
  if (keep) localStorage.setItem(KEY, view);
}

const auto = () => show(narrow.matches ? "inline" : (localStorage.getItem(KEY) ?? "split"));

function jump(by) {
  const hunks = [...box.querySelectorAll("[data-hunk]")].filter((hunk) => hunk.getClientRects().length);
  const line = innerHeight / 3;
  const top = (hunk) => hunk.getBoundingClientRect().top;
  const next = by > 0 ? hunks.find((hunk) => top(hunk) > line + 4) : hunks.findLast((hunk) => top(hunk) < line - 40);
  if (!next) return;
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "start", behavior: "smooth" });
  next.closest("main > .scroll")?.scrollBy(0, -innerHeight / 3);
}

if (box) {
  auto();
  narrow.addEventListener("change", auto);
  document.addEventListener("click", (event) => {
    const view = event.target.closest("[data-view-is]");
    const step = event.target.closest("[data-step]");
    if (view) show(view.dataset.viewIs, { keep: true });
    else if (step) jump(Number(step.dataset.step));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (event.key === "n") jump(1);
    else if (event.key === "p") jump(-1);
  });
}
