import { isProtocol, type ProtocolName } from "../cli/protocols.ts";
import { ConversationBook } from "./conversation-book.ts";
import { sessionsPath } from "./session-folder.ts";

/** The protocol of the last question of a session; undefined when there is none, or when that protocol needs flags of its own. */
export function lastProtocol(dataFolder: string, name: string): ProtocolName | undefined {
  const { protocol = "" } = new ConversationBook(sessionsPath(dataFolder), name).questions.at(-1) ?? {};
  return isProtocol(protocol) && !protocol.startsWith("trp") ? protocol : undefined;
}
