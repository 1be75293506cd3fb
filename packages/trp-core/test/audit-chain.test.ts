import { canonicalJson } from "@toolglot/internal";
import fc from "fast-check";
import { expect, it } from "vitest";
import { chainRow, chainText, entryText, firstHash, verifyRows } from "../src/audit/chain.ts";
import type { AuditEntry, AuditRow } from "../src/audit/types.ts";
import { sha256Hex } from "../src/digest/sha256.ts";
import { MemoryStore } from "../src/store/memory-store.ts";

const entry = (callId: string): AuditEntry => ({ kind: "decision", call_id: callId, error_code: null }) as AuditEntry;

/** So many rows, one after another. */
function rowsOf(count: number): AuditRow[] {
  const rows: AuditRow[] = [];
  for (let index = 0; index < count; index++) rows.push(chainRow(rows.at(-1), 1000 + index, entry(`c${index}`)));
  return rows;
}

it("should hash the canonical JSON of a row and the hash before it", () => {
  const [first, second] = rowsOf(2);
  const zeros = "0".repeat(64);
  const text = `{"at":1000,"entry":{"call_id":"c0","error_code":null,"kind":"decision"},"index":1,"prevHash":"${zeros}"}`;
  expect(first).toEqual({ index: 1, at: 1000, entry: entry("c0"), prevHash: zeros, hash: sha256Hex(text) });
  expect(second).toMatchObject({ index: 2, prevHash: first?.hash });
});

it("should accept what was not touched, whole or in parts", () => {
  const rows = rowsOf(5);
  const head = rows[4]?.hash;
  expect(verifyRows(rows)).toEqual({ ok: true, rows: 5, head });
  expect(verifyRows(JSON.parse(JSON.stringify(rows)))).toEqual({ ok: true, rows: 5, head });
  expect(verifyRows(rows.slice(2), rows[1])).toEqual({ ok: true, rows: 3, head });
  expect(verifyRows([])).toEqual({ ok: true, rows: 0, head: "0".repeat(64) });
});

it.each<[string, (rows: AuditRow[]) => unknown, number, RegExp]>([
  ["a changed entry", (rows) => Object.assign(rows[2]?.entry ?? {}, { call_id: "x" }), 3, /was changed/],
  ["a changed time", (rows) => Object.assign(rows[2] ?? {}, { at: 1 }), 3, /was changed/],
  ["an added field", (rows) => Object.assign(rows[1]?.entry ?? {}, { more: 1 }), 2, /was changed/],
  ["a row taken out", (rows) => rows.splice(1, 1), 2, /missing/],
  ["a first row taken out", (rows) => rows.shift(), 1, /missing/],
  ["rows that changed places", (rows) => rows.splice(1, 2, rows[2] as AuditRow, rows[1] as AuditRow), 2, /missing/],
  ["a row put in", (rows) => rows.splice(2, 0, chainRow(rows[1], 5, entry("x"))), 4, /missing/],
  [
    "a row that was made anew",
    (rows) => rows.splice(2, 1, chainRow(rows[1], 5, entry("x"))),
    4,
    /does not follow the row before/,
  ],
  ["a row that is none", (rows) => rows.splice(2, 1, null as never), 3, /missing/],
  ["an entry that goes round", (rows) => Object.assign(rows[2]?.entry ?? {}, { self: rows[2] }), 3, /can't be read/],
])("should find %s", (_, change, brokenAt, problem) => {
  const rows = rowsOf(5);
  change(rows);
  expect(verifyRows(rows)).toMatchObject({ ok: false, brokenAt, problem: expect.stringMatching(problem) });
});

it("should keep at least so many of the newest rows in memory, chained as if none was dropped", async () => {
  const store = new MemoryStore({ keepAuditRows: 10, now: () => 1 });
  const whole: AuditRow[] = [];
  for (let index = 0; index < 3000; index++) {
    await store.audit.append([entry(`c${index}`)]);
    whole.push(chainRow(whole.at(-1), 1, entry(`c${index}`)));
    if (index === 700) expect(await store.audit.read({ limit: 3 })).toEqual(whole.slice(0, 3));
  }
  const rows = await store.audit.read();
  expect(rows.length).toBeGreaterThanOrEqual(10);
  expect(rows.length).toBeLessThan(1100);
  expect(rows).toEqual(whole.slice(-rows.length));
  expect(await store.audit.read({ after: 2999 })).toEqual(whole.slice(-1));
  expect(await store.audit.read({ after: 3000 })).toEqual([]);
});

it("should begin the chain behind rows that were dropped before anybody saw one", async () => {
  const store = new MemoryStore({ keepAuditRows: 10, now: () => 1 });
  for (let index = 0; index < 3000; index++) await store.audit.append([entry(`c${index}`)]);
  const rows = await store.audit.read();
  const [first] = rows as [AuditRow];
  expect(rows.at(-1)).toMatchObject({ index: 3000, entry: { call_id: "c2999" } });
  expect(first).toMatchObject({ index: 3001 - rows.length, prevHash: firstHash });
  expect(verifyRows(rows, { index: first.index - 1, hash: firstHash }).ok).toBe(true);
  for (let index = 3000; index < 6000; index++) await store.audit.append([entry(`c${index}`)]);
  const [later] = (await store.audit.read({ after: 5999 })) as [AuditRow];
  let last = rows.at(-1) as AuditRow;
  for (let index = 3000; index < 6000; index++) last = chainRow(last, 1, entry(`c${index}`));
  expect(later).toEqual(last);
});

it("should write every entry as canonical JSON, and chain the text as it chains the entry", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.constantFrom(null, undefined, "\ud800", true, { b: 1, a: [2] }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary", maxLength: 3 }), value), fc.boolean(), (members, sorted) => {
      const names = sorted ? Object.keys(members).sort() : Object.keys(members);
      const odd = Object.fromEntries(names.map((name) => [name, members[name]])) as never;
      const text = entryText(odd);
      expect(text).toBe(canonicalJson(odd));
      const before = { index: 3, hash: "f".repeat(64) };
      expect(chainText(before, 1.5, text)).toEqual({ ...chainRow(before, 1.5, odd), at: undefined, entry: undefined });
    }),
  );
});
