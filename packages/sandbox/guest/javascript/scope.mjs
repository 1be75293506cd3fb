// How a program of a session keeps what it declares at its top: in the properties of the global object, where the next program
// finds it and functions of earlier ones see what a later one declares again. Every token stays on its line; columns move where
// something was inserted.

/** @typedef {import("./source.mjs").Token} Token */
/** Text that is put into a program at an offset. @typedef {{ at: number, text: string }} Insertion */

const openingMarks = new Set(["(", "[", "{"]);
const closingMarks = new Set([")", "]", "}"]);
const keywords = new Set(["let", "const", "var"]);
/** Words after which an expression goes on. */
const prefixWords = new Set("return typeof case in of void delete throw new await yield instanceof extends".split(" "));
const joiningMarks = new Set(".,?:+-*/%&|=<>^([".split(""));

/** Reads the declarations at the top of a program. Total, also for text that is no program. */
class Reader {
  /** @param {readonly Token[]} tokens */
  constructor(tokens) {
    this.tokens = tokens;
    /** Of each bracket the index of its partner. @type {Map<number, number>} */
    this.partners = new Map();
    /** @type {number[]} */
    const open = [];
    for (const [index, { kind, text }] of tokens.entries()) {
      if (kind !== "mark") continue;
      if (openingMarks.has(text)) open.push(index);
      const start = closingMarks.has(text) ? open.pop() : undefined;
      if (start !== undefined) this.partners.set(start, index);
    }
  }

  /** @param {number} index */
  text(index) {
    return this.tokens[index]?.text;
  }

  /** The index after the token, or after its partner. @param {number} index */
  after(index) {
    return (this.partners.get(index) ?? index) + 1;
  }

  /** Whether a statement can begin here. @param {string} code @param {number} index */
  beginsStatement(code, index) {
    const before = this.tokens[index - 1];
    const token = /** @type {Token} */ (this.tokens[index]);
    if (before === undefined || before.text === ";" || before.text === "}") return true;
    return code.slice(before.end, token.start).includes("\n") && this.canEnd(index - 1);
  }

  /** Whether a statement can end with this token. @param {number} index */
  canEnd(index) {
    const { kind, text } = /** @type {Token} */ (this.tokens[index]);
    if (kind !== "mark") return !(kind === "word" && prefixWords.has(text));
    return closingMarks.has(text) || this.isStep(index - 1);
  }

  /** Whether `++` or `--` begins here. @param {number} index */
  isStep(index) {
    const [one, two] = [this.tokens[index], this.tokens[index + 1]];
    return (one?.text === "+" || one?.text === "-") && one.text === two?.text && one.end === two.start;
  }

