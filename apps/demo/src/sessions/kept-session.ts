import type { Sandbox, SandboxSession } from "@toolglot/sandbox";
import { ConversationBook } from "./conversation-book.ts";
import { openProgramSession, openSessionFolder } from "./session-folder.ts";

/** A session that this process holds: the variables of its programs, and its conversation. */
export interface KeptSession {
  session: SandboxSession;
  book: ConversationBook;
}

/** Goes on with the session of that name in a data folder, or begins it. Rejects with an `Error` that says what to do. */
export async function openKeptSession(sandbox: Sandbox, dataFolder: string, name: string): Promise<KeptSession> {
  const folder = openSessionFolder(dataFolder);
  const { session, isNew } = await openProgramSession(sandbox, folder, name);
  const book = new ConversationBook(folder.path, name);
  // That of a session which has expired.
  if (isNew) book.remove();
  return { session, book };
}
