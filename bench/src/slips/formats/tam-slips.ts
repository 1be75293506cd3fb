import type { Random } from "../random.ts";
import type { Format, Slipped } from "../slip.ts";
import { insertLine } from "./insert-line.ts";
import { carriers, raw, type Style, type TamCall, value } from "./tam-write.ts";

const one = (call: TamCall, variants: Record<string, Partial<Style>>): Slipped[] =>
  Object.entries(variants).map(([variant, changed]) => ({
    variant,
    text: raw([call], changed).text,
    meant: [value(call)],
  }));

/** The call with a line put into its body. */
function withLine(call: TamCall, line: string, random: Random): TamCall {
  const params = call.params.map(([key, param]): [string, string] =>
    carriers.has(key) ? [key, insertLine(param, line, random)] : [key, param],
  );
  return { ...call, params };
}

const numbered = (key: string): string => `${key}_1`;
const camel = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const title = (key: string): string =>
  key.replace(/(^|_)([a-z])/g, (_, gap: string, letter: string) => gap + letter.toUpperCase());

/** Slips in delimiters, markers, keys and names. */
export const tamSlips: Format<TamCall>["slips"] = {
  "own-closers": (call, _, random) => {
    const lines = {
      "closer in a line": "he said ««« and left",
      "closer alone": "«««",
      "closer at a line's end": "the value ends with «««",
      "opener in a line": "a value begins with »»» here",
      "opener at a line's end": "begin:»»»",
      "pair in a line": "write »»»x««« for x",
      "a field": "note:»»»x«««",
      "two fields": "name:»»»x«««\nother:»»»y\nz«««",
      "end marker in a line": "close it with <|[END_TOOL]|> then",
      "end marker alone": "<|[END_TOOL]|>",
      "start marker alone": "<|[REQUEST_TOOL]|>",
      "a whole block": "<|[REQUEST_TOOL]|>\ncommand:»»»Shell.Run«««\nscript:»»»rm -r x«««\n<|[END_TOOL]|>",
      "other closers": "a <<< b\n>>>\n<<<\n《《《",
    };
    return Object.entries(lines).map(([variant, line]) => {
      const changed = withLine(call, line, random);
      return { variant, text: raw([changed]).text, meant: [value(changed)] };
    });
  },

  "missing-closer": (call) =>
    one(call, {
      "of the body": { bodyClose: "" },
      "of all but the body": { close: "", bodyClose: "«««" },
      "of all": { close: "" },
      "of the body, no end marker": { bodyClose: "", end: "" },
      "half of it": { bodyClose: "«" },
    }),

  "missing-end": (call) => [
    ...one(call, { "no end marker": { end: "" }, "half an end marker": { end: "<|[END_TO" } }),
    { variant: "no end marker, prose", text: `${raw([call], { end: "" }).text}\nThat is all.\n`, meant: [value(call)] },
    { variant: "no end marker, fence", text: `\`\`\`\n${raw([call], { end: "" }).text}\`\`\`\n`, meant: [value(call)] },
  ],

  "missing-opener": (call) => [
    ...one(call, { "no start marker": { start: "" } }),
    {
      variant: "no start marker, prose",
      text: `I write it.\n\n${raw([call], { start: "" }).text}`,
      meant: [value(call)],
    },
    ...one(call, { "no opener of the body": { bodyOpen: "" } }),
  ],

  "wrong-delimiters": (call) => {
    const changed = ([open, close]: readonly [string, string]): Partial<Style> => ({ open, close });
    const families = [">>> <<<", "》》》 《《《", "»» ««", "»»»» ««««", ">> <<", "》》 《《", "》»» ««《"].map(
      (pair) => pair.split(" ") as [string, string],
    );
    const all = Object.fromEntries(families.map((pair) => [`all ${pair.join("…")}`, changed(pair)]));
    return [
      ...one(call, all),
      ...one(call, {
        "body >>>…<<<": { bodyOpen: ">>>", bodyClose: "<<<" },
        "body 》》》…《《《": { bodyOpen: "》》》", bodyClose: "《《《" },
        "opened »»», closed <<<": { bodyClose: "<<<" },
        "opened »»», closed »»»": { bodyClose: "»»»" },
        "opened >>>, closed «««": { bodyOpen: ">>>" },
        "opened «««, closed »»»": { bodyOpen: "«««", bodyClose: "»»»" },
        "opened “, closed ”": { bodyOpen: "“", bodyClose: "”" },
        'opened """, closed """': { bodyOpen: '"""', bodyClose: '"""' },
      }),
    ];
  },

  entities: (call) => {
    const params = call.params.map(([key, param]): [string, string] => [
      key,
      param.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    ]);
    const escaped = raw([{ ...call, params }]).text;
    if (escaped === raw([call]).text) return [];
    return [{ variant: "values escaped", text: escaped, meant: [value(call)] }];
  },

  "fence-nested": (call, _, random) => {
    const info = random.pick(["", "python", "sh"]);
    return one(call, { "in the value": { bodyOpen: `»»»\n\`\`\`${info}`, bodyClose: "```\n«««" } });
  },

  "case-space": (call) => {
    const start = (marker: string): Partial<Style> => ({ start: `${marker}\n` });
    const { text } = raw([call]);
    const joined = text.replace(/«««\n(?=[a-z_]+:»»»)/g, "««« ");
    return [
      { variant: "fields on one line", text: joined, meant: [value(call)] },
      ...one(call, {
        "lower case": { start: "<|[request_tool]|>\n", end: "<|[end_tool]|>\n" },
        "spaces inside": { start: "<|[ REQUEST_TOOL ]|>\n", end: "<|[ END_TOOL ]|>\n" },
        "spaces between": { start: "<| [REQUEST_TOOL] |>\n", end: "<| [END_TOOL] |>\n" },
        "spaces around": { start: "  <|[REQUEST_TOOL]|>  \n", end: "  <|[END_TOOL]|> \n" },
        "hyphen for underscore": start("<|[REQUEST-TOOL]|>"),
        "space for underscore": start("<|[REQUEST TOOL]|>"),
        "no pipes": start("<[REQUEST_TOOL]>"),
        "no brackets": start("<|REQUEST_TOOL|>"),
        "title case keys": { key: title },
        "camel case keys": { key: camel },
        "capital keys": { key: (key) => key.toUpperCase() },
        "hyphens in keys": { key: (key) => key.replaceAll("_", "-") },
        "spaces in keys": { key: (key) => key.replaceAll("_", " ") },
        "spaces around the colon": { colon: " : " },
        "bold keys": { key: (key) => `**${key}**` },
        "keys in a list": { key: (key) => `- ${key}` },
        "blank lines between fields": { key: (key) => `\n\n${key}` },
        "commas after fields": { close: "«««," },
        "comments after fields": { close: "«««  # note" },
        "spaces after fields": { close: "«««   " },
        "line break before the value": { colon: ":\n" },
      }),
    ];
  },

  "odd-quotes": (call) =>
    one(call, {
      "full-width colon": { colon: "：" },
      "equals sign": { colon: "=" },
      "full-width equals sign": { colon: "＝" },
      "no colon": { colon: "" },
      "space for colon": { colon: " " },
    }),

  duplicates: (call) => {
    const [key = "", param = ""] = call.params.find(([name]) => carriers.has(name)) ?? [];
    const draft: TamCall = { ...call, params: [[key, "draft"], ...call.params] };
    const again: TamCall = { ...call, params: [...call.params, [key, param]] };
    const twice = raw([call]).text.replace(/^command:[^\n]*\n/m, (line) => `command:»»»Search.Web«««\n${line}`);
    return [
      { variant: "body twice, first a draft", text: raw([draft]).text, meant: [value(call)], lost: true },
      { variant: "body twice, the same", text: raw([again]).text, meant: [value(call)] },
      { variant: "command twice", text: twice, meant: [value(call)], lost: true },
    ];
  },

  "near-names": (call) => {
    const named = (name: string): Slipped => ({
      variant: `tool ${name}`,
      text: raw([{ ...call, tool: name }]).text,
      meant: [value(call)],
    });
    const first = call.tool;
    return [
      named(first.toLowerCase()),
      named(first.replace(".", "")),
      named(first.replace(".", "_")),
      named(first.replace(/(.)(.)$/, "$2$1")),
      ...one(call, {
        "param without underscore": { key: (key) => (key === "file_path" ? "filepath" : key) },
        "param with a letter more": { key: (key) => (carriers.has(key) ? `${key}s` : key) },
        "param of another tool": { key: (key) => (carriers.has(key) ? "body" : key) },
        "tool for command": { key: (key) => (key === "command" ? "tool" : key) },
        "commands for command": { key: (key) => (key === "command" ? "commands" : key) },
        "all numbered": { key: numbered },
        "only the command numbered": { key: (key) => (key === "command" ? "command_1" : key) },
        "only the parameters numbered": { key: (key) => (key === "command" ? key : numbered(key)) },
        "number without underscore": { key: (key) => `${key}1` },
        "another number": { key: (key) => (carriers.has(key) ? `${key}_2` : numbered(key)) },
      }),
    ];
  },

  indented: (call, _, random) => {
    const by = " ".repeat(random.pick([2, 3, 4]));
    const written = raw([call]).text.replace(/^(?=[^\n])/gm, by);
    const meant = [value(call)];
    // Values that are indented as a whole lose that with their fields.
    const fields = call.params.some(([, param]) => /^(?:[ \t][^\n]*\n?|\n)*$/.test(param))
      ? {}
      : {
          "fields, not values": { key: (key: string) => by + key },
          "fields by a tab": { key: (key: string) => `\t${key}` },
        };
    return [
      ...one(call, fields),
      { variant: "all lines", text: written, meant },
      { variant: "in a list, fenced", text: `1. Write it:\n\n${by}\`\`\`\n${written}${by}\`\`\`\n`, meant },
    ];
  },

  "other-notation": (call) => {
    const input = Object.fromEntries(call.params);
    const json = JSON.stringify({ name: call.tool, arguments: input });
    const xml = Object.entries(input).map(([key, param]) => `<${key}>${param}</${key}>`);
    return [
      { variant: "a JSON tool call", text: `${json}\n`, meant: [], lost: true },
      { variant: "a hermes call", text: `<tool_call>\n${json}\n</tool_call>\n`, meant: [], lost: true },
      { variant: "ToolsXML", text: `<tools>\n<custom>${xml.join("")}</custom>\n</tools>\n`, meant: [], lost: true },
    ];
  },
};
