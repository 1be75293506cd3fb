import type { ToolDefinition } from "@toolglot/core";
import fc from "fast-check";

/** A well-formed block, and the calls (less spans) and comments that any reader must find in it. */
export interface WellFormedBlock {
  xml: string;
  calls: object[];
  comments: string[];
}

export const declaredTools: ToolDefinition[] = [
  {
    name: "search_web",
    description: "Searches.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string" },
        max_results: { type: "integer" },
        safe: { type: "boolean" },
        sites: { type: "array", items: { type: "string" } },
        filter: { type: "object", properties: { lang: { type: "string" }, year: { type: "integer" } } },
      },
    },
  },
  {
    name: "Write.File",
    description: "Writes.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string" },
        mode: { type: "integer" },
        content: { type: "string", "x-raw-body": true },
      },
    },
  },
];

const written = fc.string({
  unit: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(..."abcXYZ019 .,;:-_/\\$()[]{}#*+=|~@%!?") },
    { weight: 3, arbitrary: fc.constantFrom(..."<>&\"'") },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "\n",
        "\t",
        "\n  ",
        "é",
        "中",
        "😀",
        "\u00a0",
        "\u2028",
        "]]>",
        "--",
        "&amp;",
        "&lt;",
        "</tools>",
        "<!--",
        "-->",
        "<![CDATA[",
        "$KARYI{A}",
        "\\n",
      ),
    },
  ),
  maxLength: 24,
});
const filled = written.filter((text) => text.trim() !== "");
/** What trimming and unindenting leave alone. */
const trimmed = filled.map((text) => text.replace(/\n[ \t]*/g, "\n").trim()).filter((text) => text !== "");

const named: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/** One character as XML may write it; `how` picks the way. */
function reference(character: string, how: number): string {
  const code = character.codePointAt(0) as number;
  const name = named[character];
  const forms = [`&#${code};`, `&#x${code.toString(16)};`, `&#x0${code.toString(16).toUpperCase()};`];
  if (name !== undefined) forms.push(`&${name};`, `&${name};`);
  return forms[how % forms.length] as string;
}

const ways = fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 });

/** Text with references: where it must, and now and then where it need not. */
function escapeText(text: string, choices: readonly number[], must: RegExp): string {
  let index = 0;
  return Array.from(text, (character) => {
    const choice = choices[index++ % choices.length] as number;
    return must.test(character) || choice % 17 === 0 ? reference(character, choice) : character;
  }).join("");
}

function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

/** An exact text as a body: escaped, in CDATA, in both. */
function exactBody(text: string, choices: readonly number[]): string {
  const [first = 0] = choices;
  const escaped = (part: string): string => escapeText(part, choices, /[<&>\n\t ]/);
  const half = Math.floor(text.length / 2);
  // No surrogate pair is cut in two.
  const middle = /[\ud800-\udbff]/.test(text.charAt(half - 1)) ? half - 1 : half;
  switch (first % 4) {
    case 0:
      return escaped(text);
    case 1:
      return cdata(text);
    case 2:
      return escaped(text.slice(0, middle)) + cdata(text.slice(middle));
    default:
      return cdata(text.slice(0, middle)) + cdata("") + escaped(text.slice(middle));
  }
}

/** Case, quotes and white space that change nothing. */
interface Style {
  choices: number[];
  blank: string;
}
const style: fc.Arbitrary<Style> = fc.record({
  choices: ways,
  blank: fc.constantFrom("", " ", "\n", "\n\t", "\n    "),
});

function tagName(name: string, { choices: [choice = 0] }: Style): string {
  return choice % 7 === 0
    ? name.toUpperCase()
    : choice % 11 === 0
      ? name.replace(/^./, (letter) => letter.toUpperCase())
      : name;
}

