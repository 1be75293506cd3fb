import type { AgentOptions } from "@toolglot/agent";
import {
  createAgent,
  expandRequests,
  nativeProtocol,
  parseRecording,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import type { Message, ModelPart, ModelRequest, ToolProtocol } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const page = "a page of text ".repeat(100);
const executor = recordingExecutor(({ input }) => ({ input, page }));
const limits = { turns: 1000 };

/** A model that calls `add` so often, each time with another number, and keeps what it is asked. */
function caller(turns: number, isNative: boolean) {
  const requests: ModelRequest[] = [];
  async function* model(request: ModelRequest): AsyncGenerator<ModelPart> {
    const n = requests.push(request);
    if (n > turns) yield "Done.";
    else if (isNative) yield { type: "call", call: { id: `c${n}`, name: "add", input: { a: n }, protocol: "native" } };
    else yield `[[call add {"a":${n}}]]`;
  }
  return { model, requests };
}

/** The bracket protocol, and how many characters it was given to encode. */
function counted(): { protocol: ToolProtocol; encoded: () => number } {
  const { encodeMessages, ...protocol } = bracketProtocol();
  let count = 0;
  return {
    encoded: () => count,
    protocol: {
      ...protocol,
      encodeMessages,
      encodeMessage(message) {
        count += JSON.stringify(message).length;
        return encodeMessages([message]);
      },
    },
  };
}

describe("in a long run", () => {
  it("a message is encoded once, however many requests show it", async () => {
    const sums = new Map<number, number>();
    for (const turns of [10, 80]) {
      const { protocol, encoded } = counted();
      const { model } = caller(turns, false);
      const { transcript } = await createAgent({ model, protocol, executor, tools: definitions, limits }).run("Go")
        .result;
      expect(encoded()).toBe(
        transcript.messages.slice(0, -1).reduce((sum, message) => sum + JSON.stringify(message).length, 0),
      );
      sums.set(turns, encoded());
    }
    expect((sums.get(80) as number) / (sums.get(10) as number)).toBeLessThan(9);
  });

  it("requests are new lists of the same frozen messages, and so are transcript and events", async () => {
    const { model, requests } = caller(20, true);
    const run = createAgent({ model, protocol: nativeProtocol(), executor, tools: definitions, limits }).run("Go");
    const events = await collect(run);
    const { transcript, results } = await run.result;
    const isFrozen = (value: unknown): boolean =>
      typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    for (const [index, { messages }] of requests.entries()) {
      expect(new Set(requests.map((request) => request.messages)).size).toBe(requests.length);
      expect(messages.every((message, at) => message === transcript.messages[at])).toBe(true);
      expect(messages).toHaveLength(2 * index + 1);
      expect(messages.every(isFrozen)).toBe(true);
    }
    const shown = new Set<Message>(only(events, "request").flatMap(({ messages }) => messages));
    expect([...shown]).toEqual(requests.at(-1)?.messages);
    const first = transcript.messages[2]?.parts[0];
    expect(first?.type === "result" && first.result === results[0]).toBe(true);
    expect(only(events, "action-end")[0]?.results[0]).toBe(results[0]);
  });

  it("an adapter that changes its request changes no other", async () => {
    const { model, requests } = caller(3, true);
    const greedy: AgentOptions["model"] = (request, _signal) => {
      const answer = model({ ...request, messages: [...request.messages] });
      request.messages.length = 0;
      request.tools?.pop();
      return answer;
    };
    const run = createAgent({ model: greedy, protocol: nativeProtocol(), executor, tools: definitions, limits }).run(
      "Go",
    );
    await run.result;
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7]);
  });

  it("events and recordings hold what is new in a request, and give whole requests back", async () => {
    for (const isNative of [true, false]) {
      const lines: string[] = [];
      const { model, requests } = caller(40, isNative);
      const protocol = isNative ? nativeProtocol() : bracketProtocol();
      const run = recordRun({ model, protocol, executor, tools: definitions, limits }, "Go", {
        onLine: (line) => lines.push(line),
      });
      const events = await collect(run);
      for (const event of only(events, "request")) {
        expect(event.from + event.messages.length).toBe(event.total);
        if (event.stepIndex > 0) expect(event.messages).toHaveLength(2);
      }
      expect(expandRequests(events).map(({ messages, tools }) => ({ messages, tools }))).toEqual(
        requests.map(({ messages, tools }) => ({ messages, tools })),
      );
      const longest = Math.max(
        ...lines.filter((line) => line.includes('"type":"request"')).map(({ length }) => length),
      );
      expect(longest).toBeLessThan(6 * page.length);
      const recording = parseRecording(stringifyRecording(run.recording));
      const played = replayRun(recording, { protocol });
      expect(await collect(played)).toEqual(events);
      expect(played.divergence).toBeUndefined();
    }
  });

  it("a protocol that reads the conversation as a whole is asked as a whole", async () => {
    const plain = bracketProtocol();
    const protocol: ToolProtocol = {
      ...plain,
      encodeMessages: (messages) =>
        plain.encodeMessages(messages).map((message, index) => ({
          ...message,
          parts: [...message.parts, { type: "text", text: index === messages.length - 1 ? " (the last one)" : "" }],
        })),
    };
    const { model, requests } = caller(3, false);
    const run = createAgent({ model, protocol, executor, tools: definitions, limits }).run("Go");
    const events = await collect(run);
    for (const { messages } of requests) {
      const lasts = messages.map((message) => JSON.stringify(message).includes("the last one"));
      expect(lasts.indexOf(true)).toBe(messages.length - 1);
    }
    expect(requests[2]?.messages[0]).toBe(requests[1]?.messages[0]);
    expect(expandRequests(events).map(({ messages }) => messages)).toEqual(requests.map(({ messages }) => messages));
  });

  it("only so many events are kept as the host wants, and who comes late is told", async () => {
    const { model } = caller(10, true);
    const agent = createAgent({
      model,
      protocol: nativeProtocol(),
      executor,
      tools: definitions,
      limits,
      keepEvents: 5,
    });
    const heard: string[] = [];
    const run = agent.run("Go");
    const inTime = (async () => {
      for await (const event of run) heard.push(event.type);
    })();
    await run.result;
    await inTime;
    const late = await collect(run);
    expect(late).toHaveLength(6);
    expect(late[0]).toMatchObject({ type: "events-dropped", count: expect.any(Number) });
    expect(late.at(-1)?.type).toBe("run-end");
    expect(heard.at(-1)).toBe("run-end");
  });
});
