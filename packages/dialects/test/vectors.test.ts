import { readdirSync, readFileSync } from "node:fs";
import type { EndOptions, JsonObject } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { createParser, parse } from "../src/parse.ts";
import type { Recovered } from "../src/recover.ts";
import { recoverToolCalls } from "../src/recover-tool-calls.ts";
import type { DialectEvent, DialectParseOptions, DialectTool } from "../src/types.ts";

interface ExpectedCall {
  name: string;
  input: JsonObject;
  id?: string;
  status?: "complete" | "recovered";
}

interface Vector {
  name: string;
  dialect: string;
  input: string;
  tools?: DialectTool[] | null;
  options?: DialectParseOptions;
  end?: EndOptions;
  calls: ExpectedCall[];
  held?: ExpectedCall[];
  rejected?: { status: string; name?: string }[];
  text?: string;
  reasoning?: string;
  diagnostics?: string[];
  blocks?: { dialect: string; status: string }[];
}

interface VectorFile {
  about: string;
  tools?: DialectTool[];
  vectors: Vector[];
}

const folder = new URL("../../../conformance/dialects/", import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name !== "dialects.json" && !name.endsWith(".schema.json"))
  .map((name): [string, VectorFile] => [name, JSON.parse(readFileSync(new URL(name, folder), "utf8")) as VectorFile]);

/** Vectors that are known to fail, with the reason. */
const skips = JSON.parse(readFileSync(new URL("../skips/dialects.json", folder), "utf8")) as { name: string }[];
const isSkipped = (name: string): boolean => skips.some((skip) => skip.name === name);

const optionsOf = ({ dialect, options, tools }: Vector, file: VectorFile): DialectParseOptions => {
  const given = tools === undefined ? file.tools : tools;
  return { ...options, dialect: dialect as "auto", ...(given && { tools: given }) };
};

/** Calls as a vector has them: only what it says of each. */
function callsOf({ blocks }: Recovered, calls: Recovered["calls"], wanted: readonly ExpectedCall[]): unknown[] {
  const read = blocks.flatMap((block) => block.calls);
  return calls.map(({ name, input, span }, index) => {
    const call = read.find((one) => one.span.start === span?.start && one.name === name);
    const { id, status } = wanted[index] ?? {};
    return { name, input, ...(id !== undefined && { id: call?.id }), ...(status && { status: call?.status }) };
  });
}

/** What a reader made of a vector, in the vector's form. */
function outcomeOf(vector: Vector, file: VectorFile): Partial<Vector> {
  const { tools, ...options } = optionsOf(vector, file);
  const found = recoverToolCalls(vector.input, tools, { ...options, ...vector.end });
  const codes = found.diagnostics.map(({ code }) => code).sort();
  return {
    calls: callsOf(found, found.calls, vector.calls) as ExpectedCall[],
    held: callsOf(found, found.held, vector.held ?? []) as ExpectedCall[],
    ...(vector.rejected && {
      rejected: found.blocks
        .flatMap(({ rejected }) => rejected)
        .map(({ status, name }, index) => ({ status, ...(vector.rejected?.[index]?.name !== undefined && { name }) })),
    }),
    ...(vector.text !== undefined && { text: found.text }),
    ...(vector.reasoning !== undefined && { reasoning: found.reasoning }),
    ...(vector.diagnostics && { diagnostics: codes }),
    ...(vector.blocks && { blocks: found.blocks.map(({ dialect, status }) => ({ dialect, status })) }),
  } as Partial<Vector>;
}

function wantedOf({ calls, held = [], rejected, text, reasoning, diagnostics, blocks }: Vector): Partial<Vector> {
  const wanted = { calls, held, rejected, text, reasoning, diagnostics, blocks };
  return JSON.parse(JSON.stringify(wanted)) as Partial<Vector>;
}

/** Reads a text in pieces. */
function inPieces(pieces: Iterable<string>, options: DialectParseOptions, end: EndOptions | undefined) {
  const events: DialectEvent[] = [];
  const parser = createParser({ ...options, onEvent: (event) => events.push(event) });
  for (const piece of pieces) parser.feed(piece);
  return { result: parser.end(end), events };
}

/** The same numbers in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

/** A text that is cut at three places. */
function* threeCuts(text: string, random: () => number): Generator<string> {
  const places = [0, 1, 2].map(() => Math.floor(random() * (text.length + 1))).sort((one, other) => one - other);
  let from = 0;
  for (const place of [...places, text.length]) {
    yield text.slice(from, place);
    from = place;
  }
}

/** Joined deltas of arguments, by block, call and name; of one that begins again, those of the last time. */
function deltasOf(events: readonly DialectEvent[]): Map<string, string> {
  const deltas = new Map<string, string>();
  let block = -1;
  for (const event of events) {
    if (event.phase === "block-start") block += 1;
    if (event.phase !== "delta") continue;
    if (event.type === "argument-start") deltas.set(`${block} ${event.call} ${event.name}`, "");
    if (event.type !== "argument-delta") continue;
    const key = `${block} ${event.call} ${event.name}`;
    deltas.set(key, (deltas.get(key) ?? "") + event.text);
  }
  return deltas;
}

/** Calls are counted with those that are rejected, in the order in which they stand. */
function checkDeltas({ result, events }: ReturnType<typeof inPieces>): void {
  const deltas = deltasOf(events);
  const ended = events.flatMap((event) => (event.phase === "block-end" ? [event.block] : []));
  for (const [index, block] of ended.entries()) {
    const all = [...block.calls, ...block.rejected].sort((one, other) => one.span.start - other.span.start);
    for (const [number, call] of all.entries()) {
      if (!("input" in call) || all.some((one) => one !== call && one.span.start === call.span.start)) continue;
      for (const [name, value] of Object.entries(call.input)) {
        const text = deltas.get(`${index} ${number} ${name}`);
        if (text !== undefined && typeof value === "string") expect(text).toBe(value);
      }
    }
  }
  expect(ended).toHaveLength(result.blocks.length);
}

const random = numbers(20_261_130);

it("skips only vectors that there are", () => {
  const names = files.flatMap(([, { vectors }]) => vectors.map(({ name }) => name));
  expect(skips.filter(({ name }) => !names.includes(name))).toEqual([]);
});

describe.each(files)("%s", (_, file) => {
  it("has each name once", () => {
    const names = file.vectors.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it.each(file.vectors.map((vector) => [vector.name, vector] as const))("%s", (_name, vector) => {
    const found = expect(outcomeOf(vector, file));
    if (isSkipped(vector.name)) found.not.toEqual(wantedOf(vector));
    else found.toEqual(wantedOf(vector));
    const options = optionsOf(vector, file);
    const { input, end } = vector;
    const whole = inPieces([input], options, end);
    if (!end) expect(parse(input, options)).toEqual(whole.result);
    for (const pieces of [input.split(""), threeCuts(input, random)]) {
      const read = inPieces(pieces, options, end);
      expect(read.result).toEqual(whole.result);
      checkDeltas(read);
    }
  });
});