function attribute(name: string, value: string, { choices, blank }: Style): string {
  const [choice = 0] = choices;
  const quote = choice % 2 === 0 ? '"' : "'";
  const must = quote === '"' ? /[<&"\n\t\r]/ : /[<&'\n\t\r]/;
  const around = choice % 5 === 0 ? blank : "";
  return `${blank || " "}${tagName(name, { choices: [choice + 3], blank })}${around}=${around}${quote}${escapeText(value, choices, must)}${quote}`;
}

function element(name: string, attributes: [string, string | undefined][], body: string, look: Style): string {
  const given = attributes.flatMap(([key, value]) => (value === undefined ? [] : [attribute(key, value, look)]));
  const order = (look.choices[0] ?? 0) % 3 === 0 ? given.reverse() : given;
  const tag = tagName(name, look);
  const selfClosed = body === "" && (look.choices[0] ?? 0) % 2 === 0;
  return selfClosed
    ? `<${tag}${order.join("")}${look.blank}/>`
    : `<${tag}${order.join("")}${look.blank}>${body}</${tag}${look.blank}>`;
}

interface Piece {
  xml: string;
  call?: object;
  comments: string[];
}

const comment: fc.Arbitrary<Piece> = written
  .filter((text) => !/--|-$|^-?>|<!\[CDATA\[/.test(text))
  .map((text) => ({ xml: `<!--${text}-->`, comments: [text.trim()] }));
const maybeComment: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Piece>({ xml: "", comments: [] }) },
  comment,
);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const defined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
const lineNumber = fc.integer({ min: 1, max: 99_999 });
const encodingName = fc.constantFrom("gbk", "Shift_JIS", "windows-1252", "UTF-16 (LE)");

const command: fc.Arbitrary<Piece> = fc
  .tuple(trimmed, maybe(fc.integer({ min: 1, max: 3600 })), maybe(filled), style)
  .map(([script, timeout, cwd, look]) => ({
    xml: element(
      "command",
      [
        ["timeout", timeout?.toString()],
        ["cwd", cwd],
      ],
      exactBody(script, look.choices),
      look,
    ),
    call: defined({ tool: "command", script, timeoutMs: timeout === undefined ? undefined : timeout * 1000, cwd }),
    comments: [],
  }));

const edit: fc.Arbitrary<Piece> = fc
  .array(
    fc.tuple(
      filled,
      maybe(encodingName),
      fc.array(
        fc.tuple(
          written.filter((text) => text !== ""),
          written,
          fc.boolean(),
          maybeComment,
          style,
        ),
        { minLength: 1, maxLength: 3 },
      ),
      maybeComment,
      style,
    ),
    { minLength: 1, maxLength: 2 },
  )
  .chain((files) => style.map((look) => [files, look] as const))
  .map(([files, look]) => {
    const comments: string[] = [];
    const body = files.map(([src, encoding, pairs, between, fileLook]) => {
      comments.push(...between.comments);
      const inner = pairs.map(([find, replace, all, note, pairLook]) => {
        comments.push(...note.comments);
        const finding = element("find", [["all", all ? "true" : undefined]], exactBody(find, pairLook.choices), {
          ...pairLook,
          blank: "",
        });
        const replacing = element("replace", [], exactBody(replace, pairLook.choices.toReversed()), {
          ...pairLook,
          blank: "",
        });
        return `${note.xml}${fileLook.blank}${finding}${fileLook.blank}${replacing}`;
      });
      return `${between.xml}${look.blank}${element(
        "file",
        [
          ["src", src],
          ["encoding", encoding],
        ],
        inner.join(look.blank),
        fileLook,
      )}`;
    });
    const parsed = files.map(([src, encoding, pairs]) => ({
      src,
      ...defined({ encoding }),
      edits: pairs.map(([find, replace, all]) => defined({ find, replace, all: all || undefined })),
    }));
    return {
      xml: element("edit", [], body.join("") + look.blank, look),
      call: { tool: "edit", files: parsed },
      comments,
    };
  });

const read: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.array(fc.tuple(filled, maybe(lineNumber), maybe(fc.nat(500)), maybe(encodingName), style), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.array(fc.tuple(filled, maybe(filled), maybe(filled), style), { maxLength: 2 }),
    maybeComment,
    style,
  )
  .map(([files, searches, note, look]) => {
    const read = files.map(([src, from, more, encoding]) => ({
      src,
      from,
      to: more === undefined ? undefined : (from ?? 1) + more,
      encoding,
    }));
    const body = [
      ...files.map(([, , , , fileLook], index) => {
        const { src, from, to, encoding } = read[index] as (typeof read)[number];
        return element(
          "file",
          [
            ["src", src],
            ["from", from?.toString()],
            ["to", to?.toString()],
            ["encoding", encoding],
          ],
          "",
          fileLook,
        );
      }),
      note.xml,
      ...searches.map(([pattern, src, glob, searchLook]) =>
        element(
          "search",
          [
            ["pattern", pattern],
            ["src", src],
            ["glob", glob],
          ],
          "",
          searchLook,
        ),
      ),
    ];
    return {
      xml: element("read", [], body.join(look.blank), look),
      call: {
        tool: "read",
        files: read.map(defined),
        searches: searches.map(([pattern, src, glob]) => defined({ pattern, src, glob })),
      },
      comments: note.comments,
    };
  });

const getValue: fc.Arbitrary<Piece> = fc
  .tuple(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/), filled, maybe(filled), style)
  .map(([key, reason, note, look]) => ({
    xml: element(
      "get_value",
      [
        ["key", key],
        ["reason", reason],
        ["note", note],
      ],
      "",
      look,
    ),
    call: defined({ tool: "get_value", key, reason, note }),
    comments: [],
  }));

