import { escapeXml, indent } from "../random.ts";
import type { Format } from "../slip.ts";
import { layoutsOfToolsXml } from "./toolsxml-layouts.ts";
import { raw, rightEncoding, type Style, type ToolsXmlCall, value } from "./toolsxml-write.ts";

/** Slips that are about raw bodies: JSON bodies escape what is in them. */
const isRaw = (call: ToolsXmlCall): boolean => call.tag !== "mcp";

const element = (call: ToolsXmlCall): string => (call.tag === "edit" ? "replace" : call.tag);

/** Lines of a body that hold tags of the format. */
export function toolsxmlClosers(call: ToolsXmlCall): Record<string, string> {
  const tag = element(call);
  if (!isRaw(call)) return {};
  return {
    "closer in a line": `it ends with </${tag}> here`,
    "closer alone": `</${tag}>`,
    "pair in a line": `<${tag}>x</${tag}>`,
    "empty pair": `<${tag}></${tag}>`,
    "opener alone": `<${tag}>`,
    "opener in a line": `it begins with <${tag}> here`,
    "root's closer in a line": "and then </tools> ends it",
    "root's closer alone": "</tools>",
    "root's opener alone": "<tools>",
    "other closers": "</command>\n</find>\n</file>",
    "other pair": "<find>a</find>\n<command>rm -r x</command>",
    "parents' closers": "</file></edit>",
    "a whole block": "<tools>\n  <command>rm -r x</command>\n</tools>",
    "CDATA end": "a[b[0]]> 1",
    "a comment": "<!-- not read -->",
    "an open comment": "a <!-- b",
    "open CDATA": "x = '<![CDATA['",
  };
}

type Change = NonNullable<Style["before"]>;
const swap =
  (from: string | RegExp, to: string): Change =>
  (lines) =>
    lines.replace(from, to);
const drop = (pattern: RegExp): Change => swap(pattern, "");
const named = (name: string, attributes = ""): Partial<Style> => ({
  open: `<${name}${attributes}>`,
  close: `</${name}>`,
});
const upper: Change = (lines) => lines.replace(/<\/?[a-z_]+/g, (tag) => tag.toUpperCase());
const spaced = swap(/(<\/?)([a-z_]+)/g, "$1 $2");
const oneLine = drop(/\n */g);
const quote = (open: string, close: string): Change => swap(/"([^"]*)"/, `${open}$1${close}`);

/** Slips that only an edit can have, with its attributes and its elements. */
const edits = {
  "odd-quotes": {
    "curly quotes": { before: quote("“", "”") },
    "single quotes": { before: quote("'", "'") },
    "no quotes": { before: quote("", "") },
    "quote not closed": { before: quote('"', "") },
    "spaces around =": { before: swap("src=", "src = ") },
    "capital attribute": { before: swap("src=", "SRC=") },
  },
  duplicates: {
    "src twice": { before: swap("src=", 'src="draft.txt" src=') },
    "find twice": { before: swap("<find>", "<find>draft</find>\n      <find>") },
    "replace twice": { before: (lines: string) => `${lines}<replace>draft</replace>\n      ` },
  },
  "near-names": {
    "path for src": { before: swap("src=", "path=") },
    "files for file": { before: swap("<file ", "<files "), after: swap("file>", "files>") },
    "replacement for replace": named("replacement"),
    "search for find": { before: swap(/find>/g, "search>") },
    "edits for edit": { before: swap("<edit>", "<edits>"), after: swap("edit>", "edits>") },
    "no find": { before: drop(/<find>.*<\/find>\n {6}/) },
  },
} as const;

