import { isLong } from "@toolglot/internal/testing";
import { expect } from "vitest";
import type { Sandbox } from "../../../src/node/index.ts";
import { tool } from "../../support.ts";

/** The one tool of the programs that change their interpreter, and of the one that looks for traces. */
export const cleanTool = tool("tool", { a: { type: "integer" } }, (input: unknown) => input);

/** How a sandbox for attacks is made: each program in a thread of its own, or all in one. */
export const threads = {
  "each in a thread of its own": { reuse: { maxPrograms: 1 } },
  "one after another in one thread": { domain: "attacks", reuse: { maxPrograms: 10_000, maxMs: 86_400_000 } },
} as const;

/** Calls a function with every object that can be reached from the global one and from syntax. */
export const each = `const each = (visit) => {
  const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const seen = new Set();
  const all = [globalThis, [][Symbol.iterator](), new Map().entries(), ""[Symbol.iterator](), /x/g[Symbol.matchAll](""),
    function* () {}, async function* () {}, async () => {}, (function* () {})(), (async function* () {})(), new Proxy([], {})];
  for (let index = 0; index < all.length; index++) {
    const object = all[index];
    if ((typeof object !== "object" && typeof object !== "function") || object === null || seen.has(object)) continue;
    seen.add(object);
    all.push(getPrototypeOf(object));
    for (const key of ownKeys(object)) {
      const { value, get, set } = getOwnPropertyDescriptor(object, key);
      all.push(value, get, set);
    }
  }
  const found = [...seen];
  for (let index = 0; index < found.length; index++) visit(found[index]);
};`;

/** Describes everything that can be reached, and does a little of everything. */
const code = `${each}
let shape = 0;
let objects = 0;
const note = (text) => { for (let i = 0; i < text.length; i++) shape = (Math.imul(shape, 31) + text.charCodeAt(i)) | 0; };
const ids = new Map();
const id = (value) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return typeof value === "symbol" ? "symbol" : String(value);
  if (!ids.has(value)) ids.set(value, "#" + ids.size);
  return ids.get(value);
};
each((object) => {
  objects++;
  note(id(object) + id(Reflect.getPrototypeOf(object)) + typeof object + Object.isExtensible(object) + Object.prototype.toString.call(object));
  if (typeof object === "function" && !/^(async )?(function\\*?|\\()/.test(object.name)) note(Function.prototype.toString.call(object));
  for (const key of Reflect.ownKeys(object)) {
    const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(object, key);
    note(String(key) + id(value) + id(get) + id(set) + JSON.stringify(flags));
  }
});
const own = Reflect.ownKeys(globalThis).map(String).sort();
const late = [];
for (let turn = 0; turn < 20; turn++) await null;
late.push(await tool({ a: 1 }), typeof left, Object.keys(Object.prototype), {}.left ?? null);
let depth = 0;
const deep = () => { depth++; deep(); };
try { deep(); } catch (error) { late.push(error instanceof RangeError || error.name); }
const random = Math.random();
let zeros = true;
for (const word of new Uint32Array(1 << 14)) if (word !== 0) zeros = false;
return { shape, objects, own, late, depth, zeros, random: random >= 0 && random < 1 && random !== Math.random(),
  symbols: [Symbol.keyFor(Symbol.for("left")), Symbol("left").description, Symbol.for("left") === Symbol.for("left")],
  work: [[3, 1, 2].sort(), JSON.stringify({ b: [1, { c: null }] }), new Date(0).toISOString(), "a-b".split("-"), "xay".replace(/a/, "b"),
    [...new Map([[1, 2]])], String(new TypeError("t")), 0.1 + 0.2, (12345.678).toFixed(1), encodeURIComponent("ä"), 2n ** 70n + "",
    new Date(2020, 0, 1).getHours(), (() => { try { null.x; } catch (e) { return e.message; } })(), eval("1 + 1"), Function("return 3")()] };`;

interface Traces {
  status: string;
  value: unknown;
  logs: unknown;
  toolCalls: number;
  warnings: readonly string[];
  memoryMb: number | undefined;
}

/** What a program that looks for traces finds; `before`: what stands in front of it. */
export async function look(sandbox: Sandbox, before = ""): Promise<Traces> {
  const run = await sandbox.run(before + code, { tools: [cleanTool] });
  const { logs, toolCalls, stats } = run;
  const value = run.status === "ok" ? run.value : run.error;
  const { warnings, memoryMb } = stats;
  return { status: run.status, value, logs, toolCalls: toolCalls.length, warnings, memoryMb };
}

/**
 * Whether to look for traces after this program: after every one in test:long, else after each fourth and the last. What one of them has
 * left is there until its thread ends.
 */
export function looksAfter(programs: readonly unknown[], program: unknown): boolean {
  const place = programs.indexOf(program) + 1;
  return isLong || place % 4 === 0 || place === programs.length;
}

/** What it finds in an interpreter that ran nothing before. */
export async function lookFresh(make: () => Sandbox): Promise<Traces> {
  await using sandbox = make();
  const found = await look(sandbox);
  expect(found, JSON.stringify(found)).toMatchObject({ status: "ok", logs: [], toolCalls: 1 });
  return found;
}
