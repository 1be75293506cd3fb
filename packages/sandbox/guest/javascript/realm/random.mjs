/**
 * A source of numbers in [0, 1), 53 bits each: sfc32, seeded by a hash of the text. Equal seeds give equal numbers. Runs
 * inside the engine: its text is taken, so it must not speak of anything outside itself.
 * @param {string} seed
 * @returns {() => number}
 */
export function makeRandom(seed) {
  const state = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  for (let round = 0; round < 4; round++) {
    let hash = 2166136261 ^ (round * 0x01000193);
    for (let index = 0; index < seed.length; index++) {
      hash = Math.imul(hash ^ seed.charCodeAt(index), 0x5bd1e995);
      hash = (hash << 13) | (hash >>> 19);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    state[round] = (state[round] ?? 0) ^ Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  }
  let [a = 0, b = 0, c = 0, counter = 0] = state;
  const next = () => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 20; round++) next();
  return () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
}
