/* Lays a large graph out beside the page: gets {count, lines}, sends the places every few rounds. */
import { ROUNDS, begin, step } from "./graph-layout.js";

const ROUNDS_A_MESSAGE = 8;

onmessage = ({ data: { count, lines } }) => {
  const places = begin(count);
  for (let round = 0; round < ROUNDS; round += 1) {
    step(places, lines, round);
    const isLast = round === ROUNDS - 1;
    if (!isLast && round % ROUNDS_A_MESSAGE) continue;
    const flat = new Float32Array(count * 2);
    places.forEach(({ x, y }, n) => {
      flat[2 * n] = x;
      flat[2 * n + 1] = y;
    });
    postMessage({ places: flat, isLast }, [flat.buffer]);
  }
};
