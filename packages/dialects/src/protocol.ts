import type { ToolProtocol } from "@toolglot/core";
import { allDialects } from "./book.ts";
import { protocolOf } from "./protocol-of.ts";
import type { DialectProtocolOptions } from "./protocol-options.ts";
import { dialectOf } from "./table/dialect-of.ts";
import type { DialectBlock } from "./types.ts";
import { renderRow } from "./write/render-any.ts";
import { writeCalls } from "./write/serialize.ts";

/**
 * Creates the protocol of an open model's own calls, for the agent's loop and the AI SDK: calls that a server hands out as text are run as
 * those that it reads itself.
 *
 * @throws `TypeError` for options that can't be meant, for a prompt of another protocol, and with `tools: "prompt"` for dialects other than
 * `auto`, `hermes`, `qwen-xml`, `glm` and `harmony`.
 *
 * @example
 * ```ts
 * const protocol = dialectProtocol({ dialect: dialectFor({ model: "Qwen/Qwen3-32B" }) ?? "auto" });
 * ```
 */
export function dialectProtocol(options: DialectProtocolOptions): ToolProtocol<DialectBlock> {
  return protocolOf(allDialects, options, (dialect) => dialectOf("dialectProtocol", dialect), writeCalls, renderRow);
}
