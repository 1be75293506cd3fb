import { closesFence, openFence } from "@toolglot/core/text";
import { isUnseen } from "@toolglot/internal";
import { linesInTemplates } from "./javascript-templates.ts";

/** Languages that code may be in. */
export type CodeLanguage = "python" | "javascript";

const infos: Record<CodeLanguage, RegExp> = {
  python: /^(?:python[\d.]*|py3?|tool_code|code|)$/,
  javascript: /^(?:javascript|js|mjs|cjs|jsx|node|typescript|ts|tool_code|code|)$/,
};

/**
 * Returns the code inside a fence that wraps it whole, or inside one pair of backticks; undefined when nothing wraps it. `foreign`: what
 * the fence is named after, when that is not the language.
 */
export function unwrapFence(code: string, language: CodeLanguage): { code: string; foreign?: string } | undefined {
  const text = code.trim();
  if (!/^[`~]/.test(text)) return undefined;
  const inline = language === "python" ? /^`([^`\n]+)`$/.exec(text)?.[1] : undefined;
  if (inline !== undefined) return { code: inline };
  const lines = text.split("\n");
  const fence = openFence(lines[0] ?? "", 0);
  if (!fence || lines.length < 2) return undefined;
  // A program can't begin with a fence: whatever other fences it holds, the last line's belongs to the first line's.
  const isClosed = closesFence(lines.at(-1) ?? "", fence);
  // Tildes are operators in JavaScript.
  if (!isClosed && fence.mark === "~") return undefined;
  const inner = lines.slice(1, isClosed ? -1 : undefined);
  const word = fence.info.replace(/^[{.\s]+/, "").split(/[\s{},:]/)[0] ?? "";
  return {
    code: inner.length > 0 ? `${inner.join("\n")}\n` : "",
    ...(infos[language].test(word) ? {} : { foreign: word }),
  };
}

/** Returns the white space that every line begins with which is not blank. */
export function commonIndent(code: string): string {
  if (/^\S/.test(code)) return "";
  const line = /([ \t]*)([^\n]*)(?:\n|$)/y;
  let common: string | undefined;
  while (common !== "" && line.lastIndex < code.length) {
    const [, indent = "", rest = ""] = line.exec(code) ?? [];
    if (isUnseen(rest)) continue;
    let same = 0;
    const most = Math.min(common?.length ?? indent.length, indent.length);
    while (same < most && (common ?? indent)[same] === indent[same]) same += 1;
    common = indent.slice(0, same);
  }
  return common ?? "";
}

/** Takes common indentation off; blank lines lose what they have of it. */
export function dedent(code: string, indent: string): string {
  return code
    .split("\n")
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : isUnseen(line) ? "" : line))
    .join("\n");
}

/** Whether code ends inside a string literal of several lines, or a comment of several lines. */
export function endsInLiteral(code: string, language: CodeLanguage): boolean {
  const text = `${code}\n`;
  return linesInLiterals(text, language, true).has(text.split("\n").length - 1);
}

/**
 * Numbers of the lines (from 0) that begin inside a string literal: there, indentation is data. `comments`: lines that
 * begin inside a comment too.
 */
export function linesInLiterals(code: string, language: CodeLanguage, comments = false): Set<number> {
  if (language === "javascript") return linesInTemplates(code, comments);
  const found = new Set<number>();
  const token = /#[^\n]*|'''|"""|['"]/g;
  let line = 0;
  let counted = 0;
  const count = (to: number, inside: boolean): void => {
    for (let at = code.indexOf("\n", counted); at >= 0 && at < to; at = code.indexOf("\n", at + 1)) {
      line += 1;
      if (inside) found.add(line);
    }
    counted = to;
  };
  for (let match = token.exec(code); match; match = token.exec(code)) {
    const quote = match[0];
    if (quote.startsWith("#")) continue;
    count(match.index, false);
    let at = match.index + quote.length;
    const spans = quote.length === 3;
    for (; at < code.length && !code.startsWith(quote, at); at += 1) {
      if (code[at] === "\\") at += 1;
      else if (code[at] === "\n" && !spans) break;
    }
    count(at, true);
    token.lastIndex = at + quote.length;
    if (token.lastIndex > code.length) break;
  }
  return found;
}
