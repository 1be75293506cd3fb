// A child's memory must have the same bytes in every process: what a session has changed is kept beside it. So until the first
// program the clock stands still, and what should be random is not. No program sees any of it: its seeds come with it.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
/** 2025-01-01. */
const stillAt = 1_735_689_600_000;

/** To be called before the engine loads, which keeps some of these functions. Returns what gives back time and chance. */
export function standStill() {
  const nodeCrypto = require("node:crypto");
  const { now: dateNow } = Date;
  const performanceNow = performance.now.bind(performance);
  const { random } = Math;
  const { randomFillSync } = nodeCrypto;
  let isStill = true;
  let state = 1;
  /** @param {ArrayBufferView} view */
  const fill = (view) => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let index = 0; index < bytes.length; index++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[index] = state >>> 24;
    }
    return view;
  };
  Date.now = () => (isStill ? stillAt : dateNow());
  performance.now = () => (isStill ? 0 : performanceNow());
  Math.random = () => (isStill ? 0.5 : random());
  nodeCrypto.randomFillSync = (/** @type {any} */ view) => (isStill ? fill(view) : randomFillSync(view));
  process.env.TZ = "UTC";
  return () => {
    isStill = false;
    Reflect.deleteProperty(process.env, "TZ");
  };
}
