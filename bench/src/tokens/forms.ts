import { attpProtocol, parse, serialize } from "@toolglot/attp";
import { type JsonObject, type Locale, messageText, type ToolProtocol, type ToolResult } from "@toolglot/core";
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

/** A text protocol by its own means. `together`: whether a task's calls go into one block. */
function textForm(
  name: string,
  protocol: ToolProtocol,
  write: (calls: readonly Exchange[]) => string,
  together: (task: Task) => boolean,
): Form {
  return {
    name,
    prompt: (locale) => promptOf(protocol, locale),
    turns(task) {
      const groups = together(task) ? [task.calls] : task.calls.map((call) => [call]);
      return groups.map((group) => ({
        call: write(group),
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

const tamForm = textForm(
  "TAM",
  tam,
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
  ({ needs }) => needs !== "results",
);

const toolsxmlForm = textForm(
  "ToolsXML",
  toolsxmlProtocol({ prompt: toolsxmlPrompt }),
  (calls) => {
    const custom = calls.map(({ name, input }) => ({
      tool: "custom" as const,
      name,
      input: input as JsonObject,
      span,
    }));
    return serializeXml({ calls: custom, comments: [] }, { tools });
  },
  ({ needs }) => needs === "nothing",
);

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
export function withoutOurs(schema: object): unknown {
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

/** The native forms, which the others are compared with, and ours. */
export const forms: Record<"wire" | "bare" | "attp" | "thinking" | "tam" | "toolsxml", Form> = {
  wire,
  bare,
  attp: attpForm("ATTP"),
  thinking: attpForm("ATTP with a thought", exampleThought()),
  tam: tamForm,
  toolsxml: toolsxmlForm,
};