const inputEscape = fc.constantFrom(
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
  ["\\e", "\u001b"],
  ["\\x41", "A"],
  ["\\x1b", "\u001b"],
  ["\\xFF", "ÿ"],
  ["\\\\", "\\"],
);
const plain = written.map((text): [string, string] => [text.replaceAll("\\", "/"), text.replaceAll("\\", "/")]);
const input: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.array(fc.oneof(plain, inputEscape as fc.Arbitrary<[string, string]>), { minLength: 1, maxLength: 5 }),
    style,
  )
  .filter(([parts]) => parts.some(([source]) => source !== ""))
  .map(([parts, look]) => ({
    xml: element("input", [], exactBody(parts.map(([source]) => source).join(""), look.choices), {
      ...look,
      blank: "",
    }),
    call: { tool: "input", data: parts.map(([, data]) => data).join("") },
    comments: [],
  }));

const ctrl: fc.Arbitrary<Piece> = fc.tuple(fc.constantFrom(..."abcdxyzABCZ[\\]^_"), style).map(([key, look]) => ({
  xml: element("ctrl", [], exactBody(key, look.choices), look),
  call: { tool: "ctrl", key: key.toLowerCase() },
  comments: [],
}));

/** Without integers that a double does not keep: those are refused. */
const jsonValue = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => {
  const keep = (_key: string, item: unknown): unknown =>
    typeof item === "number" && Number.isInteger(item) && !Number.isSafeInteger(item) ? 1 : item;
  return JSON.parse(JSON.stringify(value), keep);
});
const jsonObject = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "query", "__proto__", "constructor", "a b"), written),
  jsonValue,
  { maxKeys: 3, noNullPrototype: false },
);
/** Between tokens of JSON there may be white space. Two characters JSON may hold, and XML not. */
const jsonBody = (value: unknown, { choices: [choice = 0] }: Style): string => {
  const text = JSON.stringify(value, undefined, choice % 3).replace(
    /[\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  );
  return choice % 5 === 0 ? `\n  ${text}\n` : text;
};

const mcp: fc.Arbitrary<Piece> = fc.tuple(filled, filled, jsonObject, style).map(([server, name, args, look]) => ({
  xml: element(
    "mcp",
    [
      ["server", server],
      ["tool", name],
    ],
    exactBody(jsonBody(args, look), look.choices),
    look,
  ),
  call: { tool: "mcp", server, name, arguments: args },
  comments: [],
}));

const searchInput = fc.record(
  {
    query: trimmed,
    max_results: fc.integer(),
    safe: fc.boolean(),
    sites: fc.array(trimmed, { minLength: 2, maxLength: 3 }),
    filter: fc.record({ lang: trimmed, year: fc.nat() }),
  },
  { requiredKeys: [] },
);
const custom: fc.Arbitrary<Piece> = fc.tuple(searchInput, maybeComment, style).map(([given, note, look]) => {
  const [choice = 0] = look.choices;
  const call = { tool: "custom", name: "search_web", input: given };
  if (choice % 3 === 0 && Object.keys(given).length > 0)
    return { xml: element("search_web", [], exactBody(jsonBody(given, look), look.choices), look), call, comments: [] };
  const inside = { ...look, blank: "" };
  const leaf = (name: string, value: unknown): string =>
    element(name, [], exactBody(String(value), look.choices), inside);
  const attributes: [string, string][] = [];
  const children: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    if (Array.isArray(value)) children.push(...value.map((item) => leaf(key, item)));
    else if (typeof value === "object")
      children.push(
        element(
          key,
          [],
          Object.entries(value)
            .map(([name, item]) => leaf(name, item))
            .join(look.blank),
          inside,
        ),
      );
    else if (choice % 2 === 0) attributes.push([key, String(value)]);
    else children.push(leaf(key, value));
  }
  const body = [note.xml, ...children, ""].join(look.blank);
  return { xml: element("search_web", attributes, body, look), call, comments: note.comments };
});

