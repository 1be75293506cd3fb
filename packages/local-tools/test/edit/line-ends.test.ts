import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import { flatten } from "../../src/edit/line-ends.ts";

function apply(text: string, find: string, replace: string, all = false): string {
  const { text: after, problems } = applyEdits(text, [{ find, replace, all }]);
  expect(problems).toEqual([]);
  return after;
}

it("knows the kinds of line ends", () => {
  expect(["a", "a\rb", "a\nb", "a\r\nb", "a\r\nb\n", "\n\r\n", ""].map((text) => flatten(text).ends)).toEqual([
    "none",
    "none",
    "lf",
    "crlf",
    "mixed",
    "mixed",
    "none",
  ]);
});

it("finds the way back from a flat text", () => {
  const raw = "a\r\nb\nc\r\n\r\r\nd";
  const { flat, toRaw } = flatten(raw);
  expect(flat).toBe("a\nb\nc\n\r\nd");
  const back = [...flat].map((_, at) => raw.slice(toRaw(at), toRaw(at + 1)));
  expect(back).toEqual(["a", "\r\n", "b", "\n", "c", "\r\n", "\r", "\r\n", "d"]);
});

it("takes an LF of find for the CRLF of a file, and writes CRLF", () => {
  expect(apply("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz")).toBe("x\r\ny\r\nz\r\nc\r\n");
  expect(apply("a\r\nb\r\nc\r\n", "b", "x\ny")).toBe("a\r\nx\r\ny\r\nc\r\n");
  expect(apply("a\r\nb\r\nc", "\nb\n", "\n")).toBe("a\r\nc");
  expect(apply("a\r\nb\r\nb", "\nb", "\nc", true)).toBe("a\r\nc\r\nc");
});

it("takes a CRLF of find for the LF of a file, and writes LF", () => {
  expect(apply("a\nb\nc\n", "a\r\nb", "x\r\ny")).toBe("x\ny\nc\n");
  expect(apply("a\nb\n", "a", "x\r\ny")).toBe("x\ny\nb\n");
});

it("notes that line ends were adapted, and only then", () => {
  const note = (text: string, find: string, replace: string): string[] => applyEdits(text, [{ find, replace }]).notes;
  expect(note("a\r\nb\r\n", "a\nb", "c")).toEqual(["The file has CRLF line ends: they were kept."]);
  expect(note("a\r\nb\r\n", "a\r\nb", "c\r\nd")).toEqual([]);
  expect(note("a\r\nb\r\n", "a", "c")).toEqual([]);
  expect(note("a\nb\n", "a\nb", "c\nd")).toEqual([]);
  expect(note("a\nb\n", "a", "c\r\nd")).toEqual(["The file has LF line ends: they were kept."]);
});

it("keeps what is untouched of mixed ends byte for byte", () => {
  expect(apply("a\r\nb\nc\r\nd\n", "b", "x")).toBe("a\r\nx\nc\r\nd\n");
  expect(apply("a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nb\nC\nd")).toBe("a\r\nb\nC\r\nd\n");
  expect(apply("a\r\nb\nc\r\nd\n", "a\nb\nc\n", "a\nB\nC\n")).toBe("a\r\nB\nC\r\nd\n");
});

it("gives new lines of a mixed file the end that is used there", () => {
  expect(apply("a\r\nb\r\nc\nd\n", "b", "b1\nb2")).toBe("a\r\nb1\r\nb2\r\nc\nd\n");
  expect(apply("a\r\nb\r\nc\nd\n", "d", "d1\nd2")).toBe("a\r\nb\r\nc\nd1\nd2\n");
  expect(apply("a\nb\r\nc", "c", "c\nd")).toBe("a\nb\r\nc\r\nd");
});

it("doesn't choose between passages that differ in line ends only", () => {
  const { problems } = applyEdits("a\nb\n-\na\r\nb\r\n", [{ find: "a\nb", replace: "x" }]);
  expect(problems).toMatchObject([{ type: "FindAmbiguous", count: 2, lines: [1, 4] }]);
  expect(apply("a\nb\n-\na\r\nb\r\n", "a\r\nb", "x")).toBe("a\nb\n-\nx\r\n");
  expect(apply("a\nb\n-\na\r\nb\r\n", "a\nb", "x\ny", true)).toBe("x\ny\n-\nx\r\ny\r\n");
});

it("changes line ends when they are all that is named", () => {
  expect(apply("a\r\nb\r\n", "\r\n", "\n", true)).toBe("a\nb\n");
  expect(apply("a\r\nb\r\n", "\r", "", true)).toBe("a\nb\n");
  expect(apply("a\nb\n", "\n", "\r\n", true)).toBe("a\r\nb\r\n");
  expect(apply("a\r\nb\n", "\n", "\r\n", true)).toBe("a\r\nb\r\n");
  expect(apply("a\r\nb\r\n", "\n", "\n\n", true)).toBe("a\r\n\r\nb\r\n\r\n");
});

it("takes a lone CR for a character", () => {
  expect(apply("a\rb\rc", "b\rc", "x\ry")).toBe("a\rx\ry");
  expect(apply("a\rb\nc\n", "b", "x\ny")).toBe("a\rx\ny\nc\n");
  expect(apply("a\r\r\nb\r\n", "a\r\r\n", "x\n")).toBe("x\r\nb\r\n");
  expect(apply("a\r\r\nb\r\n", "a\r", "x")).toBe("x\r\nb\r\n");
});

it("leaves the ends of a replacement alone where the file has none", () => {
  expect(apply("a", "a", "x\r\ny")).toBe("x\r\ny");
  expect(apply("", "", "x\r\ny\r\n")).toBe("x\r\ny\r\n");
});
