import { type Regex, readRegex } from "./regex.ts";

/** More alternatives than this are no help. */
const maxNeedles = 16;

/** What a part of an expression is sure of. `exact`: it fits this text and nothing else. `some`: what fits holds one of these. */
type Sure = { exact: string } | { some: readonly string[] } | undefined;

/**
 * Texts of which whatever a regular expression fits holds at least one, read off its source without running it; undefined when none are
 * sure. Errs on that side.
 */
export function needles(source: string | Regex): readonly string[] | undefined {
  const sure = sureOf(typeof source === "string" ? readRegex(source) : source);
  const texts = sure === undefined ? undefined : "exact" in sure ? [sure.exact] : sure.some;
  // Letters and digits of ASCII and what stands between them: their case and their bytes hold no surprises.
  return texts?.every((text) => /^[ -~]+$/.test(text)) ? texts : undefined;
}

function sureOf(regex: Regex): Sure {
  if (regex.kind === "any") return sureOfAny(regex.parts);
  if (regex.kind === "all") return sureOfAll(regex.parts);
  if (regex.kind === "group") return sureOf(regex.body);
  // Anchors and lookarounds take no text.
  if (regex.kind === "at" || regex.kind === "look") return { exact: "" };
  if (regex.kind === "repeat") return sureOfAll([regex]);
  if (regex.kind !== "char" || regex.isEscape || regex.i || regex.code === 10) return undefined;
  return { exact: String.fromCodePoint(regex.code) };
}

function sureOfAny(parts: readonly Regex[]): Sure {
  const texts: string[] = [];
  for (const one of parts.map(sureOf)) {
    if (one === undefined || ("exact" in one && one.exact === "")) return undefined;
    texts.push(...("exact" in one ? [one.exact] : one.some));
  }
  return texts.length > maxNeedles ? undefined : { some: texts };
}

function sureOfAll(parts: readonly Regex[]): Sure {
  const sets: (readonly string[])[] = [];
  let [run, isExact] = ["", true];
  const endRun = (): void => {
    if (run !== "") sets.push([run]);
    run = "";
  };
  for (const part of parts) {
    const { body, min, max } = part.kind === "repeat" ? part : { body: part, min: 1, max: 1 };
    const sure = sureOf(body);
    if (min === 1 && max === 1 && sure !== undefined && "exact" in sure) {
      run += sure.exact;
      continue;
    }
    isExact = false;
    if (min > 0 && sure !== undefined && "exact" in sure) run += sure.exact;
    endRun();
    if (min > 0 && sure !== undefined && "some" in sure) sets.push(sure.some);
  }
  if (isExact) return { exact: run };
  endRun();
  const best = sets.reduce<readonly string[] | undefined>(
    (a, b) => (a !== undefined && worth(a) >= worth(b) ? a : b),
    undefined,
  );
  return best === undefined ? undefined : { some: best };
}

/** Returns a needle's rank: the more there is to find, the fewer files have it. */
function worth(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length)) * 4 - texts.length;
}
