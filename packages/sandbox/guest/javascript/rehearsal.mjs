// A program of our own that runs through what a model's program will need, before there is one: the engine's code is
// then compiled well, for this run and for all others that share it.

const CODE = `class Wrong extends Error {}
let total = 0;
for (let index = 0; index < CALLS; index++) total += await add({ a: index, text: "t", list: [1, { b: null }] });
console.log("total", { total, list: [1, 2, 3], map: new Map([["a", 1]]) });
try { await add({ a: "fail" }) } catch (error) { console.error(error) }
try { throw new Wrong("no") } catch (error) { total += error.message.length }
const rows = Array.from({ length: 20 }, (_, id) => ({ id, name: "n" + id, at: new Date(id) }));
return { total, rows: rows.filter(({ id }) => id % 2).sort((a, b) => b.id - a.id), text: JSON.stringify(rows) }`;

const param = (/** @type {string} */ name) => ({ name, identifier: name, required: true });

/**
 * @param {(post: (messages: string[]) => void) => import("./interpreter.mjs").Interpreter} make
 * @param {number} calls
 */
export function rehearse(make, calls) {
  /** @type {string[]} */
  const answers = [];
  const interpreter = make((messages) => {
    for (const text of messages) {
      const { type, id, args } = JSON.parse(text);
      if (type !== "call") continue;
      const failed = args.a === "fail";
      answers.push(
        JSON.stringify(failed ? { type: "throw", id, call: id, message: "no" } : { type: "return", id, value: id }),
      );
    }
  });
  const tool = { name: "add", identifier: "add", params: ["a", "text", "list"].map(param), open: true };
  const limits = {
    timeoutMs: 5000,
    memoryMb: 64,
    maxToolCalls: calls + 1,
    maxResultBytes: 10_000,
    maxLogBytes: 10_000,
  };
  interpreter.start(JSON.stringify({ code: CODE.replace("CALLS", `${calls}`), tools: [tool], limits, seed: "" }));
  for (let next = answers.shift(); next !== undefined; next = answers.shift()) interpreter.answer(next);
}
