import { nativeProtocol } from "@toolglot/agent";
import { attpProtocol } from "@toolglot/attp";
import type { ToolProtocol } from "@toolglot/core";
import { type DialectId, dialectIds, dialectProtocol } from "@toolglot/dialects";
import { attpJavascriptPrompt, attpJavascriptRouterPrompt, attpPrompt, attpRouterPrompt } from "@toolglot/prompts/attp";
import { dialectsPrompt } from "@toolglot/prompts/dialects";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { dialectName, type ProtocolName, protocolNames } from "./protocol-names.ts";
import { UsageError } from "./usage-error.ts";

const makers: Readonly<Record<string, (locale: "zh" | "en", session: boolean) => unknown>> = {
  attp: (locale, session) => attpProtocol({ prompt: attpPrompt, locale, session }),
  "attp-js": (locale, session) =>
    attpProtocol({ prompt: attpJavascriptPrompt, locale, language: "javascript", session }),
  tam: (locale) => tamProtocol({ prompt: tamPrompt, locale }),
  toolsxml: (locale) => toolsxmlProtocol({ prompt: toolsxmlPrompt, locale }),
  native: (locale) => nativeProtocol({ locale }),
  // One native function, `router`; what makes it TRP is behind it.
  trp: (locale) => nativeProtocol({ locale }),
  // Programs whose functions are the router's capabilities.
  "trp-code": (locale) => attpProtocol({ prompt: attpRouterPrompt, locale }),
  "trp-code-js": (locale) => attpProtocol({ prompt: attpJavascriptRouterPrompt, locale, language: "javascript" }),
};

/** Names of protocols, each as it can be typed. */
export const typedProtocols: readonly string[] = [
  ...protocolNames.filter((name) => !name.endsWith(":ID")),
  ...dialectIds.map((id) => `dialect:${id}`),
];

/**
 * The protocol by its name on the command line. `session`: the programs of a conversation share their variables, where its programs can.
 * Throws `UsageError` for a dialect that is not there, or has no text for its tools.
 */
export function protocolOf(name: ProtocolName, locale: "zh" | "en", session = false): ToolProtocol {
  const [, isPrompt, id] = dialectName.exec(name) ?? [];
  if (id === undefined) return makers[name]?.(locale, session) as ToolProtocol;
  const dialect = id as DialectId | "auto";
  try {
    return dialectProtocol({
      ...{ dialect, locale },
      ...(isPrompt && { tools: "prompt" as const, prompt: dialectsPrompt }),
    }) as ToolProtocol;
  } catch (error) {
    throw new UsageError(`--protocol ${name}: ${(error as Error).message.replace(/^\w+: /, "")}`);
  }
}
