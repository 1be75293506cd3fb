import { ToolError } from "@toolglot/core";
import { describe, expect, it, vi } from "vitest";
import { defineTool, Toolkit, ToolResponse } from "../src/index.ts";
import { collect, final, kitWith, lastOf, texts } from "./support.ts";

describe("one value", () => {
  const image = { type: "image" as const, mediaType: "image/png", data: "AAAA" };
  it.each<[string, unknown, unknown, unknown]>([
    ["a string", "hi", [{ type: "text", text: "hi" }], "hi"],
    ["an empty string", "", [{ type: "text", text: "" }], ""],
    ["JSON", { a: [1] }, [{ type: "text", text: '{"a":[1]}' }], { a: [1] }],
    ["a number", 0, [{ type: "text", text: "0" }], 0],
    ["null", null, [{ type: "text", text: "null" }], null],
    ["false", false, [{ type: "text", text: "false" }], false],
    ["an empty list", [], [{ type: "text", text: "[]" }], []],
    ["nothing", undefined, [{ type: "text", text: "(no output)" }], undefined],
    ["content blocks", [image, { type: "text", text: "x" }], [image, { type: "text", text: "x" }], undefined],
    ["one content block", image, [image], undefined],
    [
      "rows that only look like blocks",
      [{ type: "text" }],
      [{ type: "text", text: '[{"type":"text"}]' }],
      [{ type: "text" }],
    ],
    ["a date", new Date(0), [{ type: "text", text: '"1970-01-01T00:00:00.000Z"' }], new Date(0)],
  ])("should turn %s into content and data", async (_what, value, content, data) => {
    for (const give of [() => value, async () => value]) {
      const responses = await collect(kitWith(give));
      expect(responses).toHaveLength(1);
      expect(responses[0]).toMatchObject({ status: "ok", stream: false, isLast: true, isInterrupted: false });
      expect(responses[0]?.content).toEqual(content);
      expect(responses[0]?.data).toEqual(data);
    }
  });

  it("should take a ToolResponse as it is, and set only what is the runtime's", async () => {
    const given = new ToolResponse({
      content: "x",
      metadata: { a: 1 },
      stream: true,
      isLast: false,
      status: "pending",
    });
    const [response] = await collect(kitWith(() => given));
    expect(response).toMatchObject({ metadata: { a: 1 }, stream: true, isLast: true, status: "pending", id: given.id });
    expect(given.isLast).toBe(false);
  });

  it("should have an answer for values without JSON", async () => {
    expect((await final(kitWith(() => () => 1))).error).toEqual({
      type: "InvalidOutput",
      message: "the tool gave a function, which has no form in JSON",
    });
    expect((await final(kitWith(() => 12n))).content).toEqual([{ type: "text", text: '"12"' }]);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect((await final(kitWith(() => circle))).content).toEqual([{ type: "text", text: '{"self":"[circular]"}' }]);
  });

  it("should stamp responses with the time and tell them apart", async () => {
    const kit = kitWith(() => 1);
    const [a, b] = [await final(kit), await final(kit)];
    expect(a.id).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z-\d+$/);
    expect(a.id).not.toBe(b.id);
  });
});

