import { isObject } from "@toolglot/internal";
import { createPolicy, defaultPolicy, type PolicyEngine, policyRuleProblems } from "@toolglot/trp-core";
import type { Node } from "jsonc-parser";
import { checkedValue, type Report, unknownKey } from "./check-node.ts";
import { type FillScope, fillText, pathFrom, readSmallFile } from "./fill.ts";
import { policyFields } from "./policy-schema.ts";
import type { GatewayRule, PolicySettings } from "./settings.ts";
import { memberOf, membersOf, nodeAt, type Path, Source, valueAt } from "./source.ts";

/** Returns the engine that settings describe. */
export function policyFrom(settings: PolicySettings | undefined): PolicyEngine {
  if (settings === undefined) return defaultPolicy();
  const { version, rules, fallback } = settings;
  return createPolicy({
    version,
    rules: rules.map(withoutVia),
    fallback: fallback === "deny" ? "deny" : defaultPolicy(),
  });
}

/** A policy where it stands: in the configuration, or in a file of its own. */
interface PolicyPlace {
  node: Node;
  path: Path;
  scope: FillScope;
  report: Report;
}

/**
 * Reads a policy: an object with rules, or the path of a file with such an object. Undefined when something is wrong with it, which
 * is reported with its place. `openFile` makes a file known, and returns what reports its problems.
 */
export function readPolicy(place: PolicyPlace, openFile: (source: Source) => Report): PolicySettings | undefined {
  const { node, path, scope, report } = place;
  if (node.type !== "string") return readRules(place);
  const given = fillText(String(node.value), scope, (problem) => report(path, problem));
  const file = pathFrom(given, scope);
  const read = readSmallFile(file);
  if (!("text" in read)) {
    const cure =
      'Write the path of a file { "version", "rules" }, relative to this configuration, or the object itself.';
    report(path, { code: "config/file", message: `the file ${read.problem}`, cure });
    return undefined;
  }
  const source = new Source(file, scope.folder, read.text);
  const reportInFile = openFile(source);
  if (source.root === undefined) return undefined;
  return readRules({ node: source.root, path: [], scope, report: reportInFile });
}

function readRules({ node, path, scope, report }: PolicyPlace): PolicySettings | undefined {
  let isRight = true;
  const reportWrong: Report = (...problem) => {
    isRight = false;
    report(...problem);
  };
  const known = ["$schema", "version", "rules", "fallback"];
  for (const { key, keyNode } of membersOf(node))
    if (!known.includes(key)) reportWrong([...path, key], unknownKey(key, known.slice(1)), keyNode);
  // As written first: what is wrong is repeated, and must not be what a variable holds.
  const rules = memberOf(node, "rules");
  if (node.type === "object" && rules === undefined)
    reportWrong(path, { code: "config/value", message: 'needs "rules"', cure: 'Add "rules": [ ] to it.' });
  if (rules !== undefined)
    reportRuleProblems(
      rules,
      valueAt(rules, (raw) => raw),
      [...path, "rules"],
      reportWrong,
    );
  const filled = valueAt(node, (raw, _, inner) =>
    fillText(raw, scope, (problem) => reportWrong([...path, ...inner], problem)),
  );
  const fields = checkedValue(policyFields, filled, path, reportWrong);
  if (!isRight || rules === undefined || fields === undefined) return undefined;
  const { rules: filledRules } = filled as PolicySettings;
  reportRuleProblems(rules, filledRules, [...path, "rules"], reportWrong);
  return isRight ? { ...fields, rules: filledRules } : undefined;
}

/** Returns the ids of rules whose requests are decided on the page alone. */
export function pageRules(policy: PolicySettings | string | undefined): ReadonlySet<string> {
  const rules = typeof policy === "object" ? policy.rules : [];
  return new Set(rules.filter(({ via }) => via === "page").map(({ id }) => id));
}

/** Who is asked is the gateway's affair, not the policy's. */
function withoutVia<Rule>(rule: Rule): Rule {
  if (!isObject(rule)) return rule;
  const { via: _, ...rest } = rule as Record<string, unknown>;
  return rest as Rule;
}

function reportRuleProblems(node: Node, rules: unknown, path: Path, report: Report): void {
  for (const [at, rule] of (Array.isArray(rules) ? rules : []).entries()) {
    const { via, decision } = Object(rule) as Partial<GatewayRule>;
    if (via === undefined || (via === "page" && decision === "approve")) continue;
    const cure = 'Write "via": "page" in a rule that decides "approve", or leave it out.';
    report([...path, at, "via"], { code: "config/value", message: 'must be "page", in a rule that approves', cure });
  }
  for (const { path: inner, message, key } of policyRuleProblems(
    Array.isArray(rules) ? rules.map(withoutVia) : rules,
  )) {
    const at = nodeAt(node, inner);
    if (key === undefined) {
      const cure = "Correct it; docs/trp-policy.md has all that a rule can say.";
      report([...path, ...inner], { code: "config/value", message, cure });
      continue;
    }
    const [, meant] = /did you mean (\w+)\?$/.exec(message) ?? [];
    const known = /it can have (.+)$/.exec(message)?.[1] ?? "";
    const keyNode = [...membersOf(at)].find((member) => member.key === key)?.keyNode;
    const problem = unknownKey(key, meant === undefined ? known.split(", ") : [meant]);
    report([...path, ...inner, key], problem, keyNode);
  }
}
