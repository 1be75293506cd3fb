import type { JsonObject, ToolCall } from "@toolglot/core";
import { toJsonText } from "@toolglot/core";
import { inputObject } from "@toolglot/core/results";
import { type ActionWriter, actionCalls, withText } from "@toolglot/core/text";
import type { DialectRow } from "../table/types.ts";
import type { WrittenCall } from "../types.ts";
import { neutralizeMarks } from "./neutralize-marks.ts";
import type { WriteCalls } from "./serialize.ts";

/** Returns what writes actions in a dialect: a block for each. What it can't hold is JSON without power, where the nearest form will do. */
export function actionsIn(dialect: DialectRow, write: WriteCalls): ActionWriter {
  return (actions, { tools, text, nearest }) => {
    const blocks = actions.map((action) => {
      const wanted = actionCalls(action, nearest);
      if (typeof wanted === "string") return wanted;
      const calls = wanted.map((call) => asWritten(call, dialect));
      try {
        return write(dialect, calls, tools);
      } catch (error) {
        if (!nearest) throw error;
        return calls.map(({ name, input }) => neutralizeMarks(toJsonText({ name, arguments: input }))).join("\n");
      }
    });
    return withText(text, blocks.join("\n"));
  };
}

/** Only ids of the model's own are part of its text. */
function asWritten(
  call: Pick<ToolCall, "name" | "input"> & Partial<ToolCall>,
  { id: dialect }: DialectRow,
): WrittenCall {
  const { name, id, protocol } = call;
  const isOwn = id !== undefined && protocol === dialect && !id.startsWith(`${dialect}-`);
  return { name, input: inputObject(call) as JsonObject, ...(isOwn && { id }) };
}
