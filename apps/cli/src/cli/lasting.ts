import type { ApprovalRequest, ToolDefinition } from "@toolglot/core";
import { isLocal } from "../view/local-result.ts";
import type { ProtocolName } from "./protocol-names.ts";
import type { Session } from "./session.ts";

/** How long a permission may last: for this same call, for the tool until the command line ends, or for the tool always. */
export type Lasting = "call" | "tool" | "always";

/**
 * How long a permission may last, by what is known of the tool. What destroys something is asked about call by call, and so are files in
 * the project: those are asked about only when they are risky. Nothing lasts longer than this process where somebody else says what
 * a name does: in a shell, and at a router.
 */
export function lastingOf(session: Session, protocol: ProtocolName): (request: ApprovalRequest) => Lasting {
  return ({ tool = "", reason }) => {
    if (tool === "command") return "tool";
    // A router renders the risk of what is asked.
    if (isLocal(tool) || /^Risk: CRITICAL$/m.test(reason)) return "call";
    const definition = session.toolkit.registered.get(tool)?.definition;
    if (definition && isDangerous(definition, session)) return "call";
    return definition && !protocol.startsWith("trp") ? "always" : "tool";
  };
}

function isDangerous({ name, annotations = {} }: ToolDefinition, session: Session): boolean {
  const { destructiveHint = false, riskTier } = annotations;
  return riskTier === "CRITICAL" || (destructiveHint && !session.origins.get(name)?.isUnstated);
}
