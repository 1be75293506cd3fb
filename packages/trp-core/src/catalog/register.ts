import type { JsonObject, JsonSchemaObject, JsonValue } from "@toolglot/core";
import { canonicalJson, isObject } from "@toolglot/internal";
import {
  type Conversion,
  type InputSchema,
  type InputSource,
  isInputSchema,
  type MaybePromise,
  type StandardInput,
  toInputSchema,
  type ValidatorFactory,
} from "@toolglot/schema";
import { sha256Digest } from "../digest/sha256.ts";
import { schemaToTemplate } from "./arg-template.ts";
import { checkDefinition } from "./check-definition.ts";
import { Circuit } from "./circuit.ts";
import { type PlainCheck, plainCheck } from "./plain-check.ts";
import type { AnyCapability, ArgumentCheck, RegisteredAdapter, RegisteredCapability } from "./types.ts";

/**
 * Makes a capability ready to use: its canonical schema, argument template, digest and validation. `TypeError` when the
 * definition is malformed, with what to change.
 *
 * Arguments of a frame are programs' work, not a model's text: they are not converted (`"5"` is not 5), defaults are
 * filled in, and unknown ones are refused, also where the source does not mention them (unless it is `openInput`).
 */
export function registerCapability(
  definition: AnyCapability,
  validator?: ValidatorFactory,
  { keylessReads = false }: { keylessReads?: boolean } = {},
): RegisteredCapability {
  checkDefinition(definition);
  const { capId, riskTier, ioClass, effect } = definition;
  const options = { name: capId, ...(validator === undefined ? {} : { validator }) };
  const source = definition.input ?? definition.args;
  const input = toInputSchema(source, options);
  const isReady = definition.openInput === true || input.jsonSchema.additionalProperties === false;
  const schema = isReady ? input.jsonSchema : closed(input.jsonSchema, capId);
  // What somebody else compiled may have presets, and of a library's schema this is the JSON Schema alone.
  const isOwn = isReady && input.kind !== "standard" && !isInputSchema(source);
  const structure = (
    isOwn ? input : toInputSchema(schema, { ...options, untrusted: input.untrusted })
  ) as InputSchema<JsonObject>;
  const library = librarySide(source, input);
  const registered: RegisteredCapability = {
    definition,
    capId,
    family: capId.slice(0, capId.lastIndexOf(".")),
    schema,
    argTemplate: Object.freeze(schemaToTemplate(schema)),
    schemaDigest: sha256Digest(
      canonicalJson({ schema, risk_tier: riskTier, effect, adapter_version: versionOf(definition) } as JsonObject),
    ),
    keyRequired:
      (ioClass === "WRITE" || riskTier !== "LOW") &&
      definition.effectKey === undefined &&
      !(keylessReads && ioClass === "READ" && riskTier === "MEDIUM" && effect === "pure"),
    adapters: adaptersOf(definition),
    // Another engine may see things differently: then it is asked about everything.
    validate: makeValidation(structure, library, validator === undefined ? plainCheck(schema) : undefined),
    hasLibrary: library !== undefined || validator !== undefined,
  };
  checkExamples(registered);
  return registered;
}

/** By name, when there are several: which tools may run it is a part of what it is, their order and cost are not. */
function versionOf({ adapters, adapterVersion = "1" }: AnyCapability): JsonValue {
  return adapters === undefined
    ? adapterVersion
    : Object.fromEntries(adapters.map(({ name, version = "1" }) => [name, version]));
}

/** Equal costs stay in their order. */
function adaptersOf(definition: AnyCapability): readonly RegisteredAdapter[] {
  if (definition.adapters === undefined) return [{ cost: 0, definition, circuit: new Circuit({}) }];
  const adapters = definition.adapters.map((adapter): RegisteredAdapter => {
    const { name, cost = 0, maxFailures, coolDownMs } = adapter;
    return {
      name,
      cost,
      definition: adapter as RegisteredAdapter["definition"],
      circuit: new Circuit({ maxFailures, coolDownMs }),
    };
  });
  return adapters.sort((one, other) => one.cost - other.cost);
}

