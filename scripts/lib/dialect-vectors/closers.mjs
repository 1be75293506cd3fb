// Vectors of what closes a value, and of white space, entities and types in values.
import { codes, forEachRow, weather } from "./vector.mjs";
import { argument, callText, formOf, run, textOf, typeMarkOf, wrapper, write } from "./writing.mjs";

/** @typedef {import("./vector.mjs").Row} Row @typedef {import("./vector.mjs").Vector} Vector */

/** One call between tags, with the text of its one argument. @param {Row} row @param {string} key @param {string} text @param {string} [type] */
export const tagged = (row, key, text, type) =>
  run(row, [callText(row, "get_weather", argument(row, key, text, type))]);

/** @param {Row} row */
export const isTags = (row) => formOf(row) === "tags";
/** Whether a value's own closing mark closes at first sight. @param {Row} row */
const isSpecial = (row) => row.arguments.close?.special === true;

/** What closes a value, its call and the wrapper, one behind another. @param {Row} row @param {string} key */
function allClosers(row, key) {
  const { close, key: rule, pad } = row.arguments;
  const own = textOf(close) + (rule === "tag" ? `${key}>` : "");
  return (pad === "one-lf" ? "\n" : "") + own + textOf(row.call.close) + wrapper(row).close;
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function closers(rows) {
  const textual = (/** @type {Row} */ row) => isTags(row) && !isSpecial(row);
  return [
    ...forEachRow(rows, textual, (row, dialect) => {
      const type = typeMarkOf(row, "");
      const mark = textOf(row.arguments.close).trim();
      const opener = argument(row, "days", "").split("days")[0] ?? "";
      const callClose = textOf(row.call.close ?? row.close?.[0]).trim();
      const inValue = (/** @type {string} */ city) => ({
        dialect,
        input: tagged(row, "city", city, type),
        calls: [{ ...weather({ city }), status: /** @type {const} */ ("complete") }],
        text: "",
        diagnostics: [],
      });
      return [
        { name: "a value's closing mark before text is text", ...inValue(`a${mark} b`) },
        { name: "a value's closing mark before a line break and text is text", ...inValue(`a${mark}\n b`) },
        { name: "a value's closing mark twice in its text", ...inValue(`${mark} a${mark} b`) },
        ...(row.call.close?.special || (!row.call.close && row.close?.[0]?.special)
          ? []
          : [{ name: "a call's closing mark before text is text", ...inValue(`a${callClose} b`) }]),
        {
          name: "what opens an argument is text of a value, and doubtful",
          dialect,
          input: tagged(row, "city", `a ${opener} b`, type),
          calls: [],
          held: [weather({ city: `a ${opener} b` })],
          text: "",
          diagnostics: codes("doubtful-open"),
        },
        {
          name: "a mark that is cut is text",
          ...inValue(`a${mark.slice(0, -1)} b`),
        },
      ];
    }),
    ...forEachRow(rows, isTags, (row, dialect) => [
      {
        name: "all closing marks in a value: nobody knows where it ends",
        dialect,
        input: `${tagged(row, "city", `a${allClosers(row, "city")}\nb`, typeMarkOf(row, ""))}\n`,
        calls: [],
        diagnostics: codes("doubtful-close"),
        blocks: [{ dialect, status: "invalid" }],
      },
    ]),
    ...forEachRow(
      rows,
      (row, id) => !isTags(row) && id !== "openai-loose" && id !== "gemma3",
      (row, dialect) => {
        const marks = [row.call.close, ...(row.close ?? []), ...row.open, row.call.open]
          .map(textOf)
          .map((text) => text.trim());
        const ends = [...new Set(marks)].filter((text) => text.length > 1 && !text.includes("`"));
        const plain = row.plainSingleQuotes === true;
        return ends.map((mark) => {
          const city = plain ? `a${mark}b` : `a${mark}"'b`;
          const input = row.values === "gemma" ? { city: `a${mark}"}b` } : { city };
          return {
            name: `${mark} in a string is text`,
            dialect,
            input: write(row, [{ name: "get_weather", input }]),
            calls: [{ ...weather(input), status: /** @type {const} */ ("complete") }],
            text: "",
            diagnostics: [],
          };
        });
      },
    ),
  ];
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function whiteSpace(rows) {
  const loses = (/** @type {Row} */ row) => row.arguments.pad === "one-lf" || row.arguments.pad === "read-one-lf";
  /** What stands between the marks, and the value where one line break goes at each side. */
  const padded = [
    ["SF", "SF"],
    ["\nSF\n", "SF"],
    ["\r\nSF\r\n", "SF"],
    ["\n\nSF\n\n", "\nSF\n"],
    ["\n", ""],
    ["", ""],
    ["\n\n", ""],
    ["  SF\t", "  SF\t"],
    ["\n  SF \n \n", "  SF \n "],
    ["\nSF", "SF"],
  ];
  return forEachRow(rows, isTags, (row, dialect) => [
    ...padded.map(([text = "", value = ""]) => {
      const input = argument(row, "city", "\0", typeMarkOf(row, "")).replace(/\n?\0\n?/, () => text);
      return {
        name: `white space of the value ${JSON.stringify(text)}`,
        dialect,
        input: run(row, [callText(row, "get_weather", input)]),
        calls: [weather({ city: loses(row) ? value : text })],
        text: "",
        diagnostics: [],
      };
    }),
    ...(row.call.name.at === "attribute" || row.call.open
      ? [
          {
            name: "a name and a key are trimmed",
            dialect,
            input:
              row.arguments.key === "tag"
                ? run(row, [callText(row, " get_weather ", argument(row, "city", "SF"))])
                : run(row, [callText(row, " get_weather ", argument(row, " city ", "SF", typeMarkOf(row, "")))]),
            calls: [weather({ city: "SF" })],
            text: "",
            diagnostics: [],
          },
        ]
      : []),
  ]);
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function entities(rows) {
  const city = "&lt;b&gt; &amp; &#65; &quot;";
  return [
    ...forEachRow(
      rows,
      (_, id) => id !== "openai-loose",
      (row, dialect) => [
        {
          name: "entities in a value are text",
          dialect,
          input: write(row, [{ name: "get_weather", input: { city } }]),
          calls: [weather({ city })],
          text: "",
          diagnostics: [],
        },
      ],
    ),
    ...forEachRow(rows, isTags, (row, dialect) => {
      const section = "<![CDATA[a <b> & c]]>";
      const { key } = row.arguments;
      const isAttribute = typeof key === "object" && "attribute" in key;
      return [
        {
          name: row.arguments.cdata ? "a CDATA section holds a value" : "a CDATA section is text",
          dialect,
          input: tagged(row, "city", section, typeMarkOf(row, "")),
          calls: [weather({ city: row.arguments.cdata ? "a <b> & c" : section })],
          text: "",
          diagnostics: [],
        },
        ...(isAttribute
          ? [
              {
                name: row.entities ? "entities in an attribute are read" : "entities in an attribute are text",
                dialect,
                input: tagged(row, "a&amp;b", "SF", typeMarkOf(row, "")),
                calls: [weather({ [row.entities ? "a&b" : "a&amp;b"]: "SF" })],
                text: "",
                diagnostics: [],
              },
            ]
          : []),
      ];
    }),
  ];
}