/** Slips in tags, attributes and entities. */
export const toolsxmlSlips: Format<ToolsXmlCall, Style>["slips"] = {
  ...layoutsOfToolsXml,

  "as-written": (call) => {
    const encoding = rightEncoding(call) === "raw" ? "cdata" : "escaped";
    return isRaw(call) ? { [encoding]: { encoding } } : {};
  },

  "own-closers": (_call, { kind }) => (kind === "toolsxml" ? { "as it stands": { encoding: "raw" } } : {}),

  "missing-closer": (call) => ({
    "of the body": { close: "" },
    "of the body, no root's closer": { close: "", end: "" },
    ...(call.tag === "edit" && {
      "of the file": { after: drop(/ *<\/file>\n/) },
      "of the edit": { after: drop(/ *<\/edit>\n/) },
      "of file and edit": { after: () => "\n" },
      "of find": { before: drop(/<\/find>/) },
    }),
    "of the body, a call follows": {
      text: raw(call, { close: "", end: "  <command>npm test</command>\n</tools>\n" }),
      meant: [value(call), value({ tag: "command", body: "npm test" })],
    },
  }),

  "missing-end": (call) => ({
    "no root's closer": { end: "" },
    "half a root's closer": { end: "</too" },
    "no root's closer, prose": `${raw(call, { end: "" })}\nThat is all.\n`,
    "no root's closer, fence": `\`\`\`xml\n${raw(call, { end: "" })}\`\`\`\n`,
  }),

  "missing-opener": ({ tag }) => ({
    "no root's opener": { start: "" },
    "no root": { start: "", end: "" },
    ...(tag === "edit" && { "no opener of the body": { open: "" }, "no edit": { before: drop(/ *<edit>\n/) } }),
  }),

  "wrong-delimiters": (call) => {
    const tag = element(call);
    return {
      "closed as text": { close: "</text>" },
      "closed as find": { close: "</find>" },
      "closed as a longer name": { close: `</${tag}s>` },
      "closed as think": { close: "</think>" },
      "closed by an opener": { close: `<${tag}>` },
      "closed as empty": { close: `<${tag}/>` },
      "closer without its end": { close: `</${tag}` },
      "closer with a backslash": { close: `<\\${tag}>` },
      "opener without its end": { open: `<${tag}` },
      "square brackets": { open: `[${tag}]`, close: `[/${tag}]` },
      "root closed as tool": { end: "</tool>\n" },
      "root opened as tool": { start: "<tool>\n" },
      "root as tool": { start: "<tool>\n", end: "</tool>\n" },
    };
  },

  entities: (call) => {
    if (!isRaw(call)) return {};
    const all = escapeXml(call.body);
    const bodies = {
      "all escaped": all,
      "quotes escaped too": all.replaceAll('"', "&quot;").replaceAll("'", "&apos;"),
      "only angles escaped": call.body.replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
      "as numbers": call.body.replaceAll("&", "&#38;").replaceAll("<", "&#60;"),
      "escaped twice": all.replaceAll("&", "&amp;"),
      "the first one only": call.body.replace("<", "&lt;"),
      raw: call.body,
    };
    const changed = Object.entries(bodies).filter(([variant, body]) => variant === "raw" || body !== call.body);
    return Object.fromEntries(
      changed.map(([variant, body]) => [variant, raw({ ...call, body }, { encoding: "raw" })] as const),
    );
  },

  cdata: (call) => {
    if (!isRaw(call)) return {};
    const written = raw(call, { encoding: "cdata" });
    const around = (before: string, after: string): string =>
      written.replace("<![CDATA[", () => before).replace(/\]\]>(?![\s\S]*\]\]>)/, () => after);
    return {
      "on lines of its own": around("\n<![CDATA[", "]]>\n"),
      "not closed": around("<![CDATA[", ""),
      "lower case": around("<![cdata[", "]]>"),
      "closed only": around("", "]]>"),
    };
  },

  "fence-nested": (call, _, random) => {
    if (!isRaw(call)) return {};
    const body = `\`\`\`${random.pick(["", "python", "bash"])}\n${call.body}\n\`\`\``;
    const around = { start: "<tools>\n```xml\n", end: "```\n</tools>\n" };
    return { "in the body": raw({ ...call, body }), "around the root's content": around };
  },

  "case-space": (call) => {
    const tag = element(call);
    return {
      "capital root": { start: "<TOOLS>\n", end: "</TOOLS>\n" },
      "capital tags": { before: upper, after: upper },
      "capital closer": { close: `</${tag.toUpperCase()}>` },
      "title case closer": { close: `</${tag.charAt(0).toUpperCase()}${tag.slice(1)}>` },
      "space in the root": { start: "<tools >\n", end: "</tools >\n" },
      "space before the root's name": { start: "< tools>\n", end: "</ tools>\n" },
      "space in the closer": { close: `</${tag} >` },
      "space after the slash": { close: `</ ${tag}>` },
      "line break in the closer": { close: `</${tag}\n>` },
      "spaces in tags": { before: spaced, after: spaced },
      "no line breaks": { start: "<tools>", before: oneLine, after: oneLine, end: "</tools>" },
      "attributes on the root": { start: '<tools version="1.0">\n' },
    };
  },

  "odd-quotes": ({ tag }) => (tag === "edit" ? edits["odd-quotes"] : {}),

  duplicates: ({ tag }) => (tag === "edit" ? edits.duplicates : {}),

  "near-names": (call) => {
    if (call.tag === "edit") return edits["near-names"];
    if (call.tag === "mcp") return {};
    const near =
      call.tag === "command"
        ? ["commands", "bash", "cmd", "execute_command"]
        : ["writefile", "write-file", "write_files", "writeFile"];
    const path = call.tag === "write_file" ? ` path="${call.path}"` : "";
    return Object.fromEntries(near.map((name) => [name, named(name, path)]));
  },

  indented: (call, _, random) => {
    if (call.tag !== "command") return {};
    const by = " ".repeat(random.pick([2, 4, 6]));
    return {
      "all lines": indent(raw(call), by),
      "in a list, fenced": `- Run:\n\n${indent(`\`\`\`xml\n${raw(call)}\`\`\`\n`, by)}`,
    };
  },

  "other-notation": (call) => {
    const tools = raw(call);
    const json = JSON.stringify({ reply: "Here it is: <b>", tools });
    const pretty = JSON.stringify({ reply: "", tools }, undefined, 2);
    const foreign = JSON.stringify({ name: call.tag, arguments: { body: call.body } });
    const none = { meant: [], lost: true };
    return {
      "the JSON envelope": `${json}\n`,
      "the envelope in a fence": `\`\`\`json\n${pretty}\n\`\`\`\n`,
      "a cut envelope": { text: json.slice(0, -12), ...none },
      "a JSON tool call": { text: `${foreign}\n`, ...none },
      hermes: { text: `<tool_call>\n${foreign}\n</tool_call>\n`, ...none },
    };
  },
};
