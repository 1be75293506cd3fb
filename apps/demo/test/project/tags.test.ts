import { rounds } from "@toolglot/internal/testing";
import { parse } from "@toolglot/toolsxml";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readToolsResults, writeToolsBlock } from "../../src/planner/formats/toolsxml.ts";
import type { PlannedCall } from "../../src/planner/plan.ts";
import { readParts, sourceOf } from "../../src/planner/skills/project/results.ts";
import { slipsOf } from "../../src/planner/slips.ts";

/** The calls that the protocol's own parser reads out of a text. */
function read(text: string): PlannedCall[] {
  return parse(text).blocks.flatMap((block) =>
    block.calls.map(({ tool, span: _, ...input }) => ({ name: tool, input: input as Record<string, unknown> })),
  );
}

const edit = (find: string, replace: string): PlannedCall => ({
  name: "edit",
  input: { files: [{ src: "src/a & b.js", edits: [{ find, replace }] }] },
});

const calls: PlannedCall[] = [
  { name: "command", input: { script: "npm test && echo 'a < b' > out", timeoutMs: 10_000 } },
  { name: "command", input: { script: "if true; then\n  echo &amp;\nfi" } },
  edit("if (band.from < value) found = band;", "if (band.from <= value && true) found = band;"),
  edit("  two\n    lines\n", "</find> in it"),
  {
    name: "read",
    input: { files: [{ src: "a" }, { src: 'b "c".js', from: 2, to: 3 }], searches: [{ pattern: "a<b" }] },
  },
  { name: "input", input: { data: "y\n\\n<x>" } },
  { name: "ctrl", input: { key: "c" } },
];

/** The answer that holds these calls and a slip. */
function written(id: string, own: readonly PlannedCall[], prose: string): string {
  const slip = slipsOf.toolsxml.find((known) => known.id === id);
  return slip?.text?.(prose + writeToolsBlock(own)) ?? "";
}

it("should write built-in tags that read back as they were meant", () => {
  expect(read(writeToolsBlock(calls))).toEqual(
    calls.map(({ name, input }) =>
      name === "read" ? { name, input: { files: [], searches: [], ...input } } : { name, input },
    ),
  );
});

it("should write any text to find and to put in its place", () => {
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "<find>",
          "</find>",
          "</replace>",
          "<![CDATA[",
          "]]>",
          "&lt;",
          "&",
          "<",
          "\n",
          "  ",
          "</tools>",
        ),
        fc.string({ maxLength: 8 }).map((piece) => piece.replaceAll(/\p{Cc}/gu, "")),
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join(""))
    .filter((found) => found !== "");
  fc.assert(
    fc.property(text, text, (find, replace) => {
      expect(read(writeToolsBlock([edit(find, replace)]))).toEqual([edit(find, replace)]);
    }),
    { numRuns: rounds(500, 5000) },
  );
});

it.each(["prose-and-fence", "missing-end", "entities", "capitals", "envelope", "reasoning"])(
  "should make the slip %s in built-in tags without changing what they mean",
  (id) => {
    const own = [calls[0], calls[2]] as PlannedCall[];
    const text = written(id, own, "Prose.\n");
    expect(text).not.toBe(`Prose.\n${writeToolsBlock(own)}`);
    expect(read(text)).toEqual(own);
  },
);

it("should misremember one word of what it wants to find, and nothing else", () => {
  const [made] = read(written("outdated-find", [calls[2] as PlannedCall], ""));
  expect(made).toEqual(edit("if (band.from < values) found = band;", "if (band.from <= value && true) found = band;"));
});

it("should read exit status, running commands and texts out of results", () => {
  const text = `<results>
<result tool="command" index="0" status="error" exit="1" ms="5" type="CommandFailed"><![CDATA[Exit status 1.
a ]]]]><![CDATA[> b]]></result>
<result tool="command" index="1" status="running" ms="5"><![CDATA[42]]></result>
<result tool="read" index="2" status="ok"><![CDATA[==> a.js: lines 3–4 of 9 <==
x
y

==> b: directory, 1 entry <==
c/]]></result>
</results>
`;
  const [failed, running, found] = readToolsResults(text);
  expect(failed).toMatchObject({
    status: "error",
    exit: 1,
    errorType: "CommandFailed",
    text: "Exit status 1.\na ]]> b",
  });
  expect(running).toMatchObject({ status: "ok", running: true, text: "42" });
  const [file, folder] = readParts(found ?? { status: "ok" });
  expect(sourceOf(file)).toEqual({
    path: "a.js",
    lines: [
      { number: 3, text: "x" },
      { number: 4, text: "y" },
    ],
  });
  expect(sourceOf(folder)).toBeUndefined();
  expect(folder?.text).toBe("c/");
});
