import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BlockBase, ParseOptions, ParseResult, ToolDefinition } from "../../src/index.ts";
import { callFormats, leakedCalls, TextScanner } from "../../src/text-layer.ts";

const tool = (name: string): ToolDefinition => ({ name, description: "", inputSchema: { type: "object" } });
const weather = { tools: [tool("get_weather"), tool("Git.Status"), tool("ping")] };

/** A text without blocks, as any reader sees it. */
function scan(
  chunks: readonly string[],
  options: ParseOptions = {},
  protocol: "attp" | "native" = "attp",
): ParseResult<BlockBase> {
  const scanner = new TextScanner<BlockBase>({ ...options, grammar: { protocol, line: () => "no" } });
  for (const chunk of chunks) scanner.feed(chunk);
  return scanner.end();
}

/** The formats that are found in a text. */
const formats = (text: string, options?: ParseOptions): string[] =>
  scan([text], options).diagnostics.map(
    ({ code, message }) => `${code}: ${/^This is an? (.*), which/.exec(message)?.[1]}`,
  );

const dsml = "｜DSML｜";
/** One call as each dialect writes it, and what it is called. */
const dialects: Record<string, [string, string]> = {
  hermes: ["JSON tool call", '<tool_call>\n{"name": "get_weather", "arguments": {"city": "SF"}}\n</tool_call>'],
  exaone: ["JSON tool call", '<tool_call>{"name": "get_weather", "arguments": {"city": "SF"}}</tool_call>'],
  granite: ["Granite call", '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "SF"}}]'],
  "granite, spaced": ["Granite call", '<|tool_call|> [{"arguments": {"city": "SF"}, "name": "get_weather"}]'],
  "granite, plain": ["JSON tool call", '<tool_call>[{"name": "get_weather", "arguments": {"city": "SF"}}]'],
  "llama3-json": ["JSON tool call", '{"name": "get_weather", "parameters": {"city": "SF"}}'],
  "llama3-json, with its tag": [
    "Llama call",
    '<|python_tag|>{"name": "get_weather", "parameters": {"city": "SF"}}<|eom_id|>',
  ],
  "llama3-builtin": ["Llama call", '<|python_tag|>brave_search.call(query="weather")'],
  pythonic: ["call in Python", '[get_weather(city="SF"), ping()]'],
  "pythonic, with its tags": ["Llama call", '<|python_start|>[get_weather(city="SF")]<|python_end|>'],
  "phi4-mini": ["Phi call", 'functools[{"name": "get_weather", "arguments": {"city": "SF"}}]'],
  "functionary3.1": ["tool call in XML", '<function=get_weather>{"city": "SF"}</function>'],
  "functionary3.2": ["Functionary call", '>>>get_weather\n{"city": "SF"}'],
  "nemotron-json": ["JSON tool call", '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "SF"}}]</TOOLCALL>'],
  "kimi-k2": [
    "Kimi call",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "SF"}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  "kimi-k2, without its section": [
    "Kimi call",
    '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "SF"}<|tool_call_end|>',
  ],
  "kimi-k3": [
    "Kimi call",
    '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>SF<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  ],
  "deepseek-v3": [
    "DeepSeek call",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "SF"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  "deepseek-v3.1": [
    "DeepSeek call",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "SF"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  "deepseek, other bars": [
    "DeepSeek call",
    '<‖tool_calls_begin‖><||tool▁call▁begin||>get_weather<｜tool_sep｜>{"city": "SF"}',
  ],
  dsml: [
    "DeepSeek call",
    `<${dsml}function_calls>\n<${dsml}invoke name="get_weather">\n<${dsml}parameter name="city" string="true">SF</${dsml}parameter>\n</${dsml}invoke>\n</${dsml}function_calls>`,
  ],
  dsml4: [
    "DeepSeek call",
    `<${dsml}tool_calls>\n<${dsml}invoke name="get_weather">\n</${dsml}invoke>\n</${dsml}tool_calls>`,
  ],
  "gigachat3.5": [
    "GigaChat call",
    '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="get_weather">\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>',
  ],
  apertus: ["Apertus call", '<|tools_prefix|>[{"get_weather": {"city": "SF"}}]<|tools_suffix|>'],
  "glm-5.3": ["tool call in XML", '<tool_call>get_weather>{"city": "SF"}'],
  hy3: [
    "tool call in XML",
    "<tool_calls:a9Z>\n<tool_call:a9Z>get_weather<tool_sep:a9Z>\n<arg_key:a9Z>city</arg_key:a9Z>\n<arg_value:a9Z>SF</arg_value:a9Z>\n</tool_call:a9Z>\n</tool_calls:a9Z>",
  ],
  "k2-horizon": [
    "tool call in XML",
    "<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n<ifm|arg_value>SF</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>",
  ],
  longcat: [
    "JSON tool call",
    '<longcat_tool_call>\n{"name": "get_weather", "arguments": {"city": "SF"}}\n</longcat_tool_call>',
  ],
  dots: ["tool call in XML", '<dots_function_call>\n<invoke name="get_weather">\n</invoke>\n</dots_function_call>'],
  mistral: ["Mistral call", '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "SF"}}]'],
  "mistral, spaced": ["Mistral call", '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "SF"}}]'],
  "mistral-11": ["Mistral call", '[TOOL_CALLS]get_weather[ARGS]{"city": "SF"}'],
  "mistral-11, with an id": ["Mistral call", '[TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "SF"}'],
  "mistral-11, without [ARGS]": ["Mistral call", '[TOOL_CALLS]get_weather{"city": "SF"}'],
  cohere: [
    "Cohere call",
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {}}]<|END_ACTION|>',
  ],
  cohere5: [
    "Cohere call",
    '<cofl:tool_calls><cofl:tool_call id="0" name="get_weather"><cofl:value name="city" type="raw">SF</cofl:value></cofl:tool_call></cofl:tool_calls>',
  ],
  "qwen-xml": [
    "tool call in XML",
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nSF\n</parameter>\n</function>\n</tool_call>",
  ],
  "qwen-xml, without its wrapper": ["tool call in XML", "<function=get_weather>\n<parameter=city>SF</parameter>"],
  "seed-oss": [
    "tool call in XML",
    "<seed:tool_call>\n<function=get_weather>\n<parameter=city>SF</parameter>\n</function>\n</seed:tool_call>",
  ],
  glm: ["tool call in XML", "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>SF</arg_value>\n</tool_call>"],
  "glm-4.7": ["tool call in XML", "<tool_call>get_weather<arg_key>city</arg_key><arg_value>SF</arg_value></tool_call>"],
  "glm-4.7, no arguments": ["tool call in XML", "<tool_call>ping</tool_call>"],
  minimax: [
    "tool call in XML",
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">SF</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  "anthropic-xml": [
    "tool call in XML",
    '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">SF</parameter>\n</invoke>\n</function_calls>',
  ],
  olmo3: ["tool call in XML", '<function_calls>get_weather(city="SF")\nping()</function_calls>'],
  step3: [
    "DeepSeek call",
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather"></steptml:invoke>',
  ],
  lfm2: ["LFM2 call", "<|tool_call_start|>[get_weather(city='SF', days=3)]<|tool_call_end|>"],
  sarashina: ["Sarashina call", "<|tool_calls|>[{'name': 'get_weather', 'arguments': {'city': 'SF'}}]"],
  gemma3: ["tool_code block", '```tool_code\nget_weather(city="SF")\n```'],
  gemma4: ["Gemma call", '<|tool_call>call:get_weather{city:<|"|>SF<|"|>,n:3}<tool_call|>'],
  functiongemma: ["Gemma call", "<start_function_call>call:get_weather{city:<escape>SF<escape>}<end_function_call>"],
  harmony: [
    "harmony call",
    '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"SF"}<|call|>',
  ],
  "harmony, recipient in the role": [
    "harmony call",
    '<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{"city":"SF"}<|call|>',
  ],
  "harmony, a builtin": ["harmony call", '<|channel|>analysis to=browser.search code<|message|>{"query":"x"}<|call|>'],
  "harmony, stripped": ["harmony call", 'commentary to=functions.get_weather json {"city":"SF"}'],
  inkling: [
    "Inkling call",
    '<|message_model|>get_weather<|content_invoke_tool_json|>{"name":"get_weather","args":{}}<|end_message|>',
  ],
  atem: [
    "tool call in XML",
    '<atem:function_calls>\n<atem:invoke name="get_weather">\n</atem:invoke>\n</atem:function_calls>',
  ],
  sign: ["JSON tool call", '[TOOL_CALL]\n{tool => "read_file", args => {\n--path "x"\n}}\n[/TOOL_CALL]'],
  called: ["JSON tool call", '[Calling tool: get_weather with arguments: {"city": "SF"}]'],
};

describe("a call in a native format", () => {
  it.each(Object.entries(dialects))("is reported once: %s", (_, [name, text]) => {
    const wanted = [`core/foreign-format: ${name}`];
    expect(formats(text, weather)).toEqual(wanted);
    expect(formats(`Let me look.\n\n${text}\n`, weather)).toEqual(wanted);
    if (!/^[[{>]?(?:get_|\{")|^>>>|^```/.test(text)) expect(formats(`Let me look. ${text}`, weather)).toEqual(wanted);
  });

  it.each(Object.entries(dialects))("is found at each of its places: %s", (key, [name, text]) => {
    const found = leakedCalls(`Let me look.\n\n${text}\n\nAnd again.\n\n${text}\n`, weather.tools);
    const names = new Set(found.map(({ format }) => format.replace(/^an? /, "")));
    expect(names).toContain(key === "sign" ? "ATTP document" : name);
    expect(found.length).toBe(2);
    expect(leakedCalls(`It writes \`${text.replaceAll(/\n|`/g, " ")}\` then.`, weather.tools)).toEqual([]);
  });

  it.each(Object.entries(dialects))("is reported in a fence that holds nothing else: %s", (_, [, text]) => {
    if (text.includes("```")) return;
    expect(formats(`I call:\n\n\`\`\`xml\n${text}\n\`\`\`\n`, weather)).toHaveLength(1);
  });

  it.each(Object.entries(dialects))("is no call in inline code, reasoning, and documentation: %s", (_, [, text]) => {
    const line = text.replaceAll("\n", " ");
    if (!line.includes("`")) expect(formats(`It writes \`${line}\` then.\n\`${line}\`\n`, weather)).toEqual([]);
    expect(formats(`<think>\n${text}\n</think>\nDone.`, weather)).toEqual([]);
    // A fence within the call opens one that its next line does not close.
    if (text.includes("```")) return;
    const fence = "```";
    expect(formats(`${fence}md\nA model writes:\n\n${text}\n${fence}\nThat is all.\n`, weather)).toEqual([]);
    const other = text.replace(/get_weather|ping|read_file|brave_search|browser\.search/g, "f");
    if (!/pythonic|gemma3|deepseek-v3$/.test(_))
      expect(formats(`It looks so:\n${fence}\n${other}\n${fence}\nThat is all.\n`, weather)).toEqual([]);
  });

  it("is found in the same way in any chunks", () => {
    const texts = Object.values(dialects).map(([, text]) => text);
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.integer({ min: 1, max: 9 }), (text, size) => {
        const whole = `Well: ${text}\n\`${text}\`\n${text}\n`;
        const chunks = whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        expect(scan(chunks, weather)).toEqual(scan([whole], weather));
      }),
    );
  });
});

describe("what begins with no marker", () => {
  it.each([
    "get_weather(city='SF')",
    'print(default_api.get_weather(city="SF"))',
    "[ping()]",
    "result = await ping()",
    "ping(1)",
    "get_weather(\n  city='SF',\n)",
    "call:get_weather{city:'SF'}",
    'get_weather[ARGS]{"city": "SF"}',
    'functions.get_weather:0{"city": "SF"}',
    'get_weather{"city": "SF"}',
    "git_status()",
    'Action: get_weather\nAction Input: {"city": "SF"}',
    'Well: {"name": "ping", "arguments": {}}',
    '{"name": "ping"}',
    "{'name': 'ping', 'arguments': {}}",
  ])("is a call of a tool that there is: %j", (text) => {
    expect(formats(text, weather)).toHaveLength(1);
    expect(formats(text, { tools: [tool("other")] }).join()).toBe(
      /^\{'name': 'ping', /.test(text)
        ? "core/foreign-format: JSON tool call"
        : /\[ARGS\]/.test(text)
          ? "core/foreign-format: Mistral call"
          : "",
    );
  });

  it.each([
    "get_weather(city) tells the weather.",
    "get_weather(city)",
    "ping() answers at once, and [ping()] too.",
    "- ping()",
    "The call ping() is free.",
    '{"name": "Ann", "age": 3}',
    "get_weather {city}",
    "<tool_call> is what Qwen writes, [TOOL_CALLS] what Mistral does, and <|python_tag|> is Llama's.",
    "Tokens like <|tool_calls_section_begin|>, <｜tool▁calls▁begin｜> and <|START_ACTION|>.",
    "thought = none of them",
    "command: ls",
  ])("is text else: %j", (text) => {
    expect(formats(text, weather)).toEqual([]);
  });
});

describe("tags without their brackets", () => {
  it.each([
    "tools>\ncommand>git statuscommand>\ntools>",
    "tools>command>git status/command>/tools>",
    "＜tools＞\n＜command＞ls＜/command＞\n＜/tools＞",
    "&lt;tools&gt;\n  &lt;command&gt;ls&lt;/command&gt;\n&lt;/tools&gt;",
    "<tools\n<command\nls\n</command\n</tools",
    'tools>\n  read path="a.txt"/>\n/tools>',
    "[tools]\n[command]ls[/command]\n[/tools]",
    "tools>\n  get_weather>SF/get_weather>\n/tools",
  ])("are reported where two stand in one message: %j", (text) => {
    expect(formats(text, weather)).toEqual(["core/foreign-format: ToolsXML block without its brackets"]);
  });

  it.each([
    "mysql> select\nmysql> quit",
    "command> ls",
    "tools\nedit\nread\n",
    "read the docs -> now\nedit the file => then",
    "```\nx y\ntools>\ncommand>\n```\n",
  ])("are text else: %j", (text) => expect(formats(text, weather)).toEqual([]));
});

it("every entry of the table is found by the first of its openers that stands at a line's start", () => {
  const seen = new Set(Object.values(dialects).map(([name]) => name));
  for (const { name, protocol } of callFormats)
    if (!protocol && name !== "a SEARCH/REPLACE block") expect(seen).toContain(name.replace(/^an? /, ""));
});

it("takes time in proportion to the text, whatever it is made of", () => {
  const parts = [
    "<|tool_call|>",
    "[TOOL_CALLS]",
    "<tool_call> ",
    '{"name": ',
    "get_weather(1 ",
    "ping(",
    "tools>",
    "command",
    "`",
    "```\n",
    "<function",
    "print(print(",
    "to=functions.",
    "{{{",
    "\n[",
    " \t",
  ];
  const steps = (text: string): number => {
    const before = process.cpuUsage();
    scan([text], weather);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  for (const part of parts) {
    const text = part.repeat(Math.ceil(300_000 / part.length));
    expect(steps(text), JSON.stringify(part)).toBeLessThan(3000);
  }
});
