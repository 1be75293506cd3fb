// Provokes the errors of HTTP clients against real servers on this machine, and records what of them judgeHttp may read.
//   node conformance/once/provoke-errors.mjs [folder]   writes http-errors.json beside this file
// The clients are installed into the folder (a new one in the system's temporary folder when none is given): no package of the
// repository depends on them. Needs the network for that, and nothing else of it.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const versions = {
  undici: "7.30.2",
  axios: "1.21.1",
  got: "14.6.6",
  ky: "1.14.3",
  "node-fetch": "3.3.2",
  "@aws-sdk/client-sqs": "3.1175.0",
  openai: "6.49.0",
  stripe: "23.1.0",
};

const folder = resolve(process.argv[2] ?? mkdtempSync(join(tmpdir(), "toolglot-clients-")));
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
const wanted = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
execFileSync("npm", ["install", "--no-audit", "--no-fund", ...wanted], { cwd: folder, stdio: "inherit" });
const require = createRequire(join(folder, "index.js"));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

/** How the server answers, by the path. */
const answers = {
  reset: (_, response) => response.socket.resetAndDestroy(),
  closed: (_, response) => response.socket.destroy(),
  silent: () => {},
  "cut-off": (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write("{", () => response.socket.resetAndDestroy());
  },
};

let refusedPort = 0;
/** Answers of a path so far: `503-then-400` answers in this order. */
const seen = new Map();
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const [, run, what = ""] = new URL(request.url, "http://x").pathname.split("/");
    if (answers[what]) return answers[what](request, response);
    const steps = what.split("-then-");
    const count = seen.get(run) ?? 0;
    seen.set(run, count + 1);
    const [status, ...rest] = (steps[count] ?? steps.at(-1)).split("+");
    if (status === "refused") return response.socket.destroy();
    const headers = { "content-type": "application/json" };
    for (const word of rest) {
      if (word === "after") headers["retry-after"] = "3";
      if (word === "date") headers["retry-after"] = "Wed, 21 Oct 2026 07:28:00 GMT";
      if (word === "refused") headers.location = `http://127.0.0.1:${refusedPort}/`;
      if (word === "422") headers.location = `/${run}/422`;
    }
    response.writeHead(Number(status), headers);
    response.end(JSON.stringify({ error: { message: `status ${status}`, type: "x" } }));
  });
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;

/** Returns a port on which nobody listens. */
async function freePort() {
  const other = createServer();
  await new Promise((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address();
  await new Promise((done) => other.close(done));
  return port;
}
refusedPort = await freePort();

/** Starts a process that listens and never accepts: its queue is full, so that connecting to it takes for ever. */
async function fullPort() {
  const code = `require("net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () {
    process.stdout.write(String(this.address().port), () => process.kill(process.pid, "SIGSTOP")); })`;
  const child = spawn(process.execPath, ["-e", code]);
  const port = Number(await new Promise((done) => child.stdout.once("data", done)));
  await new Promise((done) => setTimeout(done, 200));
  const fillers = Array.from({ length: 4 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await new Promise((done) => setTimeout(done, 300));
  const end = () => {
    for (const one of fillers) one.destroy();
    child.kill("SIGKILL");
  };
  return { port, end };
}
const full = await fullPort();

const bases = {
  refused: `http://127.0.0.1:${refusedPort}`,
  unresolved: "http://nowhere.invalid",
  "connect-timeout": `http://127.0.0.1:${full.port}`,
};
let runs = 0;
const addressOf = (what) => bases[what] ?? `${origin}/${++runs}/${what}`;

const { Agent, errors: _, request } = await load("undici");
const { default: axios } = await load("axios");
const { default: got } = await load("got");
const { default: ky } = await load("ky");
const { default: nodeFetch } = await load("node-fetch");
const { SQSClient, SendMessageCommand } = await load("@aws-sdk/client-sqs");
const { default: OpenAI } = await load("openai");
const { default: Stripe } = await load("stripe");

const json = { "content-type": "application/json" };
const body = JSON.stringify({ amount: 1 });
const patience = 1_500;
const throwBad = (response) => {
  if (!response.ok) throw response;
  return response.json();
};
const throwBadUndici = async ({ statusCode, headers, body: read }) => {
  if (statusCode < 300) return await read.json();
  await read.dump();
  throw { statusCode, headers };
};

/** One request that changes something, by each client. Each rejects. `tries`: with two attempts. */
const clients = {
  fetch: (url, what) =>
    fetch(url, {
      ...{ method: "POST", headers: json, body, signal: AbortSignal.timeout(patience) },
      ...(what === "connect-timeout" && { signal: null }),
    }).then(throwBad),
  undici: (url) =>
    request(url, {
      ...{ method: "POST", headers: json, body, headersTimeout: patience },
      dispatcher: new Agent({ connect: { timeout: 300 }, headersTimeout: patience }),
    }).then(throwBadUndici),
  axios: (url) => axios.post(url, { amount: 1 }, { timeout: patience }),
  got: (url) =>
    got.post(url, {
      ...{ json: { amount: 1 }, retry: { limit: 0 }, timeout: { connect: 300, request: patience } },
    }),
  "got, two attempts": (url) =>
    got.post(url, {
      ...{ json: { amount: 1 }, timeout: { request: patience } },
      retry: {
        limit: 1,
        methods: ["POST"],
        statusCodes: [503],
        errorCodes: ["ECONNRESET"],
        calculateDelay: ({ computedValue }) => Math.min(computedValue, 1),
      },
    }),
  ky: (url) => ky.post(url, { json: { amount: 1 }, retry: 0, timeout: patience }).json(),
  "node-fetch": (url) =>
    nodeFetch(url, { method: "POST", headers: json, body, signal: AbortSignal.timeout(patience) }).then(throwBad),
  "AWS SDK": (url) => sqs(url, 1),
  "AWS SDK, two attempts": (url) => sqs(url, 2),
  OpenAI: (url) =>
    new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0, timeout: patience }).responses.create({
      model: "m",
      input: "x",
    }),
  Stripe: (url) => {
    const { hostname: host, port, protocol } = new URL(url);
    const client = new Stripe("sk_test_x", {
      host,
      port: port || 80,
      protocol: protocol.slice(0, -1),
      maxNetworkRetries: 0,
      timeout: patience,
    });
    return client.rawRequest("POST", new URL(url).pathname, { amount: 1 });
  },
};

function sqs(url, maxAttempts) {
  const client = new SQSClient({
    ...{ region: "x", endpoint: url, maxAttempts, credentials: { accessKeyId: "a", secretAccessKey: "b" } },
    requestHandler: { connectionTimeout: 300, requestTimeout: patience, throwOnRequestTimeout: true },
    retryStrategy: undefined,
  });
  return client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "x" }));
}

