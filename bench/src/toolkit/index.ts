import { type Bar, type Findings, figure, type Table } from "../report.ts";
import { bare, ownSubjects } from "./own.ts";
import { aiSdk, mcp } from "./peers.ts";
import { perCall, type Subject } from "./subject.ts";

interface Timed {
  subject: Subject;
  /** Microseconds per call, all in all. */
  micros: number;
}

/** Measures what a call costs that goes through the toolkit, beside AI SDK and MCP. */
export async function measureToolkit(progress: (text: string) => void): Promise<Findings> {
  progress("toolkit: calls through it, and through others");
  const { unchecked, onAjv, others } = ownSubjects();
  const sdk = aiSdk();
  const server = await mcp();
  const foreign = [sdk.unchecked, sdk.parts, sdk.whole, sdk.unrun, server.subject];
  const times = await perCall([bare, unchecked, onAjv, ...others, ...foreign]);
  await server.close();
  const timed = (subject: Subject): Timed => ({ subject, micros: times.get(subject) ?? Number.NaN });
  const base = timed(bare);
  const plain = timed(unchecked);
  const checked = timed(onAjv);
  const rest = others.map(timed);
  const peers = foreign.map(timed);
  const over = ({ micros }: Timed): number => micros - base.micros;
  const row = (one: Timed): string[] => [
    one.subject.name,
    `${figure(one.micros)} µs`,
    one === base ? "" : `${figure(over(one))} µs`,
  ];
  const table = (title: string, note: string, all: readonly Timed[]): Table => ({
    title,
    note,
    columns: ["", "per call", "over the function"],
    rows: [base, ...all].map(row),
  });
  const bar = (what: string, one: Timed, limit: number): Bar => ({
    what,
    limit: `≤ ${limit} µs`,
    measured: `${figure(over(one))} µs`,
    met: over(one) <= limit,
  });
  return {
    bars: [
      bar("toolkit, over the bare function: nothing to check", plain, 3),
      bar("toolkit, over the bare function: ten fields on ajv", checked, 10),
    ],
    tables: [
      table(
        "Calls through the toolkit",
        "Processor time of `callToolFunction`, from the call to its final response, one call after another; the tool multiplies two numbers.",
        [plain, checked, ...rest],
      ),
      table(
        "Calls through others",
        "The same tool with the same ten fields. What `generateText` adds to run the tool is the difference of its two rows.",
        peers,
      ),
    ],
  };
}
