import type { ToolDefinition } from "@toolglot/core";
import { exactJsonText, foreignCloser } from "@toolglot/core/text";
import { asPattern, isDressed } from "@toolglot/internal";
import { bodyDoubts } from "./calls/report.ts";
import { type BodyText, cdataEnd, cdataStart, exactText, scriptText, visibleText } from "./scan/body-text.ts";
import { builtIns, looseTags } from "./scan/grammar.ts";
import { entity } from "./scan/tag.ts";
import { attributes } from "./xml-text.ts";

/** The declared tools by name. */
export type Tools = ReadonlyMap<string, ToolDefinition>;

/** Writes a script as it stands, on lines of its own when it has several. */
export function scriptBody(script: string, tools: Tools): string {
  const plain = script.includes("\n") ? `\n${script}\n  ` : script;
  return readsBack(plain, script, scriptText) && !/^\{\s*"/.test(script) && !isDoubtful(plain, "command", tools)
    ? plain
    : cdata(script, "command");
}

export function textBody(text: string, name: string, tools: Tools): string {
  const plain = text.includes("\n") ? `\n${text}\n` : text;
  return readsBack(plain, text, exactText) && !isDoubtful(plain, name, tools) ? plain : cdata(text, name);
}

/** Whether a body reads back alike, and nothing in it could be taken for the end or for CDATA. */
function readsBack(body: string, text: string, read: (raw: string) => BodyText): boolean {
  entity.lastIndex = 0;
  if (body.includes("\r") || /<(?:\/|!\[|$)|\]\]>/.test(body) || entity.test(body)) return false;
  if (/<[ \t]*(?:command|find|replace|tools|file|edit)/i.test(body)) return false;
  return read(body).text === text;
}

/** Whether a reader could take something in a body for a tag that lost its partner. */
function isDoubtful(body: string, name: string, tools: Tools): boolean {
  if (foreignCloser(body, "toolsxml")) return true;
  const known = [...builtIns, ...tools.keys()].map((one) => one.toLowerCase());
  return looseTags(name.toLowerCase(), known).find(body, name === "command") !== undefined;
}

/** Writes a text exactly. What would open or close CDATA inside, and what would put it in doubt, is parted over two sections. */
export function cdata(text: string, name: string): string {
  const part = (mark: RegExp, whole: string, at: number): string =>
    whole.replace(mark, (found) => found.slice(0, at) + cdataEnd + cdataStart + found.slice(at));
  const made = `${cdataStart}${part(/\]\]>|<!\[CDATA\[/g, text, 2)}${cdataEnd}`;
  const { cdata: begun, closer } = bodyDoubts(made, name.toLowerCase(), () => true);
  const opened = begun ? part(new RegExp(`<(?=${asPattern(name)}[\\s>])`, "gi"), made, 1) : made;
  return closer ? part(/\S\s*\]\]>$/, opened, 0) : opened;
}

const inputEscapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" };

/** Writes the body of `<input>`: `<` and `&` are escaped too where they could be taken for markup. */
export function inputBody(data: string, tools: Tools): string {
  const text = data.replace(
    /[\\\p{Cc}]/gu,
    (unit) => inputEscapes[unit] ?? `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  entity.lastIndex = 0;
  const plain =
    /<[/!a-z]|<$/i.test(text) || entity.test(text)
      ? text.replace(/[<&]/g, (unit) => (unit === "<" ? "\\x3c" : "\\x26"))
      : text;
  return isDoubtful(plain, "input", tools) || visibleText({ text, entities: undefined, unclosed: false }, "").stripped
    ? cdata(text, "input")
    : plain;
}

export const json = (value: unknown): string => exactJsonText(value, /[<&]/g);

/** Attributes as {@link attributes} writes them, and exact: what a value is dressed in are references, since as itself it would be a slip. */
export function exactAttributes(values: Record<string, string | number | boolean | undefined>): string {
  const reference = (character: string): string => `&#${character.codePointAt(0)};`;
  return attributes(values).replace(/="([^"]*)"/g, (all, text: string) => {
    if (!isDressed(text)) return all;
    // Neither a part of a reference nor what has none.
    const ends = /^[^&\p{Cc}\p{Cs}]|[^;\p{Cc}\p{Cs}]$/gu;
    return `="${text.replace(ends, reference)}"`;
  });
}
