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

function scan(bytes: string | Uint8Array, filter: ScanFilter = {}): ScanReport {
  writeFileSync(path, bytes);
  const report = new ScanReport();
  report.end(path, scanSource(path, fileSource(path), filter, report));
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
const whole = new Map(names.map((name) => [name, scan(fixture(name))]));

const places = (report: ScanReport | undefined): string[] | undefined =>
  report?.findings.map(({ line, tool, code, path }) => `${line} ${tool} ${code} ${path}`);

describe("a log that is not as it was written", () => {
  it("may be cut anywhere: what is left of it is read", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.double({ min: 0, max: 1, noNaN: true }), (name, part) => {
        const bytes = fixture(name);
        const report = scan(bytes.subarray(0, Math.floor(bytes.length * part)));
        // A call whose result was cut off is none that was lost, and a line that was cut is said to be.
        const known = places(whole.get(name));
        for (const place of places(report) ?? []) expect(known).toContain(place);
        expect(report.unknownLines).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("may begin anywhere", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.double({ min: 0, max: 1, noNaN: true }), (name, part) => {
        const bytes = fixture(name);
        expect(() => scan(bytes.subarray(Math.floor(bytes.length * part)))).not.toThrow();
      }),
    );
  });

  it("may be of any bytes", () => {
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
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        scan(Buffer.concat(pieces));
      }),
    );
  });

  it("may have lines that are none of its own, in between and at its ends", () => {
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
    const report = scan(text);
    expect(report.unknownLines).toBe(5);
    expect(report.unreadIn.get(path)).toEqual({ count: 5, line: 3 });
    expect(report.findings.map(({ line }) => line)).toEqual([15, 17, 19, 21]);
  });

  it("may be a document whose end is missing, or that something follows", () => {
    const text = fixture("opencode.json").toString();
    expect(scan(`\ufeff\n${text}`)).toMatchObject({ calls: 3, unknownLines: 0 });
    expect(scan(text.trimEnd().slice(0, -1))).toMatchObject({ calls: 3, unknownLines: 1 });
    expect(scan(`${text}\n${text}`)).toMatchObject({ calls: 6, unknownLines: 0 });
    expect(scan(`${text}garbage`)).toMatchObject({ calls: 3, unknownLines: 1 });
  });

  it("may begin with a line that was cut in the middle", () => {
    const lines = fixture("pi.jsonl").toString();
    expect(scan(`{"type":"session",\n${lines}`)).toMatchObject({ calls: 2, unknownLines: 1 });
    expect(scan(`[2026-11-20] started\n${lines}`)).toMatchObject({ calls: 2, unknownLines: 1 });
  });

  it("may have lines of megabytes, and longer ones are counted and left out", () => {
    const line = (size: number): string =>
      `${JSON.stringify({ role: "assistant", content: [{ type: "tool_use", id: "a", name: "write", input: { text: `${"x".repeat(size)}</invoke>` } }] })}\n`;
    expect(scan(line(3e6) + line(1))).toMatchObject({ calls: 2, unknownLines: 0, findings: { length: 2 } });
    const report = scan(line(1) + line(maxRecordBytes) + line(1));
    expect(report).toMatchObject({ calls: 2, unknownLines: 1 });
    expect(report.findings.map(({ line }) => line)).toEqual([1, 3]);
  });

  it("may be nested deeper than a stack", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const call = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{"a":${deep},"b":"y</invoke>"}}]}\n`;
    const after = '{"role":"assistant","content":"Done."}\n';
    expect(scan(call + after).calls).toBe(1);
    expect(() => scan(`${'{"messages":['.repeat(5_000)}{}${"]}".repeat(5_000)}`)).not.toThrow();
    expect(() => scan(`${'{"request":'.repeat(5_000)}{}${"}".repeat(5_000)}`)).not.toThrow();
  });

  it("may use names that objects have", () => {
    const call =
      '{"type":"tool_use","id":"__proto__","name":"__proto__","input":{"__proto__":{"a":1},"constructor":"x</invoke>"}}';
    const text = `{"role":"assistant","content":[${call}]}\n{"__proto__":{"role":"assistant"}}\n`;
    expect(scan(text).findings.map(({ path }) => path)).toEqual(["/content/0/input/constructor"]);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});

describe("a call without its result", () => {
  const call = (id: string): unknown => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name: "x", input: {} }],
  });
  const result = (id: string): unknown => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id }] });
  const lost = (...lines: unknown[]): number[] =>
    scan(lines.map((line) => `${JSON.stringify(line)}\n`).join("")).findings.map(({ line }) => line);
  const said = { role: "assistant", content: "I go on." };

  it("is lost when the model answers again, whatever stands between", () => {
    expect(lost(call("a"), said)).toEqual([1]);
    expect(lost(call("a"), { role: "user", content: "Well?" }, said)).toEqual([1]);
    expect(lost(call("a"), call("b"), result("b"), said)).toEqual([1]);
  });

  it("is none of the last ones, and none whose result comes late", () => {
    expect(lost(call("a"))).toEqual([]);
    expect(lost(call("a"), result("a"), call("b"))).toEqual([]);
    expect(lost(call("a"), said, result("a"), said)).toEqual([]);
  });

  it("may have an id that comes again", () => {
    expect(lost(call("0"), result("0"), call("0"), result("0"), said)).toEqual([]);
    expect(lost(call("0"), result("0"), call("0"), said)).toEqual([3]);
  });
});
