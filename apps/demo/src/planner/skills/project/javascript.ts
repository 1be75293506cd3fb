import type { Line, Source } from "./results.ts";

/** What a file takes from another one of the project. */
export interface Import {
  name: string;
  /** Path of the other file, from the project's folder. */
  from: string;
}

/** The named imports from files of the project. */
export function importsOf({ path, lines }: Source): Import[] {
  const text = lines.map((line) => line.text).join("\n");
  return [...text.matchAll(/\bimport\s*\{([^}]{0,2000})\}\s*from\s*["'](\.{1,2}\/[^"'\n]{1,500})["']/g)].flatMap(
    ([, names = "", specifier = ""]) =>
      names
        .split(",")
        .map((name) => name.trim().replace(/^\w+\s+as\s+/, ""))
        .filter((name) => /^[\w$]+$/.test(name))
        .map((name) => ({ name, from: resolved(path, specifier) })),
  );
}

function resolved(path: string, specifier: string): string {
  const parts = path.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The statement that a line belongs to: up to the line that ends it. */
export function statementAt({ lines }: Source, number: number): string {
  const start = lines.findIndex((line) => line.number === number);
  if (start < 0) return "";
  const end = lines.findIndex((line, index) => index >= start && /;\s*$/.test(line.text));
  return lines
    .slice(start, end < 0 ? start + 1 : Math.min(end + 1, start + 20))
    .map(({ text }) => text)
    .join("\n");
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

/** Finds where a name is declared, as a search's pattern. */
export function declarationPattern(name: string): string {
  return `\\b(function|class|const|let|var)\\s+${name.replaceAll("$", "\\$")}\\b`;
}

/** The lines of a declared function: from its head to the line that closes it. */
export function functionLines({ lines }: Source, name: string): Line[] {
  const head = new RegExp(
    `^(\\s*)(?:export\\s+)?(?:default\\s+)?(?:async\\s+)?(?:function\\*?|const|let|var)\\s+${name.replaceAll("$", "\\$")}\\b`,
  );
  const start = lines.findIndex(({ text }) => head.test(text));
  if (start < 0) return [];
  const indent = head.exec(lines[start]?.text ?? "")?.[1] ?? "";
  const end = lines.findIndex(({ text }, index) => index > start && text.startsWith(`${indent}}`));
  return lines.slice(start, end < 0 ? start + 1 : end + 1);
}

/** The code of a line, without a comment at its end; empty for a line that is all comment. */
export function codeOf(text: string): string {
  if (/^\s*(?:\/\/|\/?\*)/.test(text)) return "";
  return text.replace(/\s\/\/ .*$/, "");
}
