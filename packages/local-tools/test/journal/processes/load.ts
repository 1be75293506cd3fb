import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tellParent } from "@toolglot/internal/testing/tell-parent";
import { localErrorType } from "../../../src/errors.ts";
import { Roots } from "../../../src/files/roots.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { change } from "../contents.ts";

// A process that counts up in three files for so many changes, or until it is killed; with every second number a file in a
// folder of its own is made, and removed with the next. Others do the same in the same files.

const { root, dir, changes } = JSON.parse(process.argv[2] ?? "") as { root: string; dir: string; changes: number };

const journal = await openJournal({ dir, roots: await Roots.open([root]), lockWaitMs: 60_000 });
tellParent("ready");
for (let made = 0; made < changes; ) {
  const before = readFileSync(join(root, "a"), "utf8");
  const next = `${Number(before) + 1}`;
  const isOdd = Number(before) % 2 === 1;
  try {
    await journal.commit([
      ...["a", "sub/b", "c"].map((name) => change(root, name, before, next)),
      change(root, "odd/file", isOdd ? before : null, isOdd ? null : next),
    ]);
    made += 1;
    tellParent(`made ${next}`);
  } catch (error) {
    if (localErrorType(error) !== "FileChanged") throw error;
  }
}
