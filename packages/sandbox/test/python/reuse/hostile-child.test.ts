import { expect, it } from "vitest";
import type { GuestMessage } from "../../../src/engine.ts";
import { ChildGuest } from "../../../src/node/python/child-guest.ts";
import { NotAtRestError } from "../../../src/reuse.ts";

// A child that was broken into, between two programs.

const frames = `
const fs = require("node:fs");
const send = (text) => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  fs.writeSync(3, Buffer.concat([head, body]));
};
const read = (size) => {
  const bytes = Buffer.alloc(size);
  for (let done = 0; done < size; ) {
    const count = fs.readSync(4, bytes, done, size - done, null);
    if (count === 0) process.exit(0);
    done += count;
  }
  return bytes;
};
const receive = () => read(read(4).readUInt32BE(0)).toString();
receive();
send('{"type":"ready"}');
receive();
send('{"type":"usage","memoryMb":9}');
send('{"type":"result","value":1}');
`;

/** A guest whose program has ended, in a child that goes on with `code`; and what its next program is sent. */
async function rested(code: string): Promise<{ guest: ChildGuest; faults: string[] }> {
  const guest = new ChildGuest({
    ...{ file: process.execPath, args: ["-e", frames + code], init: {} },
    ...{ maxFrameBytes: 10_000, startTimeoutMs: 60_000 },
  });
  await guest.ready;
  const faults: string[] = [];
  await new Promise<void>((resolve) => {
    guest.listen({
      onMessage: ({ type }) => {
        if (type !== "result") return;
        guest.rest();
        resolve();
      },
      onEnd: (fault) => faults.push(fault),
    });
    guest.send('{"type":"run"}');
  });
  return { guest, faults };
}

it("should take the next program, whose messages reach nobody else", async () => {
  const { guest, faults } = await rested(`
    if (receive() === '{"type":"renew"}') send('{"type":"ready"}');
    send(JSON.stringify({ type: "result", value: receive() }));
    receive();`);
  expect(guest.grownMb).toBe(9);
  const next = guest.renew();
  expect(guest.renew()).toBeUndefined();
  await next?.ready;
  await guest.ended;
  const message = await new Promise<GuestMessage>((resolve) => {
    next?.listen({ onMessage: resolve, onEnd: () => {} });
    next?.send('"program"');
  });
  expect(message).toEqual({ type: "result", value: '"program"' });
  next?.kill();
  await next?.ended;
  expect(faults).toEqual([]);
});

it("should be given up when it speaks after its program's end", async () => {
  const { guest, faults } = await rested(`setTimeout(() => send('{"type":"ready"}'), 50); setInterval(() => {}, 1000)`);
  await guest.ended;
  expect(faults).toEqual(["it sent a message after its end"]);
  expect(guest.renew()).toBeUndefined();
});

it.each([
  ["speaks for the next program", `receive(); send('{"type":"result","value":"forged"}'); receive()`, "too early"],
  ["says that it can't be set back", `receive(); send('{"type":"not-at-rest"}'); receive()`, "can't be set back"],
  ["ends", "receive(); process.exit(1)", "the process ended"],
])("should not be used again when it %s", async (_, code, fault) => {
  const { guest } = await rested(code);
  const next = guest.renew();
  const failure = await next?.ready.then(
    () => undefined,
    (error: Error) => error,
  );
  expect(failure?.message).toContain(fault);
  expect(failure instanceof NotAtRestError).toBe(fault === "can't be set back");
  await next?.ended;
});
