import { isObject } from "@toolglot/internal";
import type { IoClass, RiskTier } from "../frames/types.ts";
import type { AnyCapability, Effect } from "./types.ts";

const capIdForm = /^cap(?:\.[a-z0-9][a-z0-9_-]{0,63}){1,8}\.v[1-9][0-9]{0,5}$/;
const nameForm = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const riskTiers: readonly RiskTier[] = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
const ioClasses: readonly IoClass[] = ["READ", "WRITE"];
const effects: readonly Effect[] = ["pure", "idempotent", "keyed", "probe", "opaque"];

/** `TypeError` when a definition can't be registered, saying what to change. */
export function checkDefinition(definition: AnyCapability): void {
  if (typeof definition !== "object" || definition === null) {
    throw new TypeError("a capability is an object: see defineCapability");
  }
  const { capId, name, description, riskTier, ioClass, effect } = definition;
  if (typeof capId !== "string" || !capIdForm.test(capId)) {
    const got = typeof capId === "string" ? JSON.stringify(capId.slice(0, 80)) : typeof capId;
    throw new TypeError(`capId must read cap.<words>.v<number>, as cap.mail.send.v2; got ${got}`);
  }
  const fail = (problem: string): never => {
    throw new TypeError(`${capId}: ${problem}`);
  };
  if (typeof name !== "string" || !nameForm.test(name)) {
    fail("name must be a word of at most 64 letters, digits, _, - and dots, as send_email");
  }
  if (typeof description !== "string" || description.trim() === "") fail("description must say what it does");
  const oneOf = (field: string, value: unknown, allowed: readonly string[]): void => {
    if (!allowed.includes(value as string)) fail(`${field} must be one of ${allowed.join(", ")}`);
  };
  oneOf("riskTier", riskTier, riskTiers);
  oneOf("ioClass", ioClass, ioClasses);
  oneOf("effect", effect, effects);
  const { input, args } = definition;
  if (input === undefined && args === undefined)
    fail("input must be a schema of the arguments, or args their shorthand");
  if (input !== undefined && args !== undefined) fail("it has both input and args: give one");
  const { shape, adapters, effectKey, effectScope } = definition;
  if (shape !== undefined && typeof shape !== "function") fail("shape must be a function");
  if (adapters === undefined) checkTool(definition, effect, fail);
  else checkAdapters(definition, fail);
  if (effectKey !== undefined && typeof effectKey !== "function") fail("effectKey must be a function");
  if (effectKey !== undefined && effect === "pure") fail('effectKey names an effect, and effect "pure" has none');
  if (effectScope !== undefined) {
    oneOf("effectScope", effectScope, ["principal", "tenant"]);
    if (effectKey === undefined) fail("effectScope is the scope of an effectKey, and there is none");
  }
  const hasKey = effectKey !== undefined;
  if (ioClass === "READ" && riskTier === "LOW" && !hasKey && effect !== "pure" && effect !== "idempotent") {
    fail(
      `a LOW READ is called without a key, so it must be safe to run again: declare effect "pure" or "idempotent", ` +
        `or another risk or io class (got "${effect}")`,
    );
  }
  if (definition.repeats !== undefined) oneOf("repeats", definition.repeats, ["guarded", "free"]);
  checkOptional(definition, fail);
}

/** What runs a capability: the definition itself, or an adapter of it. */
function checkTool(tool: Tool, effect: Effect, fail: (problem: string) => never, isAdapter = false): void {
  const { execute, probe } = tool;
  if (typeof execute !== "function") fail("execute must be a function");
  for (const field of ["adapt", "probe"] as const) {
    if (tool[field] !== undefined && typeof tool[field] !== "function") fail(`${field} must be a function`);
  }
  if (effect === "probe" && probe === undefined) {
    fail(
      'effect "probe" needs a probe function that finds out whether the operation happened; without one it is "opaque"',
    );
  }
  if (effect !== "probe" && (effect !== "opaque" || isAdapter) && probe !== undefined) {
    fail(`a probe function is never asked with effect "${effect}"; declare effect "probe"`);
  }
}

