import { escapeXml, indent } from "../random.ts";
import type { Format } from "../slip.ts";
import { carriers, layoutsOfTam, type Style, type TamCall, written } from "./tam-write.ts";

/** The text of a step, whatever the changes do to it. */
export const raw = (call: TamCall, changed?: Partial<Style>): string => written([call], changed).text;

const numbered = (key: string): string => `${key}_1`;
const camel = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const title = (key: string): string =>
  key.replace(/(^|_)([a-z])/g, (_, gap: string, letter: string) => gap + letter.toUpperCase());
const start = (marker: string): Partial<Style> => ({ start: `${marker}\n` });

const families = [">>> <<<", "》》》 《《《", "»» ««", "»»»» ««««", ">> <<", "》》 《《", "》»» ««《"].map((pair) => {
  const [open = "", close = ""] = pair.split(" ");
  return [`all ${open}…${close}`, { open, close }];
});

/** Lines of a body that hold markers of the format. */
export const tamClosers = {
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

/** Slips in delimiters, markers, keys and names. */
export const tamSlips: Format<TamCall, Style>["slips"] = {
  ...layoutsOfTam,

  "missing-closer": {
    "of the body": { bodyClose: "" },
    "of all but the body": { close: "", bodyClose: "«««" },
    "of all": { close: "" },
    "of the body, no end marker": { bodyClose: "", end: "" },
    "half of it": { bodyClose: "«" },
  },

  "missing-end": (call) => ({
    "no end marker": { end: "" },
    "half an end marker": { end: "<|[END_TO" },
    "no end marker, prose": `${raw(call, { end: "" })}\nThat is all.\n`,
    "no end marker, fence": `\`\`\`\n${raw(call, { end: "" })}\`\`\`\n`,
  }),

  "missing-opener": (call) => ({
    "no start marker": { start: "" },
    "no start marker, prose": `I write it.\n\n${raw(call, { start: "" })}`,
    "no opener of the body": { bodyOpen: "" },
  }),

  "wrong-delimiters": {
    ...Object.fromEntries(families),
    "body >>>…<<<": { bodyOpen: ">>>", bodyClose: "<<<" },
    "body 》》》…《《《": { bodyOpen: "》》》", bodyClose: "《《《" },
    "opened »»», closed <<<": { bodyClose: "<<<" },
    "opened »»», closed »»»": { bodyClose: "»»»" },
    "opened >>>, closed «««": { bodyOpen: ">>>" },
    "opened «««, closed »»»": { bodyOpen: "«««", bodyClose: "»»»" },
    "opened “, closed ”": { bodyOpen: "“", bodyClose: "”" },
    'opened """, closed """': { bodyOpen: '"""', bodyClose: '"""' },
  },

  entities: (call) => {
    const escaped = raw({ ...call, params: call.params.map(([key, param]) => [key, escapeXml(param)]) });
    return escaped === raw(call) ? {} : { "values escaped": escaped };
  },

  "fence-nested": (_call, _body, random) => {
    const info = random.pick(["", "python", "sh"]);
    return { "in the value": { bodyOpen: `»»»\n\`\`\`${info}`, bodyClose: "```\n«««" } };
  },

  "case-space": (call) => ({
    "fields on one line": raw(call).replace(/«««\n(?=[a-z_]+:»»»)/g, "««« "),
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

  "odd-quotes": {
    "full-width colon": { colon: "：" },
    "equals sign": { colon: "=" },
    "full-width equals sign": { colon: "＝" },
    "no colon": { colon: "" },
    "space for colon": { colon: " " },
  },

  duplicates: (call) => {
    const [key = "", param = ""] = call.params.find(([name]) => carriers.has(name)) ?? [];
    const twice = raw(call).replace(/^command:[^\n]*\n/m, (line) => `command:»»»Search.Web«««\n${line}`);
    return {
      "body twice, first a draft": { text: raw({ ...call, params: [[key, "draft"], ...call.params] }), lost: true },
      "body twice, the same": raw({ ...call, params: [...call.params, [key, param]] }),
      "command twice": { text: twice, lost: true },
    };
  },

  "near-names": (call) => {
    const first = call.tool;
    const names = [
      first.toLowerCase(),
      first.replace(".", ""),
      first.replace(".", "_"),
      first.replace(/(.)(.)$/, "$2$1"),
    ];
    return {
      ...Object.fromEntries(names.map((tool) => [`tool ${tool}`, raw({ ...call, tool })])),
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
    };
  },

  indented: (call, _, random) => {
    const by = " ".repeat(random.pick([2, 3, 4]));
    const text = indent(raw(call), by);
    // Values that are indented as a whole lose that with their fields.
    const isIndented = call.params.some(([, param]) => /^(?:[ \t][^\n]*\n?|\n)*$/.test(param));
    return {
      ...(!isIndented && {
        "fields, not values": { key: (key: string) => by + key },
        "fields by a tab": { key: (key: string) => `\t${key}` },
      }),
      "all lines": text,
      "in a list, fenced": `1. Write it:\n\n${by}\`\`\`\n${text}${by}\`\`\`\n`,
    };
  },

  "other-notation": (call) => {
    const input = Object.fromEntries(call.params);
    const json = JSON.stringify({ name: call.tool, arguments: input });
    const xml = Object.entries(input).map(([key, param]) => `<${key}>${param}</${key}>`);
    const none = { meant: [], lost: true };
    return {
      "a JSON tool call": { text: `${json}\n`, ...none },
      "a hermes call": { text: `<tool_call>\n${json}\n</tool_call>\n`, ...none },
      ToolsXML: { text: `<tools>\n<custom>${xml.join("")}</custom>\n</tools>\n`, ...none },
    };
  },
};
