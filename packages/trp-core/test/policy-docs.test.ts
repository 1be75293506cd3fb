import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { IoClass, RiskTier } from "../src/frames/types.ts";
import { decide, defaultPolicy } from "../src/policy/decide.ts";
import { createPolicy, type PolicyOptions } from "../src/policy/rules.ts";
import { policyInput } from "./rules-rig.ts";

// The page's tables are its examples: each row is run.
const page = readFileSync(new URL("../../../docs/trp-policy.md", import.meta.url), "utf8");
const [byDefault = "", byRules = ""] = page.split("## Rules of your own");

/** Cells of the first table with these headings. */
function rows(part: string): string[][] {
  const [, table = ""] = part.split("| Call | Decision | Rule |\n|---|---|---|\n");
  return table
    .slice(0, table.indexOf("\n\n"))
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim().replace(/^`([^`]*)`$/, "$1"))
        .slice(1, -1),
    );
}

it("the page has its tables", () => {
  expect(rows(byDefault)).toHaveLength(6);
  expect(rows(byRules)).toHaveLength(4);
});

it.each(rows(byDefault))("default policy: %s: %s by %s", async (call, decision, rule) => {
  const riskTier = (/LOW|MEDIUM|HIGH|CRITICAL/.exec(call as string)?.[0] ?? "LOW") as RiskTier;
  const readonly = call?.includes("`readonly`") ?? false;
  const input = policyInput({
    capability: { riskTier, ioClass: readonly ? "WRITE" : "READ" },
    principal: { roles: readonly ? ["readonly"] : [], canDelete: !call?.includes("without `canDelete`") },
  });
  expect(await decide(defaultPolicy(), input)).toMatchObject({ decision, rule });
});

it("the default policy's version is the page's", () => {
  expect(page).toContain(`version \`${defaultPolicy().version}\``);
});

it.each(rows(byRules))("example: %s: %s by %s", async (call, decision, rule) => {
  const rules = JSON.parse(/```json\n([\s\S]*?)```/.exec(byRules)?.[1] ?? "") as PolicyOptions;
  const [, capId = "", riskTier, ioClass, args = "", at = ""] =
    /^`(cap\.\S+)` (\w+) (\w+) `(.*)` at `(.*)`$/.exec(call as string) ?? [];
  const input = policyInput({
    capability: {
      capId,
      family: capId.replace(/\.v\d+$/, ""),
      riskTier: riskTier as RiskTier,
      ioClass: ioClass as IoClass,
    },
    args: JSON.parse(args),
    now: Date.parse(at),
  });
  expect(await decide(createPolicy(rules), input)).toMatchObject({ decision, rule });
});

it("every part of a rule is on the page", () => {
  const parts = [
    ...["tenants", "principals", "roles", "withoutRoles", "canDelete", "capIds", "families", "riskTiers", "ioClass"],
    ...["effects", "weekdays", "hours", "notBefore", "notAfter", "equals", "in", "greaterThan", "lessThan", "matches"],
    ...["maxLength", "exists", "not", "limit", "windowMs", "per", "shared"],
  ];
  for (const part of parts) expect(page).toMatch(new RegExp(`[.\`"]${part}[\`":]`));
});
