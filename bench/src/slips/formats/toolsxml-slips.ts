import type { Random } from "../random.ts";
import type { Format, Slipped } from "../slip.ts";
import { insertLine } from "./insert-line.ts";
import { raw, rightEncoding, type Style, type ToolsXmlCall, value } from "./toolsxml-write.ts";

const one = (call: ToolsXmlCall, variants: Record<string, Partial<Style>>): Slipped[] =>
  Object.entries(variants).map(([variant, changed]) => ({
    variant: `${call.tag}: ${variant}`,
    text: raw([call], changed).text,
    meant: [value(call)],
  }));

/** Slips that are about raw bodies: JSON bodies escape what is in them. */
const isRaw = (call: ToolsXmlCall): boolean => call.tag !== "mcp";

const element = (call: ToolsXmlCall): string => (call.tag === "edit" ? "replace" : call.tag);

function ownCloserLines(call: ToolsXmlCall): Record<string, string> {
  const tag = element(call);
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

const ownCloser = (call: ToolsXmlCall, random: Random): Slipped[] => {
  const found: Slipped[] = [];
  for (const [variant, line] of Object.entries(ownCloserLines(call))) {
    const changed = { ...call, body: insertLine(call.body, line, random) };
    const meant = [value(changed)];
    found.push({ variant: `${call.tag}: ${variant}`, text: raw([changed], { encoding: "raw" }).text, meant });
    if (variant === "closer alone" || variant === "CDATA end")
      found.push({
        variant: `${call.tag}: ${variant}, CDATA`,
        text: raw([changed], { encoding: "cdata" }).text,
        meant,
      });
  }
  return found;
};

/** Slips in tags, attributes and entities. */
export const toolsxmlSlips: Format<ToolsXmlCall>["slips"] = {
  "as-written": (call) => {
    const encoding = rightEncoding(call) === "raw" ? "cdata" : "escaped";
    return isRaw(call) ? one(call, { [encoding]: { encoding } }) : [];
  },

  "own-closers": (call, body, random) => {
    if (!isRaw(call)) return [];
    const found = ownCloser(call, random);
    if (body.kind === "toolsxml") found.push(...one(call, { "as it stands": { encoding: "raw" } }));
    return found;
  },

  "missing-closer": (call) => {
    const drop = (pattern: RegExp) => (lines: string) => lines.replace(pattern, "");
    return [
      ...one(call, {
        "of the body": { close: "" },
        "of the body, no root's closer": { close: "", end: "" },
        ...(call.tag === "edit" && {
          "of the file": { after: drop(/ *<\/file>\n/) },
          "of the edit": { after: drop(/ *<\/edit>\n/) },
          "of file and edit": { after: () => "\n" },
          "of find": { before: drop(/<\/find>/) },
        }),
      }),
      {
        variant: `${call.tag}: of the body, a call follows`,
        text: raw([call], { close: "", end: "  <command>npm test</command>\n</tools>\n" }).text,
        meant: [value(call), value({ tag: "command", body: "npm test" })],
      },
    ];
  },

  "missing-end": (call) => [
    ...one(call, { "no root's closer": { end: "" }, "half a root's closer": { end: "</too" } }),
    {
      variant: `${call.tag}: no root's closer, prose`,
      text: `${raw([call], { end: "" }).text}\nThat is all.\n`,
      meant: [value(call)],
    },
    {
      variant: `${call.tag}: no root's closer, fence`,
      text: `\`\`\`xml\n${raw([call], { end: "" }).text}\`\`\`\n`,
      meant: [value(call)],
    },
  ],

  "missing-opener": (call) => [
    ...one(call, { "no root's opener": { start: "" }, "no root": { start: "", end: "" } }),
    ...(call.tag === "edit"
      ? one(call, {
          "no opener of the body": { open: "" },
          "no edit": { before: (lines) => lines.replace(/ *<edit>\n/, "") },
        })
      : []),
  ],

  "wrong-delimiters": (call) => {
    const tag = element(call);
    return one(call, {
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
    });
  },

  entities: (call) => {
    if (!isRaw(call)) return [];
    const all = call.body.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    const quotes = all.replaceAll('"', "&quot;").replaceAll("'", "&apos;");
    const angles = call.body.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    const numbers = call.body.replaceAll("&", "&#38;").replaceAll("<", "&#60;");
    const twice = all.replaceAll("&", "&amp;");
    const mixed = call.body.replace("<", "&lt;");
    const found: [string, string][] = [
      ["all escaped", all],
      ["quotes escaped too", quotes],
      ["only angles escaped", angles],
      ["as numbers", numbers],
      ["escaped twice", twice],
      ["the first one only", mixed],
      ["raw", call.body],
    ];
    return found
      .filter(([variant, body]) => variant === "raw" || body !== call.body)
      .map(([variant, body]) => ({
        variant: `${call.tag}: ${variant}`,
        text: raw([{ ...call, body }], { encoding: "raw" }).text,
        meant: [value(call)],
      }));
  },

  cdata: (call) => {
    if (!isRaw(call)) return [];
    const written = raw([call], { encoding: "cdata" }).text;
    const around = (before: string, after: string): string =>
      written.replace("<![CDATA[", () => before).replace(/\]\]>(?![\s\S]*\]\]>)/, () => after);
    const meant = [value(call)];
    return [
      { variant: `${call.tag}: on lines of its own`, text: around("\n<![CDATA[", "]]>\n"), meant },
      { variant: `${call.tag}: not closed`, text: around("<![CDATA[", ""), meant },
      { variant: `${call.tag}: lower case`, text: around("<![cdata[", "]]>"), meant },
      { variant: `${call.tag}: closed only`, text: around("", "]]>"), meant },
    ];
  },

  "fence-nested": (call, _, random) => {
    if (!isRaw(call)) return [];
    const info = random.pick(["", "python", "bash"]);
    const body = `\`\`\`${info}\n${call.body}\n\`\`\``;
    return [
      { variant: `${call.tag}: in the body`, text: raw([{ ...call, body }]).text, meant: [value(call)] },
      ...one(call, { "around the root's content": { start: "<tools>\n```xml\n", end: "```\n</tools>\n" } }),
    ];
  },

  "case-space": (call) => {
    const upper = (lines: string): string => lines.replace(/<\/?[a-z_]+/g, (tag) => tag.toUpperCase());
    const spaced = (lines: string): string => lines.replace(/(<\/?)([a-z_]+)/g, "$1 $2");
    const tag = element(call);
    return one(call, {
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
      "no line breaks": {
        start: "<tools>",
        before: (lines) => lines.replace(/\n */g, ""),
        after: (lines) => lines.replace(/\n */g, ""),
        end: "</tools>",
      },
      "attributes on the root": { start: '<tools version="1.0">\n' },
    });
  },

  "odd-quotes": (call) => {
    if (call.tag !== "edit") return [];
    const quote = (open: string, close: string) => (lines: string) => lines.replace(/"([^"]*)"/, `${open}$1${close}`);
    return one(call, {
      "curly quotes": { before: quote("“", "”") },
      "single quotes": { before: quote("'", "'") },
      "no quotes": { before: quote("", "") },
      "quote not closed": { before: quote('"', "") },
      "spaces around =": { before: (lines) => lines.replace("src=", "src = ") },
      "capital attribute": { before: (lines) => lines.replace("src=", "SRC=") },
    });
  },

  duplicates: (call) => {
    if (call.tag !== "edit") return [];
    const lost = (list: Slipped[]): Slipped[] => list.map((slipped) => ({ ...slipped, lost: true }));
    return lost(
      one(call, {
        "src twice": { before: (lines) => lines.replace("src=", 'src="draft.txt" src=') },
        "find twice": { before: (lines) => lines.replace("<find>", "<find>draft</find>\n      <find>") },
        "replace twice": { before: (lines) => `${lines}<replace>draft</replace>\n      ` },
      }),
    );
  },

  "near-names": (call) => {
    const tag = element(call);
    const named = (name: string): Partial<Style> => ({ open: `<${name}>`, close: `</${name}>` });
    if (call.tag === "edit")
      return one(call, {
        "path for src": { before: (lines) => lines.replace("src=", "path=") },
        "files for file": {
          before: (lines) => lines.replace("<file ", "<files "),
          after: (lines) => lines.replace("file>", "files>"),
        },
        "replacement for replace": named("replacement"),
        "search for find": { before: (lines) => lines.replaceAll("find>", "search>") },
        "edits for edit": {
          before: (lines) => lines.replace("<edit>", "<edits>"),
          after: (lines) => lines.replace("edit>", "edits>"),
        },
        "no find": { before: (lines) => lines.replace(/<find>.*<\/find>\n {6}/, "") },
      });
    const near =
      tag === "command"
        ? ["commands", "bash", "cmd", "execute_command"]
        : ["writefile", "write-file", "write_files", "writeFile"];
    const open = call.tag === "write_file" ? ` path="${call.path}"` : "";
    if (call.tag === "mcp") return [];
    return one(
      call,
      Object.fromEntries(
        near.map((name) => [name, { open: `<${name}${open}>`, close: `</${name}>` } satisfies Partial<Style>]),
      ),
    );
  },

  indented: (call, _, random) => {
    if (call.tag !== "command") return [];
    const by = " ".repeat(random.pick([2, 4, 6]));
    const indent = (text: string): string => text.replace(/^(?=[^\n])/gm, by);
    const { text } = raw([call]);
    const meant = [value(call)];
    return [
      { variant: "all lines", text: indent(text), meant },
      { variant: "in a list, fenced", text: `- Run:\n\n${indent(`\`\`\`xml\n${text}\`\`\`\n`)}`, meant },
    ];
  },

  "other-notation": (call) => {
    const { text } = raw([call]);
    const meant = [value(call)];
    const json = JSON.stringify({ reply: "Here it is: <b>", tools: text });
    const pretty = JSON.stringify({ reply: "", tools: text }, undefined, 2);
    const foreign = JSON.stringify({ name: call.tag, arguments: { body: call.body } });
    return [
      { variant: `${call.tag}: the JSON envelope`, text: `${json}\n`, meant },
      { variant: `${call.tag}: the envelope in a fence`, text: `\`\`\`json\n${pretty}\n\`\`\`\n`, meant },
      { variant: `${call.tag}: a cut envelope`, text: json.slice(0, -12), meant: [], lost: true },
      { variant: `${call.tag}: a JSON tool call`, text: `${foreign}\n`, meant: [], lost: true },
      { variant: `${call.tag}: hermes`, text: `<tool_call>\n${foreign}\n</tool_call>\n`, meant: [], lost: true },
    ];
  },
};
