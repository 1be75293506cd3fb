import { nativeProtocol } from "@toolglot/agent";
import { attpProtocol } from "@toolglot/attp";
import type { ProgramLanguage, ToolProtocol } from "@toolglot/core";
import { attpJavascriptPrompt, attpJavascriptRouterPrompt, attpPrompt, attpRouterPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { toolsxmlProtocol } from "@toolglot/toolsxml";

/** The protocols by their names on the command line. */
export const protocolNames = [
  "attp",
  "attp-js",
  "tam",
  "toolsxml",
  "native",
  "trp",
  "trp-code",
  "trp-code-js",
] as const;

/** One of them. */
export type ProtocolName = (typeof protocolNames)[number];

const makers: Record<ProtocolName, (locale: "zh" | "en", session: boolean) => unknown> = {
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

/** The protocol by its name on the command line. `session`: the programs of a conversation share their variables, where its programs can. */
export function protocolOf(name: ProtocolName, locale: "zh" | "en", session = false): ToolProtocol {
  return makers[name](locale, session) as ToolProtocol;
}

/** Whether a name is one of a protocol. */
export const isProtocol = (name: string): name is ProtocolName => protocolNames.some((one) => one === name);

/** Protocols whose blocks are programs: their value is shown at the end, not those of their calls. */
export const languages: ReadonlyMap<string, string> = new Map([
  ["attp", "python"],
  ["attp-js", "javascript"],
  ["trp-code", "python"],
  ["trp-code-js", "javascript"],
]);

/** The language in which programs of a session share their variables, when the protocol has such programs. */
export function languageOfVariables(name: ProtocolName): ProgramLanguage | undefined {
  if (name === "attp") return "python";
  return name === "attp-js" ? "javascript" : undefined;
}
