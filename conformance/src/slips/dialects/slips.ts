import type { Dialect } from "@toolglot/dialects";
import type { SlipBody } from "../bodies.ts";
import { damagedIn } from "../damage.ts";
import { Random } from "../random.ts";
import type { SlipCase, Slipped, Written } from "../slip.ts";
import { isPlain, outside, put, textsOf, tokensOf, wrapOf, wrappers } from "./parts.ts";
import { type Input, inputOf, textOf, valueIn, writtenOf } from "./write.ts";

/** What a slip is made of. */
interface Slip {
  row: Dialect;
  input: Input;
  written: Written & { nameEnd: number };
  random: Random;
}

/** Variants of a class: names with the text, or with all that is meant. */
type Made = Record<string, string | undefined | Omit<Slipped, "variant">>;

const other: Input = { backup: false, file: "notes/other.md", text: "one line" };

const classes: Record<string, (slip: Slip) => Made> = {
  "as-written": ({ written: { text } }) => ({
    alone: text,
    "behind prose": `I will write the file.\n\n${text}`,
    "before prose": `${text}\n\nThat is all.\n`,
    "line breaks around": `\n\n${text}\n\n`,
  }),

  "lost-token": ({ written, random }) =>
    Object.fromEntries(
      Array.from({ length: 8 }, () => {
        const { at, end, is } = random.pick(tokensOf(written));
        return [`${is} at ${at}`, put(written.text, at, end, "")];
      }),
    ),

  "doubled-token": ({ written, random }) =>
    Object.fromEntries(
      Array.from({ length: 4 }, () => {
        const { at, is } = random.pick(tokensOf(written));
        return [`${is} at ${at}`, put(written.text, at, at, is)];
      }),
    ),

  "lost-closer": ({ written }) =>
    Object.fromEntries(
      tokensOf(written)
        .filter(({ at }) => at >= written.valueEnd)
        .map(({ at, end, is }) => [`${is} at ${at - written.valueEnd}`, put(written.text, at, end, "")]),
    ),

  "doubled-closer": ({ written }) =>
    Object.fromEntries(
      tokensOf(written)
        .filter(({ at }) => at >= written.valueEnd)
        .map(({ at, is }) => [`${is} at ${at - written.valueEnd}`, put(written.text, at, at, is)]),
    ),

  "damaged-delimiter": ({ written, random }) =>
    Object.fromEntries(damagedIn(written, 8, random).map(({ what, text }) => [what, text])),

  "one-character": ({ written, random }) => {
    const { text } = written;
    const places = tokensOf(written).flatMap(({ at, end }) => Array.from({ length: end - at }, (_, n) => at + n));
    return Object.fromEntries(
      Array.from({ length: 6 }, () => {
        const at = random.pick(places);
        const isLost = random.between(0, 1) === 0;
        return [
          `${JSON.stringify(text[at])} at ${at} ${isLost ? "lost" : "twice"}`,
          isLost ? put(text, at, at + 1, "") : put(text, at, at, text.charAt(at)),
        ];
      }),
    );
  },

  "look-alikes": ({ written }) => ({
    "ASCII bars": outside(written, (part) => part.replaceAll("｜", "|")),
    "double bars": outside(written, (part) => part.replaceAll("｜", "‖")),
    "bars twice": outside(written, (part) => part.replaceAll("｜", "｜｜")),
    underscores: outside(written, (part) => part.replaceAll("▁", "_")),
    both: outside(written, (part) => part.replaceAll("▁", "_").replaceAll("｜", "|")),
    "wide bars": outside(written, (part) => part.replaceAll("|", "｜")),
    "wide angles": outside(written, (part) => part.replaceAll("<", "＜").replaceAll(">", "＞")),
  }),

  quotes: ({ row, input, written }) =>
    row.values === "json" || row.values === "python"
      ? {
          ...(isPlain(input) && {
            single: outside(written, (part) => part.replaceAll('"', "'")),
            double: outside(written, (part) => part.replaceAll("'", '"')),
            curly: outside(written, (part) => part.replace(/"([^"]*)"/g, "“$1”")),
          }),
          "keys without": outside(written, (part) => part.replace(/"(\w+)":/g, "$1:")),
        }
      : {},

  commas: ({ written }) => ({
    trailing: outside(written, (part) => part.replace(/"\s*}/, (all) => `"${","}${all.slice(1)}`)),
    "trailing in a call": outside(written, (part) => part.replace(/(["'])\)/, "$1,)")),
    lost: outside(written, (part) => part.replace(/, (?=["'\w])/, " ")),
    "lost, and no space": outside(written, (part) => part.replace(/, (?=["'\w])/, "")),
    twice: outside(written, (part) => part.replace(/, /, ",, ")),
  }),

  words: ({ written }) => ({
    Python: outside(written, (part) => part.replace("true", "True")),
    JSON: outside(written, (part) => part.replace("True", "true")),
    capital: outside(written, (part) => part.replace(/true/i, "TRUE")),
    quoted: outside(written, (part) => part.replace(/true/i, '"true"')),
    number: outside(written, (part) => part.replace(/true/i, "1")),
    word: outside(written, (part) => part.replace(/true/i, "yes")),
  }),

  "stray-text": ({ row, written: { text, valueEnd } }) => ({
    "close before": `Done.${text}`,
    "close behind": `${text}Done.`,
    "behind the opener": text.replace(wrapOf(row).open, (open) => `${open}Sure! `),
    "behind the value": put(text, valueEnd, valueEnd, " and more"),
    "before the end": wrapOf(row).close ? text.replace(wrapOf(row).close, (close) => `Done.${close}`) : undefined,
  }),

  wrapper: ({ row, written }) => {
    const { open, close } = wrapOf(row);
    if (open === "") return {};
    const swap = (to: readonly [string, string]): string | undefined =>
      outside(written, (part) => part.replace(open, () => to[0]).replace(close || /$^/, () => to[1]));
    return {
      ...Object.fromEntries(wrappers.filter(([one]) => one !== open).map((pair) => [pair[0], swap(pair)])),
      "no opener": outside(written, (part) => part.replace(open, "")),
      "no closer": close === "" ? undefined : outside(written, (part) => part.replace(close, "")),
      none: swap(["", ""]),
      "opener twice": outside(written, (part) => part.replace(open, () => open + open)),
    };
  },

  "own-closers": ({ row, input }) => {
    const { open, close, call, arguments: args } = row;
    const parts = [call.open, call.close, args.open, args.close].filter((one) => one !== undefined);
    const marks = [...new Set([...textsOf(open), ...textsOf(close), ...textsOf(parts), row.example.text])];
    const lines = input.text.split("\n");
    return Object.fromEntries(
      marks.flatMap((mark) =>
        Object.entries({
          "in a line": `${lines[0]} ${mark} x`,
          "on a line": `${lines[0]}\n${mark}\n${lines[1] ?? ""}`,
          "at the end": `${lines[0]}\n${mark}`,
          alone: mark,
        }).map(([where, text]) => {
          const meant = { ...input, text };
          const whole = textOf(row, [meant]);
          return [
            `${mark.slice(0, 40)} ${where}`,
            whole === undefined ? undefined : { text: whole, meant: [valueIn(meant)] },
          ];
        }),
      ),
    );
  },

  cut: ({ input, written: { text, nameEnd, valueEnd }, random }) => {
    const made: Made = {};
    const places = new Set(Array.from({ length: 10 }, () => random.between(1, text.length - 1)));
    for (let at = valueEnd; at < text.length; at += 1) places.add(at);
    for (const at of places)
      for (const finish of [undefined, "length", "stop"] as const) {
        const lost = at > nameEnd && at <= valueEnd;
        made[`at ${at}, ${finish ?? "unsaid"}`] = {
          text: text.slice(0, at),
          ...(finish && { end: { finish } }),
          meant: at < valueEnd ? [] : [valueIn(input)],
          ...(lost && { lost }),
        };
      }
    return made;
  },

  "two-calls": ({ row, input, written, random }) => {
    const text = textOf(row, [other, input]);
    const second = textOf(row, [input, other]);
    if (text === undefined || second === undefined) return {};
    const values = [other.file, other.text].map((value): [number, number] => {
      const start = text.indexOf(value);
      return [start, start + value.length];
    });
    const [, last = 0] = values[1] ?? [];
    const own = written.text.slice(...(written.values[1] as [number, number]));
    const from = text.lastIndexOf(own);
    values.push([text.indexOf(input.file, last), from + own.length]);
    const both = [valueIn(other), valueIn(input)];
    return {
      "as written": { text, meant: both },
      "in messages of their own": { text: `${textOf(row, [other])}\n${written.text}`, meant: both },
      ...Object.fromEntries(
        damagedIn({ ...written, text, values }, 6, random).map((one) => [one.what, { text: one.text, meant: both }]),
      ),
      ...Object.fromEntries(
        [0, 3, other.text.length].map((taken) => [
          `the second cut behind ${taken} units`,
          { text: second.slice(0, second.lastIndexOf(other.text) + taken), meant: [valueIn(input)], lost: true },
        ]),
      ),
    };
  },

  reasoning: ({ input, written: { text } }) => ({
    "in it": { text: `<think>\nI could write:\n${text}\n</think>\n\nNothing is to be done.`, meant: [] },
    "not closed": `<think>\nI write the file.\n\n${text}`,
    "closed only": `I write the file.\n</think>\n\n${text}`,
    before: `<think>\nI write the file.\n</think>\n\n${text}`,
    "in it, and behind it": { text: `<think>\n${text}\n</think>\n\n${text}`, meant: [valueIn(input)] },
  }),

  fence: ({ row, written: { text } }) =>
    row.open.some((marker) => "text" in marker && marker.text.includes("```")) || /^```/m.test(text)
      ? {}
      : {
          plain: `\`\`\`\n${text}\n\`\`\``,
          json: `Here:\n\n\`\`\`json\n${text}\n\`\`\`\n`,
          "not closed": `\`\`\`\n${text}`,
        },

  mention: ({ row }) => {
    const { open, close } = wrapOf(row);
    if (open === "") return {};
    return {
      "in code": { text: `A call begins with \`${open}\` and ends with \`${close}\`.`, meant: [] },
      bare: { text: `A call begins with ${open} and then the name stands.`, meant: [] },
    };
  },

  crlf: ({ written: { text } }) => ({
    all: text.includes("\r") ? undefined : { text: text.replaceAll("\n", "\r\n"), meant: [], looseLineEnds: true },
  }),
};

/** The classes, in the order of the page. */
export const classNames: readonly string[] = Object.keys(classes);

/** Every slip of a dialect on a body: the same in every run. */
export function casesOf(row: Dialect, body: SlipBody, seed = ""): SlipCase[] {
  const input = inputOf(body);
  const written = writtenOf(row, input);
  if (!written) return [];
  return Object.entries(classes).flatMap(([slip, make]) => {
    const random = new Random(`${seed}${row.id} ${body.name} ${slip}`);
    return Object.entries(make({ row, input, written, random })).flatMap(([variant, made]): SlipCase[] => {
      if (made === undefined) return [];
      const usual = { slip, variant, body: body.name, meant: [valueIn(input)] };
      if (typeof made === "string") return [{ ...usual, text: made }];
      return [{ ...usual, ...made, ...(slip === "crlf" && { meant: usual.meant }) }];
    });
  });
}