/** With nothing allowed at the top but what is declared. */
function closed(schema: JsonSchemaObject, capId: string): JsonSchemaObject {
  const { additionalProperties: others, ...rest } = schema;
  if (typeof others === "object" && Object.keys(others).length > 0) {
    throw new TypeError(
      `${capId}: args must name each argument; put what has free names into one argument, as { values: "object" }`,
    );
  }
  const branching = ["allOf", "anyOf", "oneOf", "if", "dependentSchemas", "$ref", "$dynamicRef"];
  // Properties that only a branch declares are unknown to `additionalProperties`.
  if (branching.some((keyword) => rest[keyword] !== undefined) && others !== false) {
    return { ...rest, unevaluatedProperties: false };
  }
  return { ...rest, additionalProperties: false };
}

type Library = (args: JsonObject) => MaybePromise<ArgumentCheck>;

/** Returns what a schema library checks beyond JSON Schema; nothing for JSON Schema and shorthand. */
function librarySide(source: InputSource, input: InputSchema): Library | undefined {
  if (input.kind !== "standard") return undefined;
  if (isInputSchema(source)) {
    return (args) => {
      const result = source.validate(args);
      const conclude = (found: Awaited<typeof result>): ArgumentCheck =>
        found.success ? json(found.value) : refuse(found.issues.map(({ message }) => message));
      return result instanceof Promise ? result.then(conclude, broken) : conclude(result);
    };
  }
  const standard = (source as StandardInput)["~standard"];
  return (args) => {
    const conclude = (result: Awaited<ReturnType<typeof standard.validate>>): ArgumentCheck =>
      result.issues === undefined
        ? json(result.value)
        : refuse(result.issues.map(({ message, path }) => `${pathText(path)}: ${message}`));
    try {
      const result = standard.validate(args);
      return result instanceof Promise ? result.then(conclude, broken) : conclude(result);
    } catch {
      return broken();
    }
  };
}

function makeValidation(
  structure: InputSchema<JsonObject>,
  library: Library | undefined,
  isPlain: PlainCheck | undefined,
): Library {
  return (args) => {
    if (isPlain?.(args)) return library === undefined ? { success: true, args } : library(args);
    const result = structure.validate(args) as Awaited<ReturnType<typeof structure.validate>>;
    if (!result.success) return refuse(result.issues.map(({ message }) => message));
    if (result.conversions !== undefined) return refuse(result.conversions.map(conversionText));
    return library === undefined ? { success: true, args: result.value } : library(result.value);
  };
}

function conversionText({ path, from, to }: Conversion): string {
  const where = path === "" ? "the arguments" : path;
  return to === "missing" ? `${where}: ${from} does not fit, leave it out` : `${where}: expected ${to}, got ${from}`;
}

function pathText(path: readonly (PropertyKey | { key: PropertyKey })[] | undefined): string {
  let text = "";
  for (const step of path ?? []) {
    const key = typeof step === "object" ? step.key : step;
    text += typeof key === "number" ? `[${key}]` : `${text === "" ? "" : "."}${String(key)}`;
  }
  return text === "" ? "the arguments" : text;
}

function refuse(issues: string[]): ArgumentCheck {
  return { success: false, issues };
}

/** Refuses arguments whose schema threw. What it threw may hold secrets. */
function broken(): ArgumentCheck {
  return refuse(["the arguments: their schema failed while it checked them"]);
}

/** Arguments are hashed, stored and run again from the store: what a transform made must still be JSON. */
function json(value: unknown): ArgumentCheck {
  if (isObject(value) && isJson(value, 0)) {
    return { success: true, args: value as JsonObject };
  }
  return refuse([
    "the arguments: the capability's schema makes something of them that is not JSON; use `adapt` for that",
  ]);
}

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > 64) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => isJson(item, depth + 1));
}

/** An example that is refused would teach the model a call that fails. */
function checkExamples({ capId, definition, validate }: RegisteredCapability): void {
  for (const [index, example] of (definition.examples ?? []).entries()) {
    const result = validate(example.args);
    if (result instanceof Promise || result.success) continue;
    throw new TypeError(`${capId}: examples[${index}] does not fit args: ${result.issues.join("; ")}`);
  }
}
