import type { Message, ModelRequest } from "@toolglot/core";
import { canonicalJson, hash } from "../plain-json.ts";

/**
 * Digests of the requests of one run. They are chained, message by message, so that a request costs what is new in it:
 * equal digests mean equal requests, from the first message on.
 */
export class RequestDigests {
  #messages: Message[] = [];
  /** The digest of the messages up to each one. */
  #chain: string[] = [];
  readonly #tools = new WeakMap<object, string>();

  of({ messages, tools, ...rest }: ModelRequest): string {
    let same = 0;
    while (same < messages.length && messages[same] === this.#messages[same]) same += 1;
    this.#messages = [...messages];
    this.#chain.length = same;
    for (const message of messages.slice(same)) {
      this.#chain.push(hash((this.#chain.at(-1) ?? "") + canonicalJson(message)));
    }
    const toolsDigest = tools?.map((tool) => this.#ofTool(tool)) ?? null;
    return hash(canonicalJson([this.#chain.at(-1) ?? "", toolsDigest, rest]));
  }

  #ofTool(tool: object): string {
    let digest = this.#tools.get(tool);
    if (digest === undefined) {
      digest = hash(canonicalJson(tool));
      this.#tools.set(tool, digest);
    }
    return digest;
  }
}
