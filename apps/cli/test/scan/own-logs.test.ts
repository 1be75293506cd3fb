import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import type { ScanReport } from "../../src/scan/scan-report.ts";
import { runCli, runDemo } from "../support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-scan-own-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

async function scan(path: string): Promise<ReturnType<ScanReport["toJSON"]> & { stderr: string }> {
  const { stdout, stderr } = await runCli(["scan", path, "--json"]);
  return { ...JSON.parse(stdout), stderr };
}

async function scanLines(...lines: unknown[]): ReturnType<typeof scan> {
  files += 1;
  const path = join(folder, `lines-${files}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return scan(path);
}

const places = ({ findings }: { findings: ScanReport["findings"] }): string[] =>
  findings.map(({ line, tool, code, path }) => `${line} ${tool} ${code} ${path}`);

describe("what toolglot keeps", () => {
  it.each(["native", "tam"])("has recordings, in which blocks of its own protocol are read: %s", async (protocol) => {
    const data = join(folder, `data-${protocol}`);
    const path = join(folder, `${protocol}.jsonl`);
    const flags = ["--protocol", protocol, "--no-project", "--data-dir", data, "--session", "ada"];
    const question = "top 3 products by revenue";
    expect((await runDemo([...flags.slice(0, -2), "--record", path, question])).code).toBe(0);
    const report = await scan(path);
    expect(report).toMatchObject({ files: 1, findings: [], unknownLines: 0 });
    expect(report.calls).toBeGreaterThan(0);
    // The same run, of which a call came damaged.
    const text = readFileSync(path, "utf8");
    const calls = text.slice(text.indexOf('"type":"action-start"'));
    const [, key, name] = /"(input|params)":\{"(\w+)"/.exec(calls) ?? [];
    writeFileSync(path, text.replaceAll(`"${key}":{"${name}":`, `"${key}":{"extra":"x</invoke>","${name}":`));
    expect((await scan(path)).findings[0]).toMatchObject({ code: "core/leaked-closer" });

    expect((await runDemo([...flags, question])).code).toBe(0);
    const sessions = await scan(join(data, "sessions"));
    expect(sessions).toMatchObject({ files: 1, findings: [], unknownLines: 0 });
    // What is kept of a text protocol is its text.
    expect(sessions.calls).toBe(protocol === "native" ? report.calls : 0);
  });

  it("has logs of sessions", async () => {
    const line = (n: number, entry: object): object => ({ n, by: "p1", ...entry });
    const calls = [
      { id: "c1", name: "write", input: { path: "a", content: "x\n</content>" }, protocol: "native" },
      { id: "c2", name: "read", input: { path: "a" }, protocol: "native" },
    ];
    const actions = [{ kind: "calls", calls, span: { start: 0, end: 0 } }];
    const result = (callId: string): object => ({ callId, status: "ok", content: [] });
    const report = await scanLines(
      line(0, { type: "head", version: 1, runId: "r", protocol: "native/1", mode: "loop", locale: "en", messages: [] }),
      line(1, { type: "owner" }),
      line(2, { type: "answer", stepIndex: 0, actions, notes: [], text: "", finish: "tool-calls", messages: [] }),
      line(3, { type: "call-start", callId: "c1" }),
      line(4, { type: "results", results: [result("c1")] }),
      line(5, { type: "end", status: "answered", text: '[TOOL_CALLS]read{"path": "b"}', messages: [] }),
    );
    expect(places(report)).toEqual([
      "3 write core/leaked-closer /actions/0/calls/0/input/content",
      "3 read scan/lost-result /actions/0/calls/1/input",
      "6 read scan/leaked-call /text",
    ]);
    expect(report.unknownLines).toBe(0);
  });

  it("has transcripts", async () => {
    const report = await scanLines(
      { version: 1, meta: {} },
      { role: "user", trust: "user", parts: [{ type: "text", text: '<invoke name="x">' }] },
      {
        role: "assistant",
        trust: "untrusted",
        parts: [{ type: "call", call: { id: "a", name: "", input: {}, protocol: "native" } }],
      },
    );
    expect(places(report)).toEqual(["3  core/nameless-call /parts/0/call/input"]);
  });
});

describe("messages of a page of the AI SDK", () => {
  it("hold a call with its result", async () => {
    const tool = (state: string, input: unknown) => ({ type: "tool-save", toolCallId: state, state, input });
    const report = await scanLines(
      { id: "1", role: "user", parts: [{ type: "text", text: "hi" }] },
      {
        id: "2",
        role: "assistant",
        parts: [tool("output-available", { a: "x</invoke>" }), tool("input-available", {})],
      },
      { id: "3", role: "user", parts: [{ type: "text", text: "well?" }] },
      { id: "4", role: "assistant", parts: [{ type: "text", text: "Done." }] },
    );
    expect(places(report)).toEqual([
      "2 save core/leaked-closer /parts/0/input/a",
      "2 save scan/lost-result /parts/1/input",
    ]);
  });
});

describe("the database of opencode", () => {
  function database(name: string): InstanceType<typeof Database> {
    const made = new Database(join(folder, name));
    made.exec("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)");
    made.exec("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)");
    return made;
  }
  const state = { status: "completed", input: { command: "ls</parameter>" }, output: "" };

  it("is read by a driver that is installed, and not written", async () => {
    const made = database("opencode.db");
    const message = made.prepare("INSERT INTO message VALUES (?, 's1', ?, ?)");
    const part = made.prepare("INSERT INTO part VALUES (?, ?, 's1', ?)");
    message.run("m2", 2, JSON.stringify({ role: "assistant", modelID: "glm-4.7", time: { created: 2 } }));
    message.run("m1", 1, JSON.stringify({ role: "user", time: { created: 1 } }));
    message.run("m3", 3, "no JSON");
    part.run("p1", "m2", JSON.stringify({ type: "tool", callID: "c", tool: "bash", state }));
    made.close();
    const before = readdirSync(folder);
    const report = await scan(join(folder, "opencode.db"));
    expect(report).toMatchObject({ files: 1, calls: 1, unknownLines: 1, stderr: "" });
    expect(report.findings[0]).toMatchObject({ model: "glm-4.7", tool: "bash", code: "core/leaked-closer" });
    expect(places(report)).toEqual(["1 bash core/leaked-closer /message/m2/parts/0/state/input/command"]);
    expect(readdirSync(folder)).toEqual(before);
  });

  it("may be open elsewhere, or be another one", async () => {
    const open = database("open.db");
    open.exec("PRAGMA journal_mode = WAL");
    open.exec("INSERT INTO message VALUES ('m', 's', 1, '{}')");
    expect((await scan(join(folder, "open.db"))).stderr).toContain("write-ahead log is not read");
    open.close();
    new Database(join(folder, "other.db")).exec("CREATE TABLE x (a)");
    expect((await scan(join(folder, "other.db"))).stderr).toMatch(/other\.db can't be read: .*no such table/);
  });
});
