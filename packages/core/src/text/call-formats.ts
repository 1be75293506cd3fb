/** The text protocols: what one of them writes is a foreign format to the others. */
export type TextProtocol = "attp" | "tam" | "toolsxml" | "dialects";

/** A format in which models write calls, as data: for those who look for them, and for those who read them. */
export interface CallFormat {
  /** What a finding calls it. Formats of one family have one name. */
  name: string;
  /** Set where it is one of the text protocols, which is not foreign to its own reader. */
  protocol?: TextProtocol;
  /** How its calls begin. */
  marks: readonly CallMark[];
  /**
   * Closers, and ends of a turn, that the openers don't show. Those of elements (`</name>`) and of words in brackets (`[/NAME]`) follow
   * from the openers; special tokens (`<|name|>`, `<end_name>`) have a shape of their own.
   */
  close?: readonly string[];
}

/** What calls of a format begin with. */
export interface CallMark {
  /**
   * One of these, in any case of letters. A space stands for up to nine blanks or none. `｜` may be `‖`, `|` or two of them,
   * and `▁` may be `_`, since these are what copies and tokenizers make of them.
   */
  open: readonly string[];
  /** What comes next, as a regular expression: a mere mention of the opener is no call. Default: {@link followsToken}. */
  next?: string;
  /** Only at the start of a line. */
  lineStart?: true;
}

/** What follows the special token of a call, and not its mention in a sentence: text close by, data, a line break, the end. */
export const followsToken = "(?=[^\\s.,;:!?)\"'`’”…。，、；：！？）]|\\s{0,9}[{[<]|[ \\t\\r]{0,9}(?:\\n|$))";

/** A tool's name. */
export const word = "[\\w.:-]{1,100}";
const lineEnd = "[ \\t\\r]{0,9}(?=\\n|$)";
const object = "\\s{0,9}\\{";
const dsml = "\\s?(?:function_calls?|tool_?calls?|calls|invoke)";
/**
 * Formats in which models write calls: those that open models are trained on, by what their chat templates and parsers say,
 * and some that are seen in the wild. Where two begin alike, the first one counts.
 */
