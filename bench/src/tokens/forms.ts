import { attpProtocol, serialize } from "@toolglot/attp";
import { type Locale, messageText, type ToolCall, type ToolProtocol, type ToolResult } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
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

const toolCall = ({ name, input }: Exchange, at: number): ToolCall => ({
  id: `call-${at + 1}`,
  name,
  input,
  protocol: "bench",
});

/** A text protocol by its own means; `batch` says whether calls that need no more than this of each other go together. */
function textForm(protocol: ToolProtocol, name: string, batch: (task: Task) => boolean): Form {
  const write = (calls: readonly ToolCall[]): string => {
    const parts = calls.map((call) => ({ type: "call" as const, call }));
    const [message] = protocol.encodeMessages([{ role: "assistant", parts, trust: "untrusted" }]);
    if (!message) throw new Error("no message");
    return messageText(message);
  };
  return {
    name,
    prompt: (locale) => promptOf(protocol, locale),
    turns(task) {
      const groups = batch(task) ? [task.calls] : task.calls.map((call) => [call]);
      return groups.map((group) => ({
        call: write(group.map(toolCall)),
        result: protocol.formatResults(group.map(({ data, name }, at) => resultOf(data, name, at))),
      }));
    },
  };
}

function promptOf(protocol: ToolProtocol, locale: Locale): { instructions: string; tools: string } {
  const rendered = protocol.renderTools(tools, { locale });
  const whole = protocol.instructions(tools, { locale, mode: "loop" });
  return { instructions: whole.replace(rendered, () => ""), tools: rendered };
}

const attp = attpProtocol({ prompt: attpPrompt });

/** A program makes all calls of a task, whatever they need of each other. */
const attpForm: Form = {
  name: "ATTP",
  prompt: (locale) => promptOf(attp, locale),
  turns({ title, program }) {
    const span = { start: 0, end: 0 };
    const toolCall = { status: "success" as const, target: title, code: program.code };
    return [
      {
        call: serialize({ status: "complete", toolCall, extra: {}, span }),
        result: attp.formatResults([{ callId: "program", status: "ok", content: [], data: program.data }]),
      },
    ];
  },
};

/** What a provider's interface has for a call. Ids are as long as OpenAI's. */
const wireId = (at: number): string =>
  `call_${["kQ3vW8sZt1LrY6mNbXc0PdGh", "9aTfJe2RuV5oSiDw7yHqKpEx", "Bz4CgMn8lUvO1kXjWd6sFtAq"][at]}`;

const wireTools = (): string =>
  JSON.stringify(
    tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: withoutOurs(inputSchema) },
    })),
  );

/** A schema without the keywords that only our parsers read. */
function withoutOurs(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key.startsWith("x-") ? undefined : value)));
}

function nativeForm(
  name: string,
  write: (calls: readonly Exchange[], first: number) => string,
  read: (results: readonly ToolResult[], first: number) => string,
): Form {
  return {
    name,
    prompt: () => ({ instructions: "", tools: wireTools() }),
    turns({ calls, needs }) {
      const groups = needs === "nothing" ? [calls] : calls.map((call) => [call]);
      return groups.map((group, turn) => ({
        call: write(group, needs === "nothing" ? 0 : turn),
        result: read(
          group.map(({ data, name }, at) => resultOf(data, name, at)),
          needs === "nothing" ? 0 : turn,
        ),
      }));
    },
  };
}

/** The messages of OpenAI's chat completions interface, as they go over the wire. */
const wire = nativeForm(
  "native JSON, messages",
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
const bare = nativeForm(
  "native JSON, bare",
  (calls) => calls.map(({ name, input }) => JSON.stringify({ name, arguments: input })).join("\n"),
  (results) => results.map(({ data }) => JSON.stringify(data)).join("\n"),
);

/** All forms; the first two are what the others are compared with. */
export const forms: { wire: Form; bare: Form; text: Form[] } = {
  wire,
  bare,
  text: [
    attpForm,
    textForm(tamProtocol({ prompt: tamPrompt }), "TAM", ({ needs }) => needs !== "results"),
    textForm(toolsxmlProtocol({ prompt: toolsxmlPrompt }), "ToolsXML", ({ needs }) => needs === "nothing"),
  ],
};
