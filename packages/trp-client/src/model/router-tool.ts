import type { Locale, ToolDefinition } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";
import type { TrpClient } from "../types.ts";
import { catalogLines } from "./lines.ts";

/** Options of {@link routerTool}. */
export interface RouterToolOptions {
  /** Default `en`. */
  locale?: Locale;
  /** Default `router`. */
  name?: string;
  /** With more capabilities than this, the model searches instead of reading them all. Default 40. */
  inlineLimit?: number;
}

/** Of the capabilities that search the catalog: the tool has words of its own for them. */
const catalogFamily = "cap.trp.catalog.";

/** What a model sees of a catalog. */
export function shownRows(rows: readonly AliasRow[]): AliasRow[] {
  return rows.filter(({ cap_id: capId }) => !capId.startsWith(catalogFamily));
}

/**
 * Returns the one tool of a model that works through a router (TRP v0.1 draft, 1.1), with the catalog in its description.
 *
 * @example
 * ```ts
 * const tool = await routerTool(client);
 * ```
 */
export async function routerTool(client: TrpClient, options: RouterToolOptions = {}): Promise<ToolDefinition> {
  checkKeys("routerTool", options, 'locale:"zh"|"en" name:text inlineLimit:number');
  const { locale = "en", name = "router", inlineLimit = 40 } = options;
  const rows = shownRows((await client.catalog()).rows);
  const words = wording[locale];
  const isLarge = rows.length > inlineLimit;
  const catalog = isLarge ? words.large(rows.length) : catalogLines(rows).join("\n");
  return {
    name,
    description: `${words.intro}\n${words.rules.map((rule) => `- ${rule}`).join("\n")}\n\n${words.heading}\n${catalog}`,
    inputSchema: {
      type: "object",
      properties: {
        calls: {
          type: "array",
          minItems: 1,
          maxItems: 32,
          description: words.calls,
          items: {
            type: "object",
            properties: {
              idx: { type: "integer", minimum: 0, description: words.idx },
              name: { type: "string", description: words.name },
              args: { type: "object", description: words.args },
            },
            required: ["idx", "name", "args"],
            additionalProperties: false,
          },
        },
        describe: { type: "array", minItems: 1, maxItems: 8, items: { type: "string" }, description: words.describe },
        search: { type: "string", description: words.search },
      },
      additionalProperties: false,
    },
  };
}

const wording = {
  en: {
    intro: "Calls capabilities. Give exactly one of: calls, describe, search.",
    rules: [
      "A call names a capability by its idx and its name, both as the catalog has them, and gives args by name.",
      "Calls that don't need each other's results go together, in one list of calls. They are done in order; those that only read run side by side.",
      "R reads, W changes something. !HIGH and !CRITICAL may wait for a person's approval: then say so, and don't repeat the call.",
      "An argument with ? may be left out. The type follows the name, unless it is a string. For any, and when a call is refused for its args, describe the capability first.",
      "When it is unknown whether a call took effect, don't call it again: find out first.",
    ],
    heading: "Catalog, one capability per line: idx name(args) flags what it does",
    large: (count: number) =>
      `There are ${count} capabilities. Search by what is to be done: the answer has their lines.`,
    calls: "Calls to make.",
    idx: "Number in the catalog.",
    name: "Name beside that number.",
    args: "Arguments by name.",
    describe: "Names of capabilities to get schema, rules and examples of.",
    search: "A few words on what is to be done; gives lines of the catalog.",
  },
  zh: {
    intro: "调用各种能力。calls、describe、search 三者必须且只能给出一个。",
    rules: [
      "每个调用用 idx 和 name 指明能力，两者都要与目录一致，args 按参数名给出。",
      "互不依赖的调用放在同一个 calls 列表里。它们按顺序执行，只读的会并行。",
      "R 为只读，W 会改变状态。!HIGH 和 !CRITICAL 可能要等人审批：这时请说明，不要重复调用。",
      "带 ? 的参数可省略。类型写在名字后面，字符串不写。类型为 any，或因参数被拒绝时，先 describe 该能力。",
      "如果不知道调用是否已生效，不要再次调用，先查明。",
    ],
    heading: "目录，每行一个能力：idx 名称(参数) 标志 用途",
    large: (count: number) => `共有 ${count} 个能力。请用 search 按要做的事查找，回答会给出对应的目录行。`,
    calls: "要执行的调用。",
    idx: "目录中的编号。",
    name: "该编号旁的名称。",
    args: "按名称给出的参数。",
    describe: "要查看 schema、规则和示例的能力名称。",
    search: "用几个词说明要做什么，返回目录行。",
  },
} as const;
