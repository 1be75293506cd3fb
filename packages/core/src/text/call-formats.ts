/** The text protocols: what one of them writes is a foreign format to the others. */
export type TextProtocol = "attp" | "tam" | "toolsxml";

/** How the calls of a format begin, as data: for those who look for them, and for those who read them. */
export interface CallFormat {
  /** `kimi-k2`; formats that begin alike have one entry. */
  id: string;
  /** What a finding calls it. Formats of one family have one name. */
  name: string;
  /** Set where it is one of the text protocols, which is not foreign to its own reader. */
  protocol?: TextProtocol;
  /**
   * What a call begins with, one of these, in any case of letters. A space stands for up to nine blanks or none. `｜` may be
   * `‖`, `|` or two of them, and `▁` may be `_`, since these are what copies and tokenizers make of them.
   */
  open: readonly string[];
  /** What comes next, as a regular expression: a mere mention of the opener is no call. Default: {@link followsToken}. */
  next?: string;
  /** Only at the start of a line. */
  lineStart?: true;
}

/** What follows the special token of a call, and not its mention in a sentence: text close by, data, a line break, the end. */
export const followsToken = "(?=[^\\s.,;:!?)\"'`’”…。，、；：！？）]|\\s{0,9}[{[<]|[ \\t\\r]{0,9}(?:\\n|$))";

const name = "[\\w.:-]{1,100}";
const xml = "a tool call in XML";
const json = "a JSON tool call";
const tam = { id: "tam", name: "a TAM block", protocol: "tam", lineStart: true } as const;
const attp = { id: "attp", name: "an ATTP document", protocol: "attp", lineStart: true } as const;
const anthropic = { id: "anthropic", name: xml } as const;
const lineEnd = "[ \\t\\r]{0,9}(?=\\n|$)";

/**
 * Formats in which models write calls: those that open models are trained on, by what their chat templates and parsers say,
 * and some that are seen in the wild. Where two begin alike, the first one counts.
 */
export const callFormats: readonly CallFormat[] = [
  { id: "toolsxml", name: "a ToolsXML block", protocol: "toolsxml", open: ["<tools>"], next: "", lineStart: true },
  { ...tam, open: ["<|[ REQUEST_TOOL ]|>"], next: "" },
  { ...tam, open: ["command"], next: "(?:_?\\d{1,3})?[ \\t]{0,9}[:：=][ \\t]{0,9}[»》]{2}" },
  { ...attp, open: ["[tool_call]"], next: lineEnd },
  { ...attp, open: ["thought ="], next: "[ \\t]{0,9}[\"'“]" },
  {
    id: "search-replace",
    name: "a SEARCH/REPLACE block",
    open: ["<<<<<"],
    next: "<{0,4} ?SEARCH\\b",
    lineStart: true,
  },
  // Bodies of JSON.
  {
    id: "hermes",
    name: json,
    open: ["<tool_call>", "<tool_calls>", "<toolcall>"],
    next: `\\s{0,40}(?:[{[]|${name}\\{)`,
  },
  { id: "granite", name: "a Granite call", open: ["<|tool_call|>"] },
  { id: "mistral", name: "a Mistral call", open: ["[TOOL_CALLS]"], next: `\\s{0,9}(?:\\[|${name}\\s{0,9}[[{]|$)` },
  { id: "mistral", name: "a Mistral call", open: ["[ARGS]"], next: "\\s{0,9}\\{" },
  { id: "llama3", name: "a Llama call", open: ["<|python_tag|>"] },
  { id: "phi4-mini", name: "a Phi call", open: ["functools["], next: "\\s{0,9}\\{" },
  {
    id: "kimi-k2",
    name: "a Kimi call",
    open: ["<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>"],
  },
  {
    id: "deepseek",
    name: "a DeepSeek call",
    open: ["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"],
  },
  { id: "cohere", name: "a Cohere call", open: ["<|START_ACTION|>"] },
  {
    id: "functionary",
    name: "a Functionary call",
    open: [">>>"],
    next: `${name}[ \\t\\r]{0,9}\\n\\s{0,9}\\{`,
    lineStart: true,
  },
  // Tagged arguments.
  {
    id: "dsml",
    name: "a DeepSeek call",
    open: ["<｜DSML｜"],
    next: "\\s?(?:function_calls?|tool_?calls?|invoke)",
  },
  { id: "qwen-xml", name: xml, open: ["<function=", "<parameter="], next: "[\"'\\w]" },
  { id: "glm", name: xml, open: ["<tool_call>"], next: `\\s{0,9}${name}\\s{0,9}(?:<arg_key>|</tool_call>)` },
  { id: "minimax", name: xml, open: ["<minimax:tool_call>"] },
  { id: "seed-oss", name: xml, open: ["<seed:tool_call>"] },
  { ...anthropic, open: ["<function_calls>", "<function_call>"], next: `\\s{0,40}(?:[<{[]|${name}\\(|$)` },
  { ...anthropic, open: ["<invoke", "<function", "<tool"], next: "\\s{1,9}name\\s{0,9}=" },
  { ...anthropic, open: ["<tool>", "<tool_use>"], next: "\\s{0,9}(?:<(?:tool_)?name>|\\{)" },
  { id: "atem", name: xml, open: ["<atem:function_calls>", "<atem:invoke"] },
  { id: "cohere5", name: "a Cohere call", open: ["<cofl:tool_call"] },
  { id: "step3", name: xml, open: ["<steptml:invoke"] },
  // Python.
  { id: "llama4", name: "a Llama call", open: ["<|python_start|>"] },
  { id: "lfm2", name: "an LFM2 call", open: ["<|tool_call_start|>"] },
  { id: "sarashina", name: "a Sarashina call", open: ["<|tool_calls|>"] },
  {
    id: "gemma3",
    name: "a tool_code block",
    open: ["``` tool_c", "~~~ tool_c"],
    next: `(?:ode|alls?)${lineEnd}`,
    lineStart: true,
  },
  { id: "gemma3", name: "a tool_code block", open: ["<tool_code>"], next: `\\s{0,9}(?:print\\(|${name}\\()` },
  // Headers, and values between tokens of their own.
  { id: "gemma4", name: "a Gemma call", open: ["<|tool_call>"] },
  { id: "gemma4", name: "a Gemma call", open: ["<start_function_call>"], next: `\\s{0,9}(?:call|${name}\\{|$)` },
  { id: "harmony", name: "a harmony call", open: ["<|channel|>"], next: "[^\\n<]{0,100} to=[\\w.]" },
  { id: "harmony", name: "a harmony call", open: ["<|constrain|>"], next: "\\w" },
  { id: "harmony", name: "a harmony call", open: [" to=functions."], next: "\\w" },
  { id: "kimi-k3", name: "a Kimi call", open: ["<|open|>"], next: "(?:tools|call)\\b" },
  { id: "inkling", name: "an Inkling call", open: ["<|content_invoke_tool_json|>"] },
  // Seen in the wild.
  { id: "wild", name: json, open: ["[TOOL_CALL]"], next: "\\s{0,9}\\{" },
  { id: "wild", name: json, open: ["[Calling tool:"], next: `\\s{0,9}${name}` },
];

/** The tags of ToolsXML, which are looked for without their brackets too, as a pattern. */
export const toolsXmlTags = "tools|command|edit|file|find|replace|read|get_value|input|ctrl|mcp";
