import { hermesProtocol, qwen3CoderProtocol } from "@ai-sdk-tool/parser";
import type { SlipBody } from "../bodies.ts";
import { judge, type Reading } from "../judge.ts";
import { trimmed } from "../peers.ts";
import type { Judged } from "../run.ts";
import type { Value } from "../slip.ts";
import { casesOf } from "./slips.ts";
import { isValid, tool, written } from "./write.ts";

/** Other parsers, each with the dialect that it reads. */
const peers = { hermes: hermesProtocol, "qwen-xml": qwen3CoderProtocol };
type Peer = keyof typeof peers;

export const peerDialects: readonly string[] = Object.keys(peers);

const tools = [{ type: "function" as const, name: tool.name, inputSchema: tool.inputSchema }];

function read(dialect: Peer, text: string): Reading {
  let said = false;
  const onError = (): void => {
    said = true;
  };
  try {
    const parts = peers[dialect]().parseGeneratedText({ text, tools, options: { onError } });
    const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
    const runs = calls.flatMap(({ toolName: name, input }) => {
      const value = JSON.parse(input) as Record<string, unknown>;
      if (name === tool.name && isValid(value))
        return [{ value: trimmed({ name, input: value as Value }), held: false }];
      said = true;
      return [];
    });
    return { runs, said };
  } catch {
    return { runs: [], said: true };
  }
}

/** The cases of a peer's dialect, as it reads them; values are compared without white space at their ends. */
export function runPeerDialect(dialect: string, bodies: readonly SlipBody[], every: number): Judged[] {
  const row = written.find(({ id }) => id === dialect);
  const cases = row ? bodies.flatMap((body) => casesOf(row, body)) : [];
  return cases
    .filter((_, index) => (index + 1) % every === 0)
    .map((found) => {
      const slipCase = { ...found, meant: found.meant.map(trimmed) };
      const reading = read(dialect as Peer, slipCase.text);
      return { slipCase, reading, outcome: judge(slipCase, reading) };
    });
}
