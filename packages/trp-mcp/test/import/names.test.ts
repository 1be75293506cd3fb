import fc from "fast-check";
import { expect, test } from "vitest";
import { catalogName, shownNames, slug, toolNames } from "../../src/import/names.ts";

const capId = /^cap\.mcp\.[a-z0-9][a-z0-9_-]{0,63}\.[a-z0-9][a-z0-9_-]{0,63}\.v1$/;
const catalog = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const one = (server: string, tool: string) => toolNames(server, [tool]).get(tool);

test("plain names are kept, and names that changed have letters of their own", () => {
  expect(one("files", "read_file")).toEqual({ capId: "cap.mcp.files.read_file.v1", shownName: "files__read_file" });
  expect(one("files", "list-issues")).toEqual({
    capId: "cap.mcp.files.list-issues.v1",
    shownName: "files__list-issues",
  });
  // An upper case letter changes the slug, and not the shown name.
  expect(one("files", "readFile")).toEqual({
    capId: expect.stringMatching(/^cap\.mcp\.files\.readfile-[a-z2-7]{6}\.v1$/),
    shownName: "files__readFile",
  });
  // SHA-256 of "readFile" begins with these letters in base32.
  expect(slug("readFile")).toBe("readfile-ch462n");
  expect(one("my server", "a/b")?.shownName).toMatch(/^my-server-[a-z2-7]{6}__a_b-[a-z2-7]{6}$/);
  expect(one("s", "__proto__")).toEqual({
    capId: expect.stringMatching(/^cap\.mcp\.s\.proto__-[a-z2-7]{6}\.v1$/),
    shownName: "s____proto__",
  });
  expect(one("s", "工具")?.capId).toMatch(/^cap\.mcp\.s\.x-[a-z2-7]{6}\.v1$/);
});

test("a long name is cut, and two that are cut alike stay apart", () => {
  const long = "a".repeat(80);
  const names = toolNames("server", [`${long}1`, `${long}2`]);
  const shown = [...names.values()].map(({ shownName }) => shownName);
  expect(shown.map((name) => name.length)).toEqual([64, 64]);
  expect(new Set(shown).size).toBe(2);
  expect(shown[0]).toMatch(/^server__a{49}-[a-z2-7]{6}$/);
});

test("the reads of resources and prompts keep their ids, whatever a tool is called", () => {
  expect(one("s", "resource_read")?.capId).toMatch(/^cap\.mcp\.s\.resource_read-[a-z2-7]{6}\.v1$/);
  expect(one("s", "prompt_get")?.capId).toMatch(/^cap\.mcp\.s\.prompt_get-[a-z2-7]{6}\.v1$/);
});

test("what looks like a changed name gives way to nobody, and takes nobody's", () => {
  const changed = slug("readFile");
  const names = toolNames("s", ["readFile", changed]);
  expect(names.get(changed)?.capId).toBe(`cap.mcp.s.${changed}.v1`);
  expect(names.get("readFile")?.capId).toMatch(/^cap\.mcp\.s\.readfile-[a-z2-7]{12}\.v1$/);
});

const anyName = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 90 }),
  fc.stringMatching(/^[a-cA-C_.-]{0,6}$/),
  fc.constantFrom("__proto__", "constructor", "", " ", "a__b", "_", "resource_read"),
);

test("names fit everywhere, and no two tools share one, whatever they are called", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(anyName, anyName), { selector: (pair) => JSON.stringify(pair), maxLength: 30 }),
      (pairs) => {
        const servers = new Set(pairs.map(([server]) => server));
        const all = [...servers].flatMap((server) => {
          const tools = pairs.filter(([of]) => of === server).map(([, tool]) => tool);
          const names = toolNames(server, tools);
          expect(names.size).toBe(tools.length);
          return [...names.values()];
        });
        for (const names of all) {
          expect(names.capId).toMatch(capId);
          expect(catalogName(names.shownName)).toMatch(catalog);
          expect(names.shownName.length).toBeLessThanOrEqual(64);
        }
        expect(new Set(all.map((names) => names.capId)).size).toBe(all.length);
        expect(new Set(all.map(({ shownName }) => shownName)).size).toBe(all.length);
        expect(new Set(all.map(({ shownName }) => catalogName(shownName))).size).toBe(all.length);
      },
    ),
  );
});

test("a name does not move when other tools or servers come, or the order is another", () => {
  fc.assert(
    fc.property(anyName, fc.uniqueArray(anyName, { maxLength: 20 }), (server, tools) => {
      const together = shownNames(server, tools);
      for (const tool of tools) expect(together.get(tool)).toBe(shownNames(server, [tool]).get(tool));
      const ids = toolNames(server, tools);
      const reversed = toolNames(server, tools.toReversed());
      for (const tool of tools) expect(reversed.get(tool)).toEqual(ids.get(tool));
    }),
  );
});
