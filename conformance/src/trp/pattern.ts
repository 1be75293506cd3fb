import { isDeepStrictEqual } from "node:util";

/** Names that earlier steps gave to values. A reference may go into a value: `request.frame_id`. */
export type Bindings = Map<string, unknown>;

type Fields = Record<string, unknown>;

/** Everything about `value` that is not as `pattern` says; binds names on the way. The language is in the README. */
export function mismatches(pattern: unknown, value: unknown, bindings: Bindings, path = "$"): string[] {
  if (typeof pattern === "string" && pattern.startsWith("$")) return wordMismatches(pattern, value, bindings, path);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return [differs(path, pattern, value)];
    if (value.length !== pattern.length) return [`${path}: ${value.length} elements, expected ${pattern.length}`];
    return pattern.flatMap((element, index) => mismatches(element, value[index], bindings, `${path}[${index}]`));
  }
  if (isFields(pattern)) {
    const operator = Object.keys(pattern).find((key) => key.startsWith("$"));
    if (operator !== undefined) return operatorMismatches(operator, pattern, value, bindings, path);
    if (!isFields(value)) return [differs(path, pattern, value)];
    return Object.entries(pattern).flatMap(([key, inner]) =>
      mismatches(inner, Object.hasOwn(value, key) ? value[key] : undefined, bindings, `${path}.${key}`),
    );
  }
  return Object.is(pattern, value) ? [] : [differs(path, pattern, value)];
}

/** Whether it fits; only then the names in it are bound. */
function fits(pattern: unknown, value: unknown, bindings: Bindings, path: string): boolean {
  const tried: Bindings = new Map(bindings);
  if (mismatches(pattern, value, tried, path).length > 0) return false;
  for (const [name, bound] of tried) bindings.set(name, bound);
  return true;
}

const words: Record<string, (value: unknown) => boolean> = {
  $any: (value) => value !== undefined,
  $absent: (value) => value === undefined,
  $string: (value) => typeof value === "string",
  $text: (value) => typeof value === "string" && value.trim() !== "",
  $line: (value) => typeof value === "string" && value.trim() !== "" && !/[\r\n]/.test(value),
  $int: (value) => Number.isSafeInteger(value),
  $now: (value) => Number.isSafeInteger(value),
  $number: (value) => typeof value === "number",
  $boolean: (value) => typeof value === "boolean",
  $object: isFields,
  $list: (value) => Array.isArray(value),
};

function wordMismatches(word: string, value: unknown, bindings: Bindings, path: string): string[] {
  const test = words[word];
  if (test) return test(value) ? [] : [differs(path, word, value)];
  const [kind, rest] = split(word);
  if (kind === "$$") return value === word.slice(1) ? [] : [differs(path, word.slice(1), value)];
  if (kind === "$bind") {
    bindings.set(rest, value);
    return value === undefined ? [differs(path, word, value)] : [];
  }
  if (kind === "$ref") {
    const expected = lookUp(rest, bindings);
    return isDeepStrictEqual(expected, value) ? [] : [differs(path, expected, value)];
  }
  if (kind === "$re") {
    return typeof value === "string" && new RegExp(rest, "u").test(value) ? [] : [differs(path, word, value)];
  }
  if (kind === "$new") return words.$text?.(value) ? [] : [differs(path, word, value)];
  throw new TypeError(`${path}: no such pattern: ${word}`);
}

