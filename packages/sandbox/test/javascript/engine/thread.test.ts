import { expect, it } from "vitest";
import { type GuestThread, MessageGuest } from "../../../src/javascript/message-guest.ts";
import { resolveLimits } from "../../../src/limits.ts";
import { WorkerThread } from "../../../src/node/javascript/worker-thread.ts";

const limits = resolveLimits("javascript", { maxResultBytes: 1000 });

/** A thread that runs code of the test's own, after what `guest/javascript` does to a thread when it hardens it. */
function threadOf(code: string, hardened = false): GuestThread {
  const harden = new URL("../../../guest/javascript/harden.node.mjs", import.meta.url);
  const source = `
    import { workerData } from "node:worker_threads";
    const { port } = workerData;
    const post = port.postMessage.bind(port);
    ${hardened ? `const { harden } = await import(${JSON.stringify(harden.href)}); harden();` : ""}
    port.on("message", () => {});
    ${code}`;
  return new WorkerThread({
    script: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    workerData: {},
    heapMb: 64,
  });
}

/** How a guest of such a thread ends. */
async function endOf(code: string): Promise<string> {
  const guest = new MessageGuest(threadOf(`post(['{"type":"ready"}']); ${code}`), limits, 20_000);
  await guest.ready;
  const fault = new Promise<string>((resolve) => guest.listen({ onMessage: () => {}, onEnd: resolve }));
  // What a thread sends by itself may overtake that it is ready.
  guest.send("{}");
  await guest.ended;
  return await fault;
}

const lies: { name: string; code: string; fault: string }[] = [
  { name: "no array", code: `post('{"type":"log"}')`, fault: "it sent something that is no batch of messages" },
  { name: "an empty batch", code: "post([])", fault: "it sent something that is no batch of messages" },
  {
    name: "a huge batch",
    code: `post(Array(1000).fill('{}'))`,
    fault: "it sent something that is no batch of messages",
  },
  { name: "an object", code: "post([{ type: 'log' }])", fault: "it sent a message that is no text" },
  { name: "no JSON", code: "post(['{'])", fault: "it sent a message that is no JSON" },
  { name: "no object", code: "post(['[1]'])", fault: "it sent a message that is no object, or too deep" },
  {
    name: "endless depth",
    code: `post(['{"a":' + '['.repeat(9000) + ']'.repeat(9000) + '}'])`,
    fault: "it sent a message that is no object, or too deep",
  },
  { name: "a huge text", code: `post(['"' + 'x'.repeat(5e6) + '"'])`, fault: "it sent a message that is too long" },
  { name: "an error of its own", code: "port.on('message', () => { throw new Error('broke') })", fault: "broke" },
  { name: "its end", code: "process.exit(0)", fault: "the thread ended" },
];

it.each(lies)("should end a thread that sends $name", async ({ code, fault }) => {
  expect(await endOf(code)).toBe(fault);
});

it("should drop keys that reach into prototypes from all a thread says", async () => {
  const code = `post(['{"type":"ready"}']); setTimeout(() => post(['{"type":"x","__proto__":1,"a":[{"constructor":1,"prototype":2,"b":3}]}']), 50)`;
  const guest = new MessageGuest(threadOf(code), limits, 20_000);
  await guest.ready;
  const message = await new Promise((resolve) => guest.listen({ onMessage: resolve, onEnd: resolve }));
  expect(message).toEqual({ type: "x", a: [{ b: 3 }] });
  guest.kill();
  await guest.ended;
});

it("should reject when a thread does not start, or not in time", async () => {
  await expect(new MessageGuest(threadOf("throw new Error('no')"), limits, 20_000).ready).rejects.toThrow("no");
  await expect(
    new MessageGuest(threadOf('post([\'{"type":"fatal","message":"bad"}\'])'), limits, 20_000).ready,
  ).rejects.toThrow("bad");
  await expect(new MessageGuest(threadOf(""), limits, 100).ready).rejects.toThrow("in time");
});

// What a program that broke out of the engine would try first. Each gives what it got.
const attempts = [
  "(await import('node:fs')).readFileSync('/etc/passwd', 'utf8')",
  "await (await import('node:fs/promises')).readFile('/etc/passwd', 'utf8')",
  "await (await import('node:fs')).promises.readFile('/etc/passwd', 'utf8')",
  "(await import('node:fs')).createReadStream('/etc/passwd')",
  "(await import('node:child_process')).execSync('id')",
  "(await import('node:net')).connect(80, '127.0.0.1')",
  "new (await import('node:net')).Socket().connect(80)",
  "(await import('node:http')).get('http://127.0.0.1/')",
  "await fetch('http://127.0.0.1/')",
  "new WebSocket('ws://127.0.0.1/')",
  "(() => {}).constructor('return 1')()",
  "(async () => {}).constructor('return 1')()",
  "eval('1')",
  "(await import('node:vm')).runInThisContext('1')",
  "process.binding('fs')",
  "process.getBuiltinModule('fs').readFileSync",
  "process.dlopen({ exports: {} }, '/tmp/x')",
  "process.kill(process.pid, 0)",
  "new (await import('node:worker_threads')).Worker('1', { eval: true })",
  "(await import('node:module')).createRequire('/x/y')('fs')",
  "new (await import('node:wasi')).WASI({ version: 'preview1', preopens: { '/': '/' } })",
  "await import('file:///etc/hostname.mjs')",
];

it.each(attempts)("should leave a program that broke out of the engine without: %s", async (attempt) => {
  const code = `let got; try { got = [String(${attempt})] } catch (error) { got = "refused" } post([JSON.stringify({ type: "fatal", message: JSON.stringify(got) })]);`;
  await expect(new MessageGuest(threadOf(code, true), limits, 20_000).ready).rejects.toThrow('"refused"');
});

it("should give a thread no environment and no arguments of the host", async () => {
  const code = `post([JSON.stringify({ type: "fatal", message: JSON.stringify([process.env, process.argv.slice(2), process.execArgv]) })]);`;
  await expect(new MessageGuest(threadOf(code, true), limits, 20_000).ready).rejects.toThrow("[{},[],[]]");
});
