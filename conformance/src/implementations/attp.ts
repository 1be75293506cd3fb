import { type AttpDocument, type AttpEvent, createParser, parse, serialize } from "@toolglot/attp";
import type { Implementation } from "../check.ts";

/** ATTP: a field's deltas have a type of their own. */
export const attp: Implementation<AttpDocument, AttpEvent> = {
  protocol: "attp",
  parse,
  createParser,
  serialize,
  deltaField: ({ type }) => (type === "status" ? undefined : { id: type }),
  finalTexts: ({ thought, toolCall }) => {
    const { code, message, target } = { code: undefined, message: undefined, target: undefined, ...toolCall };
    const texts = { "thought-delta": thought, "code-delta": code, "message-delta": message, target };
    return new Map(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined));
  },
  essence: ({ thought, toolCall, extra }) => {
    const { rawCode: _, ...rest } = { rawCode: undefined, ...toolCall };
    return { thought, toolCall: rest, extra };
  },
};
