import type { BlockBase, Diagnostic, ParseResult, ProtocolEvent } from "@toolglot/core";

/** What a parser said, with deltas that follow each other joined, and diagnostics apart. */
export interface Recording<Block> {
  events: ProtocolEvent<Block>[];
  diagnostics: Diagnostic[];
}

/** Joins deltas of one type that follow each other, so that recordings of different chunkings can be compared. */
export function coalesce<Block>(events: readonly ProtocolEvent<Block>[]): Recording<Block> {
  const joined: ProtocolEvent<Block>[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.phase === "diagnostic") diagnostics.push(event.diagnostic);
    else if ("text" in event && last && "text" in last && last.type === event.type && isDelta(event))
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    else joined.push({ ...event });
  }
  return { events: joined.filter((event) => !(isDelta(event) && event.text === "")), diagnostics };
}

function isDelta<Block>(event: ProtocolEvent<Block>): event is Extract<ProtocolEvent<Block>, { text: string }> {
  return "text" in event && event.type.endsWith("-delta");
}

/** Where the events of a recording contradict the result that `end()` gave, a sentence each. */
export function eventDifferences<Block extends BlockBase>(
  { events, diagnostics }: Recording<Block>,
  result: ParseResult<Block>,
  finalValues: Record<string, (block: Block) => string | undefined>,
): string[] {
  const found: string[] = [];
  for (const phase of ["text", "reasoning"] as const) {
    const said = events.map((event) => (event.phase === phase ? event.text : "")).join("");
    const kept = result.segments.map((segment) => (segment.type === phase ? segment.text : "")).join("");
    if (said !== kept) found.push(`${phase} events say ${JSON.stringify(said)}, segments ${JSON.stringify(kept)}`);
  }
  let index = 0;
  let open = false;
  let sums = new Map<string, string>();
  for (const event of events) {
    if (event.phase === "block-start") {
      if (open) found.push("a block starts inside a block");
      open = true;
      sums = new Map();
    } else if (event.phase === "delta") {
      if (!open) found.push(`${event.type} outside a block`);
      sums.set(event.type, (sums.get(event.type) ?? "") + event.text);
    } else if (event.phase === "block-end") {
      if (!open) found.push("a block ends that did not start");
      open = false;
      const block = result.blocks[index] as Block;
      if (JSON.stringify(event.block) !== JSON.stringify(block))
        found.push(`block ${index} differs from its end event`);
      index += 1;
      if (block.status !== "invalid") found.push(...sumDifferences(sums, block, finalValues));
    } else if (open) found.push(`${event.phase} inside a block`);
  }
  if (open) found.push("a block does not end");
  if (index !== result.blocks.length) found.push(`${index} blocks ended, the result has ${result.blocks.length}`);
  const shown = (list: Diagnostic[]): string => JSON.stringify([...list].map((d) => JSON.stringify(d)).sort());
  if (shown(diagnostics) !== shown(result.diagnostics)) found.push("diagnostic events differ from the result's");
  return found;
}

function sumDifferences<Block extends BlockBase>(
  sums: Map<string, string>,
  block: Block,
  finalValues: Record<string, (block: Block) => string | undefined>,
): string[] {
  const { status } = block;
  return Object.entries(finalValues).flatMap(([type, value]) => {
    const sum = sums.get(type) ?? "";
    // Of a block that was cut off, a value may have streamed that did not get into the block.
    const final = value(block) ?? (status === "truncated" ? sum : "");
    return sum === final
      ? []
      : [`${type} events add up to ${JSON.stringify(sum)}, the value is ${JSON.stringify(final)}`];
  });
}
