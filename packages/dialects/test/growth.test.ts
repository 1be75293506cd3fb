import { testGrowth } from "@toolglot/internal/testing/growth";
import { createParser, parse } from "../src/parse.ts";
import { dialects } from "../src/table/all.ts";

/** A call of the tool `note` in tags. */
const tags = (value: string): string =>
  `<tool_call>\n<function=note>\n<parameter=title>\n${value}\n</parameter>\n</function>\n</tool_call>`;
const json = (value: string): string => `<tool_call>\n{"name": "note", "arguments": {"title": ${value}}}\n</tool_call>`;
/** Marks of all dialects, and what their values are made of. */
const marks = Object.values(dialects).flatMap(({ example: { text } }) =>
  text.split(/(?<=[>\]\n}),])|(?=[<[{(])/).filter((piece) => piece.trim() !== ""),
);

testGrowth({
  parse,
  createParser,
  block: tags,
  units: [
    ...new Set(marks),
    "｜",
    "<｜",
    "<|tool▁",
    "functions.",
    "to=",
    "call:",
    "note(",
    "note[ARGS]{",
    '"title": "',
    "title=",
    '{"name": "note", "arguments": {}},',
    '[note(title="x"),',
  ],
  found: [
    // A bare call that turns out to be none was read to the end of the text, from each line.
    ["before a block", '{"name": "note", "arguments": {\n'],
    ["in a fence", "note[ARGS]{\n"],
    ["in a fence", '{"name": "note", "arguments": {\n'],
    ["alone", '{"name": "note", "arguments": {}},\n'],
    ["alone", '[note(title="x"),\n'],
    ["alone", '[note(title="x"), note(title=),\n'],
    // So was a call that was rejected, and that nothing closes.
    ["behind an opener", '{"name": "get_weather",\n'],
    // Marks behind a name were tried in every way in which they can be parted.
    ["alone", `note${"|_:".repeat(20)}`],
    ["alone", `note${"|type:".repeat(20)}`],
    ["alone", `note${"<a.b-c|".repeat(12)}`],
    ["alone", "\nnote -- --titl title ="],
    ["between tags", "\n</parameter>\n<parameter"],
    ["in a plain string", " 'x"],
    ["in a plain string", "'"],
  ],
  places: {
    "in a string of JSON": (text) => json(`"${text}"`),
    "as a value of JSON": json,
    "behind a value of JSON": (text) => json(`"x"}${text}`),
    "in a list of calls": (text) => `<TOOLCALL>[{"name": "note", "arguments": {}}, ${text}]</TOOLCALL>`,
    "between tags": (text) => tags(`x\n</parameter>\n${text}\n<parameter=title>\ny`),
    "as a name in tags": (text) => `<tool_call>\n<function=${text}>\n</function>\n</tool_call>`,
    "behind an opener": (text) => `<tool_call>${text}`,
    "in a value of GLM": (text) =>
      `<tool_call>note\n<arg_key>title</arg_key>\n<arg_value>${text}</arg_value>\n</tool_call>`,
    "in a string of Python": (text) => `[note(title="${text}")]`,
    "in a call of Python": (text) => `<|tool_call_start|>[note(title='x', ${text})]<|tool_call_end|>`,
    "in a plain string": (text) => `<|tool_call_start|>[note(title='x${text}')]<|tool_call_end|>`,
    "in a value of Gemma": (text) => `<|tool_call>call:note{title:<|"|>${text}<|"|>}<tool_call|>`,
    "as a value of Gemma": (text) => `<|tool_call>call:note{title:${text}}<tool_call|>`,
    "in a header of harmony": (text) => `<|channel|>commentary to=${text}<|message|>{"title": "x"}<|call|>`,
    "in an element of kimi-k3": (text) =>
      `<|open|>tools<|sep|><|open|>call tool="note" ${text}<|sep|><|open|>argument key="title"<|sep|>x<|close|>argument<|sep|>`,
    "in a tree": (text) =>
      `]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="note">]<]minimax[>[<title>${text}]<]minimax[>[</title>`,
    "behind a wrapper of DeepSeek": (text) => `<｜tool▁calls▁begin｜>${text}<｜tool▁calls▁end｜>`,
    "in a call of DeepSeek": (text) => `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>note<｜tool▁sep｜>${text}`,
    "behind the calls": (text) => `${tags("x")}${text}`,
  },
});
