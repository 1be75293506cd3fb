import { guardCalls } from "@toolglot/ai-sdk";
import { streamText, type ToolSet, tool, wrapLanguageModel } from "ai";
import { z } from "zod";
import { angles, type BodyKind, cut, inTurn, plain } from "../bodies.ts";
import { collectedHeap, cpuNow, inTurns, median, quick } from "../measure.ts";
import { atMost, type Bar, ms, type Table } from "../report.ts";

/** What providers send: pieces of about a token. */
const tokenLength = 4;
const [rounds, warm] = quick ? [2, 1] : [61, 12];
const manyCalls = quick ? 50 : 10_000;

/** What holds nothing that may be a mark: each piece passes by itself, so nothing is saved. */
const words: BodyKind = {
  name: "prose",
  about: "prose, with nothing that may be a mark",
  make: inTurn(
    "The report has three parts, and each of them says what was done, by whom, and when.",
    "",
    "It ends here.",
  ),
};

type Part = Record<string, unknown> & { type: string };

/** One answer: some text, and a call that writes a file of 2 kB. */
function answerParts(kind: BodyKind, at: number): Part[] {
  const input = JSON.stringify({ path: `src/file-${at}.ts`, content: kind.make(2000) });
  const text = cut(plain.make(400), tokenLength);
  const tokens = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 };
  const usage = { inputTokens: tokens, outputTokens: { total: 10, text: 10, reasoning: 0 } };
  return [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "t" },
    ...text.map((delta) => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
    { type: "tool-input-start", id: `call-${at}`, toolName: "write_file" },
    ...cut(input, tokenLength).map((delta) => ({ type: "tool-input-delta", id: `call-${at}`, delta })),
    { type: "tool-input-end", id: `call-${at}` },
    { type: "tool-call", toolCallId: `call-${at}`, toolName: "write_file", input },
    { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
  ];
}

const inputSchema = z.object({ path: z.string(), content: z.string() });
const tools = { write_file: tool({ description: "Writes a file.", inputSchema }) } as ToolSet;

/** A provider that sends this answer. */
function provider(parts: readonly Part[]) {
  const model = {
    specificationVersion: "v3",
    provider: "bench",
    modelId: "m",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("It streams.")),
    async doStream() {
      let at = 0;
      const stream = new ReadableStream<Part>({
        pull(to) {
          const part = parts[at++];
          if (part) to.enqueue(part);
          else to.close();
        },
      });
      return { stream };
    },
  };
  return model as unknown as Parameters<typeof wrapLanguageModel>[0]["model"];
}

/** Reads one answer as a program does, and returns how many of its calls arrived. */
async function answer(model: ReturnType<typeof provider>): Promise<number> {
  let calls = 0;
  for await (const part of streamText({ model, tools, prompt: "Write." }).fullStream) {
    if (part.type === "tool-call" && !part.invalid) calls += 1;
    if (part.type === "error") throw part.error;
  }
  return calls;
}

const guarded = (model: ReturnType<typeof provider>) =>
  wrapLanguageModel({ model, middleware: guardCalls({ specificationVersion: "v3" }) });

/** Milliseconds of an answer, bare and guarded, and the ratio of the two. */
async function beside(kind: BodyKind): Promise<{ bare: number; watched: number; ratio: number }> {
  const sent = answerParts(kind, 0);
  // There and back: what grows with time burdens both alike.
  const ways = [provider(sent), guarded(provider(sent)), guarded(provider(sent)), provider(sent)] as const;
  const times = await inTurns(ways, { rounds, warm, clock: cpuNow }, async (model) => {
    if ((await answer(model)) !== 1) throw new Error("a healthy call did not arrive");
  });
  const [first = [], second = [], third = [], last = []] = ways.map((way) => times.get(way));
  const bare = first.map((time, round) => time + (last[round] as number));
  const watched = second.map((time, round) => time + (third[round] as number));
  const ratio = median(watched.map((time, round) => time / (bare[round] as number)));
  return { bare: median(bare) / 2, watched: median(watched) / 2, ratio };
}

/** Streams of healthy calls with `guardCalls()`, beside the bare ones: processor time in turns, and memory. */
export async function measureGuard(): Promise<{ table: Table; bars: Bar[] }> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  for (const kind of [words, plain, angles]) {
    const { bare, watched, ratio } = await beside(kind);
    rows.push([kind.about, ms(bare), ms(watched), `${ratio.toFixed(3)}×`]);
    bars.push(atMost(`guardCalls(), ${kind.name}: beside the bare stream`, ratio, 1.03, "×"));
  }
  const grown = await growth();
  bars.push(
    atMost(`guardCalls(): what the heap grows by over ${manyCalls.toLocaleString("en")} calls`, grown, 1, " MB"),
  );
  return {
    table: {
      title: "Native calls, guarded",
      note: `Processor milliseconds of one answer through \`streamText\`, from the provider's stream to the tool call: 400 characters of text and a healthy call that writes a file of 2 kB, in pieces of ${tokenLength} characters. In turns, ${rounds} rounds; the ratio is the median of the rounds' own. It can be below 1: pieces that may be a mark wait for each other, and the SDK then has fewer of them.`,
      columns: ["the file is", "bare", "with `guardCalls()`", "ratio"],
      rows,
    },
    bars,
  };
}

/** Megabytes that the heap grows by between a tenth of the calls and all of them, by one guard, without the SDK. */
async function growth(): Promise<number> {
  const middleware = guardCalls({ specificationVersion: "v3" });
  const params = { prompt: [], tools: [] };
  let at = 0;
  const run = async (until: number): Promise<void> => {
    for (; at < until; at += 1) {
      const doStream = () => provider(answerParts(plain, at)).doStream(params);
      const { stream } = await middleware.wrapStream({ doStream, params });
      for await (const part of stream as AsyncIterable<Part>) if (part.type === "error") throw part.error;
    }
  };
  await run(manyCalls / 10);
  const before = collectedHeap();
  await run(manyCalls);
  return (collectedHeap() - before) / 1e6;
}
