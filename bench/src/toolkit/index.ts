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
  const timed = async (subject: Subject): Promise<Timed> => {
    progress(`toolkit: ${subject.name}`);
    return { subject, micros: await perCall(subject) };
  };
  const base = await timed(bare);
  const { unchecked, onAjv, others } = ownSubjects();
  const plain = await timed(unchecked);
  const checked = await timed(onAjv);
  const rest: Timed[] = [];
  for (const subject of others) rest.push(await timed(subject));
  const peers: Timed[] = [];
  const { parts, unchecked: executed, whole, unrun } = aiSdk();
  for (const subject of [executed, parts, whole, unrun]) peers.push(await timed(subject));
  const { subject, close } = await mcp();
  peers.push(await timed(subject));
  await close();
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
