// Run by scripts/runtimes.mjs under each runtime, in a folder where @toolglot/sandbox and its engines are installed, with the
// languages to try. Prints one line of JSON, and ends by itself though one sandbox is left as it is.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "@toolglot/core/storage";
import { codeTools, createSandbox, ToolError } from "@toolglot/sandbox";

/** @type {{ name: string, fault?: string }[]} */
const checks = [];

/** @param {string} name @param {() => Promise<void>} act */
async function check(name, act) {
  try {
    await act();
    checks.push({ name });
  } catch (error) {
    checks.push({ name, fault: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
  }
}

const folder = mkdtempSync(join(tmpdir(), "toolglot-program-"));
const secret = `secret-${Math.random().toString(36).slice(2)}`;
const secretFile = join(folder, "secret");
const mark = join(folder, "mark");
writeFileSync(secretFile, secret);
process.env.TOOLGLOT_SECRET = secret;
let requests = 0;
const server = createServer((_, response) => {
  requests++;
  response.end(secret);
});
const url = await new Promise((resolve) => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
  });
});

const tools = [
  {
    name: "price",
    description: "The price of an article.",
    inputSchema: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
    execute: async (/** @type {{ article: string }} */ { article }) => {
      if (article === "none") throw new ToolError("there is no such article");
      return article === "tea" ? 3 : 4;
    },
  },
];

/**
 * What every language must do.
 * @type {Record<"python" | "javascript", Record<"tools" | "error" | "toolError" | "loop" | "memory", string>>}
 */
const programs = {
  python: {
    tools: 'print("adding up")\n__result__ = price("tea") + price(article="jam")',
    error: "x = {}\n__result__ = x['absent']",
    toolError: "try:\n    price('none')\nexcept ToolError as error:\n    __result__ = str(error)",
    loop: "while True:\n    pass",
    memory: "x = []\nwhile True:\n    x.append('y' * 1000000 + str(len(x)))",
  },
  javascript: {
    tools:
      'console.log("adding up");\n__result__ = (await price({ article: "tea" })) + (await price({ article: "jam" }));',
    error: "const x = {};\n__result__ = x.absent.more;",
    toolError: 'try { await price({ article: "none" }); } catch (error) { __result__ = error.message; }',
    loop: "for (;;);",
    memory: "const x = [];\nfor (;;) x.push(new Uint8Array(1000000).fill(x.length));",
  },
};

const escapes = {
  python: `
found = []
def attempt(act):
    try:
        found.append(repr(act())[:500])
    except BaseException as error:
        found.append(type(error).__name__)
def shell():
    import os
    return os.system(${JSON.stringify(`cat ${secretFile} > ${mark}`)})
def environment():
    import os
    return dict(os.environ)
def through_js():
    import js
    return js.process.env
def code():
    from pyodide.code import run_js
    return run_js("process.env.TOOLGLOT_SECRET ?? process.version")
def files():
    return open(${JSON.stringify(secretFile)}).read()
def mount():
    import pyodide_js
    pyodide_js.mountNodeFS("/host", "/")
    return open("/host${secretFile}").read()
def fetch():
    from pyodide.http import open_url
    return open_url(${JSON.stringify("URL")}).read()
def sockets():
    import socket
    connection = socket.create_connection(("127.0.0.1", PORT), 1)
    connection.send(b"GET / HTTP/1.0\\r\\n\\r\\n")
    return connection.recv(1000)
for act in [shell, environment, through_js, code, files, mount, fetch, sockets]:
    attempt(act)
__result__ = found`
    .replace("URL", String(url))
    .replace("PORT", new URL(String(url)).port),
  javascript: `
const found = [];
const attempts = [
  () => process.env,
  () => require("node:fs").readFileSync(${JSON.stringify(secretFile)}, "utf8"),
  () => globalThis.constructor.constructor("return process")().env,
  () => price.constructor("return process")().env,
  () => new Function("return this.process.env")(),
  () => fetch(${JSON.stringify(url)}),
  () => std.loadFile(${JSON.stringify(secretFile)}),
  () => os.exec(["sh", "-c", ${JSON.stringify(`cat ${secretFile} > ${mark}`)}]),
  () => new WebAssembly.Memory({ initial: 1 }),
  () => price({ article: "tea" }).constructor.constructor("return process")().env,
];
for (const attempt of attempts) {
  try {
    found.push(JSON.stringify(await attempt()) ?? "undefined");
  } catch (error) {
    found.push(error.name);
  }
}
__result__ = found;`,
};