  /** Whether a declaration ends before this token, on another line than the one before it. @param {string} code @param {number} index */
  endsBefore(code, index) {
    const token = /** @type {Token} */ (this.tokens[index]);
    const before = /** @type {Token} */ (this.tokens[index - 1]);
    if (!code.slice(before.end, token.start).includes("\n") || !this.canEnd(index - 1)) return false;
    if (this.isStep(index)) return true;
    if (token.text === "!") return this.text(index + 1) !== "=";
    // A template, or what follows a value in one.
    if (token.kind === "text") return !/^[`}]/.test(token.text);
    return !joiningMarks.has(token.text) && token.text !== "in" && token.text !== "instanceof";
  }

  /** Whether a declarator that goes on ends before this token. @param {string} code @param {number} index */
  isOver(code, index) {
    const token = this.tokens[index];
    if (token === undefined) return true;
    return token.depth === 0 && (token.text === ";" || this.endsBefore(code, index));
  }

  /** Whether a declarator ends here, and another follows. @param {number} index */
  isComma(index) {
    return this.text(index) === "," && this.tokens[index]?.depth === 0;
  }

  /** The names that a pattern binds. @param {number} index Of its first token. @returns {string[]} */
  namesOf(index) {
    const first = this.tokens[index];
    if (first === undefined) return [];
    if (first.kind === "word") return [first.text];
    const end = this.partners.get(index);
    if (end === undefined) return [];
    const names = [];
    for (let at = index + 1; at < end; ) {
      let next = at;
      while (this.text(next) === ".") next++;
      // `key: target`, `[key]: target`
      if (first.text === "{" && this.text(this.after(next)) === ":") next = this.after(next) + 1;
      names.push(...this.namesOf(next));
      while (at < end && this.text(at) !== ",") at = this.after(at);
      at++;
    }
    return names;
  }
}

/** Keeps the lines of a text, and nothing else. @param {string} text */
const blank = (text) => text.replace(/[^\n\r\u2028\u2029]/g, " ");

/**
 * A program whose declarations at the top became assignments, and whose functions are gone: those are to be evaluated before it, as
 * a script of their own. `names`: what it declares.
 * @param {string} code @param {readonly Token[]} tokens
 */
export function persist(code, tokens) {
  const reader = new Reader(tokens);
  /** By name: whether it was declared by `var`. @type {Map<string, boolean>} */
  const names = new Map();
  /** @type {Insertion[]} */
  const insertions = [];
  let body = "";
  let functions = "";
  let done = 0;
  /** @param {number} end @param {string} [instead] In the place of what there is from `done` on. */
  const take = (end, instead = code.slice(done, end)) => {
    const text = code.slice(done, end);
    body += instead;
    functions += instead === text ? blank(text) : text;
    done = end;
  };

  /** @param {number} index Of the keyword. */
  const declaration = (index) => {
    const { text: keyword, start, end } = /** @type {Token} */ (tokens[index]);
    take(start);
    // An expression, in which a brace begins a pattern. As long as the keyword: columns stay.
    body += "0,".padEnd(keyword.length);
    functions += blank(keyword);
    done = end;
    let at = index + 1;
    for (;;) {
      for (const name of reader.namesOf(at)) names.set(name, keyword === "var");
      const isPlain = tokens[at]?.kind === "word";
      const last = reader.after(at) - 1;
      at = last + 1;
      if (isPlain && keyword !== "var" && (reader.isOver(code, at) || reader.isComma(at))) {
        insertions.push({ at: /** @type {Token} */ (tokens[last]).end, text: " = void 0" });
      }
      while (!reader.isOver(code, at) && !reader.isComma(at)) at = reader.after(at);
      if (!reader.isComma(at) || tokens[at + 1] === undefined) return at;
      at++;
    }
  };

  /** @param {number} index Of `class`. @returns {number | undefined} */
  const classOf = (index) => {
    const name = tokens[index + 1];
    if (name?.kind !== "word" || name.text === "extends") return undefined;
    let at = index + 2;
    while (at < tokens.length && reader.text(at) !== "{") at = reader.after(at);
    const end = tokens[reader.partners.get(at) ?? -1];
    if (end === undefined) return undefined;
    names.set(name.text, false);
    insertions.push({ at: /** @type {Token} */ (tokens[index]).start, text: `${name.text} = ` });
    insertions.push({ at: end.end, text: ";" });
    return reader.after(at);
  };

  /** @param {number} index Of `async` or `function`. @returns {number | undefined} */
  const functionOf = (index) => {
    let at = reader.text(index) === "async" ? index + 2 : index + 1;
    if (reader.text(at) === "*") at++;
    const name = tokens[at];
    if (name?.kind !== "word" || reader.text(at + 1) !== "(") return undefined;
    const open = reader.after(at + 1);
    const end = tokens[reader.partners.get(open) ?? -1];
    if (reader.text(open) !== "{" || end === undefined) return undefined;
    names.set(name.text, false);
    const { start } = /** @type {Token} */ (tokens[index]);
    take(start);
    // The statement before it ends here, too.
    take(end.end, `;${blank(code.slice(start + 1, end.end))}`);
    return reader.after(open);
  };

  for (let index = 0; index < tokens.length; ) {
    const { kind, text, depth } = /** @type {Token} */ (tokens[index]);
    const isTop = kind === "word" && depth === 0 && reader.text(index - 1) !== "." && reader.text(index + 1) !== ":";
    /** @type {number | undefined} */
    let next;
    if (isTop && keywords.has(text) && isTarget(tokens[index + 1])) next = declaration(index);
    else if (isTop && text === "class" && reader.beginsStatement(code, index)) next = classOf(index);
    else if (isTop && isFunction(tokens, index) && reader.beginsStatement(code, index)) next = functionOf(index);
    index = next ?? index + 1;
  }
  take(code.length);
  return { body, functions, insertions, names };
}

/** What can follow `let`: so that `let = 1` stays what it is. @param {Token | undefined} token */
function isTarget(token) {
  if (token === undefined) return false;
  return token.kind === "word" ? token.text !== "in" && token.text !== "instanceof" : "[{".includes(token.text);
}

/** @param {readonly Token[]} tokens @param {number} index */
function isFunction(tokens, index) {
  const [first, second] = [tokens[index]?.text, tokens[index + 1]?.text];
  return first === "function" || (first === "async" && second === "function");
}