const rawCustom: fc.Arbitrary<Piece> = fc
  .tuple(
    filled,
    maybe(fc.integer()),
    written.filter((text) => text !== ""),
    style,
  )
  .map(([path, mode, content, look]) => ({
    xml: element(
      "Write.File",
      [
        ["path", path],
        ["mode", mode?.toString()],
      ],
      exactBody(content, look.choices),
      { ...look, blank: "" },
    ),
    call: { tool: "custom", name: "Write.File", input: defined({ path, mode, content }) },
    comments: [],
  }));

/** Markup that is well-formed itself, and says what the protocol's tags say: to a raw body it is text. */
const markup: fc.Arbitrary<string> = fc.letrec<{ nodes: string; node: string }>((tie) => ({
  nodes: fc.array(tie("node"), { maxLength: 3 }).map((nodes) => nodes.join("")),
  node: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("a", " ", "x &lt; y", "&amp;", "<b/>", "<!-- </b> -->", "<br />", '<i c=">"/>', "é", ""),
    fc
      .tuple(
        fc.constantFrom(
          "div",
          "command",
          "find",
          "replace",
          "file",
          "edit",
          "tools",
          "input",
          "mcp",
          "Write.File",
          "search_web",
          "think",
        ),
        fc.constantFrom("", ' src="a"', " all='true'"),
        tie("nodes"),
      )
      .map(([name, attributes, inner]) => `<${name}${attributes}>${inner}</${name}>`),
  ),
})).nodes;
const markupBody = markup.filter((text) => /<[a-zA-Z]/.test(text) && text.trim() === text);

/** A call whose raw body is markup. */
const withMarkup: fc.Arbitrary<Piece> = fc.tuple(markupBody, markupBody, fc.nat(2)).map(([first, second, kind]) => {
  if (kind === 0) return { xml: `<command>${first}</command>`, call: { tool: "command", script: first }, comments: [] };
  if (kind === 1)
    return {
      xml: `<Write.File path="p">\n${first}\n</Write.File>`,
      call: { tool: "custom", name: "Write.File", input: { path: "p", content: first } },
      comments: [],
    };
  return {
    xml: `<edit><file src="a"><find>${first}</find>\n<replace>\n${second}</replace></file></edit>`,
    call: { tool: "edit", files: [{ src: "a", edits: [{ find: first, replace: second }] }] },
    comments: [],
  };
});

/** Blocks with bodies of markup, some of it like calls. */
export const markupBlock: fc.Arbitrary<WellFormedBlock> = fc
  .tuple(
    fc.array(fc.oneof(withMarkup, withMarkup, command, comment), { minLength: 1, maxLength: 3 }),
    fc.constantFrom("", "\n", "\n  "),
  )
  .map(([pieces, blank]) => ({
    xml: `<tools>${blank}${pieces.map(({ xml }) => xml + blank).join("")}</tools>`,
    calls: pieces.flatMap(({ call }) => (call ? [call] : [])),
    comments: pieces.flatMap(({ comments }) => comments),
  }));

/** Every built-in tag, MCP, custom tools, comments, CDATA, references, attributes. */
export const wellFormedBlock: fc.Arbitrary<WellFormedBlock> = fc
  .tuple(
    fc.array(fc.oneof(command, edit, read, getValue, input, ctrl, mcp, custom, rawCustom, comment), { maxLength: 4 }),
    style,
  )
  .map(([pieces, look]) => ({
    // In a message, a lone <tools/> is a mention.
    xml: element("tools", [], look.blank + pieces.map(({ xml }) => xml + look.blank).join("") || " ", {
      ...look,
      blank: "",
    }),
    calls: pieces.flatMap(({ call }) => (call ? [call] : [])),
    comments: pieces.flatMap(({ comments }) => comments),
  }));
