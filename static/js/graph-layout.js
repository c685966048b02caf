/* Where the nodes of a graph stand: nodes push each other away, lines pull, all are drawn to the middle.
   The same graph always gives the same picture. */

const GOLDEN = Math.PI * (3 - Math.sqrt(5));
export const ROUNDS = 220;
const MANY = 400;
const CELL = 160;

/** Returns the nodes' places, on a spiral with the most mentioned in the middle. */
export function begin(count) {
  return Array.from({ length: count }, (_, n) => {
    const far = 26 * Math.sqrt(n + 0.5);
    return { x: far * Math.cos(n * GOLDEN), y: far * Math.sin(n * GOLDEN), dx: 0, dy: 0 };
  });
}

/** Moves all places one round; `round` counts from 0 to ROUNDS, and steps grow smaller. */
export function step(places, lines, round) {
  const heat = 18 * (1 - round / ROUNDS) + 0.4;
  for (const place of places) {
    place.dx = -place.x * 0.012;
    place.dy = -place.y * 0.012;
  }
  if (places.length > MANY) pushByCells(places);
  else push(places);
  pull(places, lines);
  for (const place of places) {
    const force = Math.hypot(place.dx, place.dy) || 1;
    const move = Math.min(force, heat) / force;
    place.x += place.dx * move;
    place.y += place.dy * move;
  }
}

function push(places) {
  for (let a = 0; a < places.length; a += 1) {
    const one = places[a];
    for (let b = a + 1; b < places.length; b += 1) {
      const other = places[b];
      const x = one.x - other.x || 0.01;
      const y = one.y - other.y || 0.01;
      const near = 1800 / (x * x + y * y + 60);
      const force = near / Math.sqrt(x * x + y * y);
      one.dx += x * force;
      one.dy += y * force;
      other.dx -= x * force;
      other.dy -= y * force;
    }
  }
}

/* For many nodes: those of a cell and its neighbours push one by one, farther cells by their middle. */
function pushByCells(places) {
  const cells = new Map();
  for (const place of places) {
    const column = Math.floor(place.x / CELL);
    const row = Math.floor(place.y / CELL);
    const key = `${column},${row}`;
    const cell = cells.get(key) ?? cells.set(key, { column, row, x: 0, y: 0, places: [] }).get(key);
    cell.places.push(place);
    cell.x += place.x;
    cell.y += place.y;
  }
  const all = [...cells.values()];
  for (const cell of all) {
    for (const other of all) {
      const isNear = Math.abs(cell.column - other.column) < 2 && Math.abs(cell.row - other.row) < 2;
      const sources = isNear ? other.places : [{ x: other.x / other.places.length, y: other.y / other.places.length }];
      const weight = isNear ? 1 : other.places.length;
      for (const one of cell.places) {
        for (const source of sources) {
          if (source === one) continue;
          const x = one.x - source.x || 0.01;
          const y = one.y - source.y || 0.01;
          const force = (weight * 1800) / (x * x + y * y + 60) / Math.sqrt(x * x + y * y);
          one.dx += x * force;
          one.dy += y * force;
        }
      }
    }
  }
}

function pull(places, lines) {
  for (const line of lines) {
    const one = places[line.from];
    const other = places[line.to];
    const x = other.x - one.x;
    const y = other.y - one.y;
    const far = Math.hypot(x, y) || 1;
    const force = ((far - 70) * 0.06) / far;
    one.dx += x * force;
    one.dy += y * force;
    other.dx -= x * force;
    other.dy -= y * force;
  }
}
