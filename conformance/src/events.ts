import type { BlockBase, Diagnostic, ParseResult, ProtocolEvent } from "@toolglot/core";

/** The field that a delta belongs to. */
export interface DeltaField {
  /** Deltas with the same `id` that follow each other are joined: any chunking has to give the same ones. */
  id: string;
  /** What the final block calls it. Of several fields with one name the last counts. Default: `id`. */
  name?: string;
}

/** The text that the deltas of a field have to add up to, or a test of it where the block does not hold the text. */
export type FinalText = string | ((sum: string) => boolean);

/** How a protocol's deltas are understood. */
export interface DeltaReading<Block extends BlockBase, Event extends ProtocolEvent<Block>> {
  /** The field of a delta; undefined when nothing of the block is its sum. */
  deltaField(event: Extract<Event, { phase: "delta" }>): DeltaField | undefined;
  /** The final texts of a block, by the field's name. */
  finalTexts(block: Block): ReadonlyMap<string, FinalText>;
  /** Whether a field may have been reported that did not get into the block. Default: of a truncated block, any. */
  mayBeLeftOut?(block: Block, name: string): boolean;
}

/** What a parser said, with deltas of a field that follow each other joined, and diagnostics apart. */
export interface Recording<Event> {
  events: Event[];
  diagnostics: Diagnostic[];
}

/** Joins deltas of one field that follow each other, so that recordings of different chunkings can be compared. */
export function coalesce<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  events: readonly Event[],
  { deltaField }: Pick<DeltaReading<Block, Event>, "deltaField">,
): Recording<Event> {
  const idOf = (event: Event): string | undefined =>
    event.phase === "delta" ? deltaField(event as Extract<Event, { phase: "delta" }>)?.id : event.type;
  const pieces: { event: Event; texts: string[] }[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const event of events) {
    const last = pieces.at(-1);
    if (event.phase === "diagnostic") diagnostics.push(event.diagnostic);
    else if (isDelta(event) && last?.event.type === event.type && idOf(last.event) === idOf(event))
      last.texts.push(event.text);
    else pieces.push({ event, texts: isDelta(event) ? [event.text] : [] });
  }
  const joined = pieces.map(({ event, texts }) => (isDelta(event) ? { ...event, text: texts.join("") } : event));
  return { events: joined.filter((event) => !(isDelta(event) && event.text === "")), diagnostics };
}

function isDelta<Event extends { type: string }>(event: Event): event is Event & { text: string } {
  return "text" in event && event.type.endsWith("-delta");
}

/** Where the events of a recording contradict the result that `end()` gave, a sentence each. */
export function eventDifferences<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  { events, diagnostics }: Recording<Event>,
  result: ParseResult<Block>,
  reading: DeltaReading<Block, Event>,
): string[] {
  const found: string[] = [];
  for (const phase of ["text", "reasoning"] as const) {
    const said = events.map((event) => (event.phase === phase ? event.text : "")).join("");
    const kept = result.segments.map((segment) => (segment.type === phase ? segment.text : "")).join("");
    if (said !== kept) found.push(`${phase} events say ${JSON.stringify(said)}, segments ${JSON.stringify(kept)}`);
  }
  let index = 0;
  let open = false;
  let sums = new Sums();
  for (const event of events) {
    if (event.phase === "block-start") {
      if (open) found.push("a block starts inside a block");
      open = true;
      sums = new Sums();
    } else if (event.phase === "delta") {
      if (!open) found.push(`${event.type} outside a block`);
      const field = reading.deltaField(event as Extract<Event, { phase: "delta" }>);
      if (field) sums.add(field, event.text);
    } else if (event.phase === "block-end") {
      if (!open) found.push("a block ends that did not start");
      open = false;
      const block = result.blocks[index] as Block;
      if (JSON.stringify(event.block) !== JSON.stringify(block))
        found.push(`block ${index} differs from its end event`);
      index += 1;
      if (block && block.status !== "invalid") found.push(...sumDifferences(sums.byName(), block, reading));
    } else if (open) found.push(`${event.phase} inside a block`);
  }
  if (open) found.push("a block does not end");
  if (index !== result.blocks.length) found.push(`${index} blocks ended, the result has ${result.blocks.length}`);
  const shown = (list: Diagnostic[]): string => JSON.stringify([...list].map((d) => JSON.stringify(d)).sort());
  if (shown(diagnostics) !== shown(result.diagnostics)) found.push("diagnostic events differ from the result's");
  return found;
}

/** What the deltas of each field of a block add up to. */
class Sums {
  readonly #texts = new Map<string, string>();
  readonly #lastOfName = new Map<string, string>();

  add({ id, name = id }: DeltaField, text: string): void {
    this.#texts.set(id, (this.#texts.get(id) ?? "") + text);
    this.#lastOfName.set(name, id);
  }

  byName(): Map<string, string> {
    return new Map([...this.#lastOfName].map(([name, id]) => [name, this.#texts.get(id) ?? ""]));
  }
}

function sumDifferences<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  sums: Map<string, string>,
  block: Block,
  { finalTexts, mayBeLeftOut = ({ status }) => status === "truncated" }: DeltaReading<Block, Event>,
): string[] {
  const finals = finalTexts(block);
  const wrong = [...finals].flatMap(([name, final]) => {
    const sum = sums.get(name) ?? "";
    const same = typeof final === "string" ? sum === final : final(sum);
    const wanted = typeof final === "string" ? `, the value is ${JSON.stringify(final)}` : ", which the value is not";
    return same ? [] : [`the deltas of ${name} add up to ${JSON.stringify(sum)}${wanted}`];
  });
  const strangers = [...sums]
    .filter(([name, sum]) => sum !== "" && !finals.has(name) && !mayBeLeftOut(block, name))
    .map(([name, sum]) => `the deltas of ${name} say ${JSON.stringify(sum)}, which is not in the block`);
  return [...wrong, ...strangers];
}
