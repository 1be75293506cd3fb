import type { Span } from "@toolglot/core";
import { expandText, type VectorText } from "./vector.ts";

/** What comparing needs besides the two values. */
export interface CompareContext {
  /** The model's text, for `$source`. */
  source: string;
  /** White space at the end of texts is not compared. */
  trim?: boolean | undefined;
}

/**
 * Where an actual value differs from what is expected, a sentence each. `null` stands for absent. An array is a text in
 * pieces where the actual value is a string, else a list: as long, and compared element by element. Of an object, what is
 * given must be so and the rest is free. Keys with `$` say more: `$whole`, `$list`, `$source`, `$contains`.
 */
export function valueDifferences(path: string, expected: unknown, actual: unknown, context: CompareContext): string[] {
  if (expected === null)
    return actual === undefined || actual === null ? [] : [`${path}: expected none, got ${show(actual)}`];
  if (typeof expected === "string") return textDifferences(path, expected, actual, context);
  if (Array.isArray(expected))
    return typeof actual === "string" && expected.length > 0
      ? textDifferences(path, expected as VectorText, actual, context)
      : listDifferences(path, expected, actual, (...pair) => valueDifferences(...pair, context));
  if (typeof expected === "object") return objectDifferences(path, expected as object, actual, context);
  return expected === actual ? [] : [`${path}: expected ${show(expected)}, got ${show(actual)}`];
}

function objectDifferences(path: string, expected: object, actual: unknown, context: CompareContext): string[] {
  return Object.entries(expected).flatMap(([key, value]) => {
    switch (key) {
      case "$whole":
        return wholeDifferences(path, value, actual);
      case "$list":
        return listDifferences(path, value as unknown[], actual, (...pair) => valueDifferences(...pair, context));
      case "$contains":
        return [value as string | string[]]
          .flat()
          .filter((part) => typeof actual !== "string" || !actual.includes(part))
          .map((part) => `${path}: expected a text with ${show(part)}, got ${show(actual)}`);
    }
    if (typeof actual !== "object" || actual === null || Array.isArray(actual))
      return [`${path}: expected an object, got ${show(actual)}`];
    if (key !== "$source") return valueDifferences(`${path}.${key}`, value, own(actual, key), context);
    const span = own(actual, "span") as Span | undefined;
    const text = span && context.source.slice(span.start, span.end);
    return textDifferences(`${path} (source)`, value as VectorText, text, { ...context, trim: true });
  });
}

function textDifferences(path: string, expected: VectorText, actual: unknown, { trim }: CompareContext): string[] {
  const wanted = expandText(expected);
  const same = typeof actual === "string" && (trim ? wanted.trimEnd() === actual.trimEnd() : wanted === actual);
  return same ? [] : [`${path}: expected ${show(wanted)}, got ${show(actual)}`];
}

function listDifferences(
  path: string,
  expected: readonly unknown[],
  actual: unknown,
  compare: (path: string, expected: unknown, actual: unknown) => string[],
): string[] {
  if (!Array.isArray(actual)) return [`${path}: expected a list, got ${show(actual)}`];
  if (actual.length !== expected.length)
    return [`${path}: expected ${expected.length} elements, got ${actual.length}: ${show(actual)}`];
  return expected.flatMap((item, index) => compare(`${path}[${index}]`, item, actual[index]));
}

/** Compares data whole and by own keys, so that `__proto__` counts like any other key. Texts may be in pieces. */
function wholeDifferences(path: string, expected: unknown, actual: unknown): string[] {
  if (Array.isArray(expected) && expected.length > 0 && typeof actual === "string")
    return textDifferences(path, expected as VectorText, actual, { source: "" });
  if (Array.isArray(expected)) return listDifferences(path, expected, actual, wholeDifferences);
  if (typeof expected !== "object" || expected === null)
    return Object.is(expected, actual) ? [] : [`${path}: expected ${show(expected)}, got ${show(actual)}`];
  if (typeof actual !== "object" || actual === null || Array.isArray(actual))
    return [`${path}: expected ${show(expected)}, got ${show(actual)}`];
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys].flatMap((key) => {
    if (!Object.hasOwn(actual, key)) return [`${path}.${key}: expected ${show(own(expected, key))}, got nothing`];
    if (!Object.hasOwn(expected, key)) return [`${path}.${key}: expected nothing, got ${show(own(actual, key))}`];
    return wholeDifferences(`${path}.${key}`, own(expected, key), own(actual, key));
  });
}

function own(object: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

/** A value as a message shows it, long ones cut. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 200)} … ${text.slice(-80)}` : text;
}
