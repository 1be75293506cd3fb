import { checkKeys } from "@toolglot/core";
import { type TemplateDialect, templateReading } from "../table/template-dialect.ts";
import type { Dialect } from "../table/types.ts";
import { Finder } from "./delimiter.ts";
import { TemplateReader } from "./response-parser.ts";
import { type Compiled, compileTemplate, type Field } from "./template.ts";
import type { ResponseTemplate } from "./types.ts";

const isCalls = ({ name }: Field): boolean => name === "tool_calls";
const isReasoning = ({ name }: Field): boolean => /^(?:thinking|reasoning(?:_content)?)$/.test(name);

/**
 * Returns the dialect that a checkpoint's response template reads, for `parse`, `createParser`, `parseStream`, `recoverToolCalls` and
 * `dialectProtocol` of `@toolglot/dialects`. It is read only: `serialize` refuses it.
 *
 * Calls are the values of the field `tool_calls`, of the shape `{ type: "function", function: { name, arguments } }`; reasoning is in the
 * fields `thinking`, `reasoning` and `reasoning_content`, text in other fields of texts. What no field takes is not shown. A call's `raw` is
 * the text of its region. Values that the template has as texts are typed by the schemas of tools.
 *
 * @param options `id`: what `block.dialect` says. Default `template`.
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
  const { anchor, fields: given } = compileTemplate(template, true);
  // A message that lacks a field is read like any other.
  const fields = given.map((field) => ({ ...field, optional: true }));
  const { fields: rest } = compileTemplate({ start_anchor: "-", fields: { "": {} } });
  const message: Compiled = { anchor, defaults: {}, fields };
  const calls = { ...message, fields: [...fields.filter((field) => field.open && isCalls(field)), ...rest] };
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
    [templateReading]: {
      field(name) {
        const field = fields.find((one) => one.name === name);
        if (!field) return { kind: "text", isJson: false, closes: false, hasTexts: false };
        const { content, close, transform } = field;
        const isText = content.parser === "text" && transform === undefined;
        return {
          kind: isCalls(field) ? "calls" : !isText ? "none" : isReasoning(field) ? "reasoning" : "text",
          isJson: content.parser === "json",
          closes: close !== undefined,
          hasTexts: /-/.test(content.parser) && (content.valueParser?.parser ?? "text") === "text",
        };
      },
      reader: (part, onEvent) =>
        new TemplateReader(
          part === "calls" ? calls : message,
          "",
          new Map(),
          onEvent,
          part === "open" ? fields.find(isReasoning) : undefined,
        ),
      closer(text) {
        for (const { close } of fields.filter(isReasoning)) {
          const hit = close && new Finder(close).nextShort({ text, base: 0 }, 0, true);
          if (hit) return hit;
        }
        return undefined;
      },
    },
  };
  return dialect;
}
