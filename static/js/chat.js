/* The chat page: questions out, frames in, and a viewport that follows the answer. */
import { box, form, question } from "./composer.js";
import { applyFrames, resumeStreams } from "./frames.js";
import { Live } from "./live.js";
import { clearMentions } from "./mentions.js";

const NEAR_END_PX = 96;
const PATIENCE_MS = 1200;
const TRIES_UNTIL_RELOAD = 5;
const turns = document.getElementById("turns");
const scroller = document.getElementById("scroll");
const jump = document.getElementById("jump");
const banner = document.getElementById("connection");
const problem = document.getElementById("composer-error");
const running = new Set();
let sticks = true;
let sent = null;

const address = new URL(turns.dataset.socket, location.href);
address.protocol = address.protocol.replace("http", "ws");
const live = new Live(address);

/* --- the viewport --- */

function toEnd() {
  scroller.scrollTop = scroller.scrollHeight;
}

function noteScroll() {
  sticks = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
  jump.hidden = sticks;
}

scroller.addEventListener("scroll", noteScroll, { passive: true });
jump.addEventListener("click", () => {
  sticks = true;
  toEnd();
});

/* --- the composer --- */

function showState() {
  const state = running.size ? "running" : "idle";
  form.dataset.state = state;
  for (const button of form.querySelectorAll("[data-when]")) button.hidden = button.dataset.when !== state;
}

function unlock() {
  sent = null;
  box.readOnly = false;
  form.removeAttribute("aria-busy");
}

function ask() {
  const message = question();
  if (!message.text || sent) return;
  sent = message.client_id;
  sticks = true;
  box.readOnly = true; // kept until the server has it: nothing typed is lost
  form.setAttribute("aria-busy", "true");
  problem.hidden = true;
  live.deliver({ type: "message.send", ...message });
}

function stop() {
  for (const runId of running) live.send({ type: "run.stop", run_id: runId });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!running.size) ask();
});
form.addEventListener("click", (event) => event.target.closest("[data-stop]") && stop());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && running.size && !document.querySelector("dialog[open], :popover-open")) stop();
  if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) stepTurn(event);
});

function stepTurn(event) {
  event.preventDefault();
  const all = [...turns.querySelectorAll(".turn")];
  const top = scroller.getBoundingClientRect().top;
  const offset = (turn) => turn.getBoundingClientRect().top - top;
  const next = event.key === "ArrowUp" ? all.findLast((turn) => offset(turn) < -4) : all.find((turn) => offset(turn) > 40);
  next?.scrollIntoView({ block: "start" });
}

/* --- frames --- */

const CHAT_OPS = {
  run(frame) {
    if (frame.state === "idle") running.delete(frame.run);
    else running.add(frame.run);
    showState();
  },
  ack(frame) {
    if (frame.client_id !== sent) return;
    box.value = "";
    clearMentions();
    unlock();
  },
  error(frame) {
    if (frame.client_id === sent) unlock();
    problem.textContent = frame.text;
    problem.hidden = false;
  },
};

live.addEventListener("frames", ({ detail: frames }) => {
  applyFrames(frames);
  for (const frame of frames) CHAT_OPS[frame.op]?.(frame);
  const follows = frames.some((frame) => frame.to) && frames.every((frame) => frame.follow !== false);
  if (sticks && follows) toEnd();
  else noteScroll();
});

let patience = 0;
live.addEventListener("connection", ({ detail: { open, tries, refused } }) => {
  clearTimeout(patience);
  if (open) banner.hidden = true;
  else patience = setTimeout(() => (banner.hidden = false), tries > 1 || refused ? 0 : PATIENCE_MS);
  banner.querySelector("[data-reload]").hidden = !refused && tries < TRIES_UNTIL_RELOAD;
});

/* --- start: continue what the page shows unfinished --- */

for (const turn of turns.querySelectorAll("[data-run][data-seq]")) {
  live.track(turn.dataset.run, Number(turn.dataset.seq));
  running.add(turn.dataset.run);
}
resumeStreams();
showState();
if (!location.hash) toEnd();
live.start();
