import type { JsonObject } from "@toolglot/core";
import { checkKeys, displayWidth } from "@toolglot/internal";
import { createPolicy, type PolicyEngine, type PolicyRule, type Principal, principal } from "@toolglot/trp-core";
import type { ImportedTool } from "@toolglot/trp-mcp";

/** A tool, with what happens to calls of it. */
export interface ToolDescription {
  server: string;
  tool: string;
  shownName: string;
  capId: string;
  io: ImportedTool["io"];
  risk: ImportedTool["risk"];
  effect: ImportedTool["effect"];
  /** Of a call without arguments, now. `hidden`: the caller doesn't even see it. */
  decision: "allow" | "deny" | "approve" | "hidden";
  /** The rule that decides so. */
  rule: string;
  /** Rules that come before it and hold for some calls, by arguments, time or rate: `deny by big-refunds`. */
  sometimes: string[];
  /** What happens to a call whose effect was there before, in words. */
  repeat: string;
}

/** Options of {@link describeTools}. */
export interface DescribeOptions {
  policy: PolicyEngine;
  /** The rules of that policy, to show which hold for some calls only. Default: none. */
  rules?: readonly PolicyRule[];
  /** Who calls. Default `local`, without roles. */
  principal?: Principal;
  /** Milliseconds since the epoch. Default: now. */
  now?: number;
  /** Takes secrets out of a text. Default: nothing is taken out. */
  mask?: (text: string) => string;
}

/** Returns what happens to calls of each tool. No rate of the policy is used up. */
export async function describeTools(
  tools: readonly ImportedTool[],
  options: DescribeOptions,
): Promise<ToolDescription[]> {
  const keys = "policy:{evaluate} rules:object[] principal:object now:number mask:function";
  checkKeys("describeTools", options, keys, ["policy"]);
  const {
    policy,
    rules = [],
    principal: caller = principal({ id: "local" }),
    now = Date.now(),
    mask = (text) => text,
  } = options;
  // Each alone, without what holds for some calls only.
  const partial = rules
    .filter(({ args, when, rate }) => args !== undefined || when !== undefined || rate !== undefined)
    .map(({ args: _, when: __, rate: ___, ...rest }) => ({
      says: `${rest.decision} by ${rest.id}`,
      index: rules.findIndex(({ id }) => id === rest.id),
      engine: createPolicy({ version: "1", rules: [rest], fallback: "deny" }),
      id: rest.id,
    }));
  return Promise.all(
    tools.map(async ({ server, tool, shownName, capId, io, risk, effect, repeat }) => {
      const capability = { capId, family: capId.replace(/\.v\d+$/, ""), riskTier: risk, ioClass: io, effect };
      // At the start of a call: then rates are not counted.
      const input = { principal: caller, capability, args: {} as JsonObject, now, phase: "start" as const };
      const { decision, rule } = await policy.evaluate(input);
      const decidedAt = rules.findIndex(({ id }) => id === rule);
      const earlier = partial.filter(({ index }) => decidedAt === -1 || index < decidedAt);
      const held = await Promise.all(earlier.map(async ({ engine, id }) => (await engine.evaluate(input)).rule === id));
      return {
        server: mask(server),
        tool: mask(tool),
        shownName: mask(shownName),
        capId: mask(capId),
        ...{ io, risk, effect },
        decision: policy.deniesAlways?.({ principal: caller, capability }) ? "hidden" : decision,
        rule: mask(rule),
        sometimes: earlier.filter((_, index) => held[index]).map(({ says }) => mask(says)),
        repeat: repeatText(effect, repeat),
      };
    }),
  );
}

function repeatText(effect: ImportedTool["effect"], { mode, windowMs }: ImportedTool["repeat"]): string {
  if (effect === "pure") return "runs";
  if (mode === "free") return "runs, also in doubt";
  if (mode === "in-doubt" || effect === "idempotent") return "runs, unless in doubt";
  const seconds = Math.round(windowMs / 1_000);
  const time = seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
  return `same result for ${time}`;
}

const columns: readonly [heading: string, cell: (row: ToolDescription) => string][] = [
  ["TOOL", ({ shownName }) => shownName],
  ["CAPABILITY", ({ capId }) => capId],
  ["RISK", ({ risk }) => risk],
  ["EFFECT", ({ effect }) => effect],
  [
    "DECISION",
    ({ decision, rule, sometimes }) => [`${decision} by ${rule}`, ...sometimes.map((one) => `or ${one}`)].join(", "),
  ],
  ["THE SAME AGAIN", ({ repeat }) => repeat],
];

/** Returns descriptions as a table for a terminal: a line for each tool, under headings. */
export function describeTable(rows: readonly ToolDescription[]): string {
  // What a server calls its tools must not move the terminal's cursor.
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, cell]) => cell(row).replace(/\p{C}/gu, "\uFFFD"))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => displayWidth(cells[index] ?? ""))));
  return lines
    .map((cells) =>
      cells
        .map((cell, index) => cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cell))))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