function operatorMismatches(
  operator: string,
  pattern: Fields,
  value: unknown,
  bindings: Bindings,
  path: string,
): string[] {
  const operand = pattern[operator];
  // A field beside an operator would not be looked at.
  const field = Object.keys(pattern).find((key) => !key.startsWith("$"));
  if (field !== undefined) throw new TypeError(`${path}: ${operator} stands beside ${field}: use $and`);
  switch (operator) {
    case "$is":
    case "$example":
      return mismatches(pattern.$is ?? "$any", value, bindings, path);
    case "$bind":
      bindings.set(String(operand), value);
      return mismatches(pattern.$is ?? "$any", value, bindings, path);
    case "$ref": {
      const expected = reference(pattern, bindings);
      return isDeepStrictEqual(expected, value) ? [] : [differs(path, expected, value)];
    }
    case "$optional":
      return value === undefined ? [] : mismatches(operand, value, bindings, path);
    case "$not":
      return mismatches(operand, value, new Map(bindings), path).length > 0
        ? []
        : [`${path}: must not be ${show(operand)}, is ${show(value)}`];
    case "$or":
      return asList(operand).some((alternative) => fits(alternative, value, bindings, path))
        ? []
        : [differs(path, operand, value)];
    case "$and":
      return asList(operand).flatMap((part) => mismatches(part, value, bindings, path));
    case "$exactly": {
      const found = mismatches(operand, value, bindings, path);
      if (!isFields(value) || !isFields(operand)) return found;
      const others = Object.keys(value).filter((key) => !Object.hasOwn(operand, key));
      return others.length === 0 ? found : [...found, `${path}: has ${others.join(", ")} besides`];
    }
    case "$contains":
      if (typeof value === "string")
        return asList(operand).flatMap((part) =>
          value.includes(String(part)) ? [] : [`${path}: ${show(value)} has no ${show(part)}`],
        );
      if (!Array.isArray(value)) return [differs(path, pattern, value)];
      return asList(operand).flatMap((part) =>
        value.some((element) => fits(part, element, bindings, path))
          ? []
          : [`${path}: no element is ${show(part)} in ${show(value)}`],
      );
    case "$lacks": {
      const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
      return asList(operand).flatMap((part) =>
        text.includes(String(part)) ? [`${path}: has ${show(part)}: ${show(value)}`] : [],
      );
    }
    case "$each":
      if (!Array.isArray(value)) return [differs(path, pattern, value)];
      return value.flatMap((element, index) => mismatches(operand, element, bindings, `${path}[${index}]`));
    case "$length":
      return Array.isArray(value) && value.length === operand ? [] : [differs(path, pattern, value)];
    case "$min":
    case "$max": {
      const { $min = Number.NEGATIVE_INFINITY, $max = Number.POSITIVE_INFINITY } = pattern as Record<string, number>;
      return typeof value === "number" && value >= $min && value <= $max ? [] : [differs(path, pattern, value)];
    }
    case "$concat": {
      const expected = fill(pattern, bindings);
      return expected === value ? [] : [differs(path, expected, value)];
    }
    default:
      throw new TypeError(`${path}: no such pattern: ${operator}`);
  }
}

/** What a template needs besides the names that are bound. */
export interface FillContext {
  /** Milliseconds since the epoch, for `$now`. */
  now?: () => number;
  /** Operators of the caller's own: `{ "$token": … }`. */
  operators?: Record<string, (operand: unknown, bindings: Bindings) => unknown>;
}

let fresh = 0;

/** The value that a template stands for. Fields that are `$absent` are left out. */
export function fill(template: unknown, bindings: Bindings, context: FillContext = {}): unknown {
  if (typeof template === "string" && template.startsWith("$")) {
    const [kind, rest] = split(template);
    if (kind === "$$") return template.slice(1);
    if (kind === "$ref") return lookUp(rest, bindings);
    if (kind === "$new") return `${rest}_${(++fresh).toString(36).padStart(8, "0")}`;
    if (template === "$now") return (context.now ?? Date.now)();
    throw new TypeError(`no such template: ${template}`);
  }
  if (Array.isArray(template)) return template.map((element) => fill(element, bindings, context));
  if (!isFields(template)) return template;
  const operator = Object.keys(template).find((key) => key.startsWith("$"));
  if (operator === undefined) return fillFields(template, (inner) => fill(inner, bindings, context));
  const operand = template[operator];
  const own = context.operators?.[operator];
  if (own) return own(operand, bindings);
  switch (operator) {
    case "$ref":
      return reference(template, bindings);
    case "$is":
    case "$example":
      if (!Object.hasOwn(template, "$example")) break;
      return template.$example;
    case "$concat":
      return asList(operand)
        .map((part) => String(fill(part, bindings, context)))
        .join("");
    case "$repeat":
      return String(operand).repeat(Number(template.times));
    case "$nested": {
      let value: unknown = operand;
      for (let depth = 0; depth < Number(template.times); depth++) value = [value];
      return value;
    }
  }
  throw new TypeError(`no such template: ${operator}`);
}

