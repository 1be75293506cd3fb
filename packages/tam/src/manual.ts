import { createRecord, type ToolDefinition, toJsonText } from "@toolglot/core";
import {
  manualWording,
  oneLine,
  paramLine,
  type RenderManualOptions,
  sample,
  textOf,
  typeText,
} from "@toolglot/core/manual";
import { checkKeys } from "@toolglot/internal";
import { makeStep } from "./fields/make-block.ts";
import { declaredParams, normalizeKey, reservedKey } from "./names.ts";
import { plainBody, serialize } from "./serialize.ts";

/** Beyond so many tools, each is one line. */
const longList = 100;

/**
 * Returns the tools as a model that writes TAM reads them: of each its name, description and parameters, and whether it is
 * asynchronous; and one call at the end, since all are written alike. Parameter names are normalised, as models write them;
 * one that means something else in a block (`command`, `retry`) stands as `common_command`, which means the same. The call
 * is the first example of a tool whose input can stand in a block, else made from a schema: required parameters, `…` for texts.
 * Of more than 100 tools each has one line: its parameters, and the first line of its description.
 */
export function renderManual(tools: readonly ToolDefinition[], options: RenderManualOptions = {}): string {
  checkKeys("renderManual", options, 'locale:"zh"|"en"');
  const words = manualWording[options.locale ?? "en"];
  if (tools.length === 0) return words.noTools;
  const isLong = tools.length > longList;
  const entries = tools.map((tool) => {
    const { names, schemas, required, others } = declaredParams(tool);
    const params = names.map((name) => [fieldKey(name), schemas.get(name) ?? true, required.includes(name)] as const);
    const listed = others === undefined ? params : [...params, [`[${words.others}]`, others, false] as const];
    if (isLong) {
      const shown = listed.map(
        ([key, schema, needed]) => `${key}${needed ? "" : "?"}: ${typeText(schema, tool.inputSchema)}`,
      );
      const [about = ""] = textOf(tool.description).split("\n", 1);
      return `${oneLine(tool.name)} (${shown.join(", ")})${about && `: ${about}`}`;
    }
    return [
      `### ${oneLine(tool.name)}`,
      ...(tool.description.trim() ? [textOf(tool.description)] : []),
      ...(listed.length > 0 ? [] : [words.noParams]),
      ...listed.map(([key, schema, isRequired]) =>
        paramLine(key, schema, tool.inputSchema, words, [isRequired && words.required]),
      ),
      ...(tool.annotations?.async ? [words.async] : []),
    ].join("\n");
  });
  const shown = example(tools);
  return [...(isLong ? [entries.join("\n")] : entries), ...(shown ? [`${words.example}\n${shown}`] : [])].join("\n\n");
}

/** Returns a parameter's name as a field has it. */
function fieldKey(name: string): string {
  const key = normalizeKey(name) || oneLine(name);
  return reservedKey.test(key) ? `common_${key}` : key;
}

/** Writes one call: of the first tool that shows one which a block can hold in plain text. */
function example(tools: readonly ToolDefinition[]): string {
  const given = tools.flatMap((tool) => (tool.examples ?? []).map(({ input }) => ({ tool, input })));
  const made = tools.map((tool) => {
    const { names, required, schemas } = declaredParams(tool);
    const needed = required.length > 0 ? required : names.slice(0, 1);
    const input = () =>
      Object.fromEntries(needed.map((name) => [name, sample(schemas.get(name) ?? true, tool.inputSchema)]));
    return { tool, input };
  });
  for (const { tool, input: known } of [...given, ...made]) {
    const input = typeof known === "function" ? known() : known;
    if (!input) continue;
    const step = makeStep(1, oneLine(tool.name));
    const common = createRecord<string>();
    for (const [name, value] of Object.entries(input)) {
      const key = normalizeKey(name);
      (reservedKey.test(key) ? common : step.params)[key] = typeof value === "string" ? value : toJsonText(value);
    }
    if (Object.values(step.params).some((text) => plainBody(text) === undefined)) continue;
    try {
      return serialize({ common, steps: [step] }).trimEnd();
    } catch {
      // No block can hold this one: the next may fit.
    }
  }
  return "";
}
