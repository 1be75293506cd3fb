import { type InputIssue, type JsonSchema, type JsonSchemaObject, nearest } from "@toolglot/core";
import { describeValue, isObject, joinPath, maxIssues, typeOf } from "@toolglot/internal";
import { branchPlaces, describeSchema, itemPlace, literalsOf, propertyPlace, propertyPlaces } from "./describe.ts";
import { seemsToMatch } from "./pattern-tests.ts";
import { followRefs, type Place } from "./schema-walk.ts";
import type { Validator } from "./types.ts";
import { allDiffer } from "./unique.ts";

/** Names that a missing one is compared with; a hostile input may have a hundred thousand. */
const maxCompared = 100;

/** How many branches of one union are examined, and how many forms a message names. */
const maxBranches = 12;
const maxForms = 4;

const missing = "missing";
const unknownProperty = "unknown property";

/** Creates one issue, its message made from its parts. */
export function makeIssue(path: string, expected: string, got: string, hint = ""): InputIssue {
  const where = path === "" ? "the input" : path;
  const said = got === missing || got === unknownProperty;
  const message = said ? `${where}: ${got}, expected ${expected}` : `${where}: expected ${expected}, got ${got}`;
  return { path, expected, got, message: message + hint };
}

/** Rules that no check of their own explains. */
const unnamedRules =
  "not if contains dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems propertyNames".split(" ");

/**
 * Returns where and why a value doesn't fit. Walks schema and value side by side and asks the engine only yes or no, so
 * every engine has the same issues. At least one issue, at most 20.
 */
export function explainIssues(root: JsonSchemaObject, validator: Validator, value: unknown): InputIssue[] {
  const issues: InputIssue[] = [];
  new Explainer(root, validator, issues).visit({ schema: root, pointer: "" }, value, "");
  return issues.slice(0, maxIssues);
}

class Explainer {
  readonly #root: JsonSchemaObject;
  readonly #validator: Validator;
  readonly #issues: InputIssue[];
  /** Branches that may still be looked into. */
  readonly #visits: { left: number };

  constructor(root: JsonSchemaObject, validator: Validator, issues: InputIssue[], visits = { left: 200 }) {
    this.#visits = visits;
    this.#root = root;
    this.#validator = validator;
    this.#issues = issues;
  }

