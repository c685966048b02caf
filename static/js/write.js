/* A text that was pasted on the page of a base waits here for its title. */
const field = document.getElementById("id_text");
const KEY = "pasted-text";

if (field && !field.value) {
  field.value = sessionStorage.getItem(KEY) ?? "";
}
sessionStorage.removeItem(KEY);
