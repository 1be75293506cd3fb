import { atMost, type Findings, type Run, type Table, us } from "../report.ts";
import { bare, ownSubjects } from "./own.ts";
import { aiSdk, mcp } from "./peers.ts";
import { perCall, type Subject } from "./subject.ts";

/** Measures what a call costs that goes through the toolkit, beside AI SDK and MCP. */
export async function measureToolkit({ progress }: Run): Promise<Findings> {
  progress("calls through it, and through others");
  const { unchecked, onAjv, others } = ownSubjects();
  const server = await mcp();
  const own = [unchecked, onAjv, ...others];
  const foreign = [...aiSdk(), server.subject];
  const times = await perCall([bare, ...own, ...foreign]);
  await server.close();
  const over = (one: Subject): number => (times.get(one) ?? Number.NaN) - (times.get(bare) ?? Number.NaN);
  const table = (title: string, note: string, all: readonly Subject[]): Table => ({
    title,
    note,
    columns: ["", "per call", "over the function"],
    rows: [bare, ...all].map((one) => [one.name, us(times.get(one) ?? Number.NaN), one === bare ? "" : us(over(one))]),
  });
  return {
    bars: [
      atMost("toolkit, over the bare function: nothing to check", over(unchecked), 3, " µs"),
      atMost("toolkit, over the bare function: ten fields on ajv", over(onAjv), 10, " µs"),
    ],
    tables: [
      table(
        "Calls through the toolkit",
        "Processor time of `callToolFunction`, from the call to its final response, one call after another; the tool multiplies two numbers.",
        own,
      ),
      table(
        "Calls through others",
        "The same tool with the same ten fields. What `generateText` adds to run the tool is the difference of its two rows.",
        foreign,
      ),
    ],
  };
}
