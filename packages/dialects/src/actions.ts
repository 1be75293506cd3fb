import { type Action, isRunnable, type ToolCall, toJsonText } from "@toolglot/core";
import { textHash } from "@toolglot/core/text";
import type { DialectBlock } from "./types.ts";

/** Creates ids of calls: the model's own, with `~2` and so on where a message has one twice, or one made of the call itself. */
export class CallIds {
  readonly #used = new Map<string, number>();

  /** Returns the calls of a block, with ids. */
  callsOf({ dialect, calls, span: { start } }: DialectBlock): ToolCall[] {
    return calls.map(({ name, input, id: own, span }, index) => {
      const id = own ?? `${dialect}-${start}-${index}-${textHash(`${name} ${toJsonText(input)}`)}`;
      const count = (this.#used.get(id) ?? 0) + 1;
      this.#used.set(id, count);
      return { id: count > 1 ? `${id}~${count}` : id, name, input, span, protocol: dialect };
    });
  }
}

/** Returns what a block asks for: its calls, unless it must not run. Total. */
export function actions(block: DialectBlock, ids: CallIds = new CallIds()): Action[] {
  if (!isRunnable(block) || block.calls.length === 0) return [];
  return [{ kind: "calls", calls: ids.callsOf(block), span: block.span }];
}