type Tool = { execute?: unknown; adapt?: unknown; probe?: unknown };

const adapterNameForm = /^[A-Za-z0-9_.-]{1,64}$/;

function checkAdapters(definition: AnyCapability, fail: (problem: string) => never): void {
  const { adapters, effect } = definition;
  for (const field of ["execute", "adapt", "probe", "adapterVersion"] as const) {
    if (definition[field] !== undefined) fail(`it has both ${field} and adapters: each adapter has its own`);
  }
  if (!Array.isArray(adapters) || adapters.length === 0) fail("adapters must be a list of { name, execute, … }");
  const names = new Set<string>();
  for (const adapter of adapters as readonly Record<string, unknown>[]) {
    if (!isObject(adapter)) fail("adapters must be a list of { name, execute, … }");
    const { name, cost = 0, system, version, when, health } = adapter;
    if (typeof name !== "string" || !adapterNameForm.test(name)) {
      fail("the name of an adapter must be 1 to 64 letters, digits, _, - and dots");
    }
    const failHere = (problem: string): never => fail(`adapter ${name}: ${problem}`);
    if (names.has(name as string)) failHere("the name is taken by another adapter");
    names.add(name as string);
    checkTool(adapter, effect, failHere, true);
    if (!Number.isFinite(cost)) failHere("cost must be a number");
    for (const [field, value] of Object.entries({ system, version })) {
      if (value !== undefined && (typeof value !== "string" || value === ""))
        failHere(`${field} must be text that is not empty`);
    }
    for (const [field, value] of Object.entries({ when, health })) {
      if (value !== undefined && typeof value !== "function") failHere(`${field} must be a function`);
    }
    for (const field of ["maxTimeoutMs", "maxFailures", "coolDownMs"]) {
      const value = adapter[field];
      if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) > 0)) {
        failHere(`${field} must be a whole number above 0`);
      }
    }
  }
}

function checkOptional(definition: AnyCapability, fail: (problem: string) => never): void {
  const { adapterVersion, rules, roles, examples, maxTimeoutMs, maxConcurrency, concurrencyGroup, openInput } =
    definition;
  if (openInput !== undefined && typeof openInput !== "boolean") fail("openInput must be true or false");
  if (adapterVersion !== undefined && (typeof adapterVersion !== "string" || adapterVersion === "")) {
    fail("adapterVersion must be text that is not empty");
  }
  const isRule = (rule: unknown): boolean => {
    const { name, check } = (rule ?? {}) as { name?: unknown; check?: unknown };
    return typeof name === "string" && name !== "" && typeof check === "function";
  };
  if (rules !== undefined && (!Array.isArray(rules) || !rules.every(isRule))) {
    fail("rules must be a list of { name, check(args, principal) }");
  }
  if (
    roles !== undefined &&
    (!Array.isArray(roles) || !roles.every((role) => typeof role === "string" && role !== ""))
  ) {
    fail("roles must be a list of names");
  }
  if (roles?.length === 0) fail("an empty list of roles hides it from everybody; leave roles out to show it to all");
  const isExample = (example: unknown): boolean => {
    const { args } = (example ?? {}) as { args?: unknown };
    return isObject(args);
  };
  if (examples !== undefined && (!Array.isArray(examples) || !examples.every(isExample))) {
    fail("examples must be a list of { args: {…} }");
  }
  if (maxTimeoutMs !== undefined && !(Number.isSafeInteger(maxTimeoutMs) && maxTimeoutMs > 0)) {
    fail("maxTimeoutMs must be a whole number of milliseconds above 0");
  }
  if (maxConcurrency !== undefined && !(Number.isSafeInteger(maxConcurrency) && maxConcurrency > 0)) {
    fail("maxConcurrency must be a whole number above 0");
  }
  if (concurrencyGroup !== undefined && (typeof concurrencyGroup !== "string" || concurrencyGroup === "")) {
    fail("concurrencyGroup must be text that is not empty");
  }
}
