import type { Locale } from "@toolglot/core";
import type { ShowTools } from "../protocol-of.ts";
import { readTools, type ToolShape } from "../tools.ts";
import { neutralizeMarks } from "./neutralize-marks.ts";
import type { WriteCalls } from "./serialize.ts";

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

/** Writes the list of tools. */
export type RenderList = (tools: readonly ToolShape[]) => string;

/** Returns what shows the tools of a dialect, as `renderTools` does. */
export const showWith =
  (write: WriteCalls, render: RenderList): ShowTools =>
  (dialect, tools, locale = "en") => {
    const known = readTools("renderTools", tools);
    if (known.length === 0) return "";
    const { heading, call, several, channel } = words[locale];
    const example = write(dialect, [{ name: "function_name", input: { first_argument: "text", second_argument: 2 } }]);
    const note = dialect.id === "harmony" ? channel : several;
    return `${[`${heading}\n\n${render(known)}`, `${call}\n\n${example}`, note].join("\n\n")}\n`;
  };

/** One line of JSON for each tool. */
export function renderJson(tools: readonly ToolShape[]): string {
  const lines = tools.map(({ name, description, schema }) =>
    neutralizeMarks(
      JSON.stringify({ type: "function", function: { name, ...(description && { description }), parameters: schema } }),
    ),
  );
  return `<tools>\n${lines.join("\n")}\n</tools>`;
}
