import { isDeepStrictEqual } from "node:util";
import type { SlipBody } from "./bodies.ts";
import { classesForOwn, commonSlips } from "./common.ts";
import { withoutReturns } from "./judge.ts";
import { pairOf } from "./pairs.ts";
import { Random } from "./random.ts";
import type { Format, SlipCase, Slipped, Variants } from "./slip.ts";

/** The cases of a format, and the cases left out because their text does not show what was meant. */
export interface Generated {
  cases: SlipCase[];
  /** By class: the text is, to the letter, a right output with another meaning. */
  excluded: Map<string, number>;
  /** Names of bodies whose right output has another meaning too. They make no cases. */
  ambiguous: string[];
}

/** Which cases are made. */
export interface Selection {
  /** Another one makes other cases of the classes that draw. */
  seed?: string;
  /** Only these classes. */
  classes?: ReadonlySet<string>;
}

/** Every slip of a format, on every body: the same cases in every run with the same seed. */
export function generate<Call>(
  format: Format<Call>,
  bodies: readonly SlipBody[],
  { seed = "", classes: chosen }: Selection = {},
): Generated {
  const generated: Generated = { cases: [], excluded: new Map(), ambiguous: [] };
  const classes = Object.keys({ ...commonSlips, ...format.slips });
  for (const body of bodies) {
    for (const [index, call] of format.calls(body).entries()) {
      if (hasOtherMeaning(format, { text: format.write([call]).text, meant: [format.value(call)] })) {
        generated.ambiguous.push(body.name);
        continue;
      }
      for (const slip of classes) {
        if ((format.isOwn(body) && !classesForOwn.has(slip)) || chosen?.has(slip) === false) continue;
        const random = new Random(`${seed}${format.id} ${body.name} ${index} ${slip}`);
        for (const { block, ...found } of slipsOf(format, slip, call, body, random)) {
          if (hasOtherMeaning(format, found) || (block && hasOtherMeaning(format, block)))
            generated.excluded.set(slip, (generated.excluded.get(slip) ?? 0) + 1);
          else addWithPair(generated.cases, { ...found, slip, body: body.name });
        }
      }
    }
  }
  return generated;
}

/** The case, and with some something around its block too. */
function addWithPair(cases: SlipCase[], slipCase: SlipCase): void {
  cases.push(slipCase);
  const pair = pairOf(slipCase);
  if (pair) cases.push({ ...pair, slip: "two-at-once", body: slipCase.body });
}

/** A class may have slips of every format and slips of this one. */
function slipsOf<Call>(format: Format<Call>, slip: string, call: Call, body: SlipBody, random: Random): Slipped[] {
  const lost = slip === "duplicates";
  const slipped = (variants: Variants<object>, prefix = ""): readonly Slipped[] =>
    Array.isArray(variants)
      ? variants
      : Object.entries(variants as Exclude<typeof variants, readonly Slipped[]>).map(([name, found]) => {
          const usual = { variant: prefix + name, meant: [format.value(call)] };
          if (typeof found === "string") return { ...usual, text: found };
          if ("text" in found) return { ...usual, ...found };
          return { ...usual, text: format.raw(call, found), ...(lost && { lost }) };
        });
  const written = format.write([call]);
  const draft = format.write([format.other]).text;
  const own = format.slips[slip] ?? [];
  return [
    ...slipped(commonSlips[slip]?.({ format, call, written, draft, random }) ?? []),
    ...slipped(typeof own === "function" ? own(call, body, random) : own, format.prefix?.(call)),
  ];
}

function hasOtherMeaning<Call>(
  format: Format<Call>,
  { text, meant, looseLineEnds }: Pick<Slipped, "text" | "meant" | "looseLineEnds">,
): boolean {
  const read = looseLineEnds ? text.replaceAll("\r\n", "\n") : text;
  return format
    .meanings(read)
    .some((meaning) => !isDeepStrictEqual(meaning, looseLineEnds ? withoutReturns([...meant]) : meant));
}
