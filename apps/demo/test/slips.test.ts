import { describe, expect, it } from "vitest";
import { createPlanner } from "../src/planner/planner.ts";
import { readTask } from "../src/planner/skills/index.ts";
import { pickSlip, slipsOf } from "../src/planner/slips.ts";
import type { Task } from "../src/planner/task.ts";
import { runQuestion } from "./support/agent.ts";
import { sampled } from "./support/sample.ts";
import { openShop } from "./support/shop.ts";

const { session, ticketCount } = openShop();

/** What becomes of a slip in a program that only reads: a finding, a repair turn, or an error that the model corrects. */
type SlipOutcome = { code?: string; repair?: string; error?: string; hint?: string };

const inDocuments: Record<string, SlipOutcome> = {
  "missing-header": { code: "attp/missing-header" },
  "prose-and-fence": { code: "attp/prose-outside-document" },
  "curly-quotes": { code: "attp/odd-delimiters" },
  "nested-fence": { code: "attp/nested-fence" },
  "late-thought": { code: "attp/late-thought" },
  "loose-syntax": { code: "attp/loose-syntax" },
  json: { code: "attp/json-document" },
  reasoning: { code: "attp/unclosed-fence" },
  "cut-off": { code: "attp/truncated", repair: "truncated" },
  "missing-result": { error: "MissingResult", hint: "__result__" },
};

const languages = {
  attp: {
    slips: slipsOf.attp,
    outcomes: {
      ...inDocuments,
      "wrong-name": { error: "NameError", hint: "query_sql" },
      import: {},
      "inner-quotes": { code: "attp/inner-quotes" },
    } as Record<string, SlipOutcome>,
  },
  "attp-js": {
    slips: slipsOf["attp-js"],
    outcomes: {
      ...inDocuments,
      "wrong-name": { error: "ReferenceError", hint: "query_sql" },
      positional: { error: "TypeError", hint: "query_sql({ sql" },
      "python-words": { error: "ReferenceError", hint: "null" },
      "python-comment": { error: "SyntaxError", hint: "//" },
      types: { error: "SyntaxError", hint: "without types" },
      import: { error: "ImportForbidden", hint: "query_sql" },
      "missing-await": { error: "TypeError", hint: "await" },
    } as Record<string, SlipOutcome>,
  },
};

/** Slips whose effect is counted; a Python program takes its time, so there it is those that are run again or read anew. */
const oneTicket = {
  attp: /^(?:wrong-name|missing-result|import|json|cut-off|curly-quotes)$/,
  "attp-js": /^(?!nested-fence$)/,
};

describe.each(["attp", "attp-js"] as const)("%s", (protocol) => {
  const { slips, outcomes } = languages[protocol];

  it("should know what becomes of every slip", () => {
    expect(Object.keys(outcomes).sort()).toEqual(slips.map(({ id }) => id).sort());
  });

  // A Python program takes its time: but for test:long there is one slip of each kind of outcome (a finding, a repair, none; an error below).
  const sample = ({ id }: { id: string }): boolean => protocol !== "attp" || ["missing-header", "import"].includes(id);

  for (const { id } of slips)
    sampled(sample({ id }))(`should answer in spite of the slip ${id}`, async () => {
      const wanted = outcomes[id];
      const [question, answer] =
        id === "missing-await" ? ["summarise the refund policy", "within 10 days"] : ["show order 1042", "id: 1042"];
      const run = await runQuestion(session, question, { model: createPlanner({ messy: id }), protocol });
      expect(run.result.status).toBe("answered");
      expect(run.result.text).toContain(answer);
      if (wanted?.code) expect(run.codes).toContain(wanted.code);
      const repairs = run.events.flatMap((event) => (event.type === "repair-turn" ? [event.reason] : []));
      expect(repairs).toEqual(wanted?.repair ? [wanted.repair] : []);
      const errors = run.result.results.flatMap(({ error }) => (error ? [error] : []));
      expect(errors.map(({ type }) => type)).toEqual(wanted?.error ? [wanted.error] : []);
      if (wanted?.hint) expect(errors[0]?.hint).toContain(wanted.hint);
    });

  for (const { id } of slips.filter(({ id }) => oneTicket[protocol].test(id)))
    sampled(protocol !== "attp" || id === "wrong-name")(
      `should write exactly one ticket in spite of the slip ${id}`,
      async () => {
        const before = ticketCount();
        const model = createPlanner({ messy: id });
        const run = await runQuestion(session, "open a ticket: It's late; order 1042 isn't there", { model, protocol });
        expect(run.result.status).toBe("answered");
        expect(ticketCount()).toBe(before + 1);
        expect(run.called).toEqual(["create_ticket"]);
      },
    );

  it.each(slips.map(({ id }) => id).filter((id) => ["nested-fence", "inner-quotes"].includes(id)))(
    "should be held back with %s, which may change a value, and write it again",
    async (id) => {
      const model = createPlanner({ messy: id });
      const run = await runQuestion(session, "open a ticket: held back", { model, protocol });
      const repairs = run.events.flatMap((event) => (event.type === "repair-turn" ? [event.reason] : []));
      expect(repairs).toEqual(["held-back"]);
      expect(run.result.text).toMatch(/Ticket \d+ is open/);
    },
  );

  it("should take turns, and never risk an effect twice", () => {
    const reading = readTask("compare the return policy and the warranty terms", "en") as Task;
    const writing = readTask("open a ticket: x", "en") as Task;
    expect(slips.map((_, turn) => pickSlip(slips, reading, turn).id)).toEqual(slips.map(({ id }) => id));
    expect(slips.map((_, turn) => pickSlip(slips, writing, turn).id)).not.toContain("missing-result");
    expect(slips.map((_, turn) => pickSlip(slips, writing, turn).id)).not.toContain("missing-await");
    expect(pickSlip(slips, reading, -1).id).toBe(slips.at(-1)?.id);
  });
});

it("should correct a wrong tool name in native calls too", async () => {
  const model = createPlanner({ messy: "wrong-name" });
  const run = await runQuestion(session, "summarise the refund policy", { model, protocol: "native" });
  expect(run.result.status).toBe("answered");
  expect(run.called).toEqual(["search_documentss", "search_documents", "fetch_document"]);
  expect(run.result.text).toContain("within 10 days");
});

it("should reject an unknown slip at once", () => {
  expect(() => createPlanner({ messy: "typo" })).toThrow(TypeError);
});
