import { escapeRegExp } from "../../text.ts";
import type { Line, Source } from "./results.ts";

/** The statement that a line belongs to: up to the line that ends it. */
export function statementAt({ lines }: Source, number: number): string {
  const rest = lines.filter((line) => line.number >= number).map(({ text }) => text);
  if (lines.every((line) => line.number !== number)) return "";
  const end = rest.findIndex((text) => /;\s*$/.test(text));
  return rest.slice(0, Math.min(end < 0 ? 1 : end + 1, 20)).join("\n");
}

/** Names that are called in a piece of code, each once. */
export function calledIn(code: string): string[] {
  return [...new Set([...code.matchAll(/(?<![.\w$])([A-Za-z_$][\w$]{0,100})\s*\(/g)].map(([, name = ""]) => name))];
}

/** The numbers in a piece of code, but for those in its texts. */
export function numbersIn(code: string): number[] {
  const bare = code.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
  return [...bare.matchAll(/(?<![\w$.])\d+(?:\.\d+)?(?![\w$])/g)].map(([number]) => Number(number));
}

/** The lines of a declared function: from its head to the line that closes it. */
export function functionLines({ lines }: Source, name: string): Line[] {
  const head = new RegExp(
    `^(\\s*)(?:export\\s+)?(?:default\\s+)?(?:async\\s+)?(?:function\\*?|const|let|var)\\s+${escapeRegExp(name)}\\b`,
  );
  const start = lines.findIndex(({ text }) => head.test(text));
  if (start < 0) return [];
  const indent = head.exec(lines[start]?.text ?? "")?.[1] ?? "";
  const end = lines.findIndex(({ text }, index) => index > start && text.startsWith(`${indent}}`));
  return lines.slice(start, end < 0 ? start + 1 : end + 1);
}

/** The code of a line, without a comment at its end; empty for a line that is all comment. */
export function codeOf(text: string): string {
  return /^\s*(?:\/\/|\/?\*)/.test(text) ? "" : text.replace(/\s\/\/ .*$/, "");
}
