import { isJson, isObject } from "@toolglot/internal";
import { maxTools, unusableKey } from "./listing.ts";
import type { ClientModule } from "./load-client.ts";
import { mendedKey } from "./mended.ts";

/** Issue that a protocol's own schema finds in a value. */
interface Issue {
  path: (string | number)[];
  message: string;
  /** Of a union: the issues of each of its members. */
  errors?: Issue[][];
}

type SpecType = keyof ClientModule["specTypeSchemas"];

/** What answers to a method are. */
const results: Readonly<Record<string, SpecType>> = {
  initialize: "InitializeResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
};

/** Rounds of looking for faults that others hid before they were mended, and how many faults are reported. */
const maxRounds = 8;
const maxNotes = 20;

/**
 * Returns a result as the protocol's own schema wants it: what is optional and wrong (as `null` for what is absent) is left out, an item
 * of a list that can't be read is replaced by a note of that, and what is needed and wrong stays, for the caller to fail at.
 * What was mended is noted under {@link mendedKey} of `_meta`. Changes the value. Nothing is changed in a result that fits.
 */
export function mendResult(sdk: ClientModule, method: string | undefined, value: unknown): unknown {
  const type = method === undefined ? undefined : results[method];
  if (type === undefined || !isObject(value) || sdk.isInputRequiredResult(value)) return value;
  const mends: Mends = new Map();
  if (method === "tools/call") readCallResult(value, mends);
  if (method === "tools/list" && Array.isArray(value.tools)) {
    // One more than may be: so it is seen that there are more.
    value.tools = value.tools.slice(0, maxTools + 1).map((tool, index) => mendTool(sdk, tool, index));
  }
  for (const issue of rounds(sdk, type, value)) mendAt(value, issue, mends);
  if (mends.size === 0) return value;
  const all = notesOf(mends);
  const notes = all.length > maxNotes ? [...all.slice(0, maxNotes), `and ${all.length - maxNotes} more`] : all;
  value._meta = { ...(isObject(value._meta) && value._meta), [mendedKey]: notes };
  return value;
}

/** What was mended: by its path what was wrong there. */
type Mends = Map<string, string>;

const notesOf = (mends: Mends): string[] => [...mends].map(([path, message]) => `${path}: ${message}`);

/** Emits what a schema has against a value, again after each round of mending, until it has nothing or nothing changes. */
function* rounds(sdk: ClientModule, type: SpecType, value: unknown): Generator<Issue> {
  for (let round = 0; round < maxRounds; round++) {
    const issues = issuesOf(sdk, type, value);
    if (issues.length === 0) return;
    const before = JSON.stringify(value);
    // From the end, as items are taken out of lists.
    yield* issues.reverse();
    if (JSON.stringify(value) === before) return;
  }
}

function issuesOf(sdk: ClientModule, type: SpecType, value: unknown): Issue[] {
  const checked = sdk.specTypeSchemas[type]["~standard"].validate(value) as { issues?: readonly Issue[] };
  return [...(checked.issues ?? [])].map(closest);
}

/** Returns, of a union, the issue of the member that the value is meant to be: the one whose `type` fits. */
function closest(issue: Issue): Issue {
  const meant = issue.errors?.find((errors) => errors.length > 0 && !errors.some(({ path }) => path[0] === "type"));
  const [inner] = meant ?? [];
  return inner === undefined ? issue : closest({ ...inner, path: [...issue.path, ...inner.path] });
}

/** Leaves out what is wrong. Where something needed is missing, that is what it is missing in. */
function mendAt(root: Record<string, unknown>, { path, message }: Issue, mends: Mends): void {
  const steps = [...path];
  while (steps.length > 0 && valueIn(root, steps) === undefined) steps.pop();
  // A union's issue means that no member fits: the item goes, not the list that it is in.
  const last = steps.pop();
  const holder = valueIn(root, steps);
  if (last === undefined || typeof holder !== "object" || holder === null) return;
  const given = (holder as Record<string | number, unknown>)[last];
  if (isMended(given)) return;
  // What was left out for a fault is needed after all: the fault is that one.
  const why = mends.get(path.join(".")) ?? message;
  mends.set(path.join("."), why);
  if (!Array.isArray(holder)) delete (holder as Record<string | number, unknown>)[last];
  else holder.splice(last as number, 1, ...(steps.at(-1) === "content" ? [unreadable(given, why)] : []));
}

