/* A socket that survives: it reconnects, asks for what it missed, and applies frames in their order.

   Frame: {v, seq, run, op, to, …}, or {v, seq, run, ops: [{op, to, …}, …]} when one event changes several
   places. `seq` belongs to a run and has no gap; `from` says where a folded frame begins. Frames that were
   seen are dropped, frames after a gap wait until the gap is filled. Frames without a run are not counted.
   A question waits here until a frame with its client_id comes back, and is sent again after a
   reconnect: the server asks it once. */

const GAP_MS = 1500;
const FRAME_MS = 32;
const HIDDEN_MS = 250;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15000;
const FIRST_REFUSAL = 4400; // the server's own close codes: trying again would not help
const LAST_REFUSAL = 4499;

export class Live extends EventTarget {
  #url;
  #socket = null;
  #runs = new Map();
  #unanswered = new Map();
  #queue = [];
  #timer = 0;
  #painted = 0;
  #tries = 0;

  constructor(url) {
    super();
    this.#url = url;
  }

  /** Connects, and again whenever the connection is lost. */
  start() {
    this.#open();
    addEventListener("online", () => this.#open());
  }

  /** Tells that the page already shows the run up to `seq`. */
  track(runId, seq) {
    this.#run(runId).last = seq;
  }

  /** Sends now, or not at all when there is no connection. */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Sends a message that must arrive; it carries a client_id. */
  deliver(message) {
    this.#unanswered.set(message.client_id, message);
    this.send(message);
  }

  #open() {
    if (this.#socket && this.#socket.readyState < WebSocket.CLOSING) return;
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#opened());
    socket.addEventListener("message", (event) => this.#take(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.#closed(event.code));
  }

  #opened() {
    this.#tries = 0;
    this.#emit("connection", { open: true, tries: 0 });
    for (const [runId, run] of this.#runs) {
      this.#forget(run);
      if (!run.finished) this.#resume(runId, run);
    }
    for (const message of this.#unanswered.values()) this.send(message);
  }

  #closed(code) {
    this.#tries += 1;
    const refused = code >= FIRST_REFUSAL && code <= LAST_REFUSAL;
    this.#emit("connection", { open: false, tries: this.#tries, refused });
    if (refused) return;
    const pause = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#tries - 1));
    setTimeout(() => this.#open(), pause * (0.6 + Math.random() * 0.8));
  }

  #run(runId) {
    if (!this.#runs.has(runId)) this.#runs.set(runId, { last: 0, finished: false, held: new Map(), timer: 0 });
    return this.#runs.get(runId);
  }

  #resume(runId, run) {
    this.send({ type: "resume", run_id: runId, after: run.last });
  }

  #take(frame) {
    if (frame.client_id) this.#unanswered.delete(frame.client_id);
    const run = frame.run ? this.#run(frame.run) : null;
    if (!run || !frame.seq) {
      this.#accept(frame);
      return;
    }
    if (frame.seq <= run.last) return;
    run.held.set(frame.seq, frame);
    this.#drain(run);
    if (run.held.size && !run.timer) {
      this.#resume(frame.run, run);
      run.timer = setTimeout(() => this.#skipGap(frame.run, run), GAP_MS);
    }
  }

  #drain(run) {
    for (const frame of [...run.held.values()].sort((a, b) => a.seq - b.seq)) {
      if ((frame.from ?? frame.seq) > run.last + 1) break;
      this.#release(run, frame);
    }
    if (!run.held.size) this.#forget(run);
  }

  #release(run, frame) {
    run.held.delete(frame.seq);
    if (frame.seq <= run.last) return;
    run.last = frame.seq;
    this.#accept(frame);
  }

  /* The server does not have what is missing: going on beats standing still. */
  #skipGap(runId, run) {
    run.timer = 0;
    const frames = [...run.held.values()].sort((a, b) => a.seq - b.seq);
    if (frames.length) console.warn(`run ${runId}: frames ${run.last + 1} to ${frames[0].seq - 1} are missing`);
    for (const frame of frames) this.#release(run, frame);
  }

  #forget(run) {
    clearTimeout(run.timer);
    run.timer = 0;
    run.held.clear();
  }

  #accept(frame) {
    for (const part of frame.ops ?? [frame]) {
      if (part.op === "run" && frame.run) this.#run(frame.run).finished = part.state === "idle";
      this.#queue.push({ run: frame.run, client_id: frame.client_id, ...part });
    }
    if (this.#timer) return;
    const wait = document.hidden ? HIDDEN_MS : Math.max(0, FRAME_MS - (performance.now() - this.#painted));
    this.#timer = setTimeout(() => (document.hidden ? this.#paint() : requestAnimationFrame(() => this.#paint())), wait);
  }

  #paint() {
    this.#timer = 0;
    this.#painted = performance.now();
    this.#emit("frames", this.#queue.splice(0));
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
