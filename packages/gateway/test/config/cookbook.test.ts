import { readFileSync } from "node:fs";
import { principal } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import { load } from "./rig.ts";

const page = readFileSync(new URL("../../../../docs/gateway-policy-cookbook.md", import.meta.url), "utf8");

/** The recipes of the page: a policy, and the rows of the table after it. */
const recipes = page
  .split(/^## (?=\d)/m)
  .slice(1)
  .map((part) => ({
    title: part.split("\n")[0] ?? "",
    policy: /```json\n([\s\S]*?)```/.exec(part)?.[1] ?? "",
    rows: [...part.matchAll(/^\| (`.*) \| (\w+) \| `([\w-]+)` \|$/gm)].map(([, call, decision, rule]) => ({
      ...{ call: call ?? "", decision, rule },
    })),
  }));

it("should have twelve policies, each with questions that its rules answer differently", () => {
  expect(recipes).toHaveLength(12);
  for (const { title, rows } of recipes) {
    expect(rows.length, title).toBe(
      [...(page.split(`## ${title}`)[1]?.split("\n## ")[0] ?? "").matchAll(/^\| `/gm)].length,
    );
    expect(new Set(rows.map(({ decision }) => decision)).size, title).toBeGreaterThan(1);
  }
});

const questions = recipes.flatMap(({ title, policy, rows }) => rows.map((row) => ({ ...row, title, given: policy })));

it.each(questions)("$title: $call: $decision by $rule", async ({ call, decision, rule, given }) => {
  const { policy, notices } = await load(`{ "mcpServers": {}, "gateway": { "policy": ${given} } }`);
  expect(notices).toEqual([]);
  const form =
    /^`(cap\.mcp\.\S+)` (LOW|MEDIUM|HIGH|CRITICAL) (READ|WRITE) `(\{.*?\})`(?: at `(\S+)`)?(?: by `(\w+)`)?(?:, (\d+) times)?$/;
  const [, capId = "", riskTier, ioClass, args = "", at = "2026-11-24T10:00:00Z", role, times = "1"] =
    form.exec(call) ?? expect.fail(`the page has a call of another form: ${call}`);
  const input = {
    principal: principal({ id: "agent", roles: role === undefined ? [] : [role], canDelete: true }),
    capability: {
      ...{ capId, family: capId.replace(/\.v\d+$/, ""), riskTier, ioClass },
      effect: ioClass === "READ" ? "pure" : "opaque",
    },
    args: JSON.parse(args),
    now: Date.parse(at),
    phase: "admission",
  } as Parameters<typeof policy.evaluate>[0];
  for (let count = 1; count < Number(times); count++) await policy.evaluate(input);
  expect(await policy.evaluate(input)).toMatchObject({ decision, rule });
});