/** Returns a block that can't be read, as a line of text in its place. */
function unreadable(given: unknown, message: string): unknown {
  const { type } = isObject(given) ? given : {};
  const kind = typeof type === "string" ? `of the type ${JSON.stringify(type.slice(0, 40))}` : "without a type";
  const text = `[The server gave a block ${kind}, which can't be read: ${message}.]`;
  return { type: "text", text, _meta: { [mendedKey]: true } };
}

const isMended = (value: unknown): boolean =>
  isObject(value) && isObject(value._meta) && value._meta[mendedKey] === true;

function valueIn(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | undefined | null)?.[key],
    root,
  );
}

/** Mends `isError`, `content` and `structuredContent` into what they are meant to be. */
function readCallResult(result: Record<string, unknown>, mends: Mends): void {
  const { isError, content, structuredContent } = result;
  if (isError === "true" || isError === 1) result.isError = true;
  if (isError === "false" || isError === 0) result.isError = false;
  if (typeof content === "string") result.content = [{ type: "text", text: content }];
  else if (isObject(content)) result.content = [content];
  if (structuredContent === undefined || isObject(structuredContent)) return;
  // The older revisions take only an object.
  delete result.structuredContent;
  if (structuredContent === null) return;
  const blocks = Array.isArray(result.content) ? result.content : [];
  if (blocks.length === 0) result.content = [{ type: "text", text: JSON.stringify(structuredContent) }];
  mends.set("structuredContent", "expected an object");
}

/** Mends one tool of a list: its fault costs that tool at most. One that can't be called is replaced by one that names the reason. */
function mendTool(sdk: ClientModule, given: unknown, index: number): unknown {
  const tool = isObject(given) ? given : {};
  const { name } = tool;
  const isNamed = typeof name === "string" && name !== "";
  const shown = isNamed ? name.slice(0, 200) : `number ${index + 1}`;
  // It could not be walked through, and neither could the list that it is in.
  if (!isJson(tool)) return unusableTool(shown, "its description is nested too deeply");
  const own: Mends = new Map();
  if (isNamed && isObject(tool.inputSchema)) {
    dropNulls(tool.inputSchema);
    dropNulls(tool.outputSchema);
    const { outputSchema } = tool;
    if (outputSchema !== undefined && !(isObject(outputSchema) && outputSchema.type === "object")) {
      // The older revisions take only that of an object; answers are not held against it.
      if (outputSchema !== null) own.set("outputSchema", "expected the schema of an object");
      delete tool.outputSchema;
    }
    for (const issue of rounds(sdk, "Tool", tool)) mendAt(tool, issue, own);
  }
  const [left] = issuesOf(sdk, "Tool", tool);
  if (isNamed && left === undefined) {
    if (own.size > 0) tool._meta = { ...(isObject(tool._meta) && tool._meta), [mendedKey]: notesOf(own) };
    return tool;
  }
  const fault = notesOf(own)[0] ?? (left && `${left.path.join(".")}: ${left.message}`);
  const why = isNamed ? `its description can't be read (${fault})` : "it has no name";
  return unusableTool(shown, why);
}

function unusableTool(name: string, why: string): object {
  return { name, inputSchema: { type: "object" }, _meta: { [unusableKey]: why } };
}

/** Keywords whose values are data of the tool's own, in which `null` has a meaning. */
const ofData = /^(?:default|const|enum|examples)$/;
/** Keywords whose members are names, and no keywords. */
const ofNames = /^(?:properties|patternProperties|\$defs|definitions|dependentSchemas)$/;

/** Servers whose language has nil lists write `null` for a keyword that is absent. */
function dropNulls(schema: unknown, areNames = false): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (value === null && !Array.isArray(schema) && (areNames || !ofData.test(key))) {
      delete (schema as Record<string, unknown>)[key];
    } else if (areNames || !ofData.test(key)) dropNulls(value, !areNames && ofNames.test(key));
  }
}
