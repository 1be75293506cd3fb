import type { ProgramLanguage } from "@toolglot/core";

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
