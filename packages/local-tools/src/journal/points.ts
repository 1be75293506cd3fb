/**
 * The moments of a commit, in order; a test stops the process, or throws, at each of them. What a reader of the tree may see
 * when the process dies there, and what the next opening (or the next commit of another process) makes of it:
 *
 * | moment | the tree | repaired to |
 * |---|---|---|
 * | `locked`, `checked` | old | – |
 * | `record-made`, `old-kept` | old | old; the record is not whole and is removed |
 * | `prepared`, `folder-made`, `new-written`, `old-linked`, `verified` | old; perhaps new folders, and hidden `.toolglot-…` files | old; those are removed |
 * | `committing`, `replaced` | each file whole, some old and some new | old, unless all are new already |
 * | `settled`, `cleaned`, `synced` | new | new |
 * | `done`, `pruned` | new | – |
 *
 * A power cut may undo the renaming of a record, and leave the tree of a later moment. So after the machine was started again, what the
 * record of a dead process has about the moment does not count: only what the files hold.
 *
 * And of taking a change back, in the process that failed or in one that repairs: `restored` (each file whole, some old and
 * some new), `tidied` (old), `rolled-back` (old). A process that dies there leaves the same work to the next one.
 */
export type Point =
  | "locked"
  | "checked"
  | "record-made"
  | "old-kept"
  | "prepared"
  | "folder-made"
  | "new-written"
  | "old-linked"
  | "verified"
  | "committing"
  | "replaced"
  | "settled"
  | "cleaned"
  | "synced"
  | "done"
  | "pruned"
  | "restored"
  | "tidied"
  | "rolled-back";

/** Called at each moment; `replaced 2` is that of the third file. */
export type OnPoint = (name: string) => void | Promise<void>;

export type Reach = (point: Point, index?: number) => Promise<void>;