/** What happens, and what is true of the effect by the protocol. */
const cases = {
  refused: "not-applied",
  unresolved: "not-applied",
  "connect-timeout": "not-applied",
  reset: "unknown",
  closed: "unknown",
  silent: "unknown",
  "cut-off": "unknown",
  400: "failed",
  404: "failed",
  408: "unknown",
  409: "unknown",
  422: "failed",
  425: "unknown",
  429: "not-applied",
  500: "unknown",
  502: "unknown",
  503: "unknown",
  "503+after": "not-applied",
  "503+date": "not-applied",
  504: "unknown",
  "303+422": "unknown",
  "303+refused": "unknown",
};
const repeated = { "503-then-400": "unknown", "503-then-429": "unknown", "503-then-503+after": "unknown" };
const own = {
  "got, two attempts": { ...repeated, "refused-then-404": "unknown" },
  "AWS SDK, two attempts": { ...repeated, 400: "failed" },
};
/** Clients that follow no redirects. */
const staying = ["undici", "AWS SDK", "Stripe"];
/** Clients that don't tell that they followed one, so that nobody can know: switch redirects off. */
const hiding = { fetch: "303+refused", ky: "303+refused", "node-fetch": "303+refused", OpenAI: "303+422 303+refused" };
/** With one time-out for all, which says nothing of the connection. */
const hasOneTimeout = ["axios", "ky", "node-fetch", "OpenAI", "Stripe"];

/** Members that are objects and are looked into. */
const inner = new Set([
  "cause",
  "detail",
  "raw",
  "errors",
  "response",
  "$response",
  "$metadata",
  "request",
  "headers",
  "_redirectable",
  "redirectUrls",
]);
const dropped = new Set([
  "stack",
  "port",
  "address",
  "hostname",
  "host",
  "path",
  "url",
  "_currentUrl",
  "date",
  "requestId",
  "request_id",
  "extendedRequestId",
  "rawBody",
  "ip",
]);

/** Of a request: what it says of earlier ones. Of headers: what is read. */
const only = {
  request: /^(?:retryCount|redirectUrls|_redirectCount|_redirectable)$/,
  _redirectable: /^_redirectCount$/,
  headers: /^(?:content-type|retry-after)$/i,
};

function record(value, depth = 0, of = "") {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) {
    return typeof value === "string" ? value.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT").slice(0, 120) : value;
  }
  if (typeof value !== "object" || depth > 5) return undefined;
  if (Array.isArray(value))
    return value.slice(0, 5).map((one) => record(one instanceof URL ? one.href : one, depth + 1));
  // Headers, or what axios has in their place.
  if (typeof value.get === "function" && typeof value.forEach === "function") {
    return {
      $headers: Object.fromEntries([...value].filter(([name]) => /^(?:content-type|retry-after)$/i.test(name))),
    };
  }
  const names = new Set();
  for (let at = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") names.add(name);
  }
  const shape = {};
  for (const name of names) {
    if (dropped.has(name) || (only[of] && !only[of].test(name))) continue;
    let member;
    try {
      member = value[name];
    } catch {
      continue;
    }
    if (typeof member === "object" && member !== null && !inner.has(name)) continue;
    const kept = record(member, depth + 1, name);
    if (kept !== undefined && kept !== null && kept !== "" && kept !== false) shape[name] = kept;
  }
  return shape;
}

const hidden = (client, what) => (hiding[client]?.split(" ").includes(what) ? { hidden: true } : {});
const vectors = [];
for (const [client, send] of Object.entries(clients)) {
  for (const [what, verdict] of Object.entries(own[client] ?? cases)) {
    if (what.startsWith("303") && staying.includes(client)) continue;
    if (what === "connect-timeout" && hasOneTimeout.includes(client)) continue;
    const error = await send(addressOf(what), what).then(
      () => undefined,
      (thrown) => thrown,
    );
    if (error === undefined) console.log(`${client}: ${what} is no error`);
    else vectors.push({ client, what, verdict, ...hidden(client, what), error: record(error) });
    process.stdout.write(".");
  }
}
full.end();
server.closeAllConnections();
server.close();
const file = join(import.meta.dirname, "http-errors.json");
const lines = vectors.map((vector) => `  ${JSON.stringify(vector)}`).join(",\n");
const about = JSON.stringify({ node: process.versions.node, clients: versions }, null, 2).slice(0, -2);
writeFileSync(file, `${about},\n  "vectors": [\n${lines}\n  ]\n}\n`);
console.log(`\n${vectors.length} errors in ${file}`);
process.exit(0);
