import { Editor } from "../../src/edit/editor.ts";
import type { EditOutcome, FileEdits } from "../../src/edit/types.ts";
import { Roots } from "../../src/files/roots.ts";
import { openJournal } from "../../src/journal/open-journal.ts";
import type { ChangeJournal, ChangeRecord } from "../../src/journal/types.ts";
import { type Scratch, scratchFolder } from "../support/scratch.ts";

interface Opened {
  readonly editor: Editor;
  /** Edits with every decision allowed. */
  edit(...files: FileEdits[]): Promise<EditOutcome>;
}

/** An editor of one scratch folder, with a real journal. */
export interface OpenedEditor extends Opened {
  readonly work: Scratch;
  readonly state: Scratch;
  readonly journal: ChangeJournal;
  /** What the journal has. */
  record(): Promise<ChangeRecord[]>;
  /** Another editor of the same folder. */
  openWith(options: { maxBytes?: number; lenient?: boolean; journal?: Pick<ChangeJournal, "commit" | "undo"> }): Opened;
}

/** Makes it. Call it inside a test. */
export async function openEditor(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<OpenedEditor> {
  const [work, state] = [await scratchFolder(files), await scratchFolder()];
  const roots = await Roots.open([work.path]);
  const journal = await openJournal({ dir: state.at("journal"), roots });
  const openWith: OpenedEditor["openWith"] = (options) => {
    const editor = new Editor({ roots, journal, backupDir: state.at("backups"), ...options });
    return { editor, edit: (...edits) => editor.edit(edits, { decide: async () => {} }) };
  };
  return { ...openWith({}), work, state, journal, record: () => journal.list(), openWith };
}
