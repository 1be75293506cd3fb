import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { InputIssue, JsonSchemaObject } from "@toolglot/core";
import { describeValue, isObject, standardIssues } from "@toolglot/internal";
import { coerceBySchema } from "./coerce.ts";
import { type Filler, makeFiller } from "./defaults.ts";
import { describeSchema } from "./describe.ts";
import { engineSchema } from "./engine-schema.ts";
import { findFlaw, visitBudget, withoutUndefined } from "./flaw.ts";
import { explainIssues, makeIssue } from "./issues.ts";
import { inOneCall } from "./pattern-tests.ts";
import { omitProperties } from "./root.ts";
import { setOwn, step } from "./schema-walk.ts";
import type {
  Conversion,
  InputSchema,
  InputSchemaOptions,
  MaybePromise,
  StandardInput,
  ValidationResult,
  Validator,
  ValidatorFactory,
} from "./types.ts";
import { boundedValidator, interpretingValidator } from "./validator.ts";
import { weaken } from "./weaken.ts";

const brand = Symbol.for("toolglot.input-schema");

/**
 * Checks whether a value came from {@link toInputSchema}, of whichever copy of this package.
 *
 * @example
 * ```ts
 * const ready = isInputSchema(toInputSchema({ city: "string" })); // true
 * ```
 */
export function isInputSchema(value: unknown): value is InputSchema {
  return isObject(value) && (value as Record<symbol, unknown>)[brand] === true;
}

/** A schema less the preset properties, compiled. */
interface Compiled {
  /** What a model is shown. */
  shown: JsonSchemaObject;
  /** The same in the spelling of engines; coercion, defaults and issues walk it. */
  root: JsonSchemaObject;
  validator: Validator;
  unchecked: readonly string[];
  /** Fills in defaults, where there are any. A Standard Schema fills in its own. */
  fill: Filler | undefined;
}

/** Parts that stay the same whatever is preset. */
interface Origin {
  kind: InputSchema["kind"];
  full: JsonSchemaObject;
  standard: StandardInput | undefined;
  where: string;
  factory: ValidatorFactory;
  untrusted: boolean;
  /** By the names of the presets: a call with presets of its own doesn't compile again. */
  compiled: Map<string, Compiled>;
}

function compile(origin: Origin, presetNames: readonly string[]): Compiled {
  const { full, standard, where, factory, untrusted } = origin;
  const key = JSON.stringify([...presetNames].sort());
  const known = origin.compiled.get(key);
  if (known !== undefined) return known;
  const shown = presetNames.length === 0 ? full : omitProperties(full, presetNames);
  let root: JsonSchemaObject;
  let validator: Validator;
  let unchecked: readonly string[] = [];
  try {
    root = engineSchema(shown);
    if (untrusted) unchecked = weaken(root);
    // Engines annotate what they compile: they get a copy of their own.
    validator = factory(structuredClone(root));
  } catch (error) {
    throw new TypeError(`${where} can't be compiled: ${(error as Error).message}`, { cause: error });
  }
  const fill =
    standard === undefined
      ? inOneCall(
          untrusted,
          () => 0,
          () => makeFiller(root, validator, where),
        )
      : undefined;
  const compiled = { shown, root, validator, unchecked, fill };
  origin.compiled.set(key, compiled);
  return compiled;
}

/** Returns the input schema of a JSON Schema. `standard`: the library's schema that it was made from. */
export function compileInput<Value>(
  kind: InputSchema["kind"],
  full: JsonSchemaObject,
  standard: StandardInput | undefined,
  where: string,
  { validator = interpretingValidator, untrusted = false }: InputSchemaOptions,
): InputSchema<Value> {
  const factory = untrusted ? boundedValidator : validator;
  return new CompiledInput<Value>({ kind, full, standard, where, factory, untrusted, compiled: new Map() });
}

class CompiledInput<Value> implements InputSchema<Value> {
  readonly kind: "standard" | "json-schema" | "args";
  readonly untrusted: boolean;
  readonly unchecked: readonly string[];
  readonly jsonSchema: JsonSchemaObject;
  readonly #origin: Origin;
  readonly #compiled: Compiled;
  readonly #presets: Readonly<Record<string, unknown>> | undefined;

