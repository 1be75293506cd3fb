import { isObject } from "@toolglot/internal";
import type { ToolShape } from "../tools.ts";
import { neutralizeMarks } from "./neutralize-marks.ts";

/** Elements for each tool and each of its parameters. */
export function renderElements(tools: readonly ToolShape[]): string {
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
