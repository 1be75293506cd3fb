import type { SlipBody } from "./bodies.ts";
import { damageOne } from "./damage.ts";
import type { Random } from "./random.ts";
import type { Format, Slipped, Written } from "./slip.ts";

const before = "I will write that now, step by step.\n\n";
const after = "\nThat is all; tell me when something is missing.\n";

/** Slips that are the same in every format: what stands around a block, and where the text ends. */
export const commonSlips: Readonly<
  Record<string, <Call>(format: Format<Call>, call: Call, body: SlipBody, random: Random) => Slipped[]>
> = {
  "as-written": (format, call) => {
    const { text } = format.write([call]);
    return [{ variant: "alone", text, meant: [format.value(call)] }];
  },

  "cut-length": (format, call, _, random) => cuts(format, call, random, "length"),

  "cut-unsaid": (format, call, _, random) => cuts(format, call, random, undefined),

  "one-character": (format, call, _, random) => {
    const { text, values } = format.write([call]);
    const places = [...text].length === text.length ? ownPlaces(text, values) : [];
    const changes = ["", "x", " ", "\n", "<", "«", "'", "_"];
    return Array.from({ length: places.length > 0 ? 12 : 0 }, (_unused, index) => {
      const at = random.pick(places);
      const unit = text.charAt(at);
      const [what, put] =
        index < 5 ? ["missing", ""] : index < 8 ? ["twice", unit + unit] : ["another", random.pick(changes)];
      return {
        variant: `${what}, ${at}`,
        text: text.slice(0, at) + put + text.slice(at + 1),
        meant: [format.value(call)],
      };
    });
  },

  "damaged-delimiter": (format, call, _, random) => {
    const alone = format.write([call]);
    const meant = [format.value(call)];
    const both = [format.value(format.other), ...meant];
    const found = damagedIn(alone, 4, random).map(({ what, text }): Slipped => ({ variant: what, text, meant }));
    if (format.manyCalls)
      for (const { what, text } of damagedIn(format.write([format.other, call]), 6, random))
        found.push({ variant: `two, ${what}`, text, meant: both });
    else {
      const first = format.write([format.other]);
      for (const { what, text } of damagedIn(first, 3, random)) {
        const block = { text, meant: both.slice(0, 1) };
        found.push({ variant: `two, first ${what}`, text: `${text}\n${alone.text}`, meant: both, block });
      }
      for (const { what, text } of damagedIn(alone, 3, random))
        found.push({ variant: `two, ${what}`, text: `${first.text}\n${text}`, meant: both, block: { text, meant } });
    }
    return found;
  },

  "fence-around": (format, call, _, random) => {
    const { text } = format.write([call]);
    const fence = random.pick(["```", "~~~", "`````"]);
    const info = random.pick(["", "xml", "toml", "text", "tool_code"]);
    const meant = [format.value(call)];
    return [
      { variant: `${fence}${info}`, text: `${fence}${info}\n${text}${fence}\n`, meant },
      { variant: `${fence}${info}, prose`, text: `${before}${fence}${info}\n${text}${fence}\n${after}`, meant },
    ];
  },

  "fence-unclosed": (format, call, _, random) => {
    const { text } = format.write([call]);
    const fence = random.pick(["```", "```xml", "~~~", "```toml"]);
    return [{ variant: fence, text: `${before}${fence}\n${text}`, meant: [format.value(call)] }];
  },

  reasoning: (format, call, _, random) => {
    const { text } = format.write([call]);
    const tag = random.pick(["think", "thinking", "thought", "THINK"]);
    const meant = [format.value(call)];
    const draft = format.write([format.other]).text;
    return [
      {
        variant: `${tag}, nothing else`,
        text: `<${tag}>\nI could do this:\n${text}</${tag}>\nNo need to.\n`,
        meant: [],
      },
      { variant: `${tag}, then the call`, text: `<${tag}>Fine, go on.</${tag}>\n${text}`, meant },
      { variant: `${tag}, draft first`, text: `<${tag}>\nDraft:\n\n${draft}</${tag}>\n\n${text}`, meant },
      { variant: `${tag} nested`, text: `<${tag}>a <${tag}>b</${tag}>\n${draft}</${tag}>\n${text}`, meant },
      { variant: `${tag} with attribute`, text: `<${tag} depth="2">\n${draft}</${tag}>\n${text}`, meant },
    ];
  },

  "reasoning-broken": (format, call, _, random) => {
    const { text } = format.write([call]);
    const tag = random.pick(["think", "thinking", "thought"]);
    const draft = format.write([format.other]).text;
    const meant = [format.value(call)];
    return [
      { variant: `${tag} unclosed`, text: `<${tag}>\nFirst I look.\n\n${text}`, meant: [], lost: true },
      { variant: `${tag} unopened`, text: `I could do this:\n\n${draft}</${tag}>\n${text}`, meant },
      { variant: `${tag} opened by the prompt`, text: `Plan it.\n\n${draft}\n</${tag}>\n\n${text}`, meant },
    ];
  },

  prose: (format, call, _, random) => {
    const { text } = format.write([call]);
    const meant = [format.value(call)];
    const sentence = random.pick([
      "Sure, here it is:",
      "好的，我来写：",
      "Let's go — 1 < 2 & 3 > 2:",
      "**Step 1.** Write it",
    ]);
    return [
      { variant: "before", text: `${sentence}\n${text}`, meant },
      { variant: "before and after", text: `${before}${text}${after}`, meant },
      { variant: "close by", text: `${sentence}\n${text}Done.\n`, meant },
    ];
  },

  mention: (format, call, _, random) => {
    const { text } = format.write([call]);
    const meant = [format.value(call)];
    const mention = random.pick(format.mentions);
    return [
      { variant: "alone", text: `${mention}\n`, meant: [] },
      { variant: "before", text: `${mention}\n\n${text}`, meant },
      { variant: "after", text: `${text}\n${mention}\n`, meant },
    ];
  },

  "made-up-result": (format, call) => {
    const first = format.write([format.other]).text;
    const second = format.write([call]).text;
    return [
      {
        variant: "then a second call",
        text: `${first}\n${format.madeUpResult}\nGood, that worked.\n\n${second}`,
        meant: [format.value(format.other)],
        lost: true,
      },
    ];
  },

  "two-calls": (format, call) => {
    const first = format.write([format.other]).text;
    const second = format.write([call]).text;
    const meant = [format.value(format.other), format.value(call)];
    const reversed = [format.value(call), format.value(format.other)];
    const found: Slipped[] = [
      { variant: "two blocks, a blank line", text: `${first}\n${second}`, meant },
      { variant: "two blocks, nothing between", text: `${first}${second}`, meant },
      { variant: "two blocks, the long one first", text: `${second}${first}`, meant: reversed },
      { variant: "two blocks on one line", text: `${first.trimEnd()}${second}`, meant },
    ];
    if (!format.manyCalls) return found;
    const text = format.write([call, format.other]).text;
    return [...found, { variant: "one block", text, meant: reversed }];
  },

  crlf: (format, call) => {
    const text = format.write([call]).text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n");
    const meant = [format.value(call)];
    return [
      { variant: "alone", text, meant, looseLineEnds: true },
      { variant: "fenced, prose", text: `Here:\r\n\r\n\`\`\`\r\n${text}\`\`\`\r\n`, meant, looseLineEnds: true },
    ];
  },

  bom: (format, call) => {
    const { text } = format.write([call]);
    const meant = [format.value(call)];
    return [
      { variant: "alone", text: `\ufeff${text}`, meant },
      { variant: "fenced", text: `\ufeff\`\`\`\n${text}\`\`\`\n`, meant },
    ];
  },
};

