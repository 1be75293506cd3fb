import type { Locale } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { DialectId } from "../table/ids.ts";
import type { DialectRow } from "../table/types.ts";
import { readTools, type ToolShape } from "../tools.ts";
import type { DialectTool } from "../types.ts";
import { neutralizeMarks } from "./neutralize-marks.ts";
import { renderNamespace } from "./render-namespace.ts";
import { writeCalls } from "./serialize.ts";

const words: Record<Locale, { heading: string; call: string; several: string; channel: string }> = {
  en: {
    heading: "# Tools\n\nThese are the functions that you can call:",
    call: "To call a function, end your answer with a call in this form, and with nothing behind it:",
    several: "Several calls follow one another. Write your reasoning before the calls.",
    channel: "Calls of these functions go to the commentary channel.",
  },
  zh: {
    heading: "# 工具\n\n可以调用以下函数：",
    call: "要调用函数，请在回答的末尾按以下格式写出调用，其后不要再写任何内容：",
    several: "多个调用依次写出。思考过程写在调用之前。",
    channel: "对这些函数的调用写入 commentary 频道。",
  },
};

const renderers = {
  hermes: renderJson,
  "qwen-xml": renderElements,
  glm: renderJson,
  harmony: renderNamespace,
} satisfies Partial<Record<DialectId, (tools: readonly ToolShape[]) => string>>;

/** Shows the tools of a dialect that is at hand, as `renderTools` does. */
export function renderRow(dialect: DialectRow, tools: readonly DialectTool[], locale: Locale = "en"): string {
  if (!Object.hasOwn(renderers, dialect.id))
    throw new TypeError(
      `renderTools: ${dialect.id} has no text for its tools. It is for ${Object.keys(renderers).join(", ")}; let the server's chat template show the tools to other models.`,
    );
  const known = readTools("renderTools", tools);
  if (known.length === 0) return "";
  const { heading, call, several, channel } = words[locale];
  const list = renderers[dialect.id as keyof typeof renderers](known);
  const example = writeCalls(dialect, [
    { name: "function_name", input: { first_argument: "text", second_argument: 2 } },
  ]);
  const note = dialect.id === "harmony" ? channel : several;
  return `${[`${heading}\n\n${list}`, `${call}\n\n${example}`, note].join("\n\n")}\n`;
}

/** One line of JSON for each tool. */
function renderJson(tools: readonly ToolShape[]): string {
  const lines = tools.map(({ name, description, schema }) =>
    neutralizeMarks(
      JSON.stringify({ type: "function", function: { name, ...(description && { description }), parameters: schema } }),
    ),
  );
  return `<tools>\n${lines.join("\n")}\n</tools>`;
}

/** Elements for each tool and each of its parameters. */
function renderElements(tools: readonly ToolShape[]): string {
  const functions = tools.map(({ name, description, schema }) => {
    const { type: _, properties = {}, required, ...rest } = schema;
    const parameters = Object.entries(properties).map(([key, property]) => {
      const { type, description: about, ...more } = isObject(property) ? property : {};
      const parts = [element("name", key), element("type", type), element("description", about), ...others(more)];
      return `<parameter>\n${parts.filter(Boolean).join("\n")}\n</parameter>`;
    });
    const inner = [...parameters, ...others(rest), element("required", required)].filter(Boolean);
    const head = [element("name", name), element("description", description)].filter(Boolean).join("\n");
    return `<function>\n${head}\n<parameters>\n${inner.map((part) => `${part}\n`).join("")}</parameters>\n</function>`;
  });
  return `<tools>\n${functions.join("\n")}\n</tools>`;
}

/** Further keywords of a schema, each as an element with JSON. */
function others(keywords: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(keywords).map(([key, value]) =>
    /^[\w$-]+$/.test(key) ? element(key, typeof value === "string" ? JSON.stringify(value) : value) : "",
  );
}

/** Returns an element; nothing for no value. Text in it can't end it. */
function element(name: string, value: unknown): string {
  const text = typeof value === "string" ? value.trim() : value === undefined ? "" : JSON.stringify(value);
  return text === "" ? "" : `<${name}>${neutralizeMarks(text).replaceAll("</", "<\u200b/")}</${name}>`;
}
