// What tests get as `fast-check`: the same cases in every run, so that a change is judged by what it changed.
// `npm run test:fuzz` looks for cases that nobody has seen, with TOOLGLOT_SEED=new; a number repeats a run.
import fc from "fast-check";

const asked = process.env.TOOLGLOT_SEED ?? "20261122";
if (asked !== "new") {
  const seed = Number(asked);
  if (!Number.isInteger(seed)) throw new TypeError(`TOOLGLOT_SEED is "${asked}": write an integer, or new.`);
  fc.configureGlobal({ seed });
}

export * from "fast-check";
export default fc;
