/** What `gateway` says in English. `cli` is how the person calls it. */
export const en = (cli: string) => ({
  about:
    "serves the tools of MCP servers to any MCP client, with policy, approvals, effects that happen once, and an audit log between",
  lang: "language of what is said here",
  json: "as JSON",
  flags: {
    config:
      "a configuration, or a client's own file of servers; more than once, the later one wins (default: toolglot.json of this folder)",
    stdio: "serves the client that starts it, over standard input and output",
    http: "serves over HTTP at [HOST:]PORT (default: 127.0.0.1:8765, path /mcp)",
    store: "sqlite:PATH, postgres://… or memory (default: sqlite:<state-dir>/gateway.db)",
    stateDir: "where the store and the tokens are (default: $XDG_STATE_HOME/toolglot)",
    face: "how tools are shown to clients",
    principal: "who calls over stdio (default: local)",
    observe: "writes down what the policy decides, and applies nothing of it",
    allowVolatile: "lets a store in memory run effects that must not happen twice",
    noAuth: "serves HTTP without tokens, on this machine alone",
    log: "lines on standard error: for people, for programs, or none (default: pretty in a terminal, else json)",
  },
  after: `
Ctrl-C, SIGTERM, or the end of standard input with --stdio: takes no new calls, and waits at most 10 s for those that run.
Exit codes: 0 well, 1 an error while it ran, 2 the configuration or the command line is wrong, 3 the store, 130 Ctrl-C.`,
  noConfig: (file: string) =>
    `There is no ${file} in this folder: name a configuration with --config FILE, or let ${cli} gateway init write one.`,
  badAddress: (text: string) => `--http takes a port, as 8765, or HOST:PORT, as 127.0.0.1:8765, not "${text}".`,
  oneOf: "Either --stdio or --http: a gateway serves one of them.",
  listening: (url: string, servers: number, tools: number) =>
    `The gateway listens at ${url}: ${servers} server${servers === 1 ? "" : "s"}, ${tools} tool${tools === 1 ? "" : "s"} so far`,
  noStore: (path: string) =>
    `There is no store at ${path}: a gateway makes it when it starts; --store or --config names another one.`,
  memoryStore: "A store in memory lives in its gateway alone: there is nothing to read from here.",
  badDate: (flag: string, text: string) =>
    `${flag} takes a date, as 2026-11-01 or 2026-11-01T08:00:00Z, not "${text}".`,
  check: {
    about: "says all mistakes of the configuration at once; exit code 2 when there are some",
    connect: "starts each server, and shows what becomes of its tools; asks a database whether it can be the store",
    well: (servers: number) => `The configuration is fine: ${servers} server${servers === 1 ? "" : "s"}.`,
    down: (server: string, reason: string) => `${server}: not reached: ${reason}`,
    login: (server: string) => `it wants a login: ${cli} gateway login ${server}`,
    oldTables: (store: string, from: number, to: number) =>
      `${store}: the tables are of version ${from}, and ${to} is needed: ${cli} gateway migrate`,
    noTools: "No tools.",
    slow: (server: string) =>
      `it gave no list of tools in time. Try again, if it had to be fetched first, or raise gateway.servers.${server}.connectMs`,
  },
  init: {
    about:
      "finds the servers of the clients on this machine, and writes toolglot.json, and makes two tokens; never writes over a file",
    oneFile: "init writes one file: give --config once.",
    written: (file: string, servers: number) =>
      `${file} is written, with ${servers} server${servers === 1 ? "" : "s"} that your clients start.`,
    tokens: (file: string) =>
      `Two tokens, for a gateway over HTTP. They are shown this one time; ${file} has nothing that would let somebody use them.`,
    paste: (path: string) => `Paste this into ${path}:`,
    next: (flags: string) => `${cli} gateway check --connect${flags} shows what becomes of each tool.`,
  },
  snippet: {
    about: "prints the entry for a client's configuration that starts or reaches this gateway",
    client: "whose configuration",
  },
  token: {
    about: "who may use the gateway over HTTP",
    add: "makes a token and prints it, this one time; nothing else goes to standard output",
    name: "the principal: who calls with it, or decides",
    role: "as approver; more than once",
    tenant: "default: the configuration's, else default",
    canDelete: "may ask for CRITICAL tools",
    expires: "as 90d, 12h, 30m, or a date (default: until it is revoked)",
    noElicitation: "approvals are decided on the page alone, never through the client program",
    lenientHeaders: "lets headers pass that differ from the body, for clients that send wrong ones",
    list: "all tokens, without what would let somebody use them",
    revoke: "refuses a token from now on, within two seconds",
    id: "as list shows it",
    added: (id: string, name: string) =>
      `Token ${id} for ${name}. It is shown this one time: keep it where only its owner can read it.`,
    none: `No tokens. ${cli} gateway token add NAME makes one.`,
    heads: ["ID", "PRINCIPAL", "TENANT", "ROLES", "MADE", "STATE"],
    good: "good",
    until: (time: string) => `until ${time}`,
    expired: (time: string) => `expired ${time}`,
    revoked: (time: string) => `revoked ${time}`,
    isRevoked: (id: string) => `${id} is revoked.`,
    unknown: (id: string) => `There is no token ${id}: ${cli} gateway token list shows them.`,
    badExpires: (text: string) => `--expires takes a time as 90d, 12h or 30m, or a date to come, not "${text}".`,
  },
  approvals: {
    where: (page: string | undefined) =>
      `Approvals: ${page === undefined ? "" : `${page}, or `}${cli} gateway approvals list`,
    signIn: (link: string) => `Approvals, for you alone, once, within five minutes: ${link}`,
    about: "what waits for a person's consent; on the store, whether a gateway runs or not",
    list: "the requests, newest first",
    status: "only these (default: pending)",
    tenant: "whose requests (default: the configuration's tenant)",
    show: "one request, with every argument",
    approve: "lets the call run when it is made again",
    deny: "refuses the call",
    id: "as list shows it",
    comment: "kept, and shown to the one who asked",
    none: "Nothing waits for approval.",
    noneSo: (status: string) => `No request is ${status}.`,
    unknown: (id: string) => `There is no request ${id}: ${cli} gateway approvals list shows those there are.`,
    decided: (id: string, status: string) => `${id} is ${status}.`,
  },
  inDoubt: {
    about: "calls of which nobody knows whether they happened; they are not made again until somebody settles them",
    list: "all of them, with their arguments",
    resolve: "settles one, once you have found out by other means",
    id: "as list shows it, or the receipt that the client got",
    outcome: "happened, not-happened or failed",
    comment: "given to the one who asks for it again",
    none: "No call is in doubt.",
    unknown: (id: string) => `No call in doubt is ${id}: ${cli} gateway in-doubt list shows those there are.`,
    several: (id: string) => `${id} means several calls: write more of it.`,
    since: (time: string) => `since ${time}`,
    happened: "Somebody found out that it happened. Its result is lost.",
    failed: "Somebody found out that it failed.",
    settled: (id: string, outcome: string) => `${id} is settled: ${outcome}.`,
  },
  accept: {
    about: "accepts tools that have changed, or are new, as their server listed them last",
    what: "SERVER, or SERVER/TOOL; or store, for a database that has forgotten what it had acknowledged",
    store: (store: string) => `${store} is taken as it is now. Gateways that run go on within seconds.`,
    done: (tools: readonly string[]) =>
      `Accepted: ${tools.join(", ")}. A gateway that runs takes them in within seconds.`,
    none: (what: string) => `Nothing of ${what} waits to be accepted.`,
  },
  migrate: {
    about: "brings the tables of a store in PostgreSQL to this version",
    dryRun: "prints the SQL, and changes nothing",
    notPostgres:
      "Only a store in PostgreSQL has tables to migrate: --store postgres://USER:PASSWORD@HOST:5432/DATABASE.",
    done: (store: string, from: number, to: number) => `${store}: the tables are of version ${to} now, not ${from}.`,
    would: (store: string, from: number, to: number) =>
      `${store}: this takes the tables from version ${from} to ${to}.`,
    current: (store: string, version: number) => `${store}: the tables are of version ${version}, as they should be.`,
  },
  audit: {
    about: "the log of decisions and outcomes",
    verify:
      "checks every row, and that each operation has its rows; exit code 1 and the row when something does not fit",
    head: "a file with a head that was noted elsewhere, as audit.head writes it: the log must still have that row",
    badHead: (file: string) => `${file} has no head: { "index": 12, "hash": "64 hex digits" } is wanted.`,
    noHead: (file: string, reason: string) => `${file} can't be read: ${reason}`,
    rows: (rows: number, head: string) => `${rows} rows, head ${head}`,
    ok: "ok: every row follows from the one before",
    broken: (row: number | undefined, problem: string) =>
      `broken${row === undefined ? "" : ` at row ${row}`}: ${problem}`,
    export:
      "writes the rows to standard output, as JSON lines with their hashes; what was exported may be deleted for its age",
    before: "only rows before this date",
    exported: (rows: number, last: number | undefined) =>
      last === undefined ? "No rows." : `${rows} rows, the last of them ${last}.`,
  },
  login: {
    about: "logs in at a server behind a URL that wants it: in a browser, or with a code on another machine",
    logout: "forgets a login at a server, and has its tokens ended",
    server: "a server of the configuration",
    device: "shows a code for a browser on any machine, where the server offers that",
    open: (url: string) => `Open this address and log in: ${url}`,
    code: (url: string, code: string) => `Open ${url} on any machine, and type the code ${code}`,
    done: (server: string, issuer: string) => `Logged in at ${server} (${issuer}).`,
    gone: (server: string, isRevoked: boolean, reason: string | undefined) =>
      `The login at ${server} is forgotten${isRevoked ? ", and its tokens are ended there" : `; its tokens were not ended there${reason ? `: ${reason}` : ""}`}.`,
    none: (server: string) => `There was no login at ${server}.`,
    unknown: (server: string) => `The configuration has no server ${JSON.stringify(server)} behind a URL.`,
  },
  report: {
    about: "what the policy decided, by rule, server and tool; with observe, what it would have asked or refused",
    since: "only what is not older, as 2026-11-01",
    heads: ["DECISION", "RULE", "SERVER", "TOOL", "CALLS", "ASKED", "REFUSED", "LAST"],
    decisions: { allow: "allow", approve: "ask", deny: "refuse" },
    would: (decision: string) => `would ${decision}`,
    none: "The policy has decided nothing yet.",
  },
  tracing: {
    missing:
      "OTEL_EXPORTER_OTLP_ENDPOINT is set, and what sends traces there is not installed: npm install @opentelemetry/sdk-node @opentelemetry/api",
    unfound:
      "No traces are sent: @opentelemetry/sdk-node is too old for this version, or comes with an old @opentelemetry/api.",
    failed: (reason: string) => `Nothing sends traces to OTEL_EXPORTER_OTLP_ENDPOINT: ${reason}`,
    unsent: (reason: string) => `The last traces were not sent: ${reason}`,
  },
  verify: {
    about:
      "runs this configuration against servers of its own and a store that is thrown away, and says which guarantees hold; exit code 1 when one does not",
    summary: (pass: number, fail: number, none: number) => `${pass} hold, ${fail} do not, ${none} do not apply`,
  },
});

/** What it says, in one language. */
export type GatewayWords = ReturnType<typeof en>;