const languages = /** @type {("python" | "javascript")[]} */ (process.argv.slice(2));
for (const language of languages) {
  const program = programs[language];
  const sandbox = createSandbox({ language, tools, pool: { size: 1 } });
  const say = (/** @type {string} */ name, /** @type {() => Promise<void>} */ act) =>
    check(`${language}: ${name}`, act);

  await say("calls tools", async () => {
    const run = await sandbox.run(program.tools);
    assert.equal(run.status, "ok", JSON.stringify(run));
    // Made by the first of all, found by the later ones.
    assert.equal(sandbox.stats().snapshot, language === "python" ? "built" : "none");
    assert.deepEqual([run.value, run.logs, run.toolCalls.length], [7, [{ stream: "stdout", text: "adding up" }], 2]);
  });
  await say("names the line of an error", async () => {
    const run = await sandbox.run(program.error);
    assert.equal(run.status === "error" && run.error.line, 2, JSON.stringify(run));
  });
  await say("lets a program catch a tool's error", async () => {
    const run = await sandbox.run(program.toolError);
    assert.equal(run.status === "ok" && run.value, "there is no such article", JSON.stringify(run));
  });
  await say("serves from the pool", async () => {
    await sandbox.warm();
    const run = await sandbox.run("__result__ = 1");
    assert.equal(run.stats.warm, true);
    const { served, failed, started } = sandbox.stats();
    assert.deepEqual([served, failed], [4, 0]);
    // A thread of JavaScript is used again; an interpreter of Python never is.
    assert.ok(language === "python" ? started >= 4 : started >= 1, `${started} started`);
  });
  await say("ends an endless loop", async () => {
    const limited = createSandbox({ language, limits: { timeoutMs: 300 }, pool: { size: 0 } });
    const run = await limited.run(program.loop);
    assert.equal(run.status === "error" && run.error.type, "Timeout", JSON.stringify(run));
    await limited[Symbol.asyncDispose]();
  });
  await say("ends a program that takes all memory", async () => {
    const limited = createSandbox({ language, limits: { memoryMb: 64 }, pool: { size: 0 } });
    const run = await limited.run(program.memory);
    const expected = language === "python" ? "MemoryError" : "MemoryLimit";
    assert.equal(run.status === "error" && run.error.type, expected, JSON.stringify(run));
    await limited[Symbol.asyncDispose]();
  });
  for (const isolation of language === "python" ? /** @type {const} */ (["auto", "process"]) : [undefined]) {
    await say(`lets nothing out${isolation ? ` (isolation ${isolation})` : ""}`, async () => {
      // Without the guard: what is around the interpreter must hold by itself.
      const open = createSandbox({
        language,
        tools,
        guard: false,
        pool: { size: 0 },
        ...(isolation ? { isolation } : {}),
      });
      const run = await open.run(escapes[language]);
      await open[Symbol.asyncDispose]();
      assert.equal(run.status, "ok", JSON.stringify(run));
      const text = JSON.stringify(run);
      for (const trace of [secret, "TOOLGLOT_SECRET", "root:", process.version]) {
        assert.ok(!text.includes(trace), `${trace} in ${text}`);
      }
      assert.equal(requests, 0, "the host's server was reached");
      assert.ok(!existsSync(mark), "a command ran");
    });
  }
  await say("finishes what it has when it is drained", async () => {
    const run = sandbox.run("__result__ = 2");
    await sandbox.drain();
    assert.equal((await run).status, "ok");
    await assert.rejects(sandbox.run("__result__ = 3"), { code: "sandbox/disposed" });
  });
  await say("goes on with a run from its journal", async () => {
    const durable = { storage: memoryStorage(), id: `${language}-1` };
    const first = createSandbox({ language, tools, pool: { size: 0 } });
    const one = await first.run(program.tools, { durable });
    await first[Symbol.asyncDispose]();
    const second = createSandbox({ language, tools, pool: { size: 0 } });
    const two = await second.run(program.tools, { durable });
    await second[Symbol.asyncDispose]();
    assert.equal(one.status === "ok" && one.value, 7, JSON.stringify(one));
    assert.equal(two.status === "ok" && two.value, 7, JSON.stringify(two));
  });
  await say("is a tool of its own", async () => {
    const inner = createSandbox({ language, tools, pool: { size: 0 } });
    const [tool] = codeTools([inner]);
    assert.ok(tool);
    assert.match(tool.description, /price/);
    const output = await tool.execute({ code: program.tools }, { signal: new AbortController().signal, callId: "1" });
    if (language === "python") assert.equal(inner.stats().snapshot, "cached");
    await inner[Symbol.asyncDispose]();
    assert.equal(output.value, 7, JSON.stringify(output));
  });
}

server.close();
assert.equal(readFileSync(secretFile, "utf8"), secret);
rmSync(folder, { recursive: true, force: true });
// Idle interpreters must not keep this process alive.
for (const language of languages) await createSandbox({ language }).warm();
console.log(JSON.stringify({ checks }));
