import { nearest } from "@toolglot/core";
import { isObject, typeOf } from "@toolglot/internal";
import type { Node } from "jsonc-parser";
import type { BaseIssue, GenericSchema } from "valibot";
import { safeParse } from "valibot";
import { membersOf, type Path, type ProblemText } from "./source.ts";

/** Tells a problem of what stands at a path; with `key`, of the member's name. */
export type Report = (path: Path, problem: ProblemText, keyNode?: Node) => void;

/** What schemas are made of, as far as it says which keys there can be. */
interface Parts {
  type?: string;
  entries?: Record<string, Parts>;
  item?: Parts;
  value?: Parts;
  wrapped?: Parts;
  options?: readonly Parts[];
  default?: unknown;
}

/** Returns the keys that an object of a schema can have. */
export const keysOf = (schema: GenericSchema): string[] => Object.keys((schema as Parts).entries ?? {});

/** Tells every key that a schema of closed objects doesn't have, wherever it stands. */
export function reportUnknownKeys(schema: GenericSchema, node: Node, path: Path, report: Report): void {
  walkKeys(partsOf(schema as Parts, node), node, path, report);
}

function walkKeys(schema: Parts | undefined, node: Node, path: Path, report: Report): void {
  if (schema === undefined) return;
  if (node.type === "array" && schema.item !== undefined) {
    for (const [index, inner] of (node.children ?? []).entries())
      walkKeys(partsOf(schema.item, inner), inner, [...path, index], report);
  }
  for (const { key, keyNode, value } of membersOf(node)) {
    const { entries } = schema;
    const member = entries === undefined ? schema.value : Object.hasOwn(entries, key) ? entries[key] : undefined;
    if (member !== undefined) walkKeys(partsOf(member, value), value, [...path, key], report);
    else if (entries !== undefined) report([...path, key], unknownKey(key, Object.keys(entries)), keyNode);
    // The library leaves such members out.
    if (schema.value !== undefined && /^(?:__proto__|prototype|constructor)$/.test(key)) {
      const cure = "Choose another; where it is a glob, write ? for one of its letters.";
      report([...path, key], { code: "config/value", message: "is a name that can't be used here", cure }, keyNode);
    }
  }
}

/** The parts of a schema that are about a node of this kind. */
function partsOf(schema: Parts, node: Node): Parts | undefined {
  if (schema.wrapped !== undefined) return partsOf(schema.wrapped, node);
  if (schema.options === undefined) return schema;
  return schema.options.find((option) => isObject(option) && (node.type === "object" ? option.entries : option.item));
}

export function unknownKey(key: string, known: readonly string[]): ProblemText {
  const [meant] = nearest(key, known, 1);
  return {
    code: "config/unknown-key",
    message: `unknown key${meant === undefined ? "" : ` (did you mean ${JSON.stringify(meant)}?)`}`,
    cure: meant === undefined ? `Leave it out: there can be ${known.join(", ")}.` : `Write ${JSON.stringify(meant)}.`,
  };
}

/** Returns the value as the schema makes it; undefined when something is wrong with it, which is reported. Unknown keys are not. */
export function checkedValue<Value>(
  schema: GenericSchema<unknown, Value>,
  value: unknown,
  path: Path,
  report: Report,
): Value | undefined {
  const { output, issues, success } = safeParse(schema, value, { abortPipeEarly: true });
  for (const issue of (issues ?? []).flatMap(deepest)) reportIssue(schema as Parts, issue, path, report);
  return success ? output : undefined;
}

/** Of a value that may be one of several, the issues with the one that it comes nearest to. */
function deepest(issue: BaseIssue<unknown>): BaseIssue<unknown>[] {
  const inner = (issue.issues ?? []).flatMap(deepest);
  const depth = Math.max(0, ...inner.map(({ path }) => path?.length ?? 0));
  if (issue.type !== "union") return [issue];
  const before = issue.path ?? [];
  if (depth === 0) {
    const word = inner.find(({ type, input }) => type === "picklist" && typeof input === "string");
    return [word === undefined ? issue : ({ ...word, ...(issue.path && { path: issue.path }) } as BaseIssue<unknown>)];
  }
  return inner
    .filter(({ path }) => path?.length === depth)
    .map((found) => ({ ...found, path: [...before, ...(found.path ?? [])] }) as BaseIssue<unknown>);
}

function reportIssue(schema: Parts, issue: BaseIssue<unknown>, start: Path, report: Report): void {
  const steps = issue.path ?? [];
  const path = steps.map(({ key }) => key as string | number);
  const last = steps.at(-1);
  if (last?.origin === "key" && (issue.type === "strict_object" || issue.type === "object")) {
    if (issue.expected === "never") return;
    const key = JSON.stringify(path.pop());
    report([...start, ...path], { code: "config/value", message: `needs ${key}`, cure: `Add ${key} to it.` });
    return;
  }
  const wanted = issue.message;
  const isWord = issue.type === "picklist" && typeof issue.input === "string";
  const wrongKind = issue.kind === "schema" && !isWord;
  const fallback = defaultAt(schema, path);
  const cure = `Write ${wanted}${fallback === undefined ? "" : `, or leave it out for the default, ${JSON.stringify(fallback)}`}.`;
  const words = isWord ? [...wanted.matchAll(/"([^"]+)"/g)].map(([, word = ""]) => word) : [];
  const [meant] = isWord ? nearest(issue.input as string, words, 1) : [];
  // What stands there is not repeated: it may have come from a variable.
  const got = wrongKind ? `, not ${kindWords[typeOf(issue.input)]}` : "";
  report([...start, ...path], {
    code: wrongKind ? "config/type" : "config/value",
    message: `must be ${wanted}${got}${meant === undefined ? "" : ` (did you mean ${JSON.stringify(meant)}?)`}`,
    cure,
  });
}

const kindWords: Readonly<Record<string, string>> = {
  null: "null",
  array: "a list",
  object: "an object",
  string: "text",
  integer: "a number",
  number: "a number",
  boolean: "true or false",
  missing: "nothing",
};

/** The default of a setting, when it is a plain one. */
function defaultAt(schema: Parts, path: Path): unknown {
  let parts: Parts | undefined = schema;
  let value: unknown;
  for (const key of path) {
    while (parts?.wrapped !== undefined) parts = parts.wrapped;
    if (parts?.options !== undefined) parts = parts.options.find(({ entries }) => entries !== undefined);
    parts = typeof key === "number" ? parts?.item : (parts?.entries?.[key] ?? parts?.value);
    value = parts?.default;
  }
  return typeof value === "object" ? undefined : value;
}
