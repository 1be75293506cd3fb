// A thread that is under the guest's control: it says whatever `workerData.act` names, after it has said that it is ready.
import { parentPort, workerData } from "node:worker_threads";

const { act, port } = workerData;
const post = (...texts) => port.postMessage(texts);
const forged = '{"type":"result","value":"forged"}';
const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);

if (act === "never ready") sleep();
if (act === "dead at start") process.exit(3);
if (act === "broken at start") throw new Error("broken at start");
if (act === "early") post(forged);
post('{"type":"ready"}');

const acts = {
  "no list": () => port.postMessage(forged),
  "an empty list": () => port.postMessage([]),
  "a list that is too long": () => port.postMessage(Array(100_000).fill('{"type":"idle","answered":0}')),
  "a list with holes": () => port.postMessage(Object.assign(Array(2), { 1: forged })),
  "objects for texts": () => port.postMessage([{ type: "result", value: "forged" }]),
  "a list in a list": () => port.postMessage([[forged]]),
  "a map": () => port.postMessage(new Map([[0, forged]])),
  "shared memory": () => port.postMessage(new SharedArrayBuffer(8)),
  "a list that contains itself": () => {
    const list = [];
    list.push(list);
    port.postMessage(list);
  },
  "an error": () => port.postMessage(new Error("forged")),
  "a port": () => {
    const { port1 } = new MessageChannel();
    port.postMessage([port1], [port1]);
  },
  "over the thread's own port": () => parentPort.postMessage([forged]),
  "no json": () => post("{"),
  "no object": () => post("[]"),
  "too long": () => post(`{"type":"result","value":"${"x".repeat(6_000_000)}"}`),
  "too deep": () => post(`{"type":"result","value":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
  "ready again": () => post('{"type":"ready"}'),
  "an uncaught error": () => {
    throw new Error("forged");
  },
  "an unhandled rejection": () => void Promise.reject(new Error("forged")),
  gone: () => process.exit(0),
  "out of memory": () => {
    const all = [];
    for (;;) all.push(Array(1000).fill(all.length));
  },
  "stack overflow": () => {
    const f = () => f();
    f();
  },
  silent: sleep,
  busy: () => {
    for (;;);
  },
  "messages that are counted, and do not come": () => {
    post('{"type":"call","id":0,"tool":0,"line":1,"args":{"a":1}}');
    for (;;) Atomics.add(workerData.shared, 2, 1);
  },
  "prototype keys": () =>
    post('{"type":"result","value":{"__proto__":{"polluted":true},"constructor":1,"a":1},"bytes":1e99}'),
  "two results": () => post('{"type":"result","value":1}', forged),
  "results in two messages": () => {
    post('{"type":"result","value":1}');
    post(forged);
  },
  "a flood": () => {
    for (;;) post('{"type":"log","stream":"stdout","text":""}');
  },
  "a flood of waiting": () => {
    post('{"type":"call","id":0,"tool":0,"line":1,"args":{"a":1}}');
    for (;;) post('{"type":"idle","answered":0}');
  },
  "a flood of lists": () => {
    for (;;) post(...Array(256).fill('{"type":"usage"}'));
  },
};
port.once("message", () => {
  acts[act]?.();
  if (act !== "gone") port.on("message", () => {});
});
