import type { Findings, Run, Table } from "../report.ts";
import { body, bodyCall, tools as declared, oneCall, type Task, threeCalls } from "./content.ts";
import { type BreakEven, breakEven, costOf, promptLength } from "./costs.ts";
import { both, each, number, tokenizers } from "./count.ts";
import { type Form, forms } from "./forms.ts";

const textForms = [forms.attp, forms.thinking, forms.tam, forms.toolsxml];
const allForms = [forms.wire, forms.bare, ...textForms];
const toolCount = declared.length;

/** Counts what tools cost in tokens: prompts, calls, conversations, and after how many calls a longer prompt is paid for. */
export function measureTokens({ progress }: Run): Findings {
  progress("counting");
  return { bars: [], tables: tokenTables() };
}

/** The tables of {@link measureTokens}. */
export function tokenTables(): Table[] {
  return [promptTable(), callTable(), taskTable(), breakEvenTable()];
}

function promptTable(): Table {
  const row = (form: Form, name: string, locale: "en" | "zh"): string[] => {
    const { instructions, tools } = form.prompt(locale);
    return [
      name,
      each(({ count }) => count(instructions)),
      each(({ count }) => count(tools)),
      each(({ count }) => Math.round(count(tools) / toolCount)),
      each(({ count }) => count(instructions) + count(tools)),
      form === forms.wire
        ? "–"
        : each((tokenizer) => {
            const own = tokenizer.count(instructions) + tokenizer.count(tools);
            return own - promptLength(forms.wire, tokenizer);
          }),
    ];
  };
  return {
    title: "Tokens of the prompt",
    note: `What is sent before the first word of the user, for the same four tools: the JSON \`tools\` array of a native request, or our instructions (mode \`loop\`) with the tool list. Tokens in ${both}. Providers show a \`tools\` array to their models in forms of their own, which differ from the JSON and are not public for all of them.`,
    columns: ["", "instructions", "tools", "a tool", "together", "more than native"],
    rows: [
      row(forms.wire, "native JSON", "en"),
      ...[forms.attp, forms.tam, forms.toolsxml].flatMap((form) =>
        (["en", "zh"] as const).map((locale) => row(form, `${form.name}, ${locale}`, locale)),
      ),
    ],
  };
}

function callTable(): Table {
  const cells = (task: Task, form: Form): string[] => [
    each((tokenizer) => costOf(task, form, tokenizer).written),
    each((tokenizer) => costOf(task, form, tokenizer).results),
  ];
  return {
    title: "Tokens of a call",
    note: `The same call in each form, without prose around it, and its result as the model reads it. *Messages*: OpenAI's chat-completions JSON as it goes over the wire, ids and double escaping included. *Bare*: names, arguments and contents alone, escaped once, which is the least that a model of native calls writes and reads. The body is ${body.length.toLocaleString("en-US")} characters of Python, ${each(({ count }) => count(body))} tokens by itself. ATTP's prompt asks for a \`thought\` in every answer: *with a thought* has the one of the prompt's example. Tokens in ${both}.`,
    columns: ["", "one call", "its result", "call with a 2 KB body", "its result"],
    rows: allForms.map((form) => [form.name, ...cells(oneCall, form), ...cells(bodyCall, form)]),
  };
}

function taskTable(): Table {
  return {
    title: "Tokens of three calls",
    note: `Search, fetch the document found, open a ticket about it. Turns are turns with tools, one more gives the answer. Independent calls go together in every form; calls in order are steps of one TAM plan, but a turn each in native JSON and ToolsXML, whose calls may run side by side; calls that need results are a turn each in all forms but ATTP, where one program makes them and the documents between never reach the model. *In all*: read and written until the answer begins, prompt and history read anew each turn. Tokens in ${both}.`,
    columns: ["", "form", "turns", "written", "results", "in all"],
    words: [1],
    rows: threeCalls.flatMap((task) =>
      allForms.map((form, index) => [
        index === 0 ? task.title : "",
        form.name,
        number(form.turns(task).length),
        each((tokenizer) => costOf(task, form, tokenizer).written),
        each((tokenizer) => costOf(task, form, tokenizer).results),
        each((tokenizer) => costOf(task, form, tokenizer).processed),
      ]),
    ),
  };
}

const tasks: [name: string, once: string, task: Task][] = [
  ["small calls", "call", oneCall],
  ["calls with a 2 KB body", "call", bodyCall],
  ["three calls, each in need of the result before", "time", threeCalls[2] as Task],
];

function breakEvenTable(): Table {
  const rows = tasks.flatMap(([name, , task]) =>
    textForms.flatMap((form) =>
      [forms.wire, forms.bare].map((other) => {
        const figures = (pick: keyof BreakEven): string =>
          each((tokenizer) => breakEven(task, form, other, tokenizer)[pick]);
        return [
          `${form.name}, ${name}`,
          other.name,
          figures("longer"),
          figures("saved"),
          figures("length"),
          figures("uncached"),
        ];
      }),
    ),
  );
  return {
    title: "How often until the longer prompt is paid for",
    note: `${sentences()}\n*Saved*: by one such call with its result. *Length*: how many of them until the conversation is no longer than the native one, which is also what it costs when everything that was read before is cached. *Uncached*: how many until no more tokens were read and written in all, when every turn reads everything anew. Tokens and calls in ${both}.`,
    columns: ["", "beside", "prompt longer by", "saved", "length", "uncached"],
    words: [1],
    rows,
  };
}

/** What the figures come to, in words; the range is that of the tokenizers. */
function sentences(): string {
  const times = (task: Task, once: string, form: Form, other: Form): string => {
    const found = tokenizers.map((tokenizer) => breakEven(task, form, other, tokenizer).length);
    const known = found.filter(Number.isFinite);
    if (known.length === 0) return "never";
    const range = [...new Set([Math.min(...known), Math.max(...known)])];
    const unit = range.at(-1) === 1 ? once : `${once}s`;
    return `after ${range.map(number).join(" to ")} ${unit}${known.length < found.length ? " or never" : ""}`;
  };
  const list = tasks.map(([name, once, task]) => {
    const perForm = textForms.map(
      (form) =>
        `${form.name} ${times(task, once, form, forms.wire)} beside messages, ${times(task, once, form, forms.bare)} beside bare JSON`,
    );
    return `- **${name[0]?.toUpperCase()}${name.slice(1)}**: ${perForm.join("; ")}.`;
  });
  return `When the text of a conversation is counted once, the longer prompt is paid for:\n\n${list.join("\n")}\n`;
}
