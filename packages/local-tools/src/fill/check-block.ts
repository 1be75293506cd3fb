import type { ToolCall, ToolErrorInfo } from "@toolglot/core";
import { errorInfo } from "../executor/shell-outcome.ts";
import type { ValueSource } from "./door.ts";
import { namesIn } from "./placeholders.ts";
import { unknownValue, valueLocked, valueNotAllowed } from "./refusals.ts";

/** What a block is checked with. */
export interface BlockCheck {
  /** Undefined: there are none. */
  values: ValueSource | undefined;
  /** Whether a tool is one of this machine. */
  isLocal: (name: string) => boolean;
  /** Foreign tools get placeholders as they are written, unfilled. */
  foreignValues: boolean;
}

/**
 * Why nothing of a block may run, for each of its calls; undefined when it may. Those around a call that is refused may assume that it
 * ran. Nobody is asked for a value before this: a block that asks for one and uses it at once is refused.
 */
export async function checkBlock(calls: readonly ToolCall[], check: BlockCheck): Promise<ToolErrorInfo[] | undefined> {
  const used = calls.map((call) => namesIn(call.input));
  if (used.every((names) => names.length === 0)) return undefined;
  const asked = new Set(
    calls.filter(({ name }) => name === "get_value").map(({ input }) => (input as { key?: unknown }).key),
  );
  const refuse = (type: string, others: string, messageFor: (index: number) => string | undefined): ToolErrorInfo[] =>
    calls.map((_, index) => ({ type, message: messageFor(index) ?? `Not run: ${others}` }));

  const pending = used.flat().find(({ name }) => asked.has(name));
  if (pending !== undefined) {
    const message = `${pending.name} is asked for in this block: write ${pending.written} from the next turn on. Nothing of this block was run.`;
    return refuse("ValuePending", "another call of this block uses a value that is still asked for.", (index) =>
      used[index]?.some(({ name }) => name === pending.name) ? message : undefined,
    );
  }
  const known = (await check.values?.known()) ?? new Map<string, unknown>();
  const unknown = used.map((names) => names.filter(({ name }) => !known.has(name)));
  if (unknown.some((names) => names.length > 0)) {
    return refuse("UnknownValue", "another call of this block asks for a value that is not known.", (index) => {
      const names = unknown[index] ?? [];
      return names.length === 0
        ? undefined
        : unknownValue(
            names.map(({ written }) => written),
            known.keys(),
            "Nothing of this block was run.",
          ).message;
    });
  }
  const isForeign = (call: ToolCall | undefined): boolean =>
    call !== undefined && call.name !== "get_value" && !check.isLocal(call.name);
  if (!check.foreignValues && calls.some((call, index) => isForeign(call) && (used[index]?.length ?? 0) > 0)) {
    return refuse(
      "ValueNotAllowed",
      "another call of this block gives a value to a tool that may not have it.",
      (index) => {
        const names = used[index] ?? [];
        if (!isForeign(calls[index]) || names.length === 0) return undefined;
        return valueNotAllowed(
          names.map(({ written }) => written),
          calls[index]?.name ?? "",
        ).message;
      },
    );
  }
  try {
    for (const { name } of used.flat()) {
      // The first use of a kept value unlocks where it is.
      await check.values?.get(name).catch((error: unknown) => {
        throw valueLocked(name, error);
      });
    }
  } catch (error) {
    const { type, message } = errorInfo(error);
    return refuse(type, "a value that this block uses can't be read.", (index) =>
      (used[index]?.length ?? 0) > 0 ? message : undefined,
    );
  }
  return undefined;
}
