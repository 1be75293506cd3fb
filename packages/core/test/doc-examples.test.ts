// The examples of the doc comments, word for word, and what they come to.
import { join } from "node:path";
import {
  type AnyTool,
  bindNames,
  coerceText,
  isContextOverflow,
  nearest,
  neutralize,
  sanitizeErrorMessage,
  textMessage,
  toJsonText,
  undoNeutralize,
} from "@toolglot/core";
import { CallGuard, checkCall } from "@toolglot/core/check-call";
import { formatDiagnostic } from "@toolglot/core/diagnostics";
import { judgeHttp, once, onceTool, settleOnce } from "@toolglot/core/once";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { memoryStorage } from "@toolglot/core/storage";
import { renderPythonStubs, renderTypeScriptDeclarations } from "@toolglot/core/stubs";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { expect, it } from "vitest";

// The bridge needs a protocol: its example runs beside one.
const toolsxml = join(import.meta.dirname, "../../toolsxml/test/doc-examples.test.ts");
testDocExamples([import.meta.filename, toolsxml], [join(import.meta.dirname, "../src")], 20);

it("should run the examples of names and values", () => {
  const { byName } = bindNames([{ name: "File.Write", inputSchema: { type: "object" } }], "python");
  const identifier = byName.get("File.Write")?.identifier; // "File_Write"
  expect(identifier).toBe("File_Write");

  const read = coerceText("3", { type: "integer" }); // { success: true, value: 3 }
  expect(read).toEqual({ success: true, value: 3 });

  const names = nearest("serch", ["search", "delete"]); // ["search"]
  expect(names).toEqual(["search"]);

  const text = toJsonText({ id: 12n, ratio: Number.NaN }); // '{"id":"12","ratio":null}'
  expect(text).toBe('{"id":"12","ratio":null}');
});

it("should run the examples of texts from outside", () => {
  const isTooLong = isContextOverflow(new Error("prompt is too long: 210000 tokens > 200000 maximum")); // true
  expect(isTooLong).toBe(true);

  const shown = neutralize("<tools>"); // "<\u200btools>"
  expect(shown).toBe("<\u200btools>");

  const exact = undoNeutralize("<\u200btools>"); // "<tools>"
  expect(exact).toBe("<tools>");
});

it("should run the examples of messages", () => {
  // biome-ignore format: as the doc comment has it.
  const message = textMessage("user", "Hello"); // { role: "user", parts: [{ type: "text", text: "Hello" }], trust: "user" }
  expect(message).toEqual({ role: "user", parts: [{ type: "text", text: "Hello" }], trust: "user" });
});

it("should run the example of errors", () => {
  const message = sanitizeErrorMessage("ENOENT: no such file, open '/home/me/notes.txt'");
  // "ENOENT: no such file, open [path]"
  expect(message).toBe("ENOENT: no such file, open [path]");
});

it("should run the example of diagnostics", () => {
  const text = 'status = "done"';
  const message = 'status is "done"';
  const diagnostic = { code: "attp/invalid-status", severity: "error", message, span: { start: 9, end: 15 } } as const;
  const lines = formatDiagnostic(text, diagnostic).split("\n");
  // ["error attp/invalid-status at 1:10: status is \"done\"", "status = \"done\"", "         ^^^^^^"]
  expect(lines).toEqual(['error attp/invalid-status at 1:10: status is "done"', text, "         ^^^^^^"]);
});

it("should run the examples of damaged calls", () => {
  const input = { content: 'hello</parameter>\n<parameter name="path">a.txt' };
  const inputSchema = { type: "object" as const, properties: { path: {}, content: {} } };
  const tool = { name: "write", description: "Writes a file.", inputSchema };
  const [finding] = checkCall({ name: "write", input }, tool); // core/swallowed-argument, with "path" as "a.txt"
  expect(finding).toMatchObject({ code: "core/swallowed-argument", swallowed: [{ name: "path", value: "a.txt" }] });

  const guard = new CallGuard();
  const call = { name: "run", input: { command: "ls</parameter>" } };
  const first = guard.check(call)?.refusal; // The call of "run" was not run, because it arrived damaged. …
  const second = guard.check(call)?.refusal; // undefined: it was meant so
  expect([first?.slice(0, 28), second]).toEqual(['The call of "run" was not ru', undefined]);
});

it("should run the example of the storage", async () => {
  const storage = memoryStorage();
  await storage.logs.append("run-1", ["first line"], 0);
  const lines = await storage.logs.read("run-1"); // ["first line"]
  expect(lines).toEqual(["first line"]);
});

it("should run the example of the operation log", async () => {
  const log = new MemoryOperationLog();
  const request = { scope: "tenant-1", key: "order-7", fingerprint: "sha256:1f", owner: "worker-a", leaseMs: 30_000 };
  const first = await log.claim(request);
  if (first.status === "claimed") {
    await log.begin(first.claim); // right before the effect
    await log.finish(first.claim, { state: "done", outcome: { ticket: 12 } });
  }
  const again = await log.claim(request); // { status: "replay", … }
  expect(again).toMatchObject({ status: "replay", record: { outcome: { ticket: 12 } } });
});

/** As a durable log would be. */
const lasting = { name: "disk", get: () => "disk" };

it("should run the examples of what happens once", async () => {
  const log = new MemoryOperationLog();
  Object.defineProperty(log, "durability", lasting);
  const refund = async (asked: { order: number; idempotencyKey: string }) => ({ refund: asked.order });
  const which = { scope: "shop/refund", input: { order: 7 }, judge: judgeHttp };
  const { value, replayed } = await once(log, which, ({ key }) => refund({ order: 7, idempotencyKey: key }));
  expect([value, replayed]).toEqual([{ refund: 7 }, false]);

  const key = "order-8";
  await once(log, { scope: "shop/refund", key }, () => Promise.reject(new Error("reset"))).catch(() => undefined);
  const settled = await settleOnce(log, { scope: "shop/refund", key }, { happened: false }, "ann@shop");
  expect(settled).toBe(true);
});

it("should run the example of a tool whose calls happen once", async () => {
  const storage = memoryStorage();
  Object.defineProperty(storage.operations, "durability", lasting);
  const refundTool: AnyTool = { name: "refund", description: "Refunds.", inputSchema: {}, execute: () => "refunded" };
  const refund = onceTool(refundTool, { log: storage.operations, scope: "shop", judge: judgeHttp });
  const context = { signal: new AbortController().signal, callId: "c" };
  expect(await refund.execute({ order: 7 }, context)).toBe("refunded");
});

it("should run the example of Python stubs", () => {
  const properties = { path: { type: "string" } } as const;
  const tools = [{ name: "read", description: "Reads a file.", inputSchema: { properties, required: ["path"] } }];
  const stubs = renderPythonStubs(tools, { locale: "en" }); // def read(path: str) -> Any: …
  expect(stubs).toContain("def read(path: str) -> Any:");
});

it("should run the example of TypeScript declarations", () => {
  const properties = { path: { type: "string" } } as const;
  const tools = [{ name: "read", description: "Reads a file.", inputSchema: { properties, required: ["path"] } }];
  const declarations = renderTypeScriptDeclarations(tools, { locale: "en" });
  expect(declarations).toMatch(/read\(.*path: string/);
});
