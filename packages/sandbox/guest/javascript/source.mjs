// A program's text, looked at from outside the engine: enough of a scanner for hints and for imports, not to
// say what a program means.

/** @typedef {{ kind: "word" | "number" | "text" | "mark", text: string, start: number, end: number, depth: number }} Token */

const wordPattern = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const numberPattern = /\.?[0-9][0-9a-zA-Z_.]*/y;
const beforeRegExp = new Set(
  "return typeof case in of do else void delete throw new await yield instanceof default".split(" "),
);

/** Keeps the scanner linear on text that looks like the start of one again and again. */
const maxRegExpLength = 1000;

/** Before the bracket whose end a statement follows. */
const heads = new Set(["if", "while", "for", "with"]);

/** @param {readonly Token[]} tokens @param {boolean} isHead Whether the last one ends the head of a statement. */
function regExpMayFollow(tokens, isHead) {
  const last = tokens.at(-1);
  if (last === undefined || isHead) return true;
  if (last.kind === "word") return beforeRegExp.has(last.text);
  return last.kind === "mark" && ![")", "]", "}"].includes(last.text);
}

/** Where a match that starts here ends; 0 when there is none. @param {RegExp} sticky @param {string} code @param {number} start */
function endOf(sticky, code, start) {
  sticky.lastIndex = start;
  return sticky.test(code) ? sticky.lastIndex : 0;
}

/** Where a regular expression that starts here ends. @param {string} code @param {number} start */
function endOfRegExp(code, start) {
  let inClass = false;
  const most = Math.min(code.length, start + maxRegExpLength);
  for (let at = start + 1; at < most; at++) {
    const character = code[at];
    if (character === "\n") return undefined;
    if (character === "\\") at++;
    else if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    else if (character === "/" && !inClass) {
      at++;
      while (/[a-z]/.test(code[at] ?? "")) at++;
      return at;
    }
  }
  return undefined;
}

/** @param {string} code @param {number} start @param {string} mark */
function endOfText(code, start, mark) {
  for (let at = start + 1; at < code.length; at++) {
    const character = code[at];
    if (character === "\\") at++;
    else if (character === mark) return at + 1;
    else if (character === "\n") return at;
  }
  return code.length;
}

/** Where a template's literal part ends: after its closing mark, or after `${`. @param {string} code @param {number} start */
function endOfTemplate(code, start) {
  for (let at = start; at < code.length; at++) {
    if (code[at] === "\\") at++;
    else if (code[at] === "`") return { end: at + 1, open: false };
    else if (code[at] === "$" && code[at + 1] === "{") return { end: at + 2, open: true };
  }
  return { end: code.length, open: false };
}

/**
 * The tokens of a program; total, also for text that is no program.
 * @param {string} code
 * @returns {Token[]}
 */
export function scan(code) {
  /** @type {Token[]} */
  const tokens = [];
  /** Depths at which a template goes on when its brace closes. @type {number[]} */
  const templates = [];
  /** Of each open bracket, whether it begins the head of a statement. @type {boolean[]} */
  const open = [];
  let isHead = false;
  let depth = 0;
  let at = 0;

  /** @param {Token["kind"]} kind @param {number} end */
  const add = (kind, end) => {
    isHead = false;
    tokens.push({ kind, text: code.slice(at, end), start: at, end, depth });
    at = end;
  };
  /** @param {number} start Of the literal part; the mark before it belongs to the token. */
  const template = (start) => {
    const { end, open } = endOfTemplate(code, start);
    if (open) {
      templates.push(depth);
      depth++;
    }
    add("text", end);
  };

  while (at < code.length) {
    const character = /** @type {string} */ (code[at]);
    if (/\s/.test(character)) at++;
    else if (code.startsWith("//", at)) {
      const end = code.indexOf("\n", at);
      at = end < 0 ? code.length : end;
    } else if (code.startsWith("/*", at)) {
      const end = code.indexOf("*/", at + 2);
      at = end < 0 ? code.length : end + 2;
    } else if (character === '"' || character === "'") add("text", endOfText(code, at, character));
    else if (character === "`") template(at + 1);
    else if (character === "/" && regExpMayFollow(tokens, isHead) && endOfRegExp(code, at) !== undefined) {
      add("text", /** @type {number} */ (endOfRegExp(code, at)));
    } else if (endOf(wordPattern, code, at) > at) add("word", endOf(wordPattern, code, at));
    else if (endOf(numberPattern, code, at) > at) add("number", endOf(numberPattern, code, at));
    else if (character === "}" && templates.at(-1) === depth - 1) {
      templates.pop();
      depth--;
      template(at + 1);
    } else {
      const closes = "}])".includes(character);
      const opens = "{[(".includes(character);
      if (closes) depth = Math.max(depth - 1, 0);
      if (opens) open.push(character === "(" && heads.has(tokens.at(-1)?.text ?? "") && tokens.at(-2)?.text !== ".");
      add("mark", at + 1);
      if (closes) isHead = open.pop() ?? false;
      if (opens) depth++;
    }
  }
  return tokens;
}

