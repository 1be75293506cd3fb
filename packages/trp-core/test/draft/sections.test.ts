import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

// Each section of the TRP v0.1 draft has tests that name it, or a line in the docs that says why not.

/** The numbered sections that hold no others, and the items of section 18. */
const sections = [
  ...["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "4", "5", "5.1", "5.2"],
  ...["6.1.1", "6.1.2", "6.1.3", "6.2.1", "6.2.2", "6.2.3", "6.2.4", "6.2.5", "6.2.6"],
  ...["7.1", "7.2", "8.1", "8.2", "8.3", "9.1", "9.2", "9.3", "10.1", "10.2", "10.3", "11.1", "11.2", "11.3"],
  ...["12.1", "12.2", "13.1", "13.2", "14.1", "14.2", "15.1", "15.2", "16.1", "16.2", "16.3", "16.4", "16.5"],
  ...["17.1", "17.2", "17.3", "18.1", "18.2", "18.3", "18.4", "18.5", "18.6", "18.7"],
];

const root = join(import.meta.dirname, "../../../..");

/** The titles of the tests of these packages. */
function titles(): string[] {
  const packages = ["trp-core", "trp-client", "sqlite"].map((name) => join(root, "packages", name, "test"));
  return packages.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .flatMap((name) => {
        const text = readFileSync(join(folder, name), "utf8");
        return [...text.matchAll(/\b(?:describe|it)(?:\.\w+\([^\n]*\))?\(\s*(["'`])(.*?)\1/g)].map(
          ([, , title]) => title as string,
        );
      }),
  );
}

/** The sections that a title names: `draft 7.2: …`, `… (TRP v0.1 draft, 7.2 and 16.4)`; in files about the draft `7.2 …`. */
function named(title: string): string[] {
  const alone = /^\d+(?:\.\d+)+(?= )/.exec(title)?.[0] ?? "";
  const found = /draft,? ((?:\d+(?:\.\d+)*(?:, | and )?)+)/.exec(title)?.[1];
  return [alone, ...(found ?? "").split(/, | and /)].filter((section) => section !== "");
}

/** The table of the page: a row for each section without tests, with its reason. */
const page = readFileSync(join(root, "docs/trp-interoperability.md"), "utf8");
const reasons = new Map(
  [...page.matchAll(/^\| (\d+(?:\.\d+)*(?:, \d+(?:\.\d+)*)*) \| (\S.*) \|$/gm)].flatMap(
    ([, numbers = "", reason = ""]) => numbers.split(", ").map((number) => [number, reason] as const),
  ),
);

it("each section of the draft has tests that name it, or a reason in docs/trp-interoperability.md", () => {
  const tested = new Set(titles().flatMap(named));
  expect(sections.filter((section) => !tested.has(section) && !reasons.has(section))).toEqual([]);
  expect(sections.filter((section) => tested.has(section) && reasons.has(section))).toEqual([]);
  expect([...reasons.keys()].filter((section) => !sections.includes(section))).toEqual([]);
});
