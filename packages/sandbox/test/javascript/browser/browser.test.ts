import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isThorough } from "@toolglot/internal/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox, SandboxRun } from "../../../src/browser/index.ts";

const executable = process.env.CHROMIUM ?? "/usr/bin/chromium";
const types: Record<string, string> = { ".js": "text/javascript", ".html": "text/html", ".wasm": "application/wasm" };
// No browser, no test of one; a machine that must run everything fails instead.
const skip = !existsSync(executable) && !isThorough;

let folder: string;
let server: Server;
let browser: Browser;
let page: Page;
const requests: string[] = [];

/** The page as an application would make it, with Vite and nothing said to it about workers. */
async function bundle(outDir: string): Promise<void> {
  const { build } = await import("vite");
  await build({
    root: fileURLToPath(new URL("./page", import.meta.url)),
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["source", "module", "browser", "development|production"] },
    build: { outDir, emptyOutDir: true, minify: true },
  });
}

function serve(): Promise<Server> {
  const files = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    requests.push(pathname);
    const file = join(folder, pathname === "/" ? "index.html" : pathname);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = types[extname(file)] ?? "application/octet-stream";
    return response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });
  return new Promise((resolve) => {
    files.listen(0, "127.0.0.1", () => resolve(files));
  });
}

/** Runs a program in the page, with one sandbox for all of them. */
async function run(code: string, limits?: object): Promise<SandboxRun> {
  const inPage = async ({ code, limits }: { code: string; limits: object | undefined }) => {
    const scope = globalThis as unknown as {
      createSandbox(options: object): Sandbox;
      ToolError: new (message: string) => Error;
      sandbox?: Sandbox;
    };
    const number = { type: "number" };
    const add = {
      name: "add",
      description: "Adds.",
      inputSchema: { type: "object", properties: { a: number, b: { ...number, default: 2 } }, required: ["a"] },
      execute: async ({ a, b }: { a: number; b: number }) => {
        if (a < 0) throw new scope.ToolError("a is negative");
        return a + b;
      },
    };
    if (limits === undefined) {
      scope.sandbox ??= scope.createSandbox({ tools: [add] });
      return JSON.stringify(await scope.sandbox.run(code));
    }
    const own = scope.createSandbox({ tools: [add], limits, pool: { size: 0 } });
    const outcome = await own.run(code);
    await own[Symbol.asyncDispose]();
    return JSON.stringify(outcome);
  };
  // As text: deep values don't pass otherwise.
  return JSON.parse(await page.evaluate(inPage, { code, limits })) as SandboxRun;
}

