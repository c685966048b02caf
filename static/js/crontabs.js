// Admin site, periodic task: puts the chosen crontab into words, in the field that has them.
const words = JSON.parse(document.getElementById("readable-crontabs").textContent);
const choice = document.getElementById("id_crontab");
const place = document.getElementById("crontab-words");

function show() {
  place.textContent = words[choice.value] ?? "–";
}

if (choice && place) {
  // The theme's widgets announce a change by jQuery alone; both ways end here.
  choice.addEventListener("change", show);
  window.django?.jQuery?.(choice).on("change", show);
  show();
}
