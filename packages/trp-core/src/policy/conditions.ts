import type { JsonObject, JsonValue } from "@toolglot/core";
import { canonicalJson, wildcardTest } from "@toolglot/internal";
import type { ArgumentCondition, PolicyInput, PolicyRule } from "./types.ts";

/** Whether a part of a rule holds. */
export type Condition = (input: PolicyInput) => boolean;

/** Thrown for an argument that can't be looked at in good time; the call is denied then. */
export class TooLongError extends Error {}

/** Longer texts are not matched against globs. */
const maxMatched = 65_536;

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

/** What holds or not by principal and capability alone. */
export type SubjectCondition = (subject: Pick<PolicyInput, "principal" | "capability">) => boolean;

/** Returns the conditions of a checked rule on who and which. */
export function subjectConditionsOf({ who, which }: Pick<PolicyRule, "who" | "which">): SubjectCondition[] {
  const all: SubjectCondition[] = [];
  const oneOf = <Value>(
    values: readonly Value[] | undefined,
    of: (input: Parameters<SubjectCondition>[0]) => Value,
  ): void => {
    if (values === undefined) return;
    const set = new Set(values);
    all.push((input) => set.has(of(input)));
  };
  oneOf(which?.riskTiers, ({ capability }) => capability.riskTier);
  oneOf(which?.ioClass === undefined ? undefined : [which.ioClass], ({ capability }) => capability.ioClass);
  oneOf(which?.effects, ({ capability }) => capability.effect);
  oneOf(who?.tenants, ({ principal }) => principal.tenant);
  oneOf(who?.principals, ({ principal }) => principal.id);
  oneOf(who?.canDelete === undefined ? undefined : [who.canDelete], ({ principal }) => principal.canDelete);
  const { roles, withoutRoles } = who ?? {};
  if (roles !== undefined) all.push(({ principal }) => roles.some((role) => principal.roles.includes(role)));
  if (withoutRoles !== undefined) {
    all.push(({ principal }) => !withoutRoles.some((role) => principal.roles.includes(role)));
  }
  const capIds = which?.capIds?.map(wildcardTest);
  if (capIds !== undefined) all.push(({ capability }) => capIds.some((fits) => fits(capability.capId)));
  const families = which?.families?.map(wildcardTest);
  if (families !== undefined) all.push(({ capability }) => families.some((fits) => fits(capability.family)));
  return all;
}

/** Returns the conditions of a checked rule on anything else. */
export function otherConditionsOf({ args, when }: Pick<PolicyRule, "args" | "when">): Condition[] {
  const all: Condition[] = [];
  if (when !== undefined) all.push(timeCondition(when));
  for (const condition of args ?? []) all.push(argumentCondition(condition));
  return all;
}

function timeCondition({ weekdays: days, hours, notBefore, notAfter }: NonNullable<PolicyRule["when"]>): Condition {
  const from = notBefore === undefined ? Number.NEGATIVE_INFINITY : Date.parse(notBefore);
  const until = notAfter === undefined ? Number.POSITIVE_INFINITY : Date.parse(notAfter);
  const wanted = days === undefined ? undefined : new Set<string>(days);
  return ({ now }) => {
    if (now < from || now >= until) return false;
    const date = new Date(now);
    if (wanted !== undefined && !wanted.has(weekdays[date.getUTCDay()] ?? "")) return false;
    if (hours === undefined) return true;
    const hour = date.getUTCHours();
    return hours.from < hours.to ? hour >= hours.from && hour < hours.to : hour >= hours.from || hour < hours.to;
  };
}

function argumentCondition(condition: ArgumentCondition): Condition {
  const steps = condition.at === "" ? [] : condition.at.slice(1).split("/").map(unescaped);
  const tests = valueTests(condition);
  const wanted = condition.not !== true;
  const { exists } = condition;
  return ({ args }) => {
    const values = valuesAt(args, steps);
    if (exists !== undefined) {
      const fits = values.length > 0 === exists;
      if (fits !== wanted) return false;
      if (tests.length === 0) return true;
    }
    return values.some((value) => tests.every((test) => test(value)) === wanted);
  };
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function valuesAt(args: JsonObject, steps: readonly string[]): JsonValue[] {
  let found: JsonValue[] = [args];
  for (const step of steps) {
    const next: JsonValue[] = [];
    for (const value of found) {
      if (typeof value !== "object" || value === null) continue;
      if (step === "*") for (const inner of Object.values(value)) next.push(inner);
      else if (Array.isArray(value)) {
        const item = /^(?:0|[1-9]\d{0,8})$/.test(step) ? value[Number(step)] : undefined;
        if (item !== undefined) next.push(item);
      } else if (Object.hasOwn(value, step)) next.push(value[step] as JsonValue);
    }
    found = next;
    if (found.length === 0) break;
  }
  return found;
}

function valueTests(condition: ArgumentCondition): ((value: JsonValue) => boolean)[] {
  const { equals, in: values, greaterThan, lessThan, matches, maxLength } = condition;
  const tests: ((value: JsonValue) => boolean)[] = [];
  if (equals !== undefined) tests.push(isOneOf([equals]));
  if (values !== undefined) tests.push(isOneOf(values));
  if (greaterThan !== undefined) tests.push((value) => typeof value === "number" && value > greaterThan);
  if (lessThan !== undefined) tests.push((value) => typeof value === "number" && value < lessThan);
  if (matches !== undefined) {
    const globs = matches.map(wildcardTest);
    tests.push((value) => {
      if (typeof value !== "string") return false;
      if (value.length > maxMatched) {
        throw new TooLongError(`an argument is too long to be checked (${maxMatched} characters at most)`);
      }
      return globs.some((fits) => fits(value));
    });
  }
  if (maxLength !== undefined) {
    tests.push((value) => {
      const length = lengthOf(value);
      return length !== undefined && length <= maxLength;
    });
  }
  return tests;
}

/** Equal as JSON: the order of keys is no difference. */
function isOneOf(values: readonly JsonValue[]): (value: JsonValue) => boolean {
  const known = new Set(values.map(canonicalJson));
  const hasObjects = values.some((value) => typeof value === "object" && value !== null);
  return (value) => (typeof value !== "object" || value === null || hasObjects) && known.has(canonicalJson(value));
}

function lengthOf(value: JsonValue): number | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : undefined;
}
