import { nearest } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { PolicyRule } from "./types.ts";

type Path = readonly (string | number)[];

/** A part of a rule that can't be meant. */
export interface PolicyRuleProblem {
  /** From the array of rules: `[2, "which", "riskTiers", 0]`. */
  path: Path;
  /** Said of what stands at the path: `must be one of LOW, MEDIUM, HIGH, CRITICAL, not "low"`. It may repeat what stands there. */
  message: string;
  /** The key at the path that can't be there. */
  key?: string;
}

type Report = (path: Path, message: string, key?: string) => void;
type Check = (value: unknown, path: Path, report: Report) => void;

const risks = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
const effects = ["pure", "idempotent", "keyed", "probe", "opaque"];
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A check of one value, in words for the author of a policy. */
const saying =
  (problemOf: (value: unknown) => string | undefined): Check =>
  (value, path, report) => {
    const problem = problemOf(value);
    if (problem !== undefined) report(path, problem);
  };
const being = (holds: (value: unknown) => boolean, otherwise: string): Check =>
  saying((value) => (holds(value) ? undefined : otherwise));

const text = being((value) => typeof value === "string" && value !== "", "must be text");
const flag = being((value) => typeof value === "boolean", "must be true or false");
const number = being(Number.isFinite, "must be a number");
const any = being((value) => isJson(value, 0), "must be JSON");
const count = (least: number): Check =>
  being((value) => Number.isSafeInteger(value) && (value as number) >= least, `must be a whole number from ${least}`);

const oneOf = (names: readonly string[]): Check =>
  saying((value) => {
    if (typeof value === "string" && names.includes(value)) return undefined;
    return `must be one of ${names.join(", ")}, not ${shown(value)}`;
  });

const list =
  (item: Check, mayBeEmpty = false): Check =>
  (value, path, report) => {
    if (!Array.isArray(value)) return report(path, "must be an array");
    if (value.length === 0 && !mayBeEmpty)
      return report(path, "is empty, and would never hold: leave it out, or name what it is for");
    for (const [index, inner] of value.entries()) item(inner, [...path, index], report);
  };

const glob = saying((value) => {
  if (typeof value !== "string" || value === "") return "must be a glob, as cap.mail.*";
  return value.length > 256 ? "is a glob of more than 256 characters: say it with fewer" : undefined;
});

