import { isObject } from "./json.ts";

/** Returns the steps of a JSON pointer (RFC 6901); undefined for what is none. */
export function pointerSteps(pointer: string): string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined;
  const steps = pointer.slice(1).split("/");
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value at the end of some steps, own properties only; undefined when there is none. */
export function valueAt(root: unknown, steps: readonly string[]): unknown {
  let value = root;
  for (const step of steps) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d{0,8})$/.test(step) ? value[Number(step)] : undefined;
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

/** As a router's `ShapedResult`: `data` was cut for a model, and what was cut is in `artifacts`. */
interface CutResult {
  data: unknown;
  artifacts: readonly { artifact_id: string; media_type: string; path?: string }[];
}

/**
 * Puts back what was cut out of a router's result for the model: its artifacts have it whole. Binary values stay handles.
 * `read` returns an artifact's text. Returns undefined when something of it can't be read any more.
 */
export async function wholeResult<Result extends CutResult>(
  result: Result,
  read: (artifactId: string) => Promise<string | undefined>,
): Promise<Result | undefined> {
  const whole = structuredClone(result);
  for (const { artifact_id: id, media_type: type, path = "" } of result.artifacts) {
    const steps = pointerSteps(path);
    const cut = steps && valueAt(whole.data, steps);
    if (isObject(cut) && cut.artifact_id === id) continue;
    const text = cut === undefined ? undefined : await read(id);
    if (steps === undefined || text === undefined) return undefined;
    const all = ["data", ...steps];
    const holder = valueAt(whole, all.slice(0, -1)) as Record<string, unknown>;
    holder[all.at(-1) as string] = type.startsWith("text/plain") ? text : JSON.parse(text);
  }
  return whole;
}
