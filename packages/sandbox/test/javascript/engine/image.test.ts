import { readFileSync } from "node:fs";
import * as engine from "quickjs-emscripten";
import { expect, it } from "vitest";
import { withTable } from "../../../guest/javascript/with-table.mjs";
import { findQuickJs, threadScript } from "../../../src/node/javascript/quickjs-package.ts";
import { WorkerThread } from "../../../src/node/javascript/worker-thread.ts";

// An engine whose memory is copied from another one's, made before any program, beside one that was made in full.

interface Interpreter {
  memory: WebAssembly.Memory;
  start(request: string): void;
}
interface Image {
  words?: Int32Array;
}
const guest = (name: string): Promise<Record<string, never>> =>
  import(new URL(`../../../guest/javascript/${name}.mjs`, import.meta.url).href);
const { Image: ImageClass } = (await guest("image")) as unknown as { Image: new () => Image };
const { createInterpreter } = (await guest("create")) as unknown as {
  createInterpreter(options: object): Promise<Interpreter>;
};

const limits = { timeoutMs: 60_000, maxResultBytes: 1000, maxLogBytes: 1000, maxToolCalls: 1 };
const request = (code: string): string => JSON.stringify({ code, limits, tools: [], seed: "1", imports: "refuse" });

async function make(image?: Image): Promise<{ interpreter: Interpreter; run(code: string): string[] }> {
  const said: string[] = [];
  const post = (messages: string[]) => void said.push(...messages);
  const interpreter = await createInterpreter({
    engine,
    memoryMb: 32,
    stackBytes: 256 * 1024,
    post,
    ...(image ? { image } : {}),
  });
  return {
    interpreter,
    run(code) {
      interpreter.start(request(code));
      return said.filter((text) => !text.startsWith('{"type":"usage"'));
    },
  };
}

const bytes = ({ interpreter }: { interpreter: Interpreter }): Buffer =>
  Buffer.from(interpreter.memory.buffer.slice(0));

it("should hold in memory what the first engine held, byte for byte, whatever programs did in between", async () => {
  const image = new ImageClass();
  const first = await make(image);
  const before = bytes(first);
  const words = image.words?.slice();
  first.run("globalThis.left = Object.prototype.left = 'x'.repeat(1000); Math.random = () => 4; return 1");
  expect(bytes(first).equals(before)).toBe(false);
  const second = await make(image);
  expect(bytes(second).equals(before)).toBe(true);
  second.run("const all = []; for (;;) all.push(new Array(1000).fill(all))");
  expect(bytes(await make(image)).equals(before)).toBe(true);
  expect(image.words).toEqual(words);
});

it("should answer as an engine that was made in full", async () => {
  const code = `console.log([1, { a: new Map([[1, 2]]) }], new RangeError("x").message);
    return [Math.random(), typeof left, new Date(0), [3, 1, 2].sort(), JSON.stringify({ a: 1n === 1n })];`;
  const image = new ImageClass();
  await make(image);
  const copied = (await make(image)).run(code);
  expect(copied).toEqual((await make()).run(code));
  expect(copied).toHaveLength(2);
});

it("should not take the image of an engine that was laid out in another way", async () => {
  const image = new ImageClass();
  await make(image);
  const words = image.words as Int32Array;
  words[0] = (words[0] ?? 0) + 16;
  words.fill(-1, 3);
  expect((await make(image)).run("return 1 + 1").at(-1)).toContain('"value":2}');
});

it("should be what a thread's first engine and the ones after it begin with", async () => {
  const wasm = await WebAssembly.compile(withTable(readFileSync(findQuickJs().wasm)));
  /** A thread, what it says next, and its end. */
  const start = (more: object) => {
    const workerData = { memoryMb: 32, wasm, ...more };
    const thread = new WorkerThread({ script: threadScript(), workerData, heapMb: 64 });
    let hear: (texts: string[]) => void = () => {};
    let fail: (error: Error) => void = () => {};
    const next = (): Promise<string> =>
      new Promise((resolve, reject) => {
        hear = (texts) => resolve(texts.join("\n"));
        fail = reject;
      });
    thread.attach({ onMessage: (data) => hear(data as string[]), onEnd: (fault) => fail(new Error(fault)) });
    return { thread, next };
  };
  const draft = new Int32Array(new SharedArrayBuffer(1 << 21));
  const first = start({ draft });
  await first.next();
  await first.thread.end();
  const words = new Int32Array(draft.subarray(1, 1 + (draft[0] ?? 0)));
  // Shows whose memory it is.
  const text = Buffer.from(words.buffer);
  for (let at = text.indexOf("Assertion failed"); at >= 0; at = text.indexOf("Assertion failed")) {
    text.write("Assertion FAILED", at);
  }
  const second = start({ image: words });
  await second.next();
  for (let engines = 0; engines < 2; engines++) {
    const said = second.next();
    second.thread.post(request('console.assert(false, "x"); return 1'));
    expect(await said).toContain("Assertion FAILED");
    const ready = second.next();
    second.thread.renew();
    expect(await ready).toContain("ready");
  }
  await second.thread.end();
});
