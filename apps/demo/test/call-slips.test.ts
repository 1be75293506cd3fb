import { describe, expect, it } from "vitest";
import { createPlanner } from "../src/planner/planner.ts";
import { slipsOf } from "../src/planner/slips.ts";
import { runQuestion } from "./support/agent.ts";
import { openShop } from "./support/shop.ts";

const { session, ticketCount } = openShop();

/** What becomes of a slip in calls that only read: a finding, a repair turn, or an error that the model corrects. */
const outcomes: Record<"tam" | "toolsxml", Record<string, { code?: string; repair?: string; error?: string }>> = {
  tam: {
    "alternate-delimiters": { code: "tam/alternate-delimiters-used" },
    "prose-and-fence": {},
    "wrong-name": { error: "UnknownTool" },
    "mixed-delimiters": { code: "tam/mixed-delimiters-used" },
    comments: {},
    "missing-closer": { code: "tam/unclosed-value" },
    "missing-end": { code: "tam/unclosed-block" },
    reasoning: {},
    "cut-off": { repair: "truncated" },
  },
  toolsxml: {
    unescaped: {},
    "prose-and-fence": {},
    // Only for edits; others get the slip that comes after it.
    "outdated-find": { code: "toolsxml/truncated" },
    "missing-end": { code: "toolsxml/truncated" },
    "wrong-name": { repair: "unreadable" },
    entities: {},
    capitals: {},
    envelope: {},
    reasoning: {},
    "cut-off": { repair: "truncated" },
  },
};

describe.each(["tam", "toolsxml"] as const)("%s", (protocol) => {
  it("should know what becomes of every slip", () => {
    expect(Object.keys(outcomes[protocol])).toEqual(slipsOf[protocol].map(({ id }) => id));
  });

  it.each(Object.entries(outcomes[protocol]))("should answer in spite of the slip %s", async (id, wanted) => {
    const run = await runQuestion(session, "show order 1042", { model: createPlanner({ messy: id }), protocol });
    expect(run.result.status).toBe("answered");
    expect(run.result.text).toContain("id: 1042");
    if (wanted.code) expect(run.codes).toContain(wanted.code);
    const repairs = run.events.flatMap((event) => (event.type === "repair-turn" ? [event.reason] : []));
    expect(repairs).toEqual(wanted.repair ? [wanted.repair] : []);
    const errors = run.result.results.flatMap(({ error }) => (error ? [error.type] : []));
    expect(errors).toEqual(wanted.error ? [wanted.error] : []);
  });

  it.each(Object.keys(outcomes[protocol]))("should write exactly one ticket in spite of the slip %s", async (id) => {
    const before = ticketCount();
    const model = createPlanner({ messy: id });
    const question = "open a ticket: It's late & <b>order</b> 1042 isn't there";
    const run = await runQuestion(session, question, { model, protocol });
    expect(run.result.status).toBe("answered");
    expect(ticketCount()).toBe(before + 1);
  });
});
