import type { JsonObject, JsonValue, Span } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { jsonBodyWith } from "../bodies.ts";
import type { CallDraft } from "../scan/call-draft.ts";
import type { BodyReader } from "../scan/parts.ts";
import { isAlone, readObject } from "./json-body.ts";

/** Takes the shapes that APIs have for calls: `{ function: { name, arguments } }`, and lists of them in `tool_calls`. */
function takeLoose(call: CallDraft, value: JsonObject, span: Span): void {
  const [first, ...others] = Array.isArray(value.tool_calls) ? value.tool_calls : [value];
  takeOne(call, first, span);
  call.others = others.map((other) => (draft, at) => takeOne(draft, other, at));
}

/** Takes a call in a shape that an API has, from a value. */
function takeOne(call: CallDraft, value: JsonValue | undefined, span: Span): void {
  const inner = isObject(value) && isObject(value.function) ? value.function : value;
  if (!isObject(inner) || typeof inner.name !== "string") return;
  const { name, ...others } = inner as JsonObject;
  call.named(name as string, span);
  call.raw = span;
  const key = call.block.row.arguments.keys?.find((one) => one in others) ?? "";
  const { [key]: given, ...rest } = others;
  const input = typeof given === "string" ? readObject(given) : (given ?? {});
  if (!isObject(input)) call.fail("invalid-arguments", span);
  else for (const [name, one] of Object.entries(input)) call.argument(name).value(one as JsonValue, span);
  isAlone(call, rest, key !== "", span);
}

/** As `jsonBody`, for what is only read: in the shapes that APIs have as well. */
export const looseBody: BodyReader = /* @__PURE__ */ jsonBodyWith(takeLoose);