/** A value that fits a pattern, for a server that plays a reply. What is optional is left out. */
export function example(pattern: unknown, bindings: Bindings, context: FillContext = {}): unknown {
  if (typeof pattern === "string" && pattern.startsWith("$")) {
    const samples: Record<string, unknown> = {
      $any: null,
      $string: "text",
      $text: "text",
      $line: "text",
      $int: 1,
      $number: 1,
      $boolean: false,
      $object: {},
      $list: [],
    };
    if (Object.hasOwn(samples, pattern)) return samples[pattern];
    const [kind, rest] = split(pattern);
    if (kind !== "$bind") return fill(pattern, bindings, context);
    const value = bindings.has(rest) ? bindings.get(rest) : `${rest}_1`;
    bindings.set(rest, value);
    return value;
  }
  if (Array.isArray(pattern)) return pattern.map((element) => example(element, bindings, context));
  if (!isFields(pattern)) return pattern;
  const operator = Object.keys(pattern).find((key) => key.startsWith("$"));
  if (operator === undefined)
    return fillFields(pattern, (inner) =>
      isFields(inner) && Object.hasOwn(inner, "$optional") ? "$absent" : example(inner, bindings, context),
    );
  let value: unknown;
  if (Object.hasOwn(pattern, "$example")) value = pattern.$example;
  else if (operator === "$or" || operator === "$and") value = example(asList(pattern[operator])[0], bindings, context);
  else if (operator === "$exactly" || operator === "$is") value = example(pattern[operator], bindings, context);
  else if (operator === "$contains") value = example(pattern.$contains, bindings, context);
  else if (operator === "$bind") value = example(pattern.$is ?? `$bind:${pattern.$bind}`, bindings, context);
  else if (operator === "$min" || operator === "$max") value = pattern.$min ?? pattern.$max;
  else return fill(pattern, bindings, context);
  if (typeof pattern.$bind === "string") bindings.set(pattern.$bind, value);
  return value;
}

function fillFields(fields: Fields, of: (inner: unknown) => unknown): Fields {
  const filled: Fields = {};
  for (const [key, inner] of Object.entries(fields)) {
    if (inner === "$absent") continue;
    const value = of(inner);
    if (value === "$absent") continue;
    Object.defineProperty(filled, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return filled;
}

function reference(pattern: Fields, bindings: Bindings): unknown {
  const value = lookUp(String(pattern.$ref), bindings);
  return pattern.$plus === undefined ? value : Number(value) + Number(pattern.$plus);
}

function lookUp(path: string, bindings: Bindings): unknown {
  const [name = "", ...keys] = path.split(".");
  if (!bindings.has(name)) throw new TypeError(`nothing is bound to ${name}`);
  let value = bindings.get(name);
  for (const key of keys) value = isFields(value) || Array.isArray(value) ? (value as Fields)[key] : undefined;
  return value;
}

/** `$re:^a` is `["$re", "^a"]`; what begins with two `$` stands for itself, less one. */
function split(word: string): [string, string] {
  if (word.startsWith("$$")) return ["$$", word.slice(2)];
  const colon = word.indexOf(":");
  return colon < 0 ? [word, ""] : [word.slice(0, colon), word.slice(colon + 1)];
}

function asList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`expected a list, got ${show(value)}`);
  return value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function differs(path: string, expected: unknown, value: unknown): string {
  return `${path}: expected ${show(expected)}, got ${show(value)}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
