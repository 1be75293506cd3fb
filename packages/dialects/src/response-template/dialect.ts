import { checkKeys } from "@toolglot/core";
import { type TemplateDialect, templateReading } from "../table/template-dialect.ts";
import type { Dialect } from "../table/types.ts";
import { finderOf } from "./delimiter.ts";
import { readerOf } from "./response-parser.ts";
import { compileTemplate, type Field } from "./template.ts";
import type { TemplateReading } from "./template-reading.ts";
import { TemplateText } from "./template-text.ts";
import type { ResponseTemplate } from "./types.ts";

/**
 * Returns the dialect that a checkpoint's response template reads, for `parse`, `createParser`, `parseStream`, `recoverToolCalls` and
 * `dialectProtocol` of `@toolglot/dialects`. It is read only: `serialize` refuses it.
 *
 * Calls are the values of the field `tool_calls`, of the shape `{ type: "function", function: { name, arguments } }`; reasoning is in the
 * fields `thinking`, `reasoning` and `reasoning_content`, text in other fields of texts. What no field takes is not shown. A call's `raw` is
 * the text of its region. Values that the template has as texts are typed by the schemas of tools.
 *
 * @param options `id`: the value of `block.dialect`. Default `template`.
 * @throws TypeError for a template that is wrong, as `checkResponseTemplate`.
 *
 * @example
 * ```ts
 * const dialect = dialectFromTemplate(JSON.parse(tokenizerConfig).response_template);
 * const { calls } = recoverToolCalls(answer, tools, { dialect });
 * ```
 */
export function dialectFromTemplate(template: ResponseTemplate, options: { id?: string } = {}): Dialect {
  checkKeys("dialectFromTemplate", options, "id:text");
  const { anchor, fields } = compileTemplate(template, true);
  const [rest] = compileTemplate({ start_anchor: "-", fields: { "": {} } }).fields as [Field];
  const reading: TemplateReading = {
    // A message that lacks a field is read like any other.
    fields: fields.map((field) => ({ ...field, own: { ...field.own, optional: true } })),
    rest,
    reader: (some, onEvent, begins) =>
      readerOf(
        { anchor, defaults: {}, fields: some as readonly Field[] },
        "",
        new Map(),
        onEvent,
        begins as Field | undefined,
      ),
    closer(field, text) {
      const { close } = field as Field;
      return close && finderOf(close).nextShort({ text, base: 0 }, 0, true);
    },
  };
  const dialect: TemplateDialect = {
    id: options.id ?? "template",
    engine: "template",
    models: [],
    evidence: "template",
    example: { text: "", calls: [] },
    open: [],
    call: { name: { at: "only-key" } },
    arguments: {},
    values: "json",
    reasoning: [],
    stops: [],
    suffix: "text",
    write: false,
    [templateReading]: (host) => new TemplateText(reading, host),
  };
  return dialect;
}
