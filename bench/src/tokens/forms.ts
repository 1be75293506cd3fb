import { attpProtocol, parse, serialize } from "@toolglot/attp";
import {
  type JsonObject,
  type Locale,
  messageText,
  type ToolDefinition,
  type ToolProtocol,
  type ToolResult,
} from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { serialize as serializeXml, toolsxmlProtocol } from "@toolglot/toolsxml";
import { type Exchange, resultOf, type Task, tools } from "./content.ts";

/** One turn with tools: what the model writes, and what comes back. */
export interface Turn {
  call: string;
  result: string;
}

/** A way of calling tools. */
export interface Form {
  name: string;
  /** Instructions without tools, and the tools as the model is shown them. */
  prompt(locale: Locale): { instructions: string; tools: string };
  /** The turns that a task takes. */
  turns(task: Task): Turn[];
}

/** A form in which a task's calls are written one by one, or side by side where they may be. */
function callsForm(
  name: string,
  prompt: Form["prompt"],
  write: (calls: readonly Exchange[], first: number) => string,
  read: (results: readonly ToolResult[], first: number) => string,
  together = ({ needs }: Task): boolean => needs === "nothing",
): Form {
  return {
    name,
    prompt,
    turns(task) {
      const groups = together(task) ? [task.calls] : task.calls.map((call) => [call]);
      return groups.map((group, first) => {
        const results = group.map(({ data, name }, at) => resultOf(data, name, at));
        return { call: write(group, first), result: read(results, first) };
      });
    },
  };
}

function promptOf(protocol: ToolProtocol, locale: Locale): { instructions: string; tools: string } {
  const rendered = protocol.renderTools(tools, { locale });
  const whole = protocol.instructions(tools, { locale, mode: "loop" });
  return { instructions: whole.replace(rendered, () => ""), tools: rendered };
}

const span = { start: 0, end: 0 };
const attp = attpProtocol({ prompt: attpPrompt });

/** A program makes all calls of a task, whatever they need of each other. */
const attpForm = (name: string, thought?: string): Form => ({
  name,
  prompt: (locale) => promptOf(attp, locale),
  turns({ title, program }) {
    const toolCall = { status: "success" as const, target: title, code: program.code };
    const document = { status: "complete" as const, toolCall, extra: {}, span };
    return [
      {
        call: serialize(thought === undefined ? document : { ...document, thought }),
        result: attp.formatResults([{ callId: "program", status: "ok", content: [], data: program.data }]),
      },
    ];
  },
});

/** The `thought` of the call in ATTP's prompt: what a model is asked to write besides. */
function exampleThought(): string {
  const { blocks } = parse(attpPrompt.build({ toolsText: "", locale: "en", mode: "single" }));
  const thought = blocks.filter(({ toolCall }) => toolCall?.status === "success").at(-1)?.thought;
  if (!thought) throw new Error("the prompt's example has no thought");
  return thought;
}

const tam = tamProtocol({ prompt: tamPrompt });

const tamForm = callsForm(
  "TAM",
  (locale) => promptOf(tam, locale),
  (calls) => {
    const parts = calls.map(({ name, input }, at) => ({
      type: "call" as const,
      call: { id: `call-${at + 1}`, name, input, protocol: "tam" },
    }));
    return tam
      .encodeMessages([{ role: "assistant", parts, trust: "untrusted" }])
      .map(messageText)
      .join("");
  },
  (results) => tam.formatResults(results),
  ({ needs }) => needs !== "results",
);

const toolsxml = toolsxmlProtocol({ prompt: toolsxmlPrompt });

const toolsxmlForm = callsForm(
  "ToolsXML",
  (locale) => promptOf(toolsxml, locale),
  (calls) => {
    const custom = calls.map(({ name, input }) => ({
      tool: "custom" as const,
      name,
      input: input as JsonObject,
      span,
    }));
    return serializeXml({ calls: custom, comments: [] }, { tools });
  },
  (results) => toolsxml.formatResults(results),
);

/** What a provider's interface has for a call. Ids are as long as OpenAI's. */
const wireId = (at: number): string =>
  `call_${["kQ3vW8sZt1LrY6mNbXc0PdGh", "9aTfJe2RuV5oSiDw7yHqKpEx", "Bz4CgMn8lUvO1kXjWd6sFtAq"][at]}`;

/** A tool as a request declares it, without the keywords that only our parsers read. */
export function declared({ name, description, inputSchema }: ToolDefinition): object {
  const withoutOurs = (key: string, value: unknown): unknown => (key.startsWith("x-") ? undefined : value);
  const parameters = JSON.parse(JSON.stringify(inputSchema ?? {}, withoutOurs));
  return { type: "function", function: { name, description, parameters } };
}

const nativePrompt: Form["prompt"] = () => ({ instructions: "", tools: JSON.stringify(tools.map(declared)) });

/** The messages of OpenAI's chat completions interface, as they go over the wire. */
const wire = callsForm(
  "native JSON, messages",
  nativePrompt,
  (calls, first) =>
    JSON.stringify({
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ name, input }, at) => ({
        id: wireId(first + at),
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      })),
    }),
  (results, first) =>
    results
      .map(({ data }, at) =>
        JSON.stringify({ role: "tool", tool_call_id: wireId(first + at), content: JSON.stringify(data) }),
      )
      .join("\n"),
);

/** The same with no more than a chat template has to show: names, arguments and contents, each escaped once. */
const bare = callsForm(
  "native JSON, bare",
  nativePrompt,
  (calls) => calls.map(({ name, input }) => JSON.stringify({ name, arguments: input })).join("\n"),
  (results) => results.map(({ data }) => JSON.stringify(data)).join("\n"),
);

/** The native forms, which the others are compared with, and ours. */
export const forms: Record<"wire" | "bare" | "attp" | "thinking" | "tam" | "toolsxml", Form> = {
  wire,
  bare,
  attp: attpForm("ATTP"),
  thinking: attpForm("ATTP with a thought", exampleThought()),
  tam: tamForm,
  toolsxml: toolsxmlForm,
};
