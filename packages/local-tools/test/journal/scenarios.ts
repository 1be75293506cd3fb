import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeJournal, FileChange } from "../../src/journal/types.ts";
import { change } from "./contents.ts";

/** What is changed where. `prepare` makes the files, and the changes that come before. */
interface Change {
  prepare(journal: ChangeJournal, root: string): Promise<void>;
  change(journal: ChangeJournal, root: string): Promise<unknown>;
}

export type Scenario = "edit of three files" | "creation in a new folder" | "deletion" | "undo";

function files(root: string): void {
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(root, "a.txt"), "old a\n", { mode: 0o640 });
  writeFileSync(join(root, "sub/b.txt"), "old b\n", { mode: 0o755 });
  writeFileSync(join(root, "c.bin"), "old c\n");
}

const mixed = (root: string): FileChange[] => [
  change(root, "a.txt", "old a\n", "new a\n"),
  change(root, "fresh/deep/new.txt", null, "new\n"),
  change(root, "sub/b.txt", "old b\n", null),
];

export const scenarios: Record<Scenario, Change> = {
  "edit of three files": {
    prepare: async (_journal, root) => files(root),
    change: (journal, root) =>
      journal.commit([
        change(root, "a.txt", "old a\n", "new a, longer\n"),
        change(root, "sub/b.txt", "old b\n", "new b\n"),
        change(root, "c.bin", "old c\n", ""),
      ]),
  },
  "creation in a new folder": {
    prepare: async (_journal, root) => files(root),
    change: (journal, root) =>
      journal.commit([
        change(root, "fresh/deep/one.txt", null, "one\n"),
        change(root, "fresh/two.txt", null, "two\n"),
        change(root, "sub/three.txt", null, "three\n"),
      ]),
  },
  deletion: {
    prepare: async (_journal, root) => files(root),
    change: (journal, root) =>
      journal.commit([change(root, "a.txt", "old a\n", null), change(root, "sub/b.txt", "old b\n", null)]),
  },
  undo: {
    prepare: async (journal, root) => {
      files(root);
      await journal.commit(mixed(root));
    },
    change: (journal) => journal.undo(),
  },
};