  constructor(origin: Origin, presets?: Readonly<Record<string, unknown>>) {
    this.kind = origin.kind;
    this.#origin = origin;
    this.#compiled = compile(origin, Object.keys(presets ?? {}));
    this.#presets = presets;
    this.untrusted = origin.untrusted;
    this.unchecked = this.#compiled.unchecked;
    this.jsonSchema = structuredClone(this.#compiled.shown);
    Object.defineProperty(this, brand, { value: true });
  }

  withPresets(presets: Readonly<Record<string, unknown>>): InputSchema<Value> {
    const all = { ...this.#presets, ...presets };
    if (Object.keys(all).length === 0) return this;
    this.#checkPresets(all);
    return new CompiledInput<Value>(this.#origin, all);
  }

  withValidator(validator: ValidatorFactory): InputSchema<Value> {
    if (validator === this.#origin.factory || this.untrusted) return this;
    return new CompiledInput<Value>({ ...this.#origin, factory: validator, compiled: new Map() }, this.#presets);
  }

  /** Throws for a preset of a wrong type: it would be blamed on the model, at each call. */
  #checkPresets(presets: Readonly<Record<string, unknown>>): void {
    const { full, where } = this.#origin;
    const { properties = {} } = full;
    for (const [name, value] of Object.entries(presets)) {
      if (value === undefined) throw new TypeError(`${where}: the preset ${name} is undefined`);
      const isSimple = value === null || ["string", "number", "boolean"].includes(typeof value);
      if (!isSimple || !Object.hasOwn(properties, name)) continue;
      if (compile(this.#origin, []).validator.accepts(value, step("", "properties", name))) continue;
      const expected = describeSchema(full, properties[name] ?? true);
      throw new TypeError(`${where}: the preset ${name} must be ${expected}, not ${describeValue(value)}`);
    }
  }

  validate(value: unknown): MaybePromise<ValidationResult<Value>> {
    const fitted = this.#fit(value);
    const { standard } = this.#origin;
    if (standard === undefined) {
      return fitted.success ? (this.#merge(fitted) as ValidationResult<Value>) : fitted;
    }
    // The library has the last word, also on what JSON Schema alone would refuse: it may coerce by itself.
    const tried = fitted.success ? this.#merge(fitted) : { value: this.#withPresetValues(value) };
    const result = this.#ask(standard, tried.value);
    return result instanceof Promise
      ? result.then((settled) => this.#conclude(fitted, settled, tried.value))
      : this.#conclude(fitted, result, tried.value);
  }

  /** Validates strictly first; coerces only when that failed. */
  #fit(given: unknown): ValidationResult {
    const flaw = findFlaw(given);
    if (flaw?.kind === "too-deep") {
      return { success: false, issues: [makeIssue("", "less nesting", "a value nested too deeply")] };
    }
    // A whole input that is a function or nothing at all has the wrong type: there is more to say than that.
    if (flaw?.kind === "not-json" && flaw.path !== "") {
      return { success: false, issues: [makeIssue(flaw.path, "a JSON value", describeValue(flaw.found))] };
    }
    const value = flaw?.kind === "undefined" ? withoutUndefined(given) : given;
    return inOneCall(
      this.untrusted,
      () => visitBudget(value),
      () => this.#fitSound(value),
    );
  }

  #fitSound(value: unknown): ValidationResult {
    const { root, validator, fill = (given: unknown) => given } = this.#compiled;
    const filled = fill(value);
    if (validator.accepts(filled)) return { success: true, value: filled };
    const { value: coerced, conversions } = coerceBySchema(root, validator, value);
    const retried = fill(coerced);
    if (validator.accepts(retried)) {
      return conversions.length === 0
        ? { success: true, value: retried }
        : { success: true, value: retried, conversions };
    }
    const issues = explainIssues(root, validator, retried);
    // An untrusted schema that has cost enough accepts the rest, so there may be no issue left.
    return issues.length === 0 ? { success: true, value } : { success: false, issues };
  }

  #withPresetValues(value: unknown): unknown {
    if (this.#presets === undefined || !isObject(value)) return value;
    const merged = {};
    for (const key of Object.keys(value)) setOwn(merged, key, value[key]);
    for (const key of Object.keys(this.#presets)) setOwn(merged, key, this.#presets[key]);
    return merged;
  }

  #merge(fitted: { success: true; value: unknown; conversions?: Conversion[] }): ValidationResult & { success: true } {
    return this.#presets === undefined ? fitted : { ...fitted, value: this.#withPresetValues(fitted.value) };
  }

  #ask(schema: StandardInput, value: unknown): MaybePromise<StandardSchemaV1.Result<unknown>> {
    try {
      const result = schema["~standard"].validate(value);
      return result instanceof Promise ? result.catch(failed) : result;
    } catch (error) {
      return failed(error);
    }
  }

  #conclude(
    fitted: ValidationResult,
    result: StandardSchemaV1.Result<unknown>,
    tried: unknown,
  ): ValidationResult<Value> {
    if (result.issues !== undefined) {
      return fitted.success ? { success: false, issues: standardIssues(result.issues, tried) } : fitted;
    }
    const value = this.#restorePresets(result.value) as Value;
    if (!fitted.success || fitted.conversions === undefined) return { success: true, value };
    return { success: true, value, conversions: fitted.conversions };
  }

  /** Presets the schema doesn't declare are stripped by some libraries. */
  #restorePresets(value: unknown): unknown {
    const { properties = {} } = this.#origin.full;
    const missing = Object.keys(this.#presets ?? {}).filter((key) => !Object.hasOwn(properties, key));
    if (missing.length === 0 || !isObject(value)) return value;
    const restored = { ...value };
    for (const key of missing) setOwn(restored, key, this.#presets?.[key]);
    return restored;
  }

  get "~standard"(): StandardSchemaV1.Props<unknown, Value> & StandardJSONSchemaV1.Props<unknown, Value> {
    const jsonSchema = (): Record<string, unknown> => structuredClone(this.jsonSchema);
    return {
      version: 1,
      vendor: "toolglot",
      validate: async (value) => {
        const result = await this.validate(value);
        if (result.success) return { value: result.value };
        return { issues: result.issues.map(toStandardIssue) };
      },
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    };
  }
}

function toStandardIssue({ path, message }: InputIssue): StandardSchemaV1.Issue {
  const keys = [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) =>
    quoted !== undefined
      ? (JSON.parse(`"${quoted}"`) as string)
      : index !== undefined
        ? Number(index)
        : (name as string),
  );
  return { message, path: keys };
}

/** A schema library that throws: its own message stays with the host. */
function failed(error: unknown): StandardSchemaV1.FailureResult {
  const name = error instanceof Error ? error.name : "an error";
  return { issues: [{ message: `the check of the input failed with ${name}` }] };
}