/** Classes that make sense with bodies that hold the format's own markers. */
export const classesForOwn: ReadonlySet<string> = new Set([
  "as-written",
  "cut-length",
  "cut-unsaid",
  "fence-around",
  "own-closers",
  "two-calls",
  "crlf",
  "bom",
]);

/** The text with one of its delimiters damaged, a number of times. */
function damagedIn(
  { text, values }: Pick<Written, "text" | "values">,
  count: number,
  random: Random,
): { what: string; text: string }[] {
  const own = [...text.matchAll(/[^\s\w]*\w+[^\s\w]*|[^\s\w]+/g)].filter(
    ({ 0: all, index }) => !values.some(([start, end]) => index < end && index + all.length > start),
  );
  return Array.from({ length: own.length > 0 ? count : 0 }, () => {
    const { 0: delimiter, index } = random.pick(own);
    const { what, text: put } = damageOne(delimiter, random);
    return { what: `${what}, ${index}`, text: text.slice(0, index) + put + text.slice(index + delimiter.length) };
  });
}

/** Places outside of all values, line breaks aside. */
function ownPlaces(text: string, values: Written["values"]): number[] {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1)
    if (text[at] !== "\n" && !values.some(([start, end]) => at >= start && at < end)) places.push(at);
  return places;
}

function cuts<Call>(format: Format<Call>, call: Call, random: Random, finish: "length" | undefined): Slipped[] {
  const found = cutsOf(format.write([call]), [], [format.value(call)], random, finish);
  if (!format.manyCalls) return found;
  const first = format.write([format.other]);
  const both = format.write([format.other, call]);
  // The first call is whole where the texts of one and of two calls part, less what the second one begins with.
  const parted = { ...both, begun: Math.max(both.begun, Math.min(first.complete + 8, both.valueEnd - 1)) };
  const one = [format.value(format.other)];
  return [...found, ...cutsOf(parted, one, [...one, format.value(call)], random, finish).slice(0, 3)];
}

/** Cuts within the last value, at its end, within its delimiter, and within what closes the block. */
function cutsOf(
  { text, begun, valueEnd, complete, seams }: Written,
  whole: Slipped["meant"],
  all: Slipped["meant"],
  random: Random,
  finish: "length" | undefined,
): Slipped[] {
  const places = new Set([
    ...seams.filter((at) => at >= begun),
    random.between(begun, valueEnd - 1),
    random.between(begun, valueEnd - 1),
    valueEnd - 1,
    valueEnd,
    random.between(valueEnd, complete),
    complete,
    random.between(complete, text.length),
  ]);
  return [...places].map((at) => ({
    variant: seams.includes(at)
      ? `between fields, ${at}`
      : at < valueEnd
        ? `in the value, ${at}`
        : at < complete
          ? `in its delimiter, ${at}`
          : `after it, ${at}`,
    text: text.slice(0, at),
    ...(finish && { end: { finish } }),
    meant: at < valueEnd ? whole : all,
    ...(at < valueEnd && { lost: true }),
  }));
}
