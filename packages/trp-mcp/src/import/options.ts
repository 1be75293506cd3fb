import { checkKeys } from "@toolglot/internal";
import type { McpClient } from "@toolglot/toolkit";
import type { Principal } from "@toolglot/trp-core";
import type { CallChannel } from "../calls/call-channel.ts";
import type { ImportNotice, RepeatRule, ToolSettings } from "../types.ts";
import type { ResultLimits } from "./kept-result.ts";
import type { PinMode } from "./pins.ts";
import { checkRepeat, checkToolSettings } from "./tool-settings.ts";

/** Options of `importMcpServer`. */
export interface ImportOptions {
  /** The server's name: a part of the names of its tools. */
  name: string;
  /** Brings extras to the capabilities, and exact results back: the one that the calls are made with. */
  channel: CallChannel;
  /** Only tools whose names fit one of these patterns, `*` for any text. Default: all. */
  allow?: readonly string[];
  /** No tools whose names fit one of these. */
  deny?: readonly string[];
  /** The owner's settings of tools, by patterns of names: of those that fit, later ones count more, and the whole name most. */
  tools?: Readonly<Record<string, ToolSettings>>;
  /**
   * What becomes of tools that changed, or came, since their server was first seen: `off`: nothing; `risk`: they don't count as less
   * harmful than before, and new ones have at least HIGH risk; `strict`: they are held back as well, until they are accepted. Default `risk`.
   */
  pin?: PinMode;
  /** Whether the annotations of tools are believed. Default true. */
  trustAnnotations?: boolean;
  /** Milliseconds that a call may give no sign of life. Default 60,000. */
  timeoutMs?: number;
  /** Calls of the server at once. Default 16. */
  maxConcurrency?: number;
  /** What a call gets whose effect was there before. Default: within ten minutes the result of that one. */
  repeat?: RepeatRule;
  /** Bytes of results. */
  limits?: Partial<ResultLimits>;
  /** The connection of a principal, for their lists and calls. Default: one for all. Whoever made it closes it. */
  clientOf?: (principal: Principal) => McpClient;
  /** Called with each change of the tools, and when the server is gone or there again. */
  onNotice?: (notice: ImportNotice) => void;
}

/** Throws `TypeError` for options that can't be meant, and for a client that mends answers. */
export function checkOptions(client: McpClient, options: ImportOptions): void {
  checkKeys(
    "importMcpServer",
    options,
    [
      'name:text channel:object allow:string[] deny:string[] tools:object pin:"off"|"risk"|"strict" trustAnnotations:boolean',
      "timeoutMs:size maxConcurrency:size repeat:object limits:object clientOf:function onNotice:function",
    ],
    ["name", "channel"],
  );
  checkKeys("importMcpServer: limits", options.limits, "maxBytes:size keepBytes:size");
  if (options.repeat !== undefined) checkRepeat("importMcpServer: repeat", options.repeat);
  for (const [pattern, settings] of Object.entries(options.tools ?? {})) {
    checkToolSettings(`importMcpServer: tools[${JSON.stringify(pattern)}]`, settings);
  }
  if (!client.exact) throw new TypeError("importMcpServer needs a client that was made with exact: true");
}