export const callFormats: readonly CallFormat[] = [
  { name: "a ToolsXML block", protocol: "toolsxml", marks: [{ open: ["<tools>"], next: "", lineStart: true }] },
  {
    name: "a TAM block",
    protocol: "tam",
    marks: [
      { open: ["<|[ REQUEST_TOOL ]|>"], next: "", lineStart: true },
      { open: ["command"], next: "(?:_?\\d{1,3})?[ \\t]{0,9}[:：=][ \\t]{0,9}[»》]{2}", lineStart: true },
    ],
    close: ["<|[END_TOOL]|>"],
  },
  {
    name: "an ATTP document",
    protocol: "attp",
    marks: [
      { open: ["[tool_call]"], next: lineEnd, lineStart: true },
      { open: ["thought ="], next: "[ \\t]{0,9}[\"'“]", lineStart: true },
    ],
  },
  {
    name: "a SEARCH/REPLACE block",
    marks: [{ open: ["<<<<<"], next: "<{0,4} ?SEARCH\\b", lineStart: true }],
    close: [">>>>> REPLACE", ">>>>>>> REPLACE"],
  },
  // Hermes, and what is seen in the wild.
  {
    name: "a JSON tool call",
    marks: [
      {
        open: ["<tool_call>", "<tool_calls>", "<toolcall>", "<longcat_tool_call>"],
        next: `\\s{0,40}(?:[{[]|${word}\\{)`,
      },
      { open: ["[TOOL_CALL]"], next: object },
      { open: ["[Calling tool:"], next: `\\s{0,9}${word}` },
    ],
  },
  { name: "a Granite call", marks: [{ open: ["<|tool_call|>"] }] },
  {
    name: "a Mistral call",
    marks: [
      { open: ["[TOOL_CALLS]"], next: `\\s{0,9}(?:\\[|${word}\\s{0,9}[[{]|$)` },
      { open: ["[ARGS]"], next: object },
    ],
    close: ["</s>"],
  },
  // Llama 3 and 4.
  { name: "a Llama call", marks: [{ open: ["<|python_tag|>", "<|python_start|>"] }] },
  // Phi 4 mini.
  { name: "a Phi call", marks: [{ open: ["functools["], next: object }] },
  // K2 and K3.
  {
    name: "a Kimi call",
    marks: [
      { open: ["<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>"] },
      { open: ["<|open|>"], next: "(?:tools|call)\\b" },
    ],
  },
  {
    name: "a DeepSeek call",
    marks: [
      { open: ["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"] },
      { open: ["<｜DSML｜"], next: dsml },
    ],
  },
  { name: "a GigaChat call", marks: [{ open: ["<｜GCML｜"], next: dsml }] },
  { name: "an Apertus call", marks: [{ open: ["<|tools_prefix|>"] }] },
  { name: "a Cohere call", marks: [{ open: ["<|START_ACTION|>", "<cofl:tool_call"] }] },
  {
    name: "a Functionary call",
    marks: [{ open: [">>>"], next: `${word}[ \\t\\r]{0,9}\\n${object}`, lineStart: true }],
  },
  // Qwen, GLM, Hunyuan, Anthropic; MiniMax, Seed OSS, Atem, Step 3, K2 Horizon.
  {
    name: "a tool call in XML",
    marks: [
      { open: ["<function=", "<parameter="], next: "[\"'\\w]" },
      {
        open: ["<tool_call>", "<tool_call:"],
        next: `(?:\\w{0,16}>)?\\s{0,9}${word}\\s{0,9}(?:<arg_key|<tool_sep|</tool_call|>\\s{0,9}\\{)`,
      },
      { open: ["<tool_calls>", "<tool_calls:"], next: "(?:\\w{0,16}>)?\\s{0,9}<tool_call" },
      { open: ["<ifm|tool_calls>", "<ifm|tool_call>"] },
      {
        open: ["<function_calls>", "<antml:function_calls>", "<function_call>", "<dots_function_call>"],
        next: `\\s{0,40}(?:[<{[]|${word}\\(|$)`,
      },
      {
        open: ["<invoke", "<antml:invoke", "<function", "<tool", "<atem:invoke", "<steptml:invoke"],
        next: "\\s{1,9}name\\s{0,9}=",
      },
      { open: ["<tool>", "<tool_use>"], next: "\\s{0,9}(?:<(?:tool_)?name>|\\{)" },
      { open: ["<minimax:tool_call>", "<seed:tool_call>", "<atem:function_calls>"] },
    ],
    close: ["</parameters>", "</arg_key>", "</arg_value>", "</tool_sep>"],
  },
  { name: "an LFM2 call", marks: [{ open: ["<|tool_call_start|>"] }] },
  { name: "a Sarashina call", marks: [{ open: ["<|tool_calls|>"] }] },
  // Gemma 3 writes Python, Gemma 4 does not.
  {
    name: "a tool_code block",
    marks: [
      { open: ["``` tool_c", "~~~ tool_c"], next: `(?:ode|alls?)${lineEnd}`, lineStart: true },
      { open: ["<tool_code>"], next: `\\s{0,9}(?:print\\(|${word}\\()` },
    ],
  },
  {
    name: "a Gemma call",
    marks: [
      { open: ["<|tool_call>"], next: `(?:${followsToken}|:${word}\\{)` },
      { open: ["<start_function_call>"], next: `\\s{0,9}(?:call|${word}\\{|$)` },
    ],
    close: ["<eos>"],
  },
  {
    name: "a harmony call",
    marks: [
      { open: ["<|channel|>"], next: "[^\\n<]{0,100} to=[\\w.]" },
      { open: ["<|constrain|>", " to=functions."], next: "\\w" },
    ],
  },
  { name: "an Inkling call", marks: [{ open: ["<|content_invoke_tool_json|>"] }] },
];

/** The tags of ToolsXML, which are looked for without their brackets too, as a pattern. */
export const toolsXmlTags = "tools|command|edit|file|find|replace|read|get_value|input|ctrl|mcp";
