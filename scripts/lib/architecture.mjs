// The import rule of this repository, as data. `node scripts/check-arrows.mjs` holds the sources to it and prints it;
// docs/architecture.md explains it. A new arrow is a decision: change this table, the picture, and say why.

/**
 * @typedef {object} Row
 * @property {string} job One job, in a few words.
 * @property {"any" | "node"} runsIn `any`: browsers too, so `node:*` only in files named for it (`node.ts`, `node/**`).
 * @property {string[] | "everything"} mayImport Our packages (folder names) its sources may import.
 * @property {boolean} [rootNeedsNode] Browsers have a separate subpath with its own test; the root entry is for Node.
 * @property {string[]} thirdParty npm packages its sources may import.
 * @property {boolean} [forAll] Every package may import it: private, and taken in by the builds of those that do.
 * @property {string[]} [bundled] Packages that its build takes in: devDependencies, no one installs them with it.
 * @property {number} [installedMb] What an install of it takes at most, with all that it needs, on Linux with one C library.
 */

/** @type {Record<string, Row>} */
export const architecture = {
  internal: {
    job: "what every package needs once",
    runsIn: "any",
    mayImport: [],
    thirdParty: ["@opentelemetry/api", "minisearch"],
    forAll: true,
  },
  core: { job: "the shared contract and the text layer", runsIn: "any", mayImport: [], thirdParty: [] },
  schema: {
    job: "tool input schemas: validate, coerce, describe errors",
    runsIn: "any",
    mayImport: ["core"],
    thirdParty: ["@cfworker/json-schema", "@standard-schema/spec", "ajv"],
    bundled: ["@valibot/to-json-schema"],
  },
  attp: {
    job: "ATTP, TOML answers with code: parse, stream, serialize",
    runsIn: "any",
    mayImport: ["core"],
    thirdParty: ["smol-toml"],
  },
  tam: {
    job: "TAM, delimiter manifests with multi-step plans: parse, stream, serialize",
    runsIn: "any",
    mayImport: ["core"],
    thirdParty: [],
  },
  toolsxml: {
    job: "ToolsXML, XML tool blocks: parse, stream, serialize",
    runsIn: "any",
    mayImport: ["core"],
    thirdParty: ["fast-xml-parser"],
  },
  dialects: {
    job: "the formats of open models: recover, parse, stream, serialize",
    runsIn: "any",
    mayImport: ["core"],
    thirdParty: [],
  },
  prompts: { job: "the texts that teach a model a protocol", runsIn: "any", mayImport: ["core"], thirdParty: [] },
  toolkit: {
    job: "tool registry and runtime",
    runsIn: "any",
    mayImport: ["core", "schema"],
    thirdParty: ["@modelcontextprotocol/client", "@opentelemetry/api"],
  },
  sandbox: {
    job: "runs model-written Python and JavaScript",
    runsIn: "any",
    rootNeedsNode: true,
    mayImport: ["core", "schema"],
    thirdParty: ["pyodide", "quickjs-emscripten"],
  },
  storage: {
    job: "a folder as a storage, and the tests for those who write one",
    runsIn: "node",
    mayImport: ["core"],
    thirdParty: [],
  },
  "trp-core": {
    job: "TRP, the router: frames, sessions, catalog, policy, approvals, idempotency, audit",
    runsIn: "any",
    mayImport: ["core", "schema"],
    thirdParty: ["@noble/hashes", "@opentelemetry/api", "minisearch", "prom-client", "valibot", "ws"],
    bundled: ["@valibot/to-json-schema"],
  },
  "trp-client": {
    job: "TRP, the agent's side: sequence, catalog, retries, transports",
    runsIn: "any",
    mayImport: ["core", "trp-core"],
    thirdParty: ["@opentelemetry/api", "eventsource-parser", "ws"],
  },
  sqlite: {
    job: "a storage on SQLite, which is a router's store too",
    runsIn: "node",
    mayImport: ["core", "trp-core"],
    thirdParty: ["libsql"],
  },
  postgres: {
    job: "a storage on PostgreSQL, which is the store of many routers too",
    runsIn: "node",
    mayImport: ["core", "trp-core"],
    thirdParty: ["pg"],
  },
  secrets: {
    job: "values that a model may use and never sees: stores, placeholders, masks",
    runsIn: "node",
    mayImport: ["core", "toolkit"],
    thirdParty: ["@napi-rs/keyring"],
  },
  "local-tools": {
    job: "shell, edits and reads on this machine, inside declared folders",
    runsIn: "node",
    mayImport: ["core", "secrets", "toolkit"],
    thirdParty: ["@lydell/node-pty", "chardet", "diff", "iconv-lite"],
  },
  agent: {
    job: "the loop; protocols and executors are passed in",
    runsIn: "any",
    mayImport: ["core", "schema"],
    thirdParty: ["@opentelemetry/api"],
  },
  "ai-sdk": {
    job: "the AI SDK: text tool calls as a middleware, tools both ways, its models",
    runsIn: "any",
    mayImport: ["core", "dialects"],
    thirdParty: [],
  },
  "trp-mcp": {
    job: "both MCP sides of a router: servers' tools in, faces for clients out",
    runsIn: "node",
    mayImport: ["core", "schema", "toolkit", "trp-client", "trp-core"],
    thirdParty: ["@modelcontextprotocol/server", "minisearch"],
  },
  // The sandbox is a peer, loaded for the face `code` alone.
  gateway: {
    job: "a router before MCP servers as a program: configuration, tokens, approvals page, metrics",
    runsIn: "node",
    mayImport: ["core", "postgres", "sandbox", "secrets", "sqlite", "toolkit", "trp-client", "trp-core", "trp-mcp"],
    thirdParty: ["@opentelemetry/api", "libsql", "valibot"],
    bundled: [
      "@hono/node-server",
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/server",
      "@toolglot/trp-mcp",
      "hono",
      "jose",
      "jsonc-parser",
      "prom-client",
      "smol-toml",
    ],
    installedMb: 25,
  },
  cli: {
    job: "the command line, published as toolglot",
    runsIn: "node",
    mayImport: "everything",
    thirdParty: [],
    installedMb: 62,
  },
  // Private members: they wire everything together.
  demo: {
    job: "a shop and a planner, as a module of the command line",
    runsIn: "node",
    mayImport: "everything",
    thirdParty: [],
  },
  bench: { job: "measurements beside peers", runsIn: "node", mayImport: "everything", thirdParty: [] },
  conformance: { job: "language-neutral test vectors", runsIn: "node", mayImport: "everything", thirdParty: [] },
};
