// What to do about an error, where that can be known from the program's text.
import { nearest } from "./realm/nearest.mjs";
import { scan, statements } from "./source.mjs";

/** @typedef {import("./source.mjs").Token} Token */
/** @typedef {{ identifier: string, params: { identifier: string, required: boolean }[], open?: boolean }} ProgramTool */

const noNode = "this is no Node: there are no files, processes or packages, only the language and the tools";
const noNetwork = "there is no network: ask a tool";
const noPage = "there is no page: return a value, or print with console.log";

/** What programs look for that is not here. @type {Record<string, string>} */
const absentNames = {
  ...named("process Buffer __dirname __filename fs path os child_process module exports global Deno Bun util", noNode),
  ...named("fetch XMLHttpRequest WebSocket EventSource axios Request Response Headers", noNetwork),
  sleep: "write await new Promise((resolve) => setTimeout(resolve, ms))",
  ...named("document window self navigator location localStorage sessionStorage alert prompt confirm", noPage),
  print: "print with console.log(…)",
  True: "write true",
  False: "write false",
  None: "write null",
  len: "a text or an array has its length: value.length",
  range: "count with for (let i = 0; i < n; i++)",
  str: "write String(value)",
  int: "write Number(text), or Math.trunc(number)",
  float: "write Number(text)",
  Intl: "numbers and dates have toLocaleString, texts localeCompare, for English",
  lodash: "use the language's own array and object methods",
  _: "use the language's own array and object methods",
};

/** @param {string} names @param {string} hint */
function named(names, hint) {
  return Object.fromEntries(names.split(" ").map((name) => [name, hint]));
}

const declaring = new Set(["const", "let", "var", "function", "class"]);

/** Names that a program declares, or gives a value. @param {readonly Token[]} tokens */
function declaredNames(tokens) {
  const found = new Set();
  for (const [index, { kind, text }] of tokens.entries()) {
    const isAssigned = tokens[index + 1]?.text === "=" && tokens[index + 2]?.text !== "=";
    if (kind === "word" && isAssigned && tokens[index - 1]?.text !== ".") found.add(text);
    if (!declaring.has(text)) continue;
    // A pattern has several, all before its value.
    for (let at = index + 1; tokens[at] && !["=", ";", "of", "in", "("].includes(tokens[at]?.text ?? ""); at++) {
      if (tokens[at]?.kind === "word") found.add(tokens[at]?.text);
    }
  }
  return found;
}

/** @param {string} name @param {readonly Token[]} tokens @param {readonly ProgramTool[]} tools @param {readonly string[]} globals What there is. */
export function forUnknownName(name, tokens, tools, globals) {
  const identifiers = tools.map(({ identifier }) => identifier);
  const tool = nearest(name, identifiers);
  if (tool !== undefined) return `the tool is called ${tool}`;
  if (Object.hasOwn(absentNames, name)) return absentNames[name];
  const near = nearest(name, [...globals, ...declaredNames(tokens)]);
  if (near !== undefined) return `did you mean ${near}?`;
  if (identifiers.length > 0) return `available tools: ${identifiers.slice(0, 20).join(", ")}`;
  return undefined;
}

/** @param {string} word @param {string | undefined} module @param {readonly ProgramTool[]} tools */
export function forImport(word, module, tools) {
  if (word === "export") return "return the value, or assign it: __result__ = …";
  const names = tools.map(({ identifier }) => identifier);
  const there =
    names.length > 0 ? `the tools ${names.slice(0, 20).join(", ")} are already there` : "there are no tools";
  return `${module ? `${module} is not available` : "no module is available"}; without any import ${there}`;
}

/** What a fence around the code is answered with. */
export const fenceHint = "write the code alone, without a fence";

/** @param {string} sourceLine */
export function forSyntax(sourceLine) {
  const text = sourceLine.trim();
  if (text.startsWith("```")) return fenceHint;
  if (/^#/.test(text)) return "a comment begins with //";
  if (/^(?:(?:const|let|var)\s+[\w$]+\s*:|interface\s|type\s+[\w$]+\s*=)/.test(text))
    return "this is JavaScript: write it without types";
  if (/\bawait\b/.test(text))
    return "await works at the top and in async functions: write async before the function around it";
  if (/^(def|elif|print|from|with|lambda)\b/.test(text) || /:\s*$/.test(text))
    return "this is JavaScript: write it without Python's words";
  return undefined;
}

/** A tool whose promise is used as if it were its value. @param {readonly Token[]} tokens @param {readonly ProgramTool[]} tools */
export function forMissingAwait(tokens, tools) {
  const identifiers = new Set(tools.map(({ identifier }) => identifier));
  const call = tokens.find((token, index) => {
    const before = tokens[index - 1]?.text;
    const isCall = token.kind === "word" && identifiers.has(token.text) && tokens[index + 1]?.text === "(";
    return isCall && before !== undefined && ["=", ":", "of", "(", "return", "{"].includes(before);
  });
  return call === undefined ? undefined : `tools are async: write await ${call.text}(…)`;
}

const declarations = new Set(["const", "let", "var"]);
/** The statement that was probably meant, as an assignment. @param {string} code */
export function forMissingResult(code) {
  const fallback = "assign the outcome, __result__ = …, or return it at the end";
  const tokens = scan(code);
  for (const statement of statements(code, tokens).reverse()) {
    const [first, second, third] = statement;
    if (first === undefined) continue;
    const end = /** @type {Token} */ (statement.at(-1)).end;
    const text = code.slice(first.start, end);
    if (first.text === "return") return "what the program returns is undefined: return a value";
    if (declarations.has(first.text) && second?.kind === "word")
      return `write __result__ = ${second.text} as the last line`;
    if (first.text === "async" || first.text === "function") {
      const name = statement.find(
        ({ kind, text: word }) => kind === "word" && word !== "async" && word !== "function",
      )?.text;
      return name ? `call the function and assign what it gives: __result__ = await ${name}(…)` : fallback;
    }
    if (first.text === "console" && second?.text === "." && statement[3]?.text === "(") {
      const value = code.slice(statement[3].end, end - 1).trim();
      return value !== "" && isShort(value) ? `write __result__ = ${value}` : fallback;
    }
    if (first.kind === "word" && second?.text === "=" && third?.text !== "=" && third?.text !== ">") {
      return `write __result__ = ${first.text} as the last line`;
    }
    if (["if", "for", "while", "try", "switch", "class", "{", "}"].includes(first.text)) continue;
    if (
      first.kind === "word" &&
      second?.text === "(" &&
      new RegExp(`async\\s+function\\s+${first.text}\\b`).test(code)
    ) {
      return `write __result__ = await ${text}, and let ${first.text} return the value`;
    }
    if (isShort(text)) return `write __result__ = ${text}`;
  }
  return fallback;
}

/** @param {string} text */
function isShort(text) {
  return text.length <= 80 && !text.includes("\n");
}
