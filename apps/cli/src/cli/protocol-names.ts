import type { ProgramLanguage } from "@toolglot/core";

/** Protocols with a name of their own. */
const ownNames = ["attp", "attp-js", "tam", "toolsxml", "native", "trp", "trp-code", "trp-code-js"] as const;

/** Protocols that are one of a family: the dialect of a model, by its id or as `auto`. With `prompt` its tools are shown as text. */
export const dialectName: RegExp = /^dialect(-prompt)?:([\w.-]+)$/;

/** The protocols by their names on the command line, for people. */
export const protocolNames: readonly string[] = [...ownNames, "dialect:auto", "dialect:ID", "dialect-prompt:ID"];

/** The name of a protocol on the command line. */
export type ProtocolName = (typeof ownNames)[number] | `dialect${"" | "-prompt"}:${string}`;

/** Whether a name is one of a protocol. Whether there is such a dialect shows when the protocol is made. */
export const isProtocol = (name: string): name is ProtocolName =>
  ownNames.some((one) => one === name) || dialectName.test(name);

/** Whether the model's calls are functions of an object each, so that a machine's tools are among them. */
export const takesAnyTool = (name: ProtocolName): boolean => name === "native" || dialectName.test(name);

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
