// A child that is under the guest's control: it says whatever the argument names, after it has said that it is ready.
import { readSync, writeSync } from "node:fs";

const act = process.argv[2];
const frame = (text) => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
};
const say = (text) => writeSync(3, frame(text));
const head = Buffer.alloc(4);
const listen = () => {
  readSync(4, head, 0, 4, null);
  const body = Buffer.alloc(head.readUInt32BE(0));
  for (let done = 0; done < body.length; ) done += readSync(4, body, done, body.length - done, null);
  return body.toString();
};
const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);

listen();
if (act === "never ready") sleep();
if (act === "dead at start") process.exit(3);
if (act === "early") say('{"type":"result","value":1}');
say('{"type":"ready"}');
listen();
const call = '{"type":"call","tool":0,"line":1,"args":{"a":1}}';
const acts = {
  garbage: () => writeSync(3, Buffer.from("GET / HTTP/1.1\r\n\r\n")),
  oversize: () => writeSync(3, Buffer.from([0x7f, 0xff, 0xff, 0xff, 0x7b])),
  "half a frame": () => writeSync(3, frame('{"type":"result","value":1}').subarray(0, 12)),
  "no json": () => say("{"),
  "no object": () => say("[]"),
  "no utf-8": () => writeSync(3, Buffer.from([0, 0, 0, 2, 0xc3, 0x28])),
  deep: () => say(`{"type":"result","value":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
  "unknown type": () => say('{"type":"shell","command":"id"}'),
  "no value": () => say('{"type":"result"}'),
  "no error": () => say('{"type":"error"}'),
  "odd error": () => say('{"type":"error","error":{"type":1,"message":[]}}'),
  "unknown tool": () => say('{"type":"call","tool":7,"line":1,"args":{}}'),
  "negative tool": () => say('{"type":"call","tool":-1,"line":1,"args":{}}'),
  "tool by name": () => say('{"type":"call","tool":"constructor","line":1,"args":{}}'),
  "odd arguments": () => say('{"type":"call","tool":0,"line":1,"args":[1]}'),
  "two calls at once": () => writeSync(3, Buffer.concat([frame(call), frame(call)])),
  "result while it waits": () =>
    writeSync(3, Buffer.concat([frame(call), frame('{"type":"result","value":"forged"}')])),
  "odd log": () => say('{"type":"log","stream":"host","text":"x"}'),
  "endless log": () => {
    for (;;) say(`{"type":"log","stream":"stdout","text":"${"x".repeat(60_000)}"}`);
  },
  "endless cut marks": () => {
    for (;;) say('{"type":"log","stream":"stdout","text":"x","cut":true}');
  },
  "endless usage": () => {
    for (;;) say('{"type":"usage","memoryMb":1}');
  },
  "ready again": () => say('{"type":"ready"}'),
  gone: () => process.exit(0),
  silent: sleep,
  "prototype keys": () => say('{"type":"result","value":{"__proto__":{"polluted":true},"a":1},"bytes":1e99}'),
  "two results": () =>
    writeSync(3, Buffer.concat([frame('{"type":"result","value":1}'), frame('{"type":"result","value":2}')])),
};
acts[act]?.();
sleep();
