// A child that is under the guest's control: it writes the chunks that its first frame lists, whatever they are.
import { readSync, writeSync } from "node:fs";

const receive = () => {
  const read = (bytes) => {
    for (let done = 0; done < bytes.length; ) {
      const count = readSync(4, bytes, done, bytes.length - done, null);
      if (count === 0) process.exit(0);
      done += count;
    }
    return bytes;
  };
  return read(Buffer.alloc(read(Buffer.alloc(4)).readUInt32BE(0))).toString();
};
const write = (bytes) => {
  for (let done = 0; done < bytes.length; ) done += writeSync(3, bytes, done);
};

const { chunks, early, pauseMs, end } = JSON.parse(receive());
const parts = chunks.map((text) => Buffer.from(text, "base64"));
const ready = Buffer.from('\0\0\0\x10{"type":"ready"}');
if (!early) {
  write(ready);
  receive();
}
for (const part of parts) {
  write(part);
  if (pauseMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}
if (end === "exit") process.exit(0);
while (end === "flood") write(parts.at(-1) ?? ready);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
