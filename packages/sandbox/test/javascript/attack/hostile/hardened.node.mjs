// What a program that broke out of the engine would try in the thread around it: here it is there already.
import { parentPort, workerData } from "node:worker_threads";
import { harden } from "../../../../guest/javascript/harden.node.mjs";

const { file, mark, port } = workerData;
const post = parentPort.postMessage.bind(parentPort);
harden();

const module = (name) => import(`node:${name}`);
const attempts = {
  "fs.readFileSync": async () => (await module("fs")).readFileSync(file, "utf8"),
  "fs.default.readFileSync": async () => (await module("fs")).default.readFileSync(file, "utf8"),
  "fs.promises": async () => (await module("fs")).promises.readFile(file, "utf8"),
  "fs/promises": async () => (await module("fs/promises")).default.readFile(file, "utf8"),
  "fs.writeFileSync": async () => (await module("fs")).writeFileSync(mark, "x"),
  "fs.openSync": async () => (await module("fs")).openSync(mark, "w"),
  "fs.opendirSync": async () => (await module("fs")).opendirSync("/").readSync().name,
  "fs.default.opendirSync": async () => `${(await module("fs")).default.opendirSync("/").readSync().name} REACHED`,
  "fs.cpSync": async () => (await module("fs")).cpSync(file, mark),
  "fs.symlinkSync": async () => (await module("fs")).symlinkSync(file, mark),
  "fs.Dir": async () => new (await module("fs")).Dir({}, "/", {}).readSync(),
  "import of the file": async () => (await import(file)).default,
  "import of a module made of text": async () =>
    (await import(`data:text/javascript,import fs from "node:fs";export default fs.readFileSync("${file}", "utf8")`))
      .default,
  "child_process.execSync": async () => (await module("child_process")).execSync(`touch ${mark}`),
  "child_process.spawn": async () => (await module("child_process")).default.spawn("touch", [mark]),
  "ChildProcess.spawn": async () =>
    new (await module("child_process")).ChildProcess().spawn({ file: "/bin/touch", args: ["touch", mark] }),
  "cluster.fork": async () => (await module("cluster")).default.fork(),
  "net.connect": async () => (await module("net")).connect(port, "127.0.0.1"),
  "net.Socket": async () => new (await module("net")).Socket().connect(port, "127.0.0.1"),
  "net.Server": async () => new (await module("net")).Server().listen(0),
  "http.get": async () => (await module("http")).get(`http://127.0.0.1:${port}`),
  "http.Agent": async () => new (await module("http")).Agent().createConnection({ port, host: "127.0.0.1" }),
  "https.get": async () => (await module("https")).get(`https://127.0.0.1:${port}`),
  "http2.connect": async () => (await module("http2")).connect(`http://127.0.0.1:${port}`),
  "tls.connect": async () => (await module("tls")).connect(port),
  "dgram.createSocket": async () => (await module("dgram")).createSocket("udp4").send("x", port),
  "dns.lookup": async () => (await module("dns")).lookup("localhost", () => {}),
  fetch: async () => (await globalThis.fetch(`http://127.0.0.1:${port}`)).text(),
  WebSocket: async () => new globalThis.WebSocket(`ws://127.0.0.1:${port}`),
  "worker_threads.Worker": async () =>
    new (await module("worker_threads")).Worker(`require("fs").writeFileSync("${mark}", "x")`, { eval: true }),
  "vm.runInThisContext": async () => (await module("vm")).runInThisContext("process.env"),
  "vm.Script": async () => new (await module("vm")).Script("1").runInThisContext(),
  "v8.writeHeapSnapshot": async () => (await module("v8")).writeHeapSnapshot(mark),
  "inspector.Session": async () => new (await module("inspector")).Session().connect(),
  "wasi.WASI": async () => new (await module("wasi")).WASI({ version: "preview1", preopens: { "/": "/" } }),
  "module.createRequire": async () => (await module("module")).createRequire("/")("fs").readFileSync(file, "utf8"),
  "module._load": async () => (await module("module")).default._load("fs").readFileSync(file, "utf8"),
  "process.binding": async () => process.binding("fs"),
  "process.dlopen": async () => process.dlopen({ exports: {} }, file),
  "process.getBuiltinModule": async () => process.getBuiltinModule("fs").readFileSync(file, "utf8"),
  "process.mainModule": async () => process.mainModule.require("fs").readFileSync(file, "utf8"),
  "process.kill": async () => process.kill(process.ppid, 0),
  "process.env": async () => JSON.stringify(process.env),
  "process.report.getReport": async () => JSON.stringify(process.report.getReport()),
  "process.report.writeReport": async () => process.report.writeReport(mark),
  "process.report of the module": async () => JSON.stringify((await module("process")).report.getReport()),
  "process.default.report": async () => (await module("process")).default.report.writeReport(mark),
  "process.kill of the module": async () => `${(await module("process")).kill(process.pid, 0)} REACHED`,
  "fs.ReadStream": async () => {
    const stream = new (await module("fs")).ReadStream(file);
    return await new Promise((resolve, reject) => stream.on("data", resolve).on("error", reject));
  },
  "fs.promises.open": async () => (await (await module("fs")).promises.open(file)).readFile("utf8"),
  "process.chdir": async () => process.chdir("/"),
  Function: async () => (() => {}).constructor("return process.env")(),
  AsyncFunction: async () => await (async () => {}).constructor("return process.env")(),
  eval: async () => Reflect.get(globalThis, "eval")("process.env"),
  trace_events: async () => (await module("trace_events")).createTracing({ categories: ["node"] }).enable(),
};

const outcomes = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    outcomes[name] = `${await attempt()}`;
  } catch (error) {
    outcomes[name] = String(error?.message ?? error);
  }
}
post(outcomes);