const moment = being(
  (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
    Number.isFinite(Date.parse(value)),
  "must be a time with its zone, as 2026-12-24T00:00:00Z",
);

const hour = being(
  (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 24,
  "must be a whole hour from 0 to 24",
);

const pointer = being(
  (value) => typeof value === "string" && /^(?:\/(?:[^~/]|~[01])*)*$/.test(value) && value.length <= 256,
  'must be a JSON pointer, as /to/0/address ("" for the arguments as a whole)',
);

/** An object with these members; those in `required` must be there. `also` looks at one whose members are right. */
const fields =
  (
    members: Readonly<Record<string, Check>>,
    required: readonly string[] = [],
    also: (value: Record<string, unknown>) => string | undefined = () => undefined,
  ): Check =>
  (value, path, report) => {
    if (!isObject(value)) return report(path, "must be an object");
    let right = true;
    const reported: Report = (...problem) => {
      right = false;
      report(...problem);
    };
    for (const [key, inner] of Object.entries(value)) {
      const check = Object.hasOwn(members, key) ? members[key] : undefined;
      if (check === undefined) {
        const [meant] = nearest(key, Object.keys(members), 1);
        const cure = meant === undefined ? `it can have ${Object.keys(members).join(", ")}` : `did you mean ${meant}?`;
        reported(path, `has ${shown(key)}, which it can't have: ${cure}`, key);
      } else if (inner !== undefined) check(inner, [...path, key], reported);
    }
    for (const key of required) if (value[key] === undefined) reported(path, `needs ${key}`);
    const problem = right ? also(value) : undefined;
    if (problem !== undefined) report(path, problem);
  };

const says = ["exists", "equals", "in", "greaterThan", "lessThan", "matches", "maxLength"];

const condition: Check = fields(
  {
    at: pointer,
    not: flag,
    exists: flag,
    equals: any,
    in: list(any),
    greaterThan: number,
    lessThan: number,
    matches: list(glob),
    maxLength: count(0),
  },
  ["at"],
  (given) => {
    if (says.every((key) => given[key] === undefined))
      return `says nothing about ${shown(given.at)}: add ${says.join(", ")}`;
    if (given.exists === false && says.some((key) => key !== "exists" && given[key] !== undefined)) {
      return "says exists: false, and something about the value: nothing can be both";
    }
    return undefined;
  },
);

const rule: Check = fields(
  {
    id: being(
      (value) => typeof value === "string" && /^[\w.:-]{1,64}$/.test(value),
      "must be 1 to 64 letters, digits, or . _ : -",
    ),
    decision: oneOf(["allow", "deny", "approve"]),
    reason: being(
      (value) => typeof value === "string" && value.trim() !== "" && value.length <= 500,
      "must be a sentence of at most 500 characters",
    ),
    who: fields({
      tenants: list(text),
      principals: list(text),
      roles: list(text),
      withoutRoles: list(text),
      canDelete: flag,
    }),
    which: fields({
      capIds: list(glob),
      families: list(glob),
      riskTiers: list(oneOf(risks)),
      ioClass: oneOf(["READ", "WRITE"]),
      effects: list(oneOf(effects)),
    }),
    args: list(condition),
    when: fields(
      {
        weekdays: list(oneOf(days)),
        hours: fields({ from: hour, to: hour }, ["from", "to"], ({ from, to }) =>
          from === to ? "is from an hour to the same hour: leave it out for the whole day" : undefined,
        ),
        notBefore: moment,
        notAfter: moment,
      },
      [],
      ({ notBefore, notAfter }) =>
        notBefore !== undefined && Date.parse(notBefore as string) >= Date.parse(notAfter as string)
          ? "ends before it begins: notAfter must be later"
          : undefined,
    ),
    rate: fields(
      {
        limit: count(1),
        windowMs: count(1),
        per: list(oneOf(["tenant", "principal", "capability"]), true),
        shared: flag,
      },
      ["limit", "windowMs"],
    ),
  },
  ["id", "decision"],
  ({ rate, decision }) =>
    rate !== undefined && decision === "allow"
      ? 'has a rate and decision: "allow". A rate holds for calls beyond it: deny those, or have them approved'
      : undefined,
);

/**
 * Returns every part of rules for `createPolicy` that can't be meant, in order, each with its place: for files of rules, whose
 * authors want to know all at once where. None: `createPolicy` takes them.
 */
export function policyRuleProblems(rules: unknown): PolicyRuleProblem[] {
  if (!Array.isArray(rules)) return [{ path: [], message: "must be an array of rules" }];
  const problems: PolicyRuleProblem[] = [];
  const ids = new Set<unknown>();
  for (const [index, given] of rules.entries()) {
    rule(given, [index], (path, message, key) => problems.push({ path, message, ...(key !== undefined && { key }) }));
    if (!isObject(given) || given.id === undefined) continue;
    if (ids.has(given.id))
      problems.push({ path: [index, "id"], message: "is there twice: give each rule an id of its own" });
    ids.add(given.id);
  }
  return problems;
}

/** `TypeError` for rules that can't be meant, saying which and what to do. */
export function checkRules(rules: unknown): asserts rules is PolicyRule[] {
  const [problem] = policyRuleProblems(rules);
  if (problem === undefined) return;
  const [index, ...inner] = problem.path;
  if (index === undefined) throw new TypeError("createPolicy: rules must be an array of rules");
  const given: unknown = (rules as unknown[])[index as number];
  const name = isObject(given) && typeof given.id === "string" ? `rule ${shown(given.id)}` : `rules[${index}]`;
  const place = inner.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  throw new TypeError(`createPolicy: ${name}${place} ${problem.message}`);
}

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > 32) return false;
  return Object.values(value).every((inner) => isJson(inner, depth + 1));
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}
