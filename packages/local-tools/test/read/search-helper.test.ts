import { MessageChannel } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadCodecs } from "../../src/encodings/load-codecs.ts";
import type { Roots } from "../../src/files/roots.ts";
import { readPattern } from "../../src/read/pattern.ts";
import { searchText } from "../../src/read/search.ts";
import { searchFiles } from "../../src/read/search-files.ts";
import { SearchHelper } from "../../src/read/search-helper.ts";
import { searchBegins } from "../../src/read/search-state.ts";
import { SearchThread } from "../../src/read/search-thread.ts";
import { SharedPlace } from "../../src/read/shared-place.ts";
import type { ReadPart } from "../../src/read/types.ts";
import { patience, readerOf } from "./support.ts";

/** Never comes to an end with `^(a+)+$`. */
const evil = `${"a".repeat(50)}!\n`;

/** Enough files for several turns of both threads, with all that a search leaves out or reads otherwise. */
function manyFiles(): Record<string, string | Uint8Array> {
  const files: Record<string, string | Uint8Array> = { ".gitignore": "*.log\n", "d5/.gitignore": "ignored/\n" };
  for (let n = 0; n < 500; n++) {
    const folder = `d${n % 6}/e${n % 40}`;
    files[`${folder}/f${n}.txt`] = `aa\nline ${n}\n${n % 7 === 0 ? "call(x)\n" : ""}`;
    if (n % 50 === 0) files[`${folder}/x${n}.bin`] = Buffer.from("aa\0\x01");
    if (n % 60 === 0) files[`${folder}/.env`] = "aa\n";
    if (n % 70 === 0) files[`${folder}/l${n}.txt`] = Buffer.from("na\xefve caf\xe9 aa\nd\xe9j\xe0 vu\n", "latin1");
    if (n % 80 === 0) files[`${folder}/n.log`] = "aa\n";
    if (n % 300 === 0) files[`${folder}/large.txt`] = "aa ".repeat(2000);
  }
  files["d5/ignored/x.txt"] = "aa\n";
  return files;
}

/** A search by two threads, and by one. */
async function both(
  roots: Roots,
  maxBytes = 5000,
): Promise<(pattern: string, fileTimeoutMs?: number) => Promise<[ReadPart, ReadPart]>> {
  const [helped, alone] = [new SearchThread(0), new SearchThread(Number.POSITIVE_INFINITY)];
  onTestFinished(async () => {
    await Promise.all([helped.close(), alone.close()]);
  });
  const search = (thread: SearchThread, pattern: string, fileTimeoutMs = patience.fileTimeoutMs) =>
    searchText({ pattern }, { roots, maxChars: 100_000, maxBytes, thread, ...patience, fileTimeoutMs });
  await search(helped, "aa");
  await vi.waitFor(() => expect(helped.isHelped).toBe(true), 20_000);
  return async (pattern, ms) => [await search(helped, pattern, ms), await search(alone, pattern, ms)];
}

describe("a second thread", () => {
  it("changes nothing about what is found, counted and left out", { timeout: 60_000 }, async () => {
    const { roots } = await readerOf(manyFiles());
    const search = await both(roots);
    for (const pattern of ["aa", "absent", "call(x)", "déjà", "^"]) {
      const [helped, alone] = await search(pattern);
      expect(helped).toEqual(alone);
      expect(alone.looked).toBeGreaterThan(500);
    }
  });

  it("stops where one alone stops: too many matches", { timeout: 60_000 }, async () => {
    const { roots } = await readerOf({ ...manyFiles(), "d2/e20/f.txt": "aa\n".repeat(1_100_000) });
    const [helped, alone] = await (await both(roots, 10_000_000))("aa");
    expect(helped).toEqual(alone);
    expect(alone.head).toContain("stopped early");
  });

  it("is replaced with the first one when either stands on a file", { timeout: 60_000 }, async () => {
    const files = { ...manyFiles(), "d0/a.txt": evil, "d3/e3/f.txt": evil };
    const { roots } = await readerOf(files);
    const [helped, alone] = await (await both(roots))("^(a+)+$", 500);
    expect(helped).toEqual(alone);
    expect(alone.head).toContain("the pattern takes too long on d0/a.txt, d3/e3/f.txt; write it simpler");
  });

  it("that ends leaves its files to the first", async () => {
    await loadCodecs();
    const { roots } = await readerOf(manyFiles());
    const search = (helper?: SearchHelper, begin: (shown: string) => void = () => {}) => {
      const state = searchBegins(1);
      const place = { path: roots.base, shown: ".", kind: "directory" } as const;
      const limits = { maxBytes: 5000, slow: [], until: Number.POSITIVE_INFINITY };
      const job = { roots: roots.paths, place, glob: undefined, patterns: [readPattern("aa")], ...limits };
      searchFiles(job, state, { begin, keep: () => {} }, () => helper);
      const { at, ...found } = state;
      return found;
    };
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port2.close());
    const place = new SharedPlace();
    place.answer();
    const give = vi.spyOn(SearchHelper.prototype, "give");
    onTestFinished(() => give.mockRestore());
    const begin = () => {
      if (give.mock.calls.length > 0) place.end();
    };
    expect(search(new SearchHelper(port1, place), begin)).toEqual(search());
    expect(give).toHaveBeenCalled();
  });
});
