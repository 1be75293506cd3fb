import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSession, type Session } from "../src/cli/session.ts";
import { type DemoStore, openStore } from "../src/data/store.ts";
import { createPlanner } from "../src/planner/planner.ts";
import { readTask } from "../src/planner/skills/index.ts";
import { attpSlips, pickSlip } from "../src/planner/slips/index.ts";
import type { Task } from "../src/planner/task.ts";
import { runQuestion } from "./support/agent.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-slips-"));
let store: DemoStore;
let session: Session;

beforeAll(() => {
  store = openStore(folder);
  session = openSession(store);
});

afterAll(async () => {
  await session.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function ticketCount(): number {
  const db = new Database(store.database);
  const { n } = db.prepare("SELECT COUNT(*) AS n FROM tickets").get() as { n: number };
  db.close();
  return n;
}

/** What becomes of a slip in a program that only reads: a finding, a repair turn, or an error that the model corrects. */
const readingOutcomes: Record<string, { code?: string; repair?: string; error?: string }> = {
  "missing-header": { code: "attp/missing-header" },
  "prose-and-fence": { code: "attp/prose-outside-document" },
  "wrong-name": { error: "NameError" },
  "curly-quotes": { code: "attp/odd-delimiters" },
  "nested-fence": { code: "attp/nested-fence" },
  "late-thought": { code: "attp/late-thought" },
  import: {},
  "missing-result": { error: "MissingResult" },
  "inner-quotes": { code: "attp/inner-quotes" },
  "loose-syntax": { code: "attp/loose-syntax" },
  json: { code: "attp/json-document" },
  reasoning: { code: "attp/unclosed-fence" },
  "cut-off": { code: "attp/truncated", repair: "truncated" },
};

it("should know what becomes of every slip", () => {
  expect(Object.keys(readingOutcomes).sort()).toEqual(attpSlips.map(({ id }) => id).sort());
});

it.each(attpSlips.map(({ id }) => id))("should answer in spite of the slip %s", async (id) => {
  const wanted = readingOutcomes[id];
  const run = await runQuestion(session, "show order 1042", { model: createPlanner({ messy: id }), protocol: "attp" });
  expect(run.result.status).toBe("answered");
  expect(run.result.text).toContain("id: 1042");
  if (wanted?.code) expect(run.codes).toContain(wanted.code);
  const repairs = run.events.flatMap((event) => (event.type === "repair-turn" ? [event.reason] : []));
  expect(repairs).toEqual(wanted?.repair ? [wanted.repair] : []);
  const errors = run.result.results.flatMap(({ error }) => (error ? [error.type] : []));
  expect(errors).toEqual(wanted?.error ? [wanted.error] : []);
});

it.each(["wrong-name", "missing-result", "import", "json", "cut-off", "curly-quotes"])(
  "should write exactly one ticket in spite of the slip %s",
  async (id) => {
    const before = ticketCount();
    const model = createPlanner({ messy: id });
    const run = await runQuestion(session, "open a ticket: It's late; order 1042 isn't there", {
      model,
      protocol: "attp",
    });
    expect(run.result.status).toBe("answered");
    expect(ticketCount()).toBe(before + 1);
    expect(run.called).toEqual(["create_ticket"]);
  },
);

it.each(["nested-fence", "inner-quotes"])(
  "should be held back with %s, which may change a value, and write it again",
  async (id) => {
    const model = createPlanner({ messy: id });
    const run = await runQuestion(session, "open a ticket: held back", { model, protocol: "attp" });
    expect(run.events.flatMap((event) => (event.type === "repair-turn" ? [event.reason] : []))).toEqual(["held-back"]);
    expect(run.result.text).toMatch(/Ticket \d+ is open/);
  },
);

it("should correct a wrong tool name in native calls too", async () => {
  const model = createPlanner({ messy: "wrong-name" });
  const run = await runQuestion(session, "summarise the refund policy", { model, protocol: "native" });
  expect(run.result.status).toBe("answered");
  expect(run.called).toEqual(["search_documentss", "search_documents", "fetch_document"]);
  expect(run.result.text).toContain("within 10 days");
});

it("should take turns, and never risk an effect twice", () => {
  const reading = readTask("show order 1042", "en") as Task;
  const writing = readTask("open a ticket: x", "en") as Task;
  expect(attpSlips.map((_, turn) => pickSlip(attpSlips, reading, turn).id)).toEqual(attpSlips.map(({ id }) => id));
  expect(attpSlips.map((_, turn) => pickSlip(attpSlips, writing, turn).id)).not.toContain("missing-result");
  expect(pickSlip(attpSlips, reading, -1).id).toBe(attpSlips.at(-1)?.id);
});

it("should reject an unknown slip at once", () => {
  expect(() => createPlanner({ messy: "typo" })).toThrow(TypeError);
});
