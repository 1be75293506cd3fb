import type { Message, MessagePart, ToolProtocol } from "@toolglot/core";

/**
 * Messages of a conversation for a protocol whose calls are parts: results of calls that were text are text, too, because a provider takes no
 * result without its call. Sees the messages in their order; for other protocols it changes nothing.
 */
export class CallParts {
  readonly #protocol: ToolProtocol;
  readonly #called = new Set<string>();

  constructor(protocol: ToolProtocol) {
    this.#protocol = protocol;
  }

  of(message: Message): Message[] {
    if (!this.#protocol.declaresTools) return [message];
    for (const part of message.parts) if (part.type === "call") this.#called.add(part.call.id);
    const isOrphan = (part: MessagePart): boolean => part.type === "result" && !this.#called.has(part.result.callId);
    if (!message.parts.some(isOrphan)) return [message];
    const results = message.parts.flatMap((part) => (part.type === "result" && isOrphan(part) ? [part.result] : []));
    const rest = message.parts.filter((part) => !isOrphan(part));
    const text = this.#protocol.formatResults(results);
    const told: Message = { role: "user", trust: message.trust, parts: [{ type: "text", text }] };
    return rest.length > 0 ? [{ ...message, parts: rest }, told] : [told];
  }
}

/** A whole conversation as a protocol writes it. */
export function encodeFor(protocol: ToolProtocol, messages: readonly Message[]): Message[] {
  const parts = new CallParts(protocol);
  return protocol.encodeMessages(
    messages.flatMap((message) => parts.of(message)),
    { isFitted: true },
  );
}
