import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { maxRecordBytes } from "../../src/scan/log-records.ts";
import { fileSource, type ScanFilter, scanSource } from "../../src/scan/scan-file.ts";
import { ScanReport } from "../../src/scan/scan-report.ts";

const logs = join(import.meta.dirname, "__fixtures__");
const folder = mkdtempSync(join(tmpdir(), "toolglot-scan-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "log");

async function scan(bytes: string | Uint8Array, filter: ScanFilter = {}): Promise<ScanReport> {
  writeFileSync(path, bytes);
  const report = new ScanReport();
  report.end(path, await scanSource(path, fileSource(path), filter, report));
  return report;
}

const fixture = (name: string): Buffer => readFileSync(join(logs, name));
const names = [
  "claude-code.jsonl",
  "codex.jsonl",
  "pi.jsonl",
  "gemini-cli.jsonl",
  "opencode.json",
  "ai-sdk-generations.json",
  "openai.json",
];
const whole = new Map<string, ScanReport>();
for (const name of names) whole.set(name, await scan(fixture(name)));

const places = (report: ScanReport | undefined): string[] | undefined =>
  report?.findings.map(({ line, tool, code, path }) => `${line} ${tool} ${code} ${path}`);

describe("a log that is not as it was written", () => {
  it("may be cut anywhere: what is left of it is read", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.double({ min: 0, max: 1, noNaN: true }), async (name, part) => {
        const bytes = fixture(name);
        const report = await scan(bytes.subarray(0, Math.floor(bytes.length * part)));
        // A call whose result was cut off is none that was lost, and a line that was cut is said to be.
        const known = places(whole.get(name));
        for (const place of places(report) ?? []) expect(known).toContain(place);
        expect(report.unknownLines).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("may begin anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.double({ min: 0, max: 1, noNaN: true }), async (name, part) => {
        const bytes = fixture(name);
        await scan(bytes.subarray(Math.floor(bytes.length * part)));
      }),
    );
  });

  it("may be of any bytes", async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .constantFrom(
          "\n",
          "\0\0\0",
          "{",
          "[",
          "]}",
          '{"messages":[',
          '{"role":"assistant","content":',
          '"',
          "\\",
          ",\n",
          "\ufeff",
        )
        .map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        await scan(Buffer.concat(pieces));
      }),
    );
  });

  it("may have lines that are none of its own, in between and at its ends", async () => {
    const lines = fixture("claude-code.jsonl").toString().trimEnd().split("\n");
    const text = [
      `\ufeff${lines[0]}`,
      "",
      "garbage",
      "\0".repeat(5_000),
      "[1, 2]",
      '{"x": 1}',
      ...lines.slice(1),
      "{",
    ].join("\r\n");
    const report = await scan(text);
    expect(report.unknownLines).toBe(5);
    expect(report.unreadIn.get(path)).toEqual({ count: 5, line: 3 });
    expect(report.findings.map(({ line }) => line)).toEqual([15, 17, 19, 21]);
  });

  it("may be a document whose end is missing, or that something follows", async () => {
    const text = fixture("opencode.json").toString();
    expect(await scan(`\ufeff\n${text}`)).toMatchObject({ calls: 3, unknownLines: 0 });
    expect(await scan(text.trimEnd().slice(0, -1))).toMatchObject({ calls: 3, unknownLines: 1 });
    expect(await scan(`${text}\n${text}`)).toMatchObject({ calls: 6, unknownLines: 0 });
    expect(await scan(`${text}garbage`)).toMatchObject({ calls: 3, unknownLines: 1 });
  });

  it("may begin with a line that was cut in the middle", async () => {
    const lines = fixture("pi.jsonl").toString();
    expect(await scan(`{"type":"session",\n${lines}`)).toMatchObject({ calls: 2, unknownLines: 1 });
    expect(await scan(`[2026-11-20] started\n${lines}`)).toMatchObject({ calls: 2, unknownLines: 1 });
  });

  it("may have lines of megabytes, and longer ones are counted and left out", async () => {
    const line = (size: number): string =>
      `${JSON.stringify({ role: "assistant", content: [{ type: "tool_use", id: "a", name: "write", input: { text: `${"x".repeat(size)}</invoke>` } }] })}\n`;
    expect(await scan(line(3e6) + line(1))).toMatchObject({ calls: 2, unknownLines: 0, findings: { length: 2 } });
    const report = await scan(line(1) + line(maxRecordBytes) + line(1));
    expect(report).toMatchObject({ calls: 2, unknownLines: 1 });
    expect(report.findings.map(({ line }) => line)).toEqual([1, 3]);
  });

  it("may be nested deeper than a stack", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const call = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{"a":${deep},"b":"y</invoke>"}}]}\n`;
    const after = '{"role":"assistant","content":"Done."}\n';
    expect((await scan(call + after)).calls).toBe(1);
    await scan(`{"messages":[${call.trim()},${after.trim()}]}\n`);
    await scan(`${'{"messages":['.repeat(5_000)}{}${"]}".repeat(5_000)}`);
    await scan(`${'{"request":'.repeat(5_000)}{}${"}".repeat(5_000)}`);
  });

  it("may use names that objects have", async () => {
    const call =
      '{"type":"tool_use","id":"__proto__","name":"__proto__","input":{"__proto__":{"a":1},"constructor":"x</invoke>"}}';
    const text = `{"role":"assistant","content":[${call}]}\n{"__proto__":{"role":"assistant"}}\n`;
    expect((await scan(text)).findings.map(({ path }) => path)).toEqual(["/content/0/input/constructor"]);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});

describe("a call without its result", () => {
  const call = (id: string): unknown => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name: "x", input: {} }],
  });
  const result = (id: string): unknown => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id }] });
  const lost = async (...lines: unknown[]): Promise<number[]> =>
    (await scan(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))).findings.map(({ line }) => line);
  const said = { role: "assistant", content: "I go on." };

  it("is lost when the model answers again, whatever stands between", async () => {
    expect(await lost(call("a"), said)).toEqual([1]);
    expect(await lost(call("a"), { role: "user", content: "Well?" }, said)).toEqual([1]);
    expect(await lost(call("a"), call("b"), result("b"), said)).toEqual([1]);
  });

  it("is none of the last ones, and none whose result comes late", async () => {
    expect(await lost(call("a"))).toEqual([]);
    expect(await lost(call("a"), result("a"), call("b"))).toEqual([]);
    expect(await lost(call("a"), said, result("a"), said)).toEqual([]);
  });

  it("may have an id that comes again", async () => {
    expect(await lost(call("0"), result("0"), call("0"), result("0"), said)).toEqual([]);
    expect(await lost(call("0"), result("0"), call("0"), said)).toEqual([3]);
  });
});
