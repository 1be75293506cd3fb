import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { openSqlite } from "@toolglot/sqlite";
import { createRouter, principal } from "@toolglot/trp-core";
import { afterAll, expect, it } from "vitest";
import { createPlanner } from "../src/planner/planner.ts";
import { runQuestion } from "./support/agent.ts";
import { openShop } from "./support/shop.ts";

const { session, rows, ticketCount } = openShop();
const folder = mkdtempSync(join(tmpdir(), "toolglot-code-mode-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("should answer with a program whose calls go through the router", async () => {
  const run = await runQuestion(session, "compare the return policy and the warranty terms", {
    model: createPlanner(),
    protocol: "trp-code",
  });
  expect(run.result.text).toContain("36 months");
  expect(run.called).toEqual(["search_documents", "search_documents", "fetch_document", "fetch_document"]);
});

it("should ask in mid-program, and do nothing when it is denied", async () => {
  const before = ticketCount();
  const options = { model: createPlanner(), protocol: "trp-code" as const };
  const question = "open a high priority ticket: Lantern overheats; serial F4-10233";
  const denied = await runQuestion(session, question, { ...options, approve: () => false });
  expect(denied.result).toMatchObject({ status: "answered", denied: 1 });
  expect(ticketCount()).toBe(before);
  const approved = await runQuestion(session, question, options);
  expect(approved.events.find(({ type }) => type === "approval-request")).toMatchObject({
    request: { tool: "create_ticket", reason: expect.stringContaining("cap.ticket.create.v1") },
  });
  expect(ticketCount()).toBe(before + 1);
  expect(rows("SELECT title FROM tickets ORDER BY id DESC LIMIT 1")).toEqual([{ title: "Lantern overheats" }]);
});

/** One life of the program; what its run came to, and whether it was killed. */
function life(diesIn?: string): Promise<{ run?: { status: string }; killed: boolean }> {
  const script = join(import.meta.dirname, "support/program-life.mjs");
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, JSON.stringify({ folder, diesIn })], (error, stdout, stderr) => {
      if (error && error.signal !== "SIGKILL") reject(new Error(stderr));
      else resolve({ killed: error !== null, ...(stdout === "" ? {} : { run: JSON.parse(stdout) }) });
    });
  });
}

it("should survive its process anywhere, and go on after an approval: each effect once, with the same values", async (context) => {
  leftToCi(context);
  const effects = (): string[] =>
    readFileSync(join(folder, "ledger"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" ").slice(1, 3).join(" "));
  expect(await life("note")).toEqual({ killed: true });
  expect(await life("parked")).toMatchObject({ killed: true, run: { status: "parked" } });
  expect(effects()).toEqual(["note one"]);
  const store = await openSqlite({ file: join(folder, "router.db") });
  const router = createRouter({ store, capabilities: [], times: { recoverEveryMs: 0, pruneEveryMs: 0 } });
  const boss = principal({ id: "boss", roles: ["approver"] });
  const [waiting, ...others] = await router.approvals.list(boss, { status: "pending" });
  expect(others).toEqual([]);
  await router.approvals.approve(boss, waiting?.id ?? "");
  expect(await life("pay")).toEqual({ killed: true });
  const { run } = await life();
  const { number } = (run as { value?: { number: number } }).value ?? {};
  expect(run).toMatchObject({
    status: "ok",
    value: { texts: [`one ${number}`, `paid ${number}`, `after paid ${number}`] },
  });
  expect(effects()).toEqual(["note one", "pay paid", "note after"]);
  const audit = await router.audit.read({ limit: 1000 });
  const ofEffects = audit.filter(({ entry }) => entry.kind === "outcome" && entry.cap_id !== "cap.dice.v1");
  expect(new Set(ofEffects.map(({ entry }) => entry.cap_id))).toEqual(new Set(["cap.note.v1", "cap.pay.v1"]));
  expect(new Set(ofEffects.map(({ entry }) => entry.trace_id))).toEqual(new Set(["program-1"]));
  await router.close();
  await store.close();
}, 60_000);
