import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLong, rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { fill, outputOf } from "./delivered.ts";
import vectors from "./scripts.json" with { type: "json" };

const dir = mkdtempSync(join(tmpdir(), "fill-"));
const canary = join(dir, "ran");
afterAll(() => rmSync(dir, { recursive: true }));

/** What would do harm wherever it is read as code. */
const hostile = [
  `a'b"c$(touch ${canary})\`touch ${canary}\`\\n $HOME; touch ${canary}\n*  ~ {a,b} & | <>`,
  `"; touch ${canary}; "`,
  `a[$(touch ${canary})]`,
  "'",
  "\n",
  "\\",
  "E",
  "-n",
  "日本 𝄞",
];

const rows: { script: string; gives?: string; allows?: string }[] = vectors.scripts;

/** The values that are tried in a script, a bash for each: some of them, which differ from script to script; all in test:long. */
function hostileFor(number: number): string[] {
  return hostile.filter((_, at) => isLong || (at + number) % 4 === 0);
}

describe("a value that may be anything", () => {
  const giving = rows.filter(({ gives }) => gives !== undefined);
  it.each(giving)("arrives exactly in %j", (row) => {
    const { script, gives = "" } = row;
    for (const value of hostileFor(giving.indexOf(row))) {
      // `$(…)` takes line ends off.
      if (value.endsWith("\n") && script.includes("$(")) continue;
      const filled = fill(script, { V: value });
      if ("message" in filled) throw new Error(filled.message);
      expect(filled.text).not.toContain(value === "E" ? "\0" : value.length < 3 ? "\0" : value);
      expect(outputOf(filled, dir)).toBe(gives.replaceAll("‹V›", () => value));
    }
    expect(existsSync(canary)).toBe(false);
  });
});

describe("a value that would be code", () => {
  it.each(rows.filter(({ allows }) => allows !== undefined))("is refused in %j", ({ script, allows }) => {
    for (const value of hostile.slice(0, 6)) expect(fill(script, { V: value })).toHaveProperty("message");
    for (const [kind, value] of [
      ["plain", "sk-abc_DEF.1/2+3=@:"],
      ["number", "-12"],
    ] as const) {
      if (kind === allows) expect(fill(script, { V: value })).toHaveProperty("text");
    }
    if (allows === "none") expect(fill(script, { V: "12" })).toHaveProperty("message");
  });
});

/** Scripts around a script, which print what that prints. */
const around: ((script: string) => string)[] = [
  (script) => `{ ${script}\n}`,
  (script) => `(\n${script}\n)`,
  (script) => `if true; then ${script}\nfi`,
  (script) => `if ! true; then :; elif :; then ${script}\nelse :; fi`,
  (script) => `for i in 1; do ${script}\ndone`,
  (script) => `for ((i = 0; i < 1; i++)); do ${script}\ndone`,
  (script) => `while :; do ${script}\nbreak; done`,
  (script) => `case "x)" in a|b) echo no;; (x*) ${script}\n;; *) echo no; esac`,
  (script) => `o="$(${script}\nprintf .)"; printf '%s' "\${o%.}"`,
  (script) => `o=$(\n${script}\nprintf .); printf '%s' "\${o%.}"`,
  (script) => `{ ${script}\n} | cat`,
  (script) => `cat <(${script}\n)`,
  (script) => `# it's not $( a "quote"\n${script}\n# nor \` this`,
  (script) => `[[ "a b" == a* && 1 -eq 1 ]] && (( 1 < 2 )) && ${script}`,
  (script) => `a=(1 "2 )" '3'); : "\${a[1]}" \${#a[@]}; ${script}`,
  (script) => `: \${x:-"}"} "\${x#'}'}" $((1 + (2))) $'\\'' ; ${script}`,
];

/** Scripts that print the value. */
const printing = [
  "printf '%s' $KARYI{V}",
  `printf '%s' "$KARYI{V}"`,
  "printf '%s' '$KARYI{V}'",
  "printf '%s' $'$KARYI{V}'",
  `printf '%s' "\${nothing:-$KARYI{V}}"`,
  "cat <<< $KARYI{V} | head -c -1",
  "cat <<'END' | head -c -1\n$KARYI{V}\nEND",
  "cat <<END | head -c -1\n$KARYI{V}\nEND",
];

it("arrives exactly however deep it stands", () => {
  const place = fc.tuple(fc.constantFrom(...printing), fc.array(fc.constantFrom(...around), { maxLength: 4 }));
  const value = fc.oneof(
    fc.constantFrom(...hostile),
    fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(..."ab '\"$`\\(){}[]<>|&;*?!#~%\n\té日𝄞") }),
  );
  fc.assert(
    fc.property(place, value, ([script, layers], given) => {
      const inner = layers.reduce((script, layer) => {
        // A heredoc has to end before what follows on its line: it gets a group of its own.
        return layer(script.includes("<<") && !script.startsWith("{") ? `{ ${script}\n}` : script);
      }, script);
      // A heredoc of text that looks like code. (Inside `$(…)`, bash 5.2 loses what follows some of them.)
      const whole = `: <<'END'\n$( ' "\nEND\n${inner}`;
      const filled = fill(whole, { V: given });
      if ("message" in filled) throw new Error(filled.message);
      expect(outputOf(filled, dir)).toBe(given);
      expect(existsSync(canary)).toBe(false);
    }),
    { numRuns: rounds(60, 2000) },
  );
});

it("leaves comments and escaped placeholders as the text that they are", () => {
  expect(fill("echo a # $KARYI{V}", { V: "x" })).toMatchObject({ text: "echo a # $KARYI{V}" });
  expect(fill("echo '$$KARYI{V}'", { V: "x" })).toMatchObject({ text: "echo '$KARYI{V}'" });
});

it("names the variables that would evaluate a value", () => {
  const filled = fill(`A=$KARYI{V}; for b in "$KARYI{V}"; do export C=$KARYI{V} d=1; : \${E:=$KARYI{V}}; done`, {
    V: "x",
  });
  expect("assigned" in filled && [...filled.assigned].sort()).toEqual(["A", "C", "E", "b"]);
});

it("notes what outlives the script, and what other processes see", () => {
  const notes = (script: string): readonly string[] => {
    const filled = fill(script, { V: "x" });
    return "notes" in filled ? filled.notes : [filled.message];
  };
  expect(notes("A=$KARYI{V}")).toEqual(["A holds the value of V from now on; `unset A` ends that."]);
  expect(notes("export A=$KARYI{V}")).toEqual([
    "A holds the value of V from now on; children get it; `unset A` ends that.",
  ]);
  expect(notes("A=$KARYI{V} make")).toEqual([]);
  expect(notes('echo "$KARYI{V}"')).toEqual([]);
  expect(notes('grep "$KARYI{V}" a')).toEqual(["V is visible in the process list while its command runs."]);
  expect(notes('curl -H "X: $KARYI{V}" u')[0]).toContain("`-H @-`");
  expect(notes('eval "echo $KARYI{V}"')).toEqual(["The value of V stands in text that eval reads as code."]);
});