describe("chunks", () => {
  const parts = ["a", "ab", "abc"];
  const shapes: [string, () => unknown][] = [
    [
      "a generator",
      function* () {
        yield* parts;
      },
    ],
    [
      "an async generator",
      async function* () {
        yield* parts;
      },
    ],
    ["a promise of a generator", async () => parts.values()],
    [
      "a promise of an async generator",
      async () =>
        (async function* () {
          yield* parts;
        })(),
    ],
    [
      "a generator of promises",
      function* () {
        for (const part of parts) yield Promise.resolve(part);
      },
    ],
    [
      "a readable stream",
      () =>
        new ReadableStream({
          start(c) {
            for (const p of parts) c.enqueue(p);
            c.close();
          },
        }),
    ],
  ];

  it.each(shapes)("should come as %s gives them, then once more as a whole", async (_what, give) => {
    const responses = await collect(kitWith(give));
    expect(texts(responses)).toEqual(["a", "ab", "abc", "abc"]);
    expect(responses.map(({ isLast }) => isLast)).toEqual([false, false, false, true]);
    expect(responses.every(({ stream }) => stream)).toBe(true);
    expect(lastOf(responses).data).toBe("abc");
    expect(new Set(responses.map(({ id }) => id)).size).toBe(4);
  });

  it("should join when they are incremental", async () => {
    const image = { type: "image" as const, mediaType: "image/png", url: "x" };
    const give = function* () {
      yield "He";
      yield "llo ";
      yield [image];
      yield "you";
    };
    const last = await final(kitWith(give, { chunks: "incremental" }));
    expect(last.content).toEqual([{ type: "text", text: "Hello " }, image, { type: "text", text: "you" }]);
    const words = await final(
      kitWith(
        function* () {
          yield "He";
          yield "llo";
        },
        { chunks: "incremental" },
      ),
    );
    expect(words.data).toBe("Hello");
    const rows = await final(
      kitWith(
        function* () {
          yield { a: 1 };
          yield { a: 2 };
        },
        { chunks: "incremental" },
      ),
    );
    expect(rows.data).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("should keep the tool's own stream and metadata, and not change its objects", async () => {
    const chunk = Object.freeze(new ToolResponse({ content: "x", stream: false, metadata: { n: 1 } }));
    const responses = await collect(
      kitWith(function* () {
        yield chunk;
        yield chunk;
      }),
    );
    expect(responses.map(({ stream, isLast }) => [stream, isLast])).toEqual([
      [false, false],
      [false, false],
      [false, true],
    ]);
    expect(lastOf(responses).metadata).toEqual({ n: 1 });
    expect(chunk.isLast).toBe(true);
  });

  it("should end with what the generator returns, if it returns something", async () => {
    const responses = await collect(
      kitWith(async function* () {
        yield "10 %";
        yield "90 %";
        return { rows: 3 };
      }),
    );
    expect(texts(responses)).toEqual(["10 %", "90 %", '{"rows":3}']);
    expect(lastOf(responses).data).toEqual({ rows: 3 });
  });

  it("should end with one response when a generator gives nothing", async () => {
    expect(texts(await collect(kitWith(function* () {})))).toEqual(["(no output)"]);
  });

  it("should not wait for the next chunk before giving one", async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const run = kitWith(async function* () {
      yield "first";
      await gate;
      yield "second";
    }).callToolFunction({ name: "t" });
    expect((await run.next()).value).toMatchObject({ content: [{ text: "first" }], isLast: false });
    open();
    expect((await run.next()).value).toMatchObject({ content: [{ text: "second" }] });
    await run.return();
  });

  it("should let the tool clean up when the caller stops reading", async () => {
    const cleaned = vi.fn();
    let aborted: AbortSignal | undefined;
    const kit = kitWith(async function* (_input, { signal }) {
      aborted = signal;
      try {
        yield 1;
        yield 2;
      } finally {
        cleaned();
      }
    });
    for await (const response of kit.callToolFunction({ name: "t" })) {
      expect(response.isLast).toBe(false);
      break;
    }
    await vi.waitFor(() => expect(cleaned).toHaveBeenCalledOnce());
    expect(aborted?.aborted).toBe(true);
  });
});

describe("failures", () => {
  it("should be a final error response, with a ToolError's words as they are", async () => {
    const fault = () => {
      throw new ToolError("No city at /maps/x", { data: { hint: "try Paris" } });
    };
    for (const execute of [fault, async () => fault()]) {
      const response = await final(kitWith(execute));
      expect(response).toMatchObject({
        status: "error",
        content: [{ type: "text", text: "Error: No city at /maps/x" }],
        error: { type: "ToolError", message: "No city at /maps/x", hint: "try Paris" },
      });
    }
  });

  it("should not show paths of the host in other errors", async () => {
    const response = await final(
      kitWith(() => {
        throw new RangeError("cannot read /srv/app/secrets.ts:12");
      }),
    );
    expect(response.error).toEqual({ type: "RangeError", message: "cannot read [path]" });
    expect(JSON.stringify(response)).not.toContain("secrets");
  });

  it.each<[string, unknown]>([
    ["a text", "boom"],
    ["nothing", undefined],
    ["null", null],
    ["an object", { message: "boom" }],
    [
      "an object that can't be read",
      {
        toString: () => {
          throw new Error("x");
        },
      },
    ],
  ])("should survive a tool that throws %s", async (_what, thrown) => {
    const response = await final(
      kitWith(() => {
        throw thrown;
      }),
    );
    expect(response).toMatchObject({ status: "error", error: { type: "Error", message: expect.any(String) } });
  });

  it("should keep what came before in a stream", async () => {
    const give = async function* () {
      yield "a";
      yield "ab";
      throw new ToolError("lost");
    };
    const responses = await collect(kitWith(give));
    expect(responses.map(({ isLast }) => isLast)).toEqual([false, false, true]);
    expect(lastOf(responses)).toMatchObject({
      status: "error",
      content: [{ text: "ab" }, { text: "Error: lost" }],
      error: { message: "lost" },
    });
    const incremental = await final(
      kitWith(
        function* () {
          yield "a";
          yield "b";
          throw new ToolError("lost");
        },
        { chunks: "incremental" },
      ),
    );
    expect(incremental.content).toMatchObject([{ text: "ab" }, { text: "Error: lost" }]);
  });

  it("should be thrown after the final response with onError throw", async () => {
    const boom = new Error("boom");
    const run = kitWith(function* () {
      yield "a";
      throw boom;
    }).callToolFunction({ name: "t" }, { onError: "throw" });
    expect((await run.next()).value).toMatchObject({ isLast: false });
    expect((await run.next()).value).toMatchObject({ isLast: true, status: "error" });
    await expect(run.next()).rejects.toBe(boom);
    await expect(
      collect(
        kitWith(() => {
          throw boom;
        }),
        {},
        { onError: "throw" },
      ),
    ).rejects.toBe(boom);
  });

  it("should only throw for misuse", () => {
    const kit = new Toolkit();
    expect(() => kit.callToolFunction({} as never)).toThrow(TypeError);
    expect(() => kit.callToolFunction(null as never)).toThrow(TypeError);
    expect(() => kit.callToolFunction({ name: "t" }, { onError: "ignore" as never })).toThrow(TypeError);
  });
});

describe("a call that can't run", () => {
  const kit = new Toolkit();
  for (const name of ["search_web", "search_docs", "send_mail"]) {
    kit.registerToolFunction(
      defineTool({ name, description: "d", args: { q: "string", "n?": "integer = 5" }, execute: (i) => i }),
    );
  }

  it("should name the nearest tools", async () => {
    expect(await final(kit, { name: "serch_web" })).toMatchObject({
      status: "error",
      error: { type: "UnknownTool", message: 'There is no tool "serch_web". Did you mean "search_web"?' },
    });
    expect((await final(kit, { name: "SearchDocs" })).error?.message).toContain('"search_docs"');
    expect((await final(kit, { name: "xyzzy" })).error?.message).toBe(
      'There is no tool "xyzzy". The tools are: search_web, search_docs, send_mail.',
    );
    expect((await final(new Toolkit(), { name: "x" })).error?.message).toBe(
      'There is no tool "x". There are no tools.',
    );
    expect((await final(kit, { name: "__proto__" })).status).toBe("error");
  });

  it("should say path, expected and got, and not run the tool", async () => {
    const response = await final(kit, { name: "search_web", input: { q: 5, n: "many" } });
    expect(response.status).toBe("error");
    expect(response.error?.type).toBe("InvalidInput");
    expect(response.error?.issues).toMatchObject([
      { path: "q", expected: "string", got: "integer 5" },
      { path: "n", expected: "integer", got: 'string "many"' },
    ]);
    expect(texts([response])[0]).toBe(
      [
        'Error: The input of the tool "search_web" does not fit its schema:',
        "- q: expected string, got integer 5",
        '- n: expected integer, got string "many"',
        "Call it again with corrected input.",
      ].join("\n"),
    );
  });

  it("should be coerced first, with the conversions told to the host", async () => {
    const response = await final(kit, { name: "search_web", input: { q: "x", n: "7" } });
    expect(response.data).toEqual({ q: "x", n: 7 });
    expect(response.metadata).toEqual({ conversions: [{ path: "n", from: "string", to: "integer" }] });
    expect((await final(kit, { name: "search_web", input: '{"q": "x"}' })).data).toEqual({ q: "x", n: 5 });
  });
});

describe("post-processing", () => {
  it("should run once per chunk, and not on the whole again", async () => {
    const seen: string[] = [];
    const kit = kitWith(
      function* () {
        yield "a";
        yield "ab";
      },
      {
        postprocess: async (call, response) => {
          seen.push(`${call.name} ${texts([response])[0]}`);
          return response.with({ content: `<${texts([response])[0]}>` });
        },
      },
    );
    expect(texts(await collect(kit))).toEqual(["<a>", "<ab>", "<ab>"]);
    expect(seen).toEqual(["t a", "t ab"]);
  });

  it("should keep the response for undefined, and never decide what is last", async () => {
    expect(texts(await collect(kitWith(() => "x", { postprocess: () => undefined })))).toEqual(["x"]);
    const kit = kitWith(() => "x", { postprocess: (_call, response) => response.with({ isLast: false }) });
    expect((await collect(kit)).map(({ isLast }) => isLast)).toEqual([true]);
    const stream = kitWith(
      function* () {
        yield 1;
      },
      { postprocess: () => new ToolResponse({ content: "p" }) },
    );
    expect((await collect(stream)).map(({ isLast }) => isLast)).toEqual([false, true]);
  });

  it("should run on what a generator returns, and on the words of an error", async () => {
    const mask = {
      postprocess: (_call: unknown, r: ToolResponse) => r.with({ content: texts([r])[0]?.replace("key", "***") ?? "" }),
    };
    expect(
      texts(
        await collect(
          kitWith(function* () {
            yield "key 1";
            return "key 2";
          }, mask),
        ),
      ),
    ).toEqual(["*** 1", "*** 2"]);
    expect(
      texts(
        await collect(
          kitWith(() => {
            throw new ToolError("bad key");
          }, mask),
        ),
      ),
    ).toEqual(["Error: bad ***"]);
    const stream = kitWith(function* () {
      yield "key 1";
      throw new ToolError("bad key");
    }, mask);
    expect(texts(await collect(stream))).toEqual(["*** 1", "*** 1\n\nError: bad ***"]);
  });

  it("should become an error response when it throws, without what it was to look at", async () => {
    const postprocess = () => {
      throw new ToolError("post broke");
    };
    const single = await collect(kitWith(() => "secret", { postprocess }));
    expect(single).toHaveLength(1);
    expect(single[0]).toMatchObject({ status: "error", error: { message: "post broke" }, isLast: true });
    expect(JSON.stringify(single)).not.toContain("secret");
    let count = 0;
    const second = await collect(
      kitWith(
        function* () {
          yield "a";
          yield "b";
          yield "c";
        },
        {
          postprocess: () => {
            if (++count === 2) throw new ToolError("post broke");
            return undefined;
          },
        },
      ),
    );
    expect(texts(second)).toEqual(["a", "a\n\nError: post broke"]);
    expect(count).toBe(2);
  });

  it("should not run on calls that never reached the tool", async () => {
    const postprocess = vi.fn();
    const kit = kitWith(() => 1, { postprocess, jsonSchema: { type: "object", required: ["a"] } });
    expect((await final(kit)).status).toBe("error");
    expect(postprocess).not.toHaveBeenCalled();
  });
});