describe.skipIf(skip)("in Chromium", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "toolglot-page-"));
    await bundle(folder);
    server = await serve();
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-gpu"] });
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction(() => "createSandbox" in globalThis);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("should give values, output and calls", async () => {
    const outcome = await run(
      "const sum = await add({ a: 1 });\nconsole.log('sum', { sum });\nreturn { sum, at: new Date(0) }",
    );
    expect(outcome).toMatchObject({
      status: "ok",
      value: { sum: 3, at: "1970-01-01T00:00:00.000Z" },
      logs: [{ stream: "stdout", text: "sum { sum: 3 }" }],
      toolCalls: [{ name: "add", args: { a: 1, b: 2 }, ok: true }],
      stats: { engine: "quickjs-emscripten 0.32", isolation: "worker" },
    });
  });

  it("should explain errors with the program's own lines", async () => {
    expect(await run("const x = 1;\nx.y.z()")).toMatchObject({
      error: { type: "TypeError", line: 2, sourceLine: "x.y.z()" },
    });
    expect(await run("const x = ;")).toMatchObject({ error: { type: "SyntaxError", line: 1, column: 11 } });
    const failed = await run("const x = 1;\nawait add({ a: -1 })");
    expect(failed).toMatchObject({ error: { type: "ToolError", message: "a is negative", line: 2 } });
    const guess = await run("await ad_d({ a: 1 })");
    expect(guess).toMatchObject({ error: { type: "ReferenceError", hint: "the tool is called add" } });
  });

  it("should run calls at the same time", async () => {
    expect(await run("return await Promise.all([1, 2, 3].map((a) => add({ a })))")).toMatchObject({ value: [3, 4, 5] });
  });

  it("should end endless programs, and keep the page alive meanwhile", async () => {
    await page.evaluate(() => {
      const scope = globalThis as unknown as { ticks: number };
      scope.ticks = 0;
      setInterval(() => scope.ticks++, 10);
    });
    expect(await run("for (;;);", { timeoutMs: 500 })).toMatchObject({ error: { type: "Timeout" } });
    expect(await page.evaluate(() => (globalThis as unknown as { ticks: number }).ticks)).toBeGreaterThan(10);
    const stuck = await run("await new Promise(() => {})");
    expect(stuck).toMatchObject({
      error: { type: "Timeout", message: expect.stringContaining("nothing will ever settle") },
    });
  });

  it("should hold programs to their memory", async () => {
    const outcome = await run("const a = []; for (;;) a.push(new Array(1000).fill(1))", {
      memoryMb: 32,
      timeoutMs: 20_000,
    });
    expect(outcome).toMatchObject({ error: { type: "MemoryLimit", message: "the program needs more than 32 MB" } });
  });

  it("should end deep recursion cleanly, in whatever way it nests", async () => {
    const caught = await run("const f = () => f() + 1;\ntry { f() } catch (e) { return 'caught' }");
    expect(caught).toMatchObject({ status: "ok", value: "caught" });
    const nested = [
      "const f = () => f() + 1;\nf()",
      "let x = []; for (let i = 0; i < 1e5; i++) x = [x];\nreturn JSON.stringify(x)",
      "return eval('('.repeat(1e5))",
      "const p = new Proxy({}, { get: (t, k, r) => r[k] });\nreturn p.x",
    ];
    for (const code of nested) {
      const error = { type: "RangeError", message: "the program nests too deeply for its stack" };
      expect(await run(code)).toMatchObject({ error });
    }
    const depth = await run("let x = 1; for (let i = 0; i < 199; i++) x = [x]; return x");
    expect(depth).toMatchObject({ status: "ok" });
  });

  it("should reach neither the network nor the page", async () => {
    const names = [
      ...["fetch", "XMLHttpRequest", "WebSocket", "importScripts", "indexedDB", "caches", "navigator", "location"],
      ...["document", "window", "self", "postMessage", "Worker", "BroadcastChannel", "WebAssembly"],
    ];
    const outcome = await run(
      `return ${JSON.stringify(names)}.filter((name) => name in globalThis || eval("typeof " + name) !== "undefined")`,
    );
    expect(outcome).toMatchObject({ value: [] });
    requests.length = 0;
    const url = JSON.stringify(`${page.url()}leak`);
    const tries = [
      `await import(${url})`,
      `await eval("imp" + "ort")(${url})`,
      `return Function("return this")().fetch(${url})`,
    ];
    for (const code of tries) expect(await run(code)).toMatchObject({ status: "error" });
    expect(requests.filter((path) => path.includes("leak"))).toEqual([]);
  });

  it("should leave nothing in the worker for a program that breaks out of the engine", async () => {
    const names = [
      ...[
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "WebTransport",
        "EventSource",
        "importScripts",
        "indexedDB",
        "caches",
      ],
      ...["Worker", "BroadcastChannel", "MessageChannel", "navigator", "location", "postMessage", "setTimeout", "Blob"],
    ];
    const found = await page.evaluate((names) => {
      const scope = globalThis as unknown as { probe(names: string[]): Promise<string[]> };
      return scope.probe(names);
    }, names);
    expect(found).toEqual([]);
  });

  it("should use a worker again, for programs that find nothing of one another", async () => {
    const outcomes = await page.evaluate(async () => {
      const scope = globalThis as unknown as { createSandbox(options: object): Sandbox };
      const sandbox = scope.createSandbox({ limits: { timeoutMs: 2000 } });
      const leave =
        "globalThis.left = Array.prototype.left = 1; Object.prototype.toString = () => 'forged'; Math.random = () => 4; return 1";
      const look = "return [typeof left, [].left ?? null, String({}), Math.random() < 1]";
      const found = [];
      for (const code of [leave, look, leave, look, "for (;;);", look]) {
        const run = await sandbox.run(code);
        found.push([run.status === "ok" ? run.value : run.error.type, run.stats.reused]);
      }
      const { retired } = sandbox.stats();
      const single = scope.createSandbox({ reuse: { maxPrograms: 1 } });
      for (let round = 0; round < 2; round++) found.push(["single", (await single.run("return 1")).stats.reused]);
      for (const each of [sandbox, single]) await each[Symbol.asyncDispose]();
      return { found, retired };
    });
    const clean = ["undefined", null, "[object Object]", true];
    expect(outcomes.found).toEqual([
      [1, 0],
      [clean, 1],
      [1, 2],
      [clean, 3],
      ["Timeout", 4],
      [clean, 0],
      ["single", 0],
      ["single", 0],
    ]);
    expect(outcomes.retired).toMatchObject({ failed: 1, programs: 0 });
  });

  it("should say that a worker did not start", async () => {
    const outcome = await page.evaluate(async () => {
      const scope = globalThis as unknown as { createSandbox(options: object): Sandbox };
      const broken = scope.createSandbox({ worker: () => new Worker("/absent.js", { type: "module" }) });
      const run = await broken.run("return 1");
      await broken[Symbol.asyncDispose]();
      return run;
    });
    expect(outcome).toMatchObject({
      error: { type: "EngineFailure", message: expect.stringContaining("no interpreter started") },
    });
  });

  it("should refuse options that make no sense", async () => {
    const messages = await page.evaluate(() => {
      const scope = globalThis as unknown as { createSandbox(options: object): Sandbox };
      return [{ language: "python" }, { worker: "x" }, { limits: { memoryMb: 1 } }].map((options) => {
        try {
          scope.createSandbox(options);
          return "";
        } catch (error) {
          return String(error);
        }
      });
    });
    expect(messages).toEqual([
      expect.stringMatching(/^TypeError: createSandbox\(\) takes/),
      expect.stringMatching(/^TypeError: worker must be/),
      expect.stringMatching(/^TypeError: limits\.memoryMb must be/),
    ]);
  });
});