  #add(path: string, expected: string, got: string, hint = ""): void {
    this.#issues.push(makeIssue(path, expected, got, hint));
  }

  #accepts(place: Place, value: unknown): boolean {
    return this.#validator.accepts(value, place.pointer);
  }

  visit(place: Place, value: unknown, path: string): void {
    if (this.#issues.length >= maxIssues || this.#accepts(place, value)) return;
    const before = this.#issues.length;
    const target = followRefs(this.#root, place);
    if (target !== undefined && target.pointer !== place.pointer) this.visit(target, value, path);
    if (this.#issues.length > before) return;
    const { schema } = place;
    if (schema === false) this.#add(path, "nothing here", describeValue(value));
    else if (typeof schema !== "boolean") this.#keywords(place, schema, value, path);
    if (this.#issues.length === before) this.#add(path, this.#unnamed(schema, value), describeValue(value));
  }

  #describe(schema: JsonSchema): string {
    return describeSchema(this.#root, schema);
  }

  /** For a rule that none of the checks below names. */
  #unnamed(schema: JsonSchema, value: unknown): string {
    if (typeof schema === "boolean") return "another value";
    const rule = unnamedRules.find((keyword) => schema[keyword] !== undefined);
    if (rule === undefined) return this.#expected(schema, value);
    return `a value that keeps the rule ${JSON.stringify({ [rule]: schema[rule] }).slice(0, 120)}`;
  }

  #keywords(place: Place, schema: JsonSchemaObject, value: unknown, path: string): void {
    const got = describeValue(value);
    const start = this.#issues.length;
    const unexplained = (): boolean => this.#issues.length === start;
    if (schema.type !== undefined && !hasType(schema.type, value)) {
      this.#add(path, this.#describe(schema), got);
      return;
    }
    if (schema.enum !== undefined || schema.const !== undefined) {
      this.#choice(schema, value, path, got);
      if (!unexplained()) return;
    }
    for (const branch of branchPlaces(place, "allOf")) this.visit(branch, value, path);
    this.#union(branchPlaces(place, "anyOf"), schema, value, path);
    this.#union(branchPlaces(place, "oneOf"), schema, value, path);
    if (typeof value === "string") this.#string(schema, value, path, got, unexplained);
    else if (typeof value === "number") this.#number(schema, value, path, got, unexplained);
    else if (Array.isArray(value)) this.#array(place, schema, value, path);
    else if (isObject(value)) this.#object(place, schema, value, path);
  }

  #choice(schema: JsonSchemaObject, value: unknown, path: string, got: string): void {
    const choices = schema.enum ?? [schema.const];
    const same = choices.some((choice) => JSON.stringify(choice) === JSON.stringify(value));
    if (same) return;
    const near =
      typeof value === "string"
        ? nearest(
            value,
            choices.filter((choice) => typeof choice === "string"),
            1,
          )[0]
        : undefined;
    this.#add(path, this.#describe(schema), got, near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`);
  }

  #union(branches: Place[], schema: JsonSchemaObject, value: unknown, path: string): void {
    if (branches.length === 0) return;
    const fitting = branches.filter((branch) => this.#accepts(branch, value)).length;
    if (fitting === 1 || (fitting > 1 && schema.oneOf === undefined)) return;
    const likely = fitting > 0 ? [] : branches.filter((branch) => this.#isLikely(branch, value));
    if (fitting > 1) this.#add(path, "a value that fits exactly one form", `one that fits ${fitting}`);
    else if (likely.length === 1) this.visit(likely[0] as Place, value, path);
    else if (isObject(value) && this.#tellingProperty(branches, value, path)) return;
    else this.#nearest(likely.length > 0 ? likely : this.#ofType(branches, value), schema, value, path);
  }

  /** Branches for an object or a list, when the value is one; of a simple value it is enough to say what is expected. */
  #ofType(branches: readonly Place[], value: unknown): Place[] {
    if (typeof value !== "object" || value === null) return [];
    return branches.filter((branch) => {
      const found = followRefs(this.#root, branch)?.schema;
      return typeof found === "object" && (found.type === undefined || hasType(found.type, value));
    });
  }

  /** Reports what the nearest branch lacks; when several are as near, what each of them lacks. */
  #nearest(branches: readonly Place[], schema: JsonSchemaObject, value: unknown, path: string): void {
    const lacks = branches.slice(0, maxBranches).map((branch) => this.#issuesOf(branch, value, path));
    // What is missing is farther than what is there and wrong.
    const costs = lacks.map((issues) => issues.reduce((sum, { got }) => sum + (got === missing ? 2 : 1), 0));
    const least = Math.min(...costs.filter((cost) => cost > 0));
    const found = lacks.filter((_issues, index) => costs[index] === least);
    const [first] = found;
    if (first === undefined) this.#add(path, this.#expected(schema, value), describeValue(value));
    else if (found.length === 1) this.#issues.push(...first);
    else {
      const forms = [...new Set(found.map((issues) => issues.map(inShort).join(" and ")))];
      const where = path === "" ? "the input" : path;
      const lacking = `${forms.slice(0, maxForms).join("; or ")}${forms.length > maxForms ? "; or …" : ""}`;
      const message = `${where}: fits none of its forms: ${lacking}`;
      this.#issues.push({ path, expected: `one of its forms (${lacking})`, got: describeValue(value), message });
    }
  }

  /** Returns what is wrong with a value for one branch. Branches in branches would multiply: they share their visits. */
  #issuesOf(branch: Place, value: unknown, path: string): InputIssue[] {
    const issues: InputIssue[] = [];
    if (this.#visits.left <= 0) return issues;
    this.#visits.left -= 1;
    new Explainer(this.#root, this.#validator, issues, this.#visits).visit(branch, value, path);
    return issues;
  }

  /** Returns what a schema asks for, where its type alone would say of an object that an object is expected. */
  #expected(schema: JsonSchema, value: unknown): string {
    const expected = this.#describe(schema);
    const isSame = expected.split(" or ").some((type) => hasType(type, value)) || expected === "any value";
    return isSame ? `${typeOf(value)} that fits ${JSON.stringify(schema).slice(0, 120)}` : expected;
  }

  /** Reports the property whose constants distinguish all branches, when it fits none of them. */
  #tellingProperty(branches: Place[], value: Record<string, unknown>, path: string): boolean {
    const places = branches.map((branch) => followRefs(this.#root, branch));
    const properties = places.map((place) =>
      typeof place?.schema === "object" ? (place.schema.properties ?? {}) : {},
    );
    for (const key of Object.keys(properties[0] ?? {})) {
      const choices = properties.map((found) => (Object.hasOwn(found, key) ? literalsOf(found[key]) : undefined));
      if (!choices.every((choice) => choice !== undefined)) continue;
      const all = [...new Set(choices.flat())];
      if (all.some((choice) => choice === value[key])) continue;
      this.#add(joinPath(path, key), describeSchema(this.#root, { enum: all }), describeValue(value[key]));
      return true;
    }
    return false;
  }

  /** Checks whether a branch is meant, by its type and by the constants that distinguish branches. */
  #isLikely(branch: Place, value: unknown): boolean {
    const place = followRefs(this.#root, branch);
    if (place === undefined || typeof place.schema === "boolean") return false;
    const { type, properties } = place.schema;
    if (type !== undefined && !hasType(type, value)) return false;
    if (!isObject(value)) return type !== undefined && (place.schema.enum ?? place.schema.const) === undefined;
    return Object.entries(properties ?? {}).every(([key, found]) => {
      const isConstant = typeof found === "object" && (found.const !== undefined || found.enum !== undefined);
      const child = propertyPlace(place, key);
      return !isConstant || child === undefined || this.#accepts(child, value[key]);
    });
  }

  #object(place: Place, schema: JsonSchemaObject, value: Record<string, unknown>, path: string): void {
    const declared = Object.keys(schema.properties ?? {});
    const unknown = Object.keys(value).filter((key) => !declared.includes(key));
    for (const key of schema.required ?? []) {
      if (Object.hasOwn(value, key)) continue;
      if (this.#issues.length >= maxIssues) return;
      const child = propertyPlace(place, key);
      const near = nearest(key, unknown.slice(0, maxCompared), 1)[0];
      const hint = near === undefined ? "" : ` (there is ${JSON.stringify(near)}: is it meant?)`;
      this.#add(joinPath(path, key), child === undefined ? "a value" : this.#describe(child.schema), missing, hint);
    }
    for (const key of Object.keys(value)) {
      if (this.#issues.length >= maxIssues) return;
      const [child, ...others] = propertyPlaces(place, key);
      if (child === undefined) continue;
      if (child.schema === false && !declared.includes(key)) {
        const near = nearest(key, declared, 1)[0];
        const hint = near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
        const expected = declared.length === 0 ? "no properties" : `one of ${declared.join(", ")}`;
        this.#add(joinPath(path, key), expected, unknownProperty, hint);
      } else {
        for (const found of [child, ...others]) this.visit(found, value[key], joinPath(path, key));
      }
    }
    const size = Object.keys(value).length;
    this.#bounds(schema, "Properties", size, "properties", path);
  }

  #array(place: Place, schema: JsonSchemaObject, value: unknown[], path: string): void {
    for (const [index, item] of value.entries()) {
      const child = itemPlace(place, index);
      if (child !== undefined) this.visit(child, item, joinPath(path, index));
    }
    this.#bounds(schema, "Items", value.length, "items", path);
    if (schema.uniqueItems === true && !allDiffer(value)) {
      this.#add(path, "items that all differ", "equal items");
    }
  }

  #string(schema: JsonSchemaObject, value: string, path: string, got: string, unexplained: () => boolean): void {
    this.#bounds(schema, "Length", [...value].length, "characters", path);
    const isOff = typeof schema.pattern === "string" && !seemsToMatch(schema.pattern, value);
    if (typeof schema.format === "string" && (isOff || unexplained())) {
      // Libraries give the pattern of a format, too: the name is clearer.
      this.#add(path, `text in the format ${schema.format}`, got);
    } else if (isOff) {
      this.#add(path, `text that matches /${schema.pattern}/`, got);
    }
  }

  #number(schema: JsonSchemaObject, value: number, path: string, got: string, unexplained: () => boolean): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    if (isNumber(minimum) && value < minimum) this.#add(path, `at least ${minimum}`, got);
    if (isNumber(maximum) && value > maximum) this.#add(path, `at most ${maximum}`, got);
    if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum) this.#add(path, `more than ${exclusiveMinimum}`, got);
    if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum) this.#add(path, `less than ${exclusiveMaximum}`, got);
    // Division would be wrong here: 0.3 is a multiple of 0.1.
    if (isNumber(multipleOf) && unexplained()) this.#add(path, `a multiple of ${multipleOf}`, got);
  }

  #bounds(schema: JsonSchemaObject, of: "Properties" | "Items" | "Length", size: number, unit: string, path: string) {
    const min = schema[`min${of}`];
    const max = schema[`max${of}`];
    if (isNumber(min) && size < min) this.#add(path, `at least ${min} ${unit}`, `${size}`);
    if (isNumber(max) && size > max) this.#add(path, `at most ${max} ${unit}`, `${size}`);
  }
}

/** `alpha is missing`, or the issue in its own words. */
function inShort({ path, expected, got, message }: InputIssue): string {
  return got === missing ? `${path} is missing (${expected})` : message;
}

function hasType(type: string | string[], value: unknown): boolean {
  const found = typeOf(value);
  return [type].flat().some((name) => name === found || (name === "number" && found === "integer"));
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
