import type { JsonValue, Span } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { CallDraft } from "../scan/call-draft.ts";
import type { TemplateHost } from "../table/template-dialect.ts";
import type { TemplateField } from "./template-reading.ts";

/** How the region of a call ended. */
interface RegionEnd {
  /** Else the text ended in it. */
  closed: boolean;
  span: Span;
}

/** Takes a value of `tool_calls` as a call; none where its region can't be read. */
export function takeTemplateCall(
  call: CallDraft,
  value: JsonValue | undefined,
  { content, close }: TemplateField,
  { closed, span }: RegionEnd,
  { asObject, typeText }: TemplateHost,
): void {
  const isJson = content.parser === "json";
  const hasTexts = /-/.test(content.parser) && (content.values?.parser ?? "text") === "text";
  const whole = isObject(value) ? value : {};
  const { name, arguments: given = null } = isObject(whole.function) ? whole.function : {};
  if (typeof whole.id === "string") call.id = whole.id;
  if (typeof name === "string") call.named(name, span);
  // Their text may itself be JSON.
  const input = typeof given === "string" ? asObject(given) : (given ?? {});
  if (!closed && !(isJson && isObject(input) && value !== undefined)) call.fail("truncated", span);
  else if (value === undefined) call.fail(isJson ? "invalid-json" : "invalid-arguments", span);
  else if (!isObject(input)) call.fail("invalid-arguments", span);
  else {
    if (!closed && close) call.slip("unclosed", span);
    for (const key of Object.keys(input)) {
      const argument = call.argument(key);
      const own = input[key] as JsonValue;
      const { schema, root } = argument.types;
      if (hasTexts && typeof own === "string") argument.typed(typeText(own, schema, root), span);
      else argument.value(own, span);
    }
  }
}
