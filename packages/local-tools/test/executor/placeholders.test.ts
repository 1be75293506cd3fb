import { expect, it } from "vitest";
import { unescapeValues, valueNames } from "../../src/executor/placeholders.ts";

it("should find the values that a call asks for, wherever they stand", () => {
  const input = {
    script: "curl -H 'Bearer $KARYI{TOKEN}' $KARYI{URL} $KARYI{TOKEN}",
    files: [{ src: "$KARYI{DIR}/a", edits: [{ find: "x", replace: "$KARYI{V}" }] }],
  };
  expect(valueNames(input)).toEqual(["TOKEN", "URL", "DIR", "V"]);
});

it("should take a doubled dollar as the literal text", () => {
  expect(valueNames({ script: "echo '$$KARYI{TOKEN}'" })).toEqual([]);
  expect(unescapeValues({ script: "echo '$$KARYI{TOKEN}'" })).toEqual({ script: "echo '$KARYI{TOKEN}'" });
  expect(valueNames({ script: "$$KARYI{A} $KARYI{B}" })).toEqual(["B"]);
});

it("should leave shell variables and other braces alone", () => {
  const script = `echo \${KARYI} $KARYI KARYI{X} \${KARYI{X}}`;
  expect(valueNames({ script })).toEqual([]);
  expect(unescapeValues({ script })).toEqual({ script });
});

it("should find a name that is none, so that it is refused and not run", () => {
  expect(valueNames({ script: "echo $KARYI{}" })).toEqual([""]);
  expect(valueNames({ script: "echo $KARYI{not a name}" })).toEqual(["not a name"]);
});

it("should keep what is no text, and keys such as __proto__", () => {
  const input = JSON.parse('{"__proto__": {"a": "$$KARYI{X}"}, "n": 1, "t": true, "none": null}') as object;
  const copy = unescapeValues(input) as Record<string, unknown>;
  expect(Object.keys(copy)).toEqual(["__proto__", "n", "t", "none"]);
  expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ a: "$KARYI{X}" });
});
