import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { masked, maskerFor } from "./masking.ts";

const value = `kQ7vXz2'LmP9"sTd4wRb8n`;
const hex = (code: number, length: number): string => code.toString(16).padStart(length, "0");
const names: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "/": "sol",
  é: "eacute",
};

/** All ways of a character, as programs write it: `choice` and `zeros` take one of them. */
function spellings(character: string, zeros: number): string[] {
  const code = character.codePointAt(0) as number;
  const bytes = [...Buffer.from(character)];
  const units = character.split("").map((unit) => hex(unit.charCodeAt(0), 4));
  const all = [
    character,
    units.map((digits) => `\\u${digits}`).join(""),
    units.map((digits) => `\\u${digits.toUpperCase()}`).join(""),
    units.map((digits) => `\\\\u${digits}`).join(""),
    `\\U${hex(code, 8)}`,
    `\\u{${hex(code, 1)}}`,
    bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join(""),
    bytes.map((byte) => `\\x${hex(byte, 2)}`).join(""),
    bytes.map((byte) => `%${hex(byte, 2).toUpperCase()}`).join(""),
    bytes.map((byte) => `%${hex(byte, 2)}`).join(""),
    `&#${"0".repeat(zeros)}${code};`,
    `&#x${"0".repeat(zeros)}${hex(code, 1)};`,
    `&#X${"0".repeat(zeros)}${hex(code, 1).toUpperCase()};`,
  ];
  if (/[^\w\n]/.test(character) && code < 128) all.push(`\\${character}`, `\\\\\\${character}`);
  if (/['"$%`{}]/.test(character)) all.push(character + character);
  if (character === "'") all.push("'\\''", `'"'"'`);
  if (character === " ") all.push("+");
  if (character === "\n") all.push("\\n", "\\\\n", "\r\n", "'$'\\n''");
  if (character === "\\") all.push("\\\\", "\\\\\\\\");
  const name = names[character];
  if (name !== undefined) all.push(`&${name};`, ...(code < 128 ? [`&${name.toUpperCase()};`] : []));
  return all;
}

/** Values of at least six different letters, so that no part of one stands elsewhere by chance. */
const values = fc
  .uniqueArray(fc.constantFrom(..."abcdefghijkmpqrstvwyzABDGHKMNPRSTVWXYZ'\"\\$%&<>/{}`+= \néß漢😀-_.:"), {
    minLength: 8,
    maxLength: 24,
  })
  .map((parts) => parts.join(""));
const choices = fc.array(fc.record({ choice: fc.nat(40), zeros: fc.nat(12) }), { minLength: 24, maxLength: 24 });
const written = fc.tuple(values, choices).map(([text, all]) => {
  const parts = [...text].map((character, at) => {
    const { choice = 0, zeros = 0 } = all[at] ?? {};
    const ways = spellings(character, zeros);
    return ways[choice % ways.length] as string;
  });
  return { text, parts, spelled: parts.join("") };
});

describe("a value whose characters are spelled", () => {
  it("should be found in any mixture of spellings, and the rest of the text should stay", () => {
    fc.assert(
      fc.property(written, ({ text, spelled }) => {
        const shown = masked(`before (${spelled}) behind`, { V: text });
        expect(shown, spelled).toMatch(/^before \((?:%|\\+x)?‹V›[';]?\) behind$/);
      }),
      { numRuns: rounds(600, 6_000) },
    );
  });

  it("should be found the same however the text is cut, and let three characters out at most", () => {
    fc.assert(
      fc.property(written, fc.array(fc.nat(600), { maxLength: 5 }), ({ text, parts, spelled }, cuts) => {
        const whole = `before (${spelled}) behind`;
        const places = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, at) => whole.slice(places[at], end));
        const written = maskerFor({ V: text })();
        expect(pieces.map((piece) => written.write(piece)).join("") + written.end()).toBe(masked(whole, { V: text }));
        const paused = maskerFor({ V: text })();
        const given = pieces.map((piece) => paused.write(piece) + paused.pause()).join("") + paused.end();
        expect(given, spelled).toContain("‹V›");
        // More than three characters of it, with those around: none but the first ones may stand there.
        for (let at = 1; at + 4 <= parts.length; at++) expect(given).not.toContain(parts.slice(at, at + 4).join(""));
      }),
      { numRuns: rounds(300, 3_000) },
    );
  });

  it.each([
    ["references with padding", "kQ7vXz2&#x27;LmP9&#x0022;sTd4wRb8n"],
    ["references by name", "kQ7vXz2&apos;LmP9&#x22;sTd4wRb8n"],
    ["capital references", "kQ7vXz2&APOS;LmP9&QUOT;sTd4wRb8n"],
    ["quotes doubled", `kQ7vXz2''LmP9"sTd4wRb8n`],
    ["JSON in JSON in JSON", JSON.stringify(JSON.stringify(JSON.stringify(value))).slice(7, -7)],
    ["a list of decimal bytes", `<Buffer> [${[...Buffer.from(value)].join(", ")}]`],
    ["decimal bytes, one a line", JSON.stringify(Buffer.from(value), null, 2)],
    ["everything escaped", [...value].map((one) => `\\${one.charCodeAt(0).toString(8)}`).join("")],
  ])("should be found: %s", (_name, text) => {
    const shown = masked(text, { T: value });
    expect(shown).toContain("‹T›");
    expect(shown).not.toMatch(/LmP9|sTd4|107|\\115/);
  });

  it.each([
    ["=~", "tok=~123456:~x", "tok=\\~123456:\\~x"],
    ["re.escape", "a-b.c d+e", "a\\-b\\.c\\ d\\+e"],
    ["dollars", "pa$$w0rd$x1", "pa$$$$w0rd$$x1"],
    ["percents", "100%of%it9", "100%%of%%it9"],
    ["JSON for HTML", "a<b>&'c\"d", 'a\\u003Cb\\u003e\\u0026\\u0027c\\"d'],
    ["backslashes of its own", "C:\\new\\\\table", "C:\\\\new\\\\\\\\table"],
    ["a backslash before what follows", "abcdef\\", "abcdef\\nx"],
    ["a letter behind a backslash", "nabcdef", "\\nabcdef"],
  ])("should be found as printed: %s", (_name, own, text) => {
    expect(masked(text, { V: own })).toMatch(/‹V›/);
  });

  it("should leave ordinary text alone", () => {
    const text = `const a = "x\\n" + '\\u00e9' + "%20" + \`\${b}\`; // &lt;b&gt; ''""$$ [1, 2, 107, 81, 55] 6b51 3776\n`;
    expect(masked(text, { V: value })).toBe(text);
  });
});

const rows = [
  "00000000: 6b51 3776 587a 3227 4c6d 5039 2273 5464  kQ7vXz2'LmP9\"sTd",
  "00000010: 3477 5262 386e                           4wRb8n",
];
const words = [
  "00000000  6b 51 37 76 58 7a 32 27  4c 6d 50 39 22 73 54 64  |kQ7vXz2'LmP9\"sTd|",
  "00000010  34 77 52 62 38 6e                                 |4wRb8n|",
];

describe.each([
  ["xxd", rows],
  ["hexdump -C", words],
])("a dump of %s", (_name, lines) => {
  it.each([
    "",
    "1\t",
    "12: ",
    "+",
    "> ",
    "[app] ",
    "2026-11-28 10:20:30 INFO ",
    "file.txt:3:",
    "| ",
    "\t\t",
    "0x7f: ",
    "a b c ",
  ])("should be known by its digits behind %j", (prefix) => {
    const text = `${lines.map((line) => prefix + line).join("\n")}\nbehind\n`;
    const shown = masked(text, { T: value });
    expect(shown).toContain("‹T›");
    expect(shown).not.toMatch(/6b51|6b 51|kQ7v|sTd|4wRb/);
    expect(shown.endsWith("\nbehind\n")).toBe(true);
    const masker = maskerFor({ T: value })();
    expect([...text].map((one) => masker.write(one)).join("") + masker.end()).toBe(shown);
  });
});
