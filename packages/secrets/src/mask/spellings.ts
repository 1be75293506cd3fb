/** What stands for one character, or for none: a way in which some program writes it. */
export interface Reading {
  /** What a text may stand for as a whole; empty when it is no spelling, or not yet. */
  readonly characters: readonly string[];
  /** Whether it may be the beginning of a longer one. */
  readonly isOpen: boolean;
}

/** Longer ones are none: nobody pads a reference with so many zeros. */
const longest = 200;
/** A text in a text in a text doubles its backslashes each time. */
export const maxBackslashes = 8;

const letters: Readonly<Record<string, string>> = {
  ...{ a: "\u0007", b: "\b", e: "\u001b", E: "\u001b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
};
/** References by name, as HTML has them; letter case is looked at only where it counts. */
const names = new Map(
  Object.entries({
    ...{ tab: "\t", newline: "\n", excl: "!", quot: '"', num: "#", dollar: "$", percnt: "%", amp: "&", apos: "'" },
    ...{
      lpar: "(",
      rpar: ")",
      ast: "*",
      midast: "*",
      plus: "+",
      comma: ",",
      period: ".",
      sol: "/",
      colon: ":",
      semi: ";",
    },
    ...{
      lt: "<",
      equals: "=",
      gt: ">",
      quest: "?",
      commat: "@",
      lsqb: "[",
      lbrack: "[",
      bsol: "\\",
      rsqb: "]",
      rbrack: "]",
    },
    ...{
      hat: "^",
      lowbar: "_",
      underbar: "_",
      grave: "`",
      lcub: "{",
      lbrace: "{",
      verbar: "|",
      vert: "|",
      rcub: "}",
      rbrace: "}",
    },
    ...{ nbsp: "\u00a0", szlig: "ß" },
  }),
);
/** `&eacute;` is a letter and an accent. */
const accents: Readonly<Record<string, string>> = {
  ...{
    grave: "\u0300",
    acute: "\u0301",
    circ: "\u0302",
    tilde: "\u0303",
    uml: "\u0308",
    ring: "\u030a",
    cedil: "\u0327",
  },
};

const none: Reading = { characters: [], isOpen: false };
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns what a text stands for that begins with a character which begins spellings. */
export function readSpelling(text: string): Reading {
  if (text.length > longest) return none;
  switch (text[0]) {
    case "\\":
      return backslash(text);
    case "%":
      return either(percent(text), literal(text, { "%%": "%" }));
    case "&":
      return reference(text);
    case "'":
      return either(literal(text, { "''": "'", "'\\''": "'", "'\"'\"'": "'", "'\n'": "\n" }), dollarQuoted(text));
    case '"':
      return literal(text, { '""': '"', '"\'"\'"': '"' });
    case "+":
      return literal(text, { "+": " " });
    case "\r":
      return literal(text, { "\r\n": "\n" });
    default:
      return literal(text, { [(text[0] as string).repeat(2)]: text[0] as string });
  }
}

/** The characters with which spellings begin: those above, and those that some programs double. */
export const beginsSpelling: ReadonlySet<string> = new Set("\\%&'\"+\r$`{}");

function either(one: Reading, other: Reading): Reading {
  return { characters: [...one.characters, ...other.characters], isOpen: one.isOpen || other.isOpen };
}

function literal(text: string, known: Readonly<Record<string, string>>): Reading {
  const character = known[text];
  const isOpen = Object.keys(known).some((one) => one.length > text.length && one.startsWith(text));
  return { characters: character === undefined ? [] : [character], isOpen };
}

/** Reads `\n`, `\"`, `\101`, `\x41`, `\u0041`, `\U0001f600`, `\u{41}`, and UTF-8 by bytes; with more backslashes, the same in another text. */
function backslash(text: string): Reading {
  const [, slashes = "", rest = ""] = /^(\\+)(.*)$/s.exec(text) ?? [];
  if (slashes.length > maxBackslashes) return none;
  if (rest === "") return { characters: [2, 4, 8].includes(slashes.length) ? ["\\"] : [], isOpen: true };
  if (rest.length === 1 && !/[0-7xuU]/.test(rest)) {
    if (/[A-Za-z89]/.test(rest)) return { characters: letters[rest] ? [letters[rest]] : [], isOpen: false };
    // Behind an escaped quote a shell's quote may begin again.
    return { characters: [rest], isOpen: rest === "'" };
  }
  if (rest === "''") return { characters: ["'"], isOpen: false };
  const code = /^(?:u([0-9a-fA-F]{0,4})|U([0-9a-fA-F]{0,8})|[ux]\{([0-9a-fA-F]{0,8})(\}?))$/.exec(rest);
  if (code !== null) {
    const isClosed = code[4] === "}";
    const digits = code[1] ?? code[2] ?? (isClosed ? code[3] : "") ?? "";
    const isOpen = code[1] !== undefined ? digits.length < 4 : code[2] !== undefined ? digits.length < 8 : !isClosed;
    return { characters: ofCode(digits, 16), isOpen: isOpen || rest === "u" };
  }
  return bytes(text, /\\+(?:x([0-9a-f]{1,2})|([0-7]{1,3}))/giy, /^(?:\\{0,8}|\\{1,8}x)$/);
}

/** Reads `%41`, `%u0041`, and UTF-8 by bytes. */
function percent(text: string): Reading {
  const code = /^%u([0-9a-f]{0,4})$/i.exec(text)?.[1];
  if (code !== undefined) return { characters: code.length === 4 ? ofCode(code, 16) : [], isOpen: code.length < 4 };
  return bytes(text, /%([0-9a-f]{2})/giy, /^%?[0-9a-f]?$/i);
}

/** Reads bytes in a row that stand for one character; `rest`: what may be the beginning of another one. */
function bytes(text: string, each: RegExp, rest: RegExp): Reading {
  const values: number[] = [];
  let at = 0;
  for (let found = each.exec(text); found !== null; found = each.exec(text)) {
    values.push(found[1] === undefined ? Number.parseInt(found[2] as string, 8) : Number.parseInt(found[1], 16));
    at = each.lastIndex;
  }
  const [first] = values;
  if (first === undefined) return { characters: [], isOpen: rest.test(text) };
  const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const isShort = /\\(?:x[0-9a-f]?|[0-7]{1,2})$/i.test(text);
  const isOpen = rest.test(text.slice(at)) && (values.length < length || isShort);
  if (at !== text.length || values.length > length)
    return { characters: [], isOpen: isOpen && values.length <= length };
  const characters = values.length === 1 && first < 0x100 ? [String.fromCharCode(first)] : [];
  if (values.length === length && length > 1) {
    try {
      characters.push(utf8.decode(Uint8Array.from(values)));
    } catch {
      // No character has these bytes.
    }
  }
  return { characters, isOpen };
}

/** Reads `&lt;`, `&#39;`, `&#x0027;`, `&eacute;`; without the semicolon, too. */
function reference(text: string): Reading {
  const [, decimal, hex, name, end] = /^&(?:#(\d*)|#x([0-9a-f]*)|([a-z]*))(;?)$/i.exec(text) ?? [];
  if (end === undefined) return none;
  const isOpen = end === "";
  if (decimal !== undefined) return { characters: ofCode(decimal, 10), isOpen };
  if (hex !== undefined) return { characters: ofCode(hex, 16), isOpen };
  const known = names.get((name ?? "").toLowerCase());
  const [, letter = "", accent = ""] = /^([a-z])([a-z]+)$/i.exec(name ?? "") ?? [];
  const mark = accents[accent];
  const character = known ?? (mark && (letter + mark).normalize("NFC"));
  return { characters: character === undefined ? [] : [character], isOpen };
}

/** Reads what coreutils quote what they can't print, in a text in single quotes: `'$'\n''`. */
function dollarQuoted(text: string): Reading {
  const [, inside, end = ""] = /^'\$'((?:\\[^']|[^\\'])*)(\\|'{0,2})$/.exec(text) ?? [];
  if (inside === undefined) return { characters: [], isOpen: "'$'".startsWith(text) };
  if (!end.startsWith("'")) return { characters: [], isOpen: (inside + end).startsWith("\\") || inside + end === "" };
  const { text: plain } = spelledOut(inside);
  return { characters: plain === "" ? [] : [plain], isOpen: end === "'" };
}

function ofCode(digits: string, base: 10 | 16): string[] {
  const code = digits === "" ? -1 : Number.parseInt(digits, base);
  return code >= 0 && code <= 0x10ffff ? [String.fromCodePoint(code)] : [];
}

/** Returns a text with the longest spelling at each place replaced by what it stands for; `places`: where each unit of that stands. */
export function spelledOut(text: string): { text: string; places: number[] } {
  let plain = "";
  const places: number[] = [];
  for (let at = 0; at < text.length; ) {
    let unit = text[at] as string;
    let length = 1;
    if (beginsSpelling.has(unit)) {
      for (let end = at + 1; end <= text.length; end++) {
        const { characters, isOpen } = readSpelling(text.slice(at, end));
        if (characters[0] !== undefined && text[at] !== "+") [unit, length] = [characters.at(-1) as string, end - at];
        if (!isOpen) break;
      }
    }
    for (const _ of unit.split("")) places.push(at);
    plain += unit;
    at += length;
  }
  return { text: plain, places };
}
