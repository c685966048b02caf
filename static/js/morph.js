/* hx-swap="morph": changes what differs, so that focus, open menus and scroll positions stay. */
import { Idiomorph } from "../vendor/idiomorph-0.8.0.js";

const OWN_ATTRIBUTES = new Set(["style", "aria-expanded", "open"]); // set in the page, unknown to the server

window.htmx.defineExtension("morph", {
  isInlineSwap: (style) => style === "morph",
  handleSwap(style, target, fragment) {
    if (style !== "morph") return false;
    return Idiomorph.morph(target, fragment.firstElementChild, {
      morphStyle: "outerHTML",
      callbacks: { beforeAttributeUpdated: (name) => !OWN_ATTRIBUTES.has(name) },
    });
  },
});
