import { damagedIn } from "./damage.ts";
import { insertLine, type Random } from "./random.ts";
import type { Format, Slipped, Variants, Written } from "./slip.ts";

const before = "I will write that now, step by step.\n\n";
const after = "\nThat is all; tell me when something is missing.\n";

/** What the slips of every format work with: a call, its right output, and that of the format's other call. */
interface Subject<Call> {
  format: Format<Call>;
  call: Call;
  written: Written;
  draft: string;
  random: Random;
}

/** Slips that are the same in every format: what stands around a block, and where the text ends. */
export const commonSlips: Readonly<Record<string, (<Call>(subject: Subject<Call>) => Variants<object>) | undefined>> = {
  "as-written": ({ written: { text } }) => ({ alone: text }),

  "own-closers": ({ format, call, random }) =>
    Object.entries(format.closers(call)).flatMap(([variant, line]) => {
      const changed = format.withBody(call, (body) => insertLine(body, line, random));
      const meant = [format.value(changed)];
      const styles = format.closerStyles?.(variant) ?? { "": {} };
      return Object.entries(styles).map(([more, style]) => {
        const name = `${format.prefix?.(call) ?? ""}${variant}${more}`;
        return { variant: name, text: format.raw(changed, style), meant };
      });
    }),

  "cut-length": (subject) => cuts(subject, "length"),

  "cut-unsaid": (subject) => cuts(subject, undefined),

  "one-character": ({ format, call, written: { text, values }, random }) => {
    const places = [...text].length === text.length ? ownPlaces(text, values) : [];
    const changes = ["", "x", " ", "\n", "<", "«", "'", "_"];
    return Array.from({ length: places.length > 0 ? 12 : 0 }, (_unused, index) => {
      const at = random.pick(places);
      const unit = text.charAt(at);
      const [what, put] =
        index < 5 ? ["missing", ""] : index < 8 ? ["twice", unit + unit] : ["another", random.pick(changes)];
      const changed = text.slice(0, at) + put + text.slice(at + 1);
      return { variant: `${what}, ${at}`, text: changed, meant: [format.value(call)] };
    });
  },

  "damaged-delimiter": ({ format, call, written, draft, random }) => {
    const meant = [format.value(call)];
    const both = [format.value(format.other), ...meant];
    const found = damagedIn(written, 4, random).map(({ what, text }): Slipped => ({ variant: what, text, meant }));
    if (format.manyCalls)
      for (const { what, text } of damagedIn(format.write([format.other, call]), 6, random))
        found.push({ variant: `two, ${what}`, text, meant: both });
    else {
      for (const { what, text } of damagedIn(format.write([format.other]), 3, random)) {
        const block = { text, meant: both.slice(0, 1) };
        found.push({ variant: `two, first ${what}`, text: `${text}\n${written.text}`, meant: both, block });
      }
      for (const { what, text } of damagedIn(written, 3, random))
        found.push({ variant: `two, ${what}`, text: `${draft}\n${text}`, meant: both, block: { text, meant } });
    }
    return found;
  },

  "fence-around": ({ written: { text }, random }) => {
    const fence = random.pick(["```", "~~~", "`````"]);
    const opener = fence + random.pick(["", "xml", "toml", "text", "tool_code"]);
    const fenced = `${opener}\n${text}${fence}\n`;
    return { [opener]: fenced, [`${opener}, prose`]: `${before}${fenced}${after}` };
  },

  "fence-unclosed": ({ written: { text }, random }) => {
    const fence = random.pick(["```", "```xml", "~~~", "```toml"]);
    return { [fence]: `${before}${fence}\n${text}` };
  },

  reasoning: ({ written: { text }, draft, random }) => {
    const tag = random.pick(["think", "thinking", "thought", "THINK"]);
    const alone = `<${tag}>\nI could do this:\n${text}</${tag}>\nNo need to.\n`;
    return {
      [`${tag}, nothing else`]: { text: alone, meant: [] },
      [`${tag}, then the call`]: `<${tag}>Fine, go on.</${tag}>\n${text}`,
      [`${tag}, draft first`]: `<${tag}>\nDraft:\n\n${draft}</${tag}>\n\n${text}`,
      [`${tag} nested`]: `<${tag}>a <${tag}>b</${tag}>\n${draft}</${tag}>\n${text}`,
      [`${tag} with attribute`]: `<${tag} depth="2">\n${draft}</${tag}>\n${text}`,
    };
  },

  "reasoning-broken": ({ written: { text }, draft, random }) => {
    const tag = random.pick(["think", "thinking", "thought"]);
    return {
      [`${tag} unclosed`]: { text: `<${tag}>\nFirst I look.\n\n${text}`, meant: [], lost: true },
      [`${tag} unopened`]: `I could do this:\n\n${draft}</${tag}>\n${text}`,
      [`${tag} opened by the prompt`]: `Plan it.\n\n${draft}\n</${tag}>\n\n${text}`,
    };
  },

  prose: ({ written: { text }, random }) => {
    const sentence = random.pick([
      "Sure, here it is:",
      "好的，我来写：",
      "Let's go — 1 < 2 & 3 > 2:",
      "**Step 1.** Write it",
    ]);
    return {
      before: `${sentence}\n${text}`,
      "before and after": `${before}${text}${after}`,
      "close by": `${sentence}\n${text}Done.\n`,
    };
  },

  mention: ({ format, written: { text }, random }) => {
    const mention = random.pick(format.mentions);
    const alone = { text: `${mention}\n`, meant: [] };
    return { alone, before: `${mention}\n\n${text}`, after: `${text}\n${mention}\n` };
  },

  "made-up-result": ({ format, written: { text: second }, draft: first }) => {
    const text = `${first}\n${format.madeUpResult}\nGood, that worked.\n\n${second}`;
    return { "then a second call": { text, meant: [format.value(format.other)], lost: true } };
  },

  "two-calls": ({ format, call, written: { text: second }, draft: first }) => {
    const meant = [format.value(format.other), format.value(call)];
    const reversed = meant.toReversed();
    return {
      "two blocks, a blank line": { text: `${first}\n${second}`, meant },
      "two blocks, nothing between": { text: `${first}${second}`, meant },
      "two blocks, the long one first": { text: `${second}${first}`, meant: reversed },
      "two blocks on one line": { text: `${first.trimEnd()}${second}`, meant },
      ...(format.manyCalls && { "one block": { text: format.write([call, format.other]).text, meant: reversed } }),
    };
  },

  crlf: ({ written }) => {
    const text = written.text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n");
    return {
      alone: { text, looseLineEnds: true },
      "fenced, prose": { text: `Here:\r\n\r\n\`\`\`\r\n${text}\`\`\`\r\n`, looseLineEnds: true },
    };
  },

  bom: ({ written: { text } }) => ({ alone: `\ufeff${text}`, fenced: `\ufeff\`\`\`\n${text}\`\`\`\n` }),
};

/** Classes that make sense with bodies that hold the format's own markers. */
export const classesForOwn: ReadonlySet<string> = new Set(
  "as-written cut-length cut-unsaid fence-around own-closers two-calls crlf bom".split(" "),
);

/** Places outside of all values, line breaks aside. */
function ownPlaces(text: string, values: Written["values"]): number[] {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1)
    if (text[at] !== "\n" && !values.some(([start, end]) => at >= start && at < end)) places.push(at);
  return places;
}

function cuts<Call>({ format, call, written, random }: Subject<Call>, finish: "length" | undefined): Slipped[] {
  const found = cutsOf(written, [], [format.value(call)], random, finish);
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
  const placeOf = (at: number): string => {
    if (seams.includes(at)) return "between fields";
    if (at < valueEnd) return "in the value";
    return at < complete ? "in its delimiter" : "after it";
  };
  return [...places].map((at) => ({
    variant: `${placeOf(at)}, ${at}`,
    text: text.slice(0, at),
    ...(finish && { end: { finish } }),
    meant: at < valueEnd ? whole : all,
    ...(at < valueEnd && { lost: true }),
  }));
}