/** @param {string} code @param {number} offset From 0; both numbers from 1. */
export function lineAndColumn(code, offset) {
  const before = code.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/**
 * The module of an `import`: the text right after it, after its bracket, or after its `from`.
 * @param {readonly Token[]} tokens @param {number} index
 */
function moduleAfter(tokens, index) {
  const next = tokens[index + 1];
  const from = tokens.slice(index + 1, index + 60).findIndex(({ kind, text }) => kind === "word" && text === "from");
  const places = next?.text === "(" ? [index + 2] : [index + 1, ...(from < 0 ? [] : [index + from + 2])];
  const found = places.map((place) => tokens[place]).find((token) => token?.kind === "text" && token.text.length > 2);
  return found?.text.slice(1, -1);
}

/** The first import or export of a program, and what it names. @param {string} code @param {readonly Token[]} tokens */
export function findImport(code, tokens) {
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "word" || (token.text !== "import" && token.text !== "export")) continue;
    const before = tokens[index - 1]?.text;
    const after = tokens[index + 1];
    if (before === "." || after === undefined || [":", ",", "}", "=", ";", ")"].includes(after.text)) continue;
    const isMethod = after.text === "(" && (before === "{" || before === ",");
    const isMember = token.text === "export" ? token.depth > 0 : isMethod || after.text === ".";
    if (isMember) continue;
    return { word: token.text, module: moduleAfter(tokens, index), ...lineAndColumn(code, token.start) };
  }
  return undefined;
}

/** A closing bracket that closes nothing, or not what was opened last. @param {string} code */
export function findStrayBracket(code) {
  const partner = /** @type {Record<string, string>} */ ({ ")": "(", "]": "[", "}": "{" });
  /** @type {string[]} */
  const open = [];
  for (const { kind, text, start } of scan(code)) {
    if (kind === "text" && text.endsWith("${")) open.push("{");
    if (kind === "text" && text.startsWith("}")) open.pop();
    if (kind !== "mark") continue;
    if ("([{".includes(text)) open.push(text);
    else if (partner[text] !== undefined && open.pop() !== partner[text])
      return { text, ...lineAndColumn(code, start) };
  }
  return undefined;
}

const joiningMarks = new Set(".,?:+-*/%&|=<>([{)]!");

/** The program's statements at its top, each as its tokens; good enough for hints. @param {string} code @param {readonly Token[]} tokens */
export function statements(code, tokens) {
  /** @type {Token[][]} */
  const found = [];
  /** @type {Token[]} */
  let current = [];
  for (const token of tokens) {
    const last = current.at(-1);
    const between = last === undefined ? "" : code.slice(last.end, token.start);
    const joined =
      last !== undefined &&
      (joiningMarks.has(token.text) || (joiningMarks.has(last.text) && !")]".includes(last.text)));
    if (token.depth === 0 && (token.text === ";" || (between.includes("\n") && !joined))) {
      if (current.length > 0) found.push(current);
      current = [];
    }
    if (token.text !== ";" || token.depth > 0) current.push(token);
  }
  if (current.length > 0) found.push(current);
  return found;
}
