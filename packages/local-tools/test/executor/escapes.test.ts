import { expect, it } from "vitest";
import { decodeEscapes } from "../../src/tools/tools.ts";

it.each([
  ["y\\n", "y\n"],
  ["\\r\\t\\e[A", "\r\t\u001b[A"],
  ["\\x03\\x41", "\u0003A"],
  ["C:\\\\new", "C:\\new"],
  ["y\n", "y\n"],
  ["\\q \\x4 \\", "\\q \\x4 \\"],
])("should read %j as %j", (written, meant) => {
  expect(decodeEscapes(written)).toBe(meant);
});
