import { nearest } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { PolicyRule } from "./types.ts";

/** What a value must be, in words for the author of a policy. */
type Check = (value: unknown) => string | undefined;

const risks = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
const effects = ["pure", "idempotent", "keyed", "probe", "opaque"];
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const text: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "must be text");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");
const number: Check = (value) => (Number.isFinite(value) ? undefined : "must be a number");
const any: Check = (value) => (isJson(value, 0) ? undefined : "must be JSON");
const count =
  (least: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least ? undefined : `must be a whole number from ${least}`;

const oneOf =
  (names: readonly string[]): Check =>
  (value) => {
    if (typeof value === "string" && names.includes(value)) return undefined;
    return `must be one of ${names.join(", ")}, not ${shown(value)}`;
  };

const list =
  (item: Check, mayBeEmpty = false): Check =>
  (value) => {
    if (!Array.isArray(value)) return "must be an array";
    if (value.length === 0 && !mayBeEmpty)
      return "is empty, and would never hold: leave it out, or name what it is for";
    for (const [index, inner] of value.entries()) {
      const problem = item(inner);
      if (problem !== undefined) return within(`[${index}]`, problem);
    }
    return undefined;
  };

const glob: Check = (value) => {
  if (typeof value !== "string" || value === "") return "must be a glob, as cap.mail.*";
  return value.length > 256 ? "is a glob of more than 256 characters: say it with fewer" : undefined;
};

const moment: Check = (value) =>
  typeof value === "string" &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
  Number.isFinite(Date.parse(value))
    ? undefined
    : "must be a time with its zone, as 2026-12-24T00:00:00Z";

const hour: Check = (value) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 24
    ? undefined
    : "must be a whole hour from 0 to 24";

const pointer: Check = (value) =>
  typeof value === "string" && /^(?:\/(?:[^~/]|~[01])*)*$/.test(value) && value.length <= 256
    ? undefined
    : 'must be a JSON pointer, as /to/0/address ("" for the arguments as a whole)';

/** An object with these members; those in `required` must be there. */
const fields =
  (members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value) => {
    if (!isObject(value)) return "must be an object";
    for (const [key, inner] of Object.entries(value)) {
      const check = Object.hasOwn(members, key) ? members[key] : undefined;
      if (check === undefined) {
        const [meant] = nearest(key, Object.keys(members), 1);
        return `has ${shown(key)}, which it can't have${meant === undefined ? `: it can have ${Object.keys(members).join(", ")}` : `: did you mean ${meant}?`}`;
      }
      if (inner === undefined) continue;
      const problem = check(inner);
      if (problem !== undefined) return within(`.${key}`, problem);
    }
    const missing = required.find((key) => value[key] === undefined);
    return missing === undefined ? undefined : `needs ${missing}`;
  };

const condition: Check = (value) => {
  const says = ["exists", "equals", "in", "greaterThan", "lessThan", "matches", "maxLength"];
  const problem = fields(
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
  )(value);
  if (problem !== undefined) return problem;
  const given = value as Record<string, unknown>;
  if (says.every((key) => given[key] === undefined))
    return `says nothing about ${shown(given.at)}: add ${says.join(", ")}`;
  if (given.exists === false && says.some((key) => key !== "exists" && given[key] !== undefined)) {
    return "says exists: false, and something about the value: nothing can be both";
  }
  return undefined;
};

const rule: Check = fields(
  {
    id: (value) =>
      typeof value === "string" && /^[\w.:-]{1,64}$/.test(value)
        ? undefined
        : "must be 1 to 64 letters, digits, or . _ : -",
    decision: oneOf(["allow", "deny", "approve"]),
    reason: (value) =>
      typeof value === "string" && value.trim() !== "" && value.length <= 500
        ? undefined
        : "must be a sentence of at most 500 characters",
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
    when: fields({
      weekdays: list(oneOf(days)),
      hours: (value) => {
        const problem = fields({ from: hour, to: hour }, ["from", "to"])(value);
        if (problem !== undefined) return problem;
        const { from, to } = value as { from: number; to: number };
        return from === to ? "is from an hour to the same hour: leave it out for the whole day" : undefined;
      },
      notBefore: moment,
      notAfter: moment,
    }),
    rate: fields(
      { limit: count(1), windowMs: count(1), per: list(oneOf(["tenant", "principal", "capability"]), true) },
      ["limit", "windowMs"],
    ),
  },
  ["id", "decision"],
);

/** `TypeError` for rules that can't be meant, saying which and what to do. */
export function checkRules(rules: unknown): asserts rules is PolicyRule[] {
  if (!Array.isArray(rules)) throw new TypeError("createPolicy: rules must be an array of rules");
  const ids = new Set<unknown>();
  for (const [index, given] of rules.entries()) {
    const name = isObject(given) && typeof given.id === "string" ? `rule ${shown(given.id)}` : `rules[${index}]`;
    const fail = (problem: string): never => {
      throw new TypeError(`createPolicy: ${within(name, problem)}`);
    };
    const problem = rule(given);
    if (problem !== undefined) fail(problem);
    const { id, decision, rate, when } = given as PolicyRule;
    if (ids.has(id)) fail("is there twice: give each rule an id of its own");
    ids.add(id);
    if (rate !== undefined && decision === "allow") {
      fail('has a rate and decision: "allow". A rate holds for calls beyond it: deny those, or have them approved');
    }
    if (when?.notBefore !== undefined && when.notAfter !== undefined) {
      if (Date.parse(when.notBefore) >= Date.parse(when.notAfter))
        fail("ends before it begins: notAfter must be later");
    }
  }
}

/** `.who` and `.roles is empty` to `.who.roles is empty`. */
function within(place: string, problem: string): string {
  return /^[.[]/.test(problem) ? place + problem : `${place} ${problem}`;
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
