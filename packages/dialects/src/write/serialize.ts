import { isObject } from "@toolglot/internal";
import type { DialectRow } from "../table/types.ts";
import { ToolSet } from "../tools.ts";
import type { DialectTool, WrittenCall } from "../types.ts";
import { CallWriter } from "./calls.ts";
import { TagWriter } from "./tags.ts";

/** Options of `serialize`. */
export interface SerializeOptions {
  /** The tools whose schemas the text will be read with: where a dialect has no types, they decide what a text means. Default: none. */
  tools?: readonly DialectTool[];
}

/** Writes calls of a dialect that is at hand, as `serialize` does. */
export type WriteCalls = (dialect: DialectRow, calls: readonly WrittenCall[], tools?: readonly DialectTool[]) => string;

const writerWith =
  (tags?: typeof TagWriter): WriteCalls =>
  (dialect, calls, tools = []) => {
    if (!dialect.write)
      throw new TypeError(`serialize: ${dialect.id} is read, and never written. Choose another dialect.`);
    const writer = new CallWriter(dialect, new ToolSet(tools), tags);
    for (const [index, call] of calls.entries())
      if (!isObject(call) || typeof call.name !== "string" || !isObject(call.input))
        throw new TypeError(`serialize: calls[${index}] must be { name: text, input: object }`);
    return writer.run(calls);
  };

/** Writes calls of any dialect. */
export const writeCalls: WriteCalls = /* @__PURE__ */ writerWith(TagWriter);

/** Writes calls of dialects whose arguments are not tagged. */
export const writeUntagged: WriteCalls = /* @__PURE__ */ writerWith();
