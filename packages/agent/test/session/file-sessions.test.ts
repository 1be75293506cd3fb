import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, type SessionStore } from "@toolglot/agent";
import { fileSessions } from "@toolglot/agent/node";
import { scriptedModel } from "@toolglot/agent/testing";
import { afterAll, describe, expect, it } from "vitest";
import { bracketProtocol } from "../support/bracket-protocol.ts";
import { definitions, recordingExecutor } from "../support/tools.ts";

const root = mkdtempSync(join(tmpdir(), "toolglot-sessions-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = (): string => join(root, `${folders++}`, "sessions");

const line = (n: number, by: string, type = "call-start"): string => JSON.stringify({ n, by, type });
const busy = { code: "agent/session-busy" };

describe("sessions in files", () => {
  it("are read back, one file a run, for their owner alone", async () => {
    const folder = newFolder();
    const sessions = fileSessions(folder);
    expect(await sessions.read("run_1")).toBeUndefined();
    await sessions.append("run_1", [line(0, "a", "head"), line(1, "a")], 0);
    await sessions.append("run_1", [line(2, "a")], 2);
    expect(readFileSync(join(folder, "run_1.jsonl"), "utf8").split("\n")).toHaveLength(4);
    expect(statSync(join(folder, "run_1.jsonl")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const store of [sessions, fileSessions(folder)]) {
      expect((await store.read("run_1"))?.filter((text) => text !== "")).toEqual([
        line(0, "a", "head"),
        line(1, "a"),
        line(2, "a"),
      ]);
    }
    await sessions.delete?.("run_1");
    expect(await sessions.read("run_1")).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("stay in their folder, whatever a run is called", async () => {
    const folder = newFolder();
    const sessions = fileSessions(folder);
    const odd = ["../../up", "..", ".", "a/b", "a b", "名", "C:\\x", "\ud800", "*"];
    for (const id of odd) await sessions.append(id, [line(0, id, "head")], 0);
    expect(readdirSync(folder)).toHaveLength(odd.length);
    expect(readdirSync(join(folder, ".."))).toEqual(["sessions"]);
    for (const id of odd) expect(await sessions.read(id)).toContain(line(0, id, "head"));
    await expect(sessions.append("", [], 0)).rejects.toThrow(TypeError);
    expect(() => fileSessions("")).toThrow(TypeError);
  });

  it("refuse a writer that does not know the last lines", async () => {
    const folder = newFolder();
    const [one, other] = [fileSessions(folder), fileSessions(folder)];
    await one.append("r", [line(0, "a", "head")], 0);
    await expect(other.append("r", [line(0, "b", "head")], 0)).rejects.toMatchObject(busy);
    await other.append("r", [line(1, "b", "owner")], 1);
    // The one that had it before stands behind, and can't know before it writes.
    await expect(one.append("r", [line(1, "a")], 1)).rejects.toMatchObject(busy);
    await other.append("r", [line(2, "b")], 2);
    await expect(one.append("r", [line(2, "a")], 2)).rejects.toMatchObject(busy);
  });

  it("go on behind a line that another process wrote too late", async () => {
    const folder = newFolder();
    const sessions = fileSessions(folder);
    await sessions.append("r", [line(0, "a", "head"), line(1, "b", "owner")], 0);
    appendFileSync(join(folder, "r.jsonl"), `${line(1, "a")}\n${line(2, "a")}\n`);
    await sessions.append("r", [line(2, "b")], 2);
    await sessions.append("r", [line(3, "b", "end")], 3);
    expect(await fileSessions(folder).read("r")).toContain(line(3, "b", "end"));
  });

  it("let one of many have each line", async () => {
    const folder = newFolder();
    const stores: SessionStore[] = Array.from({ length: 8 }, () => fileSessions(folder));
    const first = await Promise.allSettled(stores.map((store, at) => store.append("r", [line(0, `${at}`, "head")], 0)));
    expect(first.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const then = await Promise.allSettled(stores.map((store, at) => store.append("r", [line(1, `${at}`, "owner")], 1)));
    expect(then.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const end of [...first, ...then]) if (end.status === "rejected") expect(end.reason).toMatchObject(busy);
  });

  it("begin a new line behind one that was cut off, wherever that was", async () => {
    const folder = newFolder();
    const options = { protocol: bracketProtocol(), executor: recordingExecutor(), tools: definitions };
    const turns = ["[[call store {}]]", "Done, 好的."];
    const file = join(folder, "r.jsonl");
    const agentOf = (model = scriptedModel(turns)) =>
      createAgent({ ...options, model, sessions: fileSessions(folder) });
    await agentOf().run("Go: 你好", { runId: "r" }).result;
    const whole = readFileSync(file);
    const heads = whole.indexOf("\n") + 1;
    // Without its last newline alone, the log would say that the run has ended.
    for (let length = heads; length < whole.length - 1; length += Math.floor(whole.length / 14)) {
      writeFileSync(file, whole);
      truncateSync(file, length);
      const run = await agentOf(scriptedModel([...turns, ...turns])).resume("r");
      expect((await run.result).status, `cut at ${length} of ${whole.length}`).toBe("answered");
      await expect(agentOf().resume("r"), `cut at ${length}`).rejects.toMatchObject({ code: "agent/session-ended" });
    }
  });
});
