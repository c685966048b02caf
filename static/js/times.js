/* The server writes times in its own zone; people read them in theirs. */

/** Rewrites the clock times in `root`. */
export function localTimes(root = document) {
  const clock = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  for (const time of root.querySelectorAll("time[data-clock]")) {
    time.textContent = clock.format(new Date(time.dateTime));
  }
}
