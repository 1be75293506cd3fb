import type { ToolCall, ToolError, ToolErrorInfo } from "@toolglot/core";
import { valueError } from "../errors.ts";
import type { ValueSource } from "./placeholder-filler.ts";
import { namesIn, placeholder } from "./placeholders.ts";
import { type Asked, unknownValue, valueLocked, valueNotAllowed } from "./refusals.ts";

/** What the values of a block of calls are checked with. */
export interface BlockCheck {
  /** Undefined: there are none. */
  values: ValueSource | undefined;
  /** Whether a tool fills in its placeholders here. */
  isLocal: (name: string) => boolean;
  /** Foreign tools get placeholders as they are written, unfilled. */
  foreignValues: boolean;
}

/** Why a call can't have the values that it asks for. */
type Problem = (asked: Asked, tool: string) => ToolError | undefined;

/**
 * Returns why nothing of a block may run, for each of its calls; undefined when it may. Those around a call that is refused may assume that it
 * ran. Nobody is asked for a value before this: a block that asks for one and uses it at once is refused.
 */
export async function checkBlock(
  calls: readonly ToolCall[],
  { values, isLocal, foreignValues }: BlockCheck,
): Promise<ToolErrorInfo[] | undefined> {
  const used = calls.map(({ input }) => namesIn(input));
  if (used.every((names) => names.length === 0)) return undefined;
  const refuse = (others: string, problem: Problem): ToolErrorInfo[] | undefined => {
    const errors = used.map((asked, index) =>
      asked.length === 0 ? undefined : problem(asked, calls[index]?.name ?? ""),
    );
    const first = errors.find((error) => error !== undefined);
    const type = String(first?.data.type);
    return (
      first &&
      errors.map((error) => ({ type, message: error?.message ?? `Not run: another call of this block ${others}` }))
    );
  };
  const keys = new Set(
    calls.filter(({ name }) => name === "get_value").map(({ input }) => (input as { key?: unknown }).key),
  );
  const known = (await values?.known()) ?? new Map<string, unknown>();
  const refused =
    refuse("uses a value that is still asked for.", (asked) => {
      const pending = asked.find(({ name }) => keys.has(name));
      return pending && valuePending(pending.name);
    }) ??
    refuse("asks for a value that is not known.", (asked) => {
      const unknown = asked.filter(({ name }) => !known.has(name));
      return unknown.length === 0 ? undefined : unknownValue(unknown, known.keys(), "Nothing of this block was run.");
    }) ??
    refuse("gives a value to a tool that may not have it.", (asked, tool) =>
      foreignValues || tool === "get_value" || isLocal(tool) ? undefined : valueNotAllowed(asked, tool),
    );
  if (refused) return refused;
  for (const { name } of used.flat()) {
    try {
      // The first use of a kept value unlocks where it is.
      await values?.get(name);
    } catch (error) {
      return refuse("uses a value that can't be read.", () => valueLocked(name, error));
    }
  }
  return undefined;
}

function valuePending(name: string): ToolError {
  const message = `${name} is asked for in this block: write ${placeholder(name)} from the next turn on. Nothing of this block was run.`;
  return valueError("ValuePending", message);
}
