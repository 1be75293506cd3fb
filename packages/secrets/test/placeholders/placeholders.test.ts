import { expect, it } from "vitest";
import { namesIn, unescapePlaceholders } from "../../src/placeholders/placeholders.ts";

/** The placeholders of a call as they are written, each once. */
const placeholdersIn = (input: unknown): string[] => [...new Set(namesIn(input).map(({ written }) => written))];

it("should find the values that a call asks for, wherever they stand", () => {
  const input = {
    script: "curl -H 'Bearer $KARYI{TOKEN}' $KARYI{URL} $KARYI{TOKEN}",
    files: [{ src: "$KARYI{DIR}/a", edits: [{ find: "x", replace: "$KARYI{V}" }] }],
  };
  expect(placeholdersIn(input)).toEqual(["$KARYI{TOKEN}", "$KARYI{URL}", "$KARYI{DIR}", "$KARYI{V}"]);
});

it("should take a doubled dollar as the literal text", () => {
  expect(placeholdersIn({ script: "echo '$$KARYI{TOKEN}'" })).toEqual([]);
  expect(unescapePlaceholders({ script: "echo '$$KARYI{TOKEN}'" })).toEqual({ script: "echo '$KARYI{TOKEN}'" });
  expect(placeholdersIn({ script: "$$KARYI{A} $KARYI{B}" })).toEqual(["$KARYI{B}"]);
});

it("should leave shell variables and other braces alone", () => {
  const script = `echo \${KARYI} $KARYI KARYI{X} \${KARYI{X}}`;
  expect(placeholdersIn({ script })).toEqual([]);
  expect(unescapePlaceholders({ script })).toEqual({ script });
});

it("should find a name that is none, so that it is refused and not run", () => {
  expect(placeholdersIn({ script: "echo $KARYI{}" })).toEqual(["$KARYI{}"]);
  expect(placeholdersIn({ script: "echo $KARYI{not a name}" })).toEqual(["$KARYI{not a name}"]);
});

it("should keep what is no text, and keys such as __proto__", () => {
  const input = JSON.parse('{"__proto__": {"a": "$$KARYI{X}"}, "n": 1, "t": true, "none": null}') as object;
  const copy = unescapePlaceholders(input) as Record<string, unknown>;
  expect(Object.keys(copy)).toEqual(["__proto__", "n", "t", "none"]);
  expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ a: "$KARYI{X}" });
});
