import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { type ServeStdioOptions, serveStdio } from "../../src/node/index.ts";
import { ada, fakeRouter, withResolvers } from "../http/fake-router.ts";

function start(options: Partial<ServeStdioOptions> = {}) {
  const fake = fakeRouter();
  const input = new PassThrough();
  const output = new PassThrough();
  const server = serveStdio(fake.router, { principal: ada, input, output, ...options });
  /** The next so many lines of the output. */
  const lines = async (count: number): Promise<Record<string, unknown>[]> => {
    let text = "";
    while (text.split("\n").length <= count) {
      if (output.readableLength === 0) await once(output, "readable");
      text += String(output.read() ?? "");
    }
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  return { fake, input, output, server, lines };
}

it("answers a frame per line, wherever lines are cut and however they end", async () => {
  const { fake, input, lines } = start();
  for (const byte of Buffer.from('{"n":"ü"}\r\n\n{"n":2}\n{"n":3}')) input.write(Uint8Array.of(byte));
  expect(await lines(2)).toEqual([{ echo: { n: "ü" } }, { echo: { n: 2 } }]);
  input.end();
  expect(await lines(1)).toEqual([{ echo: { n: 3 } }]);
  expect(fake.seen[0]?.context.principal).toBe(ada);
});

it("refuses lines that are no frames, and goes on", async () => {
  const { input, lines } = start();
  input.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
  input.write(`garbage\n{"frame_id":"f","x":"${"x".repeat(2000)}"}\n{"fine":1}\n`);
  const answers = await lines(4);
  const faults = answers.slice(0, 3).map(({ payload }) => {
    const { error_code: code, nack_of_frame_id: id } = payload as Record<string, string>;
    return `${code} ${id}`;
  });
  expect(faults).toEqual(["TRP_2000 null", "TRP_2000 null", "TRP_2008 f"]);
  expect(answers[3]).toEqual({ echo: { fine: 1 } });
});

it("answers what runs when its input ends", async () => {
  const { fake, input, server, lines } = start();
  const slow = withResolvers();
  fake.answer = () => slow.promise;
  input.end('{"n":1}\n');
  await expect.poll(() => fake.seen.length).toBe(1);
  slow.resolve({ done: 1 });
  expect(await lines(1)).toEqual([{ done: 1 }]);
  expect(await server.done).toBe("input-ended");
});

it("refuses frames while it closes, and reads no more afterwards", async () => {
  const { fake, input, server, lines } = start();
  const slow = withResolvers();
  fake.answer = () => slow.promise;
  input.write("{}\n");
  await expect.poll(() => fake.seen.length).toBe(1);
  const closed = server.close();
  input.write('{"frame_id":"late"}\n');
  expect((await lines(1))[0]).toMatchObject({ payload: { error_code: "TRP_5003", nack_of_frame_id: "late" } });
  slow.resolve({ done: 1 });
  expect(await lines(1)).toEqual([{ done: 1 }]);
  await closed;
  expect(await server.done).toBe("closed");
  expect(input.isPaused()).toBe(true);
});

it("does not read while its answers are not read, and gives up in the end", async () => {
  const { fake, input, server } = start({ limits: { unreadBytes: 10_000, unreadMs: 20 } });
  fake.answer = async (frame) => (frame === "waits" ? await new Promise(() => {}) : { text: "x".repeat(30_000) });
  input.write('"waits"\n{}\n{}\n{}\n');
  expect(await server.done).toBe("not-read");
  expect(fake.seen[0]?.context.signal?.aborted).toBe(true);
});

it("reads on when its answers are read after all", async () => {
  const { fake, input, lines } = start({ limits: { unreadBytes: 20_000, unreadMs: 60_000 } });
  fake.answer = async (frame) => ({ frame, text: "x".repeat(30_000) });
  input.write("1\n");
  await expect.poll(() => input.isPaused()).toBe(true);
  input.write("2\n");
  expect((await lines(2)).map(({ frame }) => frame)).toEqual([1, 2]);
});

it("ends when its output breaks", async () => {
  const { output, server, input } = start();
  output.destroy(new Error("EPIPE"));
  expect(await server.done).toBe("failed");
  input.write("{}\n");
});

it("refuses options that can't be", () => {
  const { router } = fakeRouter();
  expect(() => serveStdio(router, { principal: { id: "x" } as never })).toThrow("principal");
  expect(() => serveStdio(router, { principal: ada, limits: { unreadMs: 0 } })).toThrow("unreadMs");
});
