import { matchAt } from "@toolglot/internal";

/** After one of these words, or after most signs, a slash begins a regular expression. */
const beforeRegExp = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/;

/**
 * Numbers of the lines (from 0) of a JavaScript program that begin in the text of a template, or of a string that a
 * backslash continues. What stands in `${…}` is code again. Knows comments and regular expressions; with `comments`, lines
 * that begin in a comment are among them.
 */
export function linesInTemplates(code: string, comments = false): Set<number> {
  const found = new Set<number>();
  /** Open `${`: braces that are open inside of each. */
  const braces: number[] = [];
  let line = 0;
  let inText = false;
  /** Index behind the last character that is code and no blank. */
  let codeEnd = 0;
  /** Line on which a regular expression was looked for and not found: one search a line is enough. */
  let plainLine = -1;
  for (let at = 0; at < code.length; at += 1) {
    const sign = code[at];
    if (sign === "\n") {
      line += 1;
      if (inText) found.add(line);
    } else if (inText) {
      if (sign === "\\" && code[at + 1] !== "\n") at += 1;
      else if (sign === "`") inText = false;
      else if (sign === "$" && code[at + 1] === "{") {
        braces.push(0);
        inText = false;
        at += 1;
      }
      codeEnd = at + 1;
    } else if (sign === "`") inText = true;
    else if (sign === "'" || sign === '"') {
      for (at += 1; at < code.length && code[at] !== sign && code[at] !== "\n"; at += 1) {
        if (code[at] !== "\\") continue;
        at += 1;
        if (code[at] === "\n") found.add(++line);
      }
      if (code[at] === "\n") at -= 1;
      codeEnd = at + 1;
    } else if (sign === "/") {
      const comment = matchAt(commentPattern, code, at)?.[0];
      const mayBegin = comment === undefined && line !== plainLine && startsRegExp(code, codeEnd);
      const regExp = mayBegin ? matchAt(regExpPattern, code, at)?.[0] : undefined;
      if (mayBegin && regExp === undefined) plainLine = line;
      for (const _ of (comment ?? "").matchAll(/\n/g)) {
        line += 1;
        if (comments) found.add(line);
      }
      at += (comment ?? regExp ?? "/").length - 1;
      if (comment === undefined) codeEnd = at + 1;
    } else {
      const open = braces.at(-1);
      if (sign === "{" && open !== undefined) braces[braces.length - 1] = open + 1;
      if (sign === "}" && open === 0) {
        braces.pop();
        inText = true;
      } else if (sign === "}" && open !== undefined) braces[braces.length - 1] = open - 1;
      if (sign?.trim() !== "") codeEnd = at + 1;
    }
  }
  return found;
}

const commentPattern = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const regExpPattern = /\/(?:[^\\/[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\//y;

/** Whether a slash here can't be a division: no value stands before it. */
function startsRegExp(code: string, codeEnd: number): boolean {
  const before = code.slice(Math.max(0, codeEnd - 12), codeEnd);
  return !/[\w$)\]}'"`]$/.test(before) || beforeRegExp.test(before);
}
