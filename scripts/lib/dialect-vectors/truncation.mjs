// Vectors of texts that end too early, or lack closing marks.
import { isTags } from "./closers.mjs";
import { codes, forEachRow, weather } from "./vector.mjs";
import { body, formOf, head, isWholeObject, textOf, wrapper, write } from "./writing.mjs";

/** @typedef {import("./vector.mjs").Row} Row @typedef {import("./vector.mjs").Vector} Vector */

const call = { name: "get_weather", input: { city: "SF" } };
const markless = ["llama3-json", "pythonic", "openai-loose"];
/** @type {({ finish?: string })[]} */
const endings = [{}, { finish: "length" }, { finish: "stop" }];

/** A run up to the arguments' end, without any closing mark. @param {Row} row */
const unclosed = (row) =>
  (row.header ?? "").replace("{name}", "get_weather") + wrapper(row).open + head(row, "get_weather") + body(row, call);

/** @param {string} name @param {string} dialect @param {string} input @param {object} [more] @returns {Vector} */
const cut = (name, dialect, input, more) => ({
  name,
  dialect,
  input,
  calls: [],
  rejected: [{ status: "truncated" }],
  text: "",
  diagnostics: codes("truncated"),
  blocks: [{ dialect, status: "truncated" }],
  ...more,
});

/** @param {{ finish?: string }} end */
const ending = (end) => ({ ...(end.finish && { end }) });
/** @param {{ finish?: string }} end */
const said = ({ finish }) => (finish ? `, finish ${finish}` : "");

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function truncation(rows) {
  const marked = (/** @type {Row} */ _, /** @type {string} */ id) => !markless.includes(id);
  return [
    ...forEachRow(rows, marked, (row, dialect) => {
      const opener = wrapper(row).open + textOf(row.call.open);
      const first = (wrapper(row).open || textOf(row.call.open)).trimEnd();
      const whole = unclosed(row);
      const value = whole.lastIndexOf("SF") + 1;
      const name = whole.lastIndexOf("get_weather") + 7;
      const partial = first.slice(0, Math.ceil(first.length / 2));
      return [
        ...(dialect === "inkling" || dialect === "gemma3"
          ? []
          : [cut("an opener ends the text", dialect, opener.trimEnd())]),
        ...(dialect === "inkling" || row.header
          ? []
          : [cut("the text ends in the name", dialect, whole.slice(0, name))]),
        ...endings.map((end) =>
          cut(`the text ends in a string${said(end)}`, dialect, whole.slice(0, value), {
            ...ending(end),
            rejected: [{ status: "truncated", name: "get_weather" }],
          }),
        ),
        ...(dialect === "harmony" || dialect === "functionary3.2" || dialect === "inkling"
          ? []
          : [
              {
                name: "a cut opener at the end is text",
                dialect,
                input: `See ${partial}`,
                calls: [],
                text: `See ${partial}`,
                diagnostics: [],
                blocks: [],
              },
            ]),
      ];
    }),
    ...forEachRow(rows, isTags, (row, dialect) => {
      const input = unclosed(row).trimEnd();
      const recovered = {
        calls: [{ ...weather(call.input), status: /** @type {const} */ ("recovered") }],
        text: "",
        diagnostics: codes("unclosed"),
        blocks: [{ dialect, status: "recovered" }],
      };
      const closer = textOf(row.call.close ?? row.close?.[0]).trim();
      return [
        cut("a closed value ends the text", dialect, input),
        cut("a closed value ends the text, finish length", dialect, input, { end: { finish: "length" } }),
        { name: "a closed value ends the text, finish stop", dialect, input, end: { finish: "stop" }, ...recovered },
        { name: "a closed value ends the text, finish calls", dialect, input, end: { finish: "calls" }, ...recovered },
        {
          name: "a closed value ends the text, the closing mark is the stop sequence",
          dialect,
          input,
          end: { stopSequence: closer },
          ...recovered,
        },
        ...(row.close && row.call.close
          ? [
              {
                name: "the wrapper is not closed, finish stop",
                dialect,
                input: (unclosed(row) + textOf(row.call.close)).trimEnd(),
                end: { finish: "stop" },
                calls: [weather(call.input)],
                text: "",
                ...(row.close[0]?.optional
                  ? {}
                  : { diagnostics: codes("unclosed"), blocks: [{ dialect, status: "recovered" }] }),
              },
            ]
          : []),
      ];
    }),
    ...forEachRow(
      rows,
      (row, id) => !isTags(row) && marked(row, id),
      (row, dialect) => {
        const form = formOf(row);
        const isClosed = form === "json" && row.values === "json";
        const whole = unclosed(row);
        const closers = textOf(row.call.close) + wrapper(row).close;
        const lacks =
          [...(row.close ?? []), row.call.close].some((mark) => mark && !mark.optional && !mark.unwritten) || row.list;
        // The last brace of the arguments is the call's closing mark there.
        const balanced = form === "json" ? whole : whole + textOf(row.call.close);
        const needs = form === "json" ? lacks : row.list || (row.close ?? []).some((mark) => !mark.unwritten);
        return [
          ...endings.map((end) => ({
            name: `balanced arguments end the text${said(end)}`,
            dialect,
            input: balanced,
            ...ending(end),
            calls: [weather(call.input)],
            text: "",
            diagnostics: needs ? codes("unclosed") : [],
            blocks: [{ dialect, status: needs ? "recovered" : "complete" }],
          })),
          ...endings.map((end) =>
            cut(
              `arguments without their last brace end the text${said(end)}`,
              dialect,
              form === "json" ? whole.slice(0, -1) : whole,
              {
                ...ending(end),
                rejected: [{ status: "truncated", name: "get_weather" }],
              },
            ),
          ),
          ...(isClosed && closers !== ""
            ? [
                {
                  name: "arguments without their last brace, before what closes them",
                  dialect,
                  input: whole.slice(0, -1) + closers,
                  calls: [{ ...weather(call.input), status: /** @type {const} */ ("recovered") }],
                  text: "",
                  diagnostics: codes("json-repaired"),
                  blocks: [{ dialect, status: "recovered" }],
                },
              ]
            : []),
          ...(form === "keyed"
            ? [
                {
                  name: "arguments without their last brace, before what closes the wrapper",
                  dialect,
                  input: whole + wrapper(row).close,
                  calls: [{ ...weather(call.input), status: /** @type {const} */ ("recovered") }],
                  text: "",
                  blocks: [{ dialect, status: "recovered" }],
                },
              ]
            : []),
          ...(isWholeObject(row) && row.wrapsEach && isClosed
            ? [
                {
                  name: "a lost closing mark, and the next call",
                  dialect,
                  input: whole + write(row, [{ name: "ping", input: {} }]),
                  calls: [weather(call.input), { name: "ping", input: {} }],
                  text: "",
                  diagnostics: codes("unclosed"),
                },
              ]
            : []),
        ];
      },
    ),
    ...forEachRow(
      rows,
      (row, id) => row.stops.length > 0 && id !== "openai-loose",
      (row, dialect) =>
        row.stops.map((stop) => ({
          name: `${stop} behind a call`,
          dialect,
          input: write(row, [call]).replace(/<\|(?:call|end_message)\|>$/, "") + stop,
          calls: [{ ...weather(call.input), status: /** @type {const} */ ("complete") }],
          text: "",
          diagnostics: [],
        })),
    ),
  ];
}
