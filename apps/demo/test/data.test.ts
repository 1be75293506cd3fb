import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { parseCsv } from "../src/data/csv.ts";
import { parseDocument } from "../src/data/documents.ts";
import { openStore, tableNames } from "../src/data/store.ts";
import { freshStore } from "./support/store.ts";

function count(path: string, table: string): number {
  const db = new Database(path);
  const row = db.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get() as { n: number };
  db.close();
  return row.n;
}

it("should read CSV with quotes, empty fields and CRLF", () => {
  expect(parseCsv('a,b\r\n"x, ""y""",\r\n1,"two\nlines"')).toEqual([
    { a: 'x, "y"', b: "" },
    { a: "1", b: "two\nlines" },
  ]);
});

it("should read a document with and without a head", () => {
  expect(
    parseDocument("---\nid: a\ntitle: T: one\nlanguage: en\nupdated: 2026-01-02\n---\n# T\n\nbody\n", "file"),
  ).toEqual({
    id: "a",
    title: "T: one",
    language: "en",
    updated: "2026-01-02",
    text: "# T\n\nbody",
  });
  expect(parseDocument("# Heading\n\nbody", "file")).toEqual({
    id: "file",
    title: "Heading",
    language: "",
    updated: "",
    text: "# Heading\n\nbody",
  });
});

it("should fill the data folder from the committed sources", () => {
  const store = freshStore();
  expect(store.fresh).toBe(true);
  expect(store.documents.length).toBeGreaterThanOrEqual(12);
  expect(new Set(store.documents.map(({ language }) => language))).toEqual(new Set(["en", "zh"]));
  for (const table of tableNames) expect(count(store.database, table)).toBeGreaterThan(0);
});

it("should keep what was written until the data is made anew", () => {
  const { folder, database } = freshStore();
  const before = count(database, "tickets");
  const db = new Database(database);
  db.exec("DELETE FROM tickets WHERE id = 1");
  db.close();
  expect(openStore(folder).fresh).toBe(false);
  expect(count(database, "tickets")).toBe(before - 1);
  expect(openStore(folder, { reset: true }).fresh).toBe(true);
  expect(count(database, "tickets")).toBe(before);
});

it("should make the data anew when its sources have changed, and keep documents of the user", () => {
  const { folder } = freshStore();
  writeFileSync(join(folder, "documents", "mine.md"), "# Mine\n\nAbout kites.");
  writeFileSync(join(folder, "version"), "older");
  const store = openStore(folder);
  expect(store.fresh).toBe(true);
  expect(store.documents.find(({ id }) => id === "mine")?.title).toBe("Mine");
});
