/* Sets the theme before the first paint, hence a classic script and not a module.
   Key and format (a JSON string) are those of Unfold's switch, so that one choice holds for both. */
(() => {
  const KEY = "adminTheme";
  const root = document.documentElement;

  function get() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) || "auto";
    } catch {
      return "auto";
    }
  }

  function apply(theme) {
    root.classList.remove("light", "dark");
    if (theme !== "auto") root.classList.add(theme);
    for (const button of document.querySelectorAll("[data-theme]")) {
      button.setAttribute("aria-pressed", String(button.dataset.theme === theme));
    }
  }

  apply(get());
  document.addEventListener("DOMContentLoaded", () => apply(get()));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme]");
    if (!button) return;
    try {
      localStorage.setItem(KEY, JSON.stringify(button.dataset.theme));
    } catch {
      /* Storage is switched off: the choice then lasts until the next page. */
    }
    apply(button.dataset.theme);
  });
  addEventListener("storage", (event) => event.key === KEY && apply(get()));
})();
