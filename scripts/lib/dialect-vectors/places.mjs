// Vectors of where calls stand: in reasoning, in code, in prose, between texts; and of marks in other characters.
import { isTags } from "./closers.mjs";
import { codes, forEachRow, ping, weather } from "./vector.mjs";
import { textOf, write } from "./writing.mjs";

/** @typedef {import("./vector.mjs").Row} Row @typedef {import("./vector.mjs").Vector} Vector */

const call = { name: "get_weather", input: { city: "SF" } };
const runs = { calls: [weather(call.input)], text: "" };
/** Headers of messages end reasoning there. */
const hasHeaders = ["harmony", "atem", "inkling"];
const isWritten = (/** @type {Row} */ row) => row.write;

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function reasoning(rows) {
  return forEachRow(rows, isWritten, (row, dialect) => {
    const own = hasHeaders.includes(dialect) ? [] : row.reasoning;
    const pairs = [...own.filter(({ open }) => open !== "<think>"), { open: "<think>", close: "</think>" }];
    const text = write(row, [call]);
    return pairs.flatMap(({ open, close }) => {
      const start = open.endsWith("\n") ? open : `${open}\n`;
      const closed = `${start}I call it.\n${text}\n${close}`;
      const unclosed = `${start}I call it.\n${text}`;
      const marked = { calls: [], text: "", diagnostics: codes("call-in-reasoning") };
      const isOpen = codes("core/reasoning-unclosed");
      return [
        { name: `a call between ${open.trim()} and ${close}`, dialect, input: closed, ...marked },
        {
          name: `a call between ${open.trim()} and ${close}, accept-unclosed`,
          dialect,
          input: closed,
          options: { callsInReasoning: "accept-unclosed" },
          ...marked,
        },
        {
          name: `a call between ${open.trim()} and ${close}, accept`,
          dialect,
          input: closed,
          options: { callsInReasoning: "accept" },
          ...runs,
          diagnostics: [],
        },
        {
          name: `a call behind ${open.trim()} alone`,
          dialect,
          input: unclosed,
          ...marked,
          diagnostics: [...isOpen, ...marked.diagnostics],
        },
        ...["accept-unclosed", "accept"].map((callsInReasoning) => ({
          name: `a call behind ${open.trim()} alone, ${callsInReasoning}`,
          dialect,
          input: unclosed,
          options: { callsInReasoning },
          ...runs,
          diagnostics: isOpen,
        })),
        {
          name: `a call behind ${close}`,
          dialect,
          input: `${open}I call it.${close}\n\n${text}`,
          ...runs,
          reasoning: "I call it.",
          diagnostics: [],
        },
      ];
    });
  });
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function mentions(rows) {
  const isFence = (/** @type {Row} */ row) => write(row, [call]).includes("```");
  return forEachRow(
    rows,
    (row) => row.write && !isFence(row),
    (row, dialect) => {
      const whole = write(row, [call]);
      const marks = [...row.open, row.call.open].map((mark) => textOf(mark).trim());
      const openers = [...new Set(marks)].filter((text) => text !== "" && !text.includes("\n"));
      const inProse =
        hasHeaders.includes(dialect) || dialect.startsWith("llama3") || dialect === "functionary3.2" ? [] : openers;
      const isText = (/** @type {string} */ input) => ({
        dialect,
        input,
        calls: [],
        text: input,
        diagnostics: [],
        blocks: [],
      });
      return [
        ...openers.map((mark) => ({ name: `${mark} in inline code`, ...isText(`Write \`${mark}\` first.`) })),
        ...(whole.includes("\n") ? [] : [{ name: "a call in inline code", ...isText(`Like \`${whole}\` here.`) }]),
        ...inProse.map((mark) => ({
          name: `${mark} in prose`,
          ...isText(`The mark ${mark} opens a call.`),
          diagnostics: undefined,
        })),
        ...inProse.map((mark) => ({
          name: `${mark} in prose, before a call`,
          dialect,
          input: `The mark ${mark} opens a call.\n\n${whole}`,
          ...runs,
          text: `The mark ${mark} opens a call.`,
        })),
        ...["```", "~~~~"].flatMap((fence) => [
          {
            name: `${fence} around prose and a call`,
            dialect,
            input: `See:\n\n${fence}\nFor example:\n${whole}\n${fence}\n`,
            calls: [],
            text: `See:\n\n${fence}\nFor example:\n${whole}\n${fence}\n`,
            diagnostics: codes("core/shown-block"),
          },
          {
            name: `${fence} around a call alone`,
            dialect,
            input: `${fence}\n${whole}\n${fence}`,
            ...runs,
            diagnostics: [],
          },
        ]),
      ];
    },
  );
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function order(rows) {
  return forEachRow(rows, isWritten, (row, dialect) => {
    const [one, other] = [write(row, [call]), write(row, [{ name: "ping", input: {} }])];
    return [
      { name: "text before a call", dialect, input: `Before.\n\n${one}`, ...runs, text: "Before.", diagnostics: [] },
      {
        name: "text behind a call",
        dialect,
        input: `Before.\n${one}\nBehind.`,
        ...runs,
        text: "Before.Behind.",
        diagnostics: row.suffix === "none" ? codes("text-after-call") : [],
      },
      {
        name: "text between two calls",
        dialect,
        input: `One.\n${one}\nTwo.\n${other}`,
        calls: [weather(call.input), ping],
        text: "One.Two.",
        blocks: [
          { dialect, status: "complete" },
          { dialect, status: "complete" },
        ],
      },
      {
        name: "two calls behind one another",
        dialect,
        input: write(row, [call, { name: "ping", input: {} }]),
        calls: [weather(call.input), ping],
        text: "",
        diagnostics: [],
        blocks: [{ dialect, status: "complete" }],
      },
    ];
  });
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function lookAlikes(rows) {
  const bar = "\uff5c";
  const under = "\u2581";
  return forEachRow(
    rows,
    (row) => write(row, [call]).includes(bar),
    (row, dialect) => {
      const whole = write(row, [call, { name: "ping", input: {} }]);
      /** @type {[string, string][]} */
      const forms = [
        ["U+2016 for each bar", whole.replaceAll(bar, "\u2016")],
        ["ASCII bars", whole.replaceAll(bar, "|")],
        ["doubled bars", whole.replaceAll(bar, bar + bar)],
        ["one doubled bar", whole.replace(bar, bar + bar)],
        ["one ASCII bar", whole.replace(bar, "|")],
        ["the last bar in ASCII", whole.replace(new RegExp(`${bar}([^${bar}]*)$`), "|$1")],
      ];
      if (whole.includes(under))
        forms.push(
          ["ASCII underscores", whole.replaceAll(under, "_")],
          ["ASCII bars and underscores", whole.replaceAll(under, "_").replaceAll(bar, "|")],
        );
      return forms.map(([name, input]) => ({
        name,
        dialect,
        input,
        calls: [weather(call.input), ping],
        text: "",
        diagnostics: codes("look-alike"),
        blocks: [{ dialect, status: "recovered" }],
      }));
    },
  );
}

/** Only of dialects with a wrapper that may be missing. @param {Record<string, Row>} rows @returns {Vector[]} */
export function unwrapped(rows) {
  return forEachRow(
    rows,
    (row) => isTags(row) && row.open.length > 0 && row.call.open !== undefined,
    (row, dialect) => {
      const whole = write(row, [call]);
      const from = whole.indexOf(textOf(row.call.open), textOf(row.open[0]).length);
      const to = whole.indexOf(textOf(row.call.close).trim()) + textOf(row.call.close).trim().length;
      const bare = whole.slice(from, to);
      return [
        { name: "a call without its wrapper", dialect, input: bare, ...runs, diagnostics: codes("unwrapped") },
        {
          name: "a call without its wrapper, and a new line",
          dialect,
          input: `${bare}\nBehind.`,
          ...runs,
          text: "Behind.",
          diagnostics: codes("text-after-call", "unwrapped"),
        },
      ];
    },
  );
}
