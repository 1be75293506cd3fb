/** Everything that the command line says in English. `cli` is how the person calls it. */
export const en = (cli: string) => ({
  replayOf: "replay of",
  run: (tool: string) => `Run ${tool}?`,
  runIt: "Run it?",
  once: "Yes, once",
  sameCall: "Yes, and for this same call until it ends",
  sameTool: (tool: string) => `Yes, and for every call of ${tool} until it ends`,
  always: (tool: string) => `Yes, and for every call of ${tool} always (${cli} config forget ${tool} takes it back)`,
  no: "No",
  later: "Not now: the program waits until you resume it",
  keys: "↑/↓ to choose, Enter confirms",
  by: {
    person: "you",
    flag: "--yes",
    line: "the command line",
    sameCall: "you, for this call until it ends",
    sameTool: (tool: string) => `you, for ${tool} until it ends`,
    always: (tool: string) => `you, for ${tool} always`,
  },
  why: {
    noTerminal: "no terminal to ask at; --yes approves without asking",
    saidNo: "you said no",
    cancelled: "cancelled",
    later: "not now; the program waits",
  },
  approved: (by: string) => `approved${by && ` by ${by}`}`,
  denied: (by: string, reason: string) => `denied${by && ` by ${by}`}${reason && `: ${reason}`}`,
  cancelled: "cancelled",
  result: "result",
  limit: (name: string | undefined) => `stopped: the limit of ${name} is reached`,
  sentBack: (reason: string) => `sent back to the model (${reason})`,
  waiting: (seconds: number) => `waiting for the model, ${seconds} s`,
  again: (reason: string) => `asking the model once more: ${reason}`,
  dataMade: (folder: string) => `Data made in ${folder}`,
  undo: `${cli} undo takes the last change in the project back.`,
  confined: "Commands are confined (bwrap): they can write to the project only, and there is no network.",
  notConfined: (why: string | undefined) => `Commands are not confined${why ? `. ${why}` : " (--sandbox off)."}`,
  changed: "The project has changes from before; --reset makes it anew, and undo takes the last one back.",
  project: {
    ask: (folder: string) => `May the model read and change files in ${folder}? It asks before it runs a command.`,
    always: "Yes, also next time",
    once: "Yes, until this ends",
    no: "No: it sees nothing of this folder",
    absent: (folder: string) =>
      `The model has no access to ${folder}: start ${cli} there at a terminal once and agree, or pass --project DIR.`,
    unnamed: (folder: string) => `The model works in ${folder} only when you name it, with --project.`,
    cut: (file: string, size: number) => `${file} is long: the model is given its first ${size} characters.`,
  },
  programs: {
    waits: (names: string) =>
      `The program waits for your approval of ${names}; nothing is lost when you leave. Approve, then resume it:`,
    none: "No program waits.",
    several: `Several programs wait; say which one: ${cli} resume ID`,
    live: (id: string) => `The program ${id} runs in another process, or has just lost it: try again in 15 seconds.`,
    elsewhere: (router: string | undefined) =>
      router === undefined
        ? "The program began with the router in the process: resume it without --router."
        : `The program began with another router: resume it with --router ${router}`,
  },
  valueNeeded: (name: string) => `waiting for the value of ${name}`,
  value: {
    given: "given, for this session",
    kept: "given, and kept",
    known: "the known one is used",
    cancelled: "no value was given",
    aborted: "cancelled",
  },
  keptIn: (store: string) =>
    `The value is kept in ${store === "keychain" ? "the system's keychain" : "an encrypted file"}; ${cli} var list shows what is kept.`,
  holdsValue: (names: readonly string[]) =>
    `What you typed holds the value of ${names.join(", ")}, and goes to the model as it is. Write $KARYI{NAME} instead.`,
  sessions: {
    removes: (name: string) => `${cli} sessions rm ${name} removes it.`,
    noneHere: (folder: string) => `No conversation was kept in ${folder} yet: --continue has none to take up.`,
  },
  model: {
    /** Stands before what the server said. */
    colon: ": ",
    later: "A model that is still being loaded may need longer: --timeout SECONDS.",
    keyFrom: (variable: string) => `The key came from ${variable}.`,
    noKey: (variable: string) => `No key was sent: set it in ${variable}.`,
    /** Which models there are, where there is none of the name. */
    there: (near: string | undefined, models: string) =>
      `${near === undefined ? "" : `Did you mean ${near}? `}The server has: ${models}.`,
    /** What a provider's failure is, by its code; the error itself is in English. */
    failures: {
      "model-not-found": ({ url, model }) => `The provider at ${url} does not know the model ${model}`,
    } as Readonly<Record<string, (facts: ModelFacts) => string>>,
    none: (config: string) => `No model is configured. Each of these asks one:

  ${cli} --model ollama:qwen3 "hello"                      a server on this machine
  ${cli} --model NAME --base-url https://HOST/v1 "hello"   any OpenAI-compatible endpoint; its key is in OPENAI_API_KEY
  ${cli} --model anthropic:claude-sonnet-4-5 "hello"       a provider that is known by name; its key is in ANTHROPIC_API_KEY

Keys come from the environment, or from the file .env of this folder (OPENAI_API_KEY=…). ${cli} models lists the
providers, the variables of their keys, and what servers on this machine offer. To choose a model for good, write
${config}:

  model = "mine"

  [models.mine]
  provider = "work"                     # or a known one, such as "openai"
  id = "the model's name there"

  [providers.work]                      # for a server that is not known
  baseUrl = "https://models.example.com/v1"
  keyVariable = "WORK_KEY"              # the name of the variable, never the key`,
  },
  piped: {
    none: "There is no question: write one behind the options, or on standard input.",
    noText: "The question on standard input is no text (UTF-8).",
    ownModel: (name: string) =>
      `The ${name} reads no files and no standard input: leave it out, or ask a real model with --model NAME.`,
    open: (seconds: number) =>
      `Standard input is open, and nothing came in ${seconds} s: the question goes without it.`,
  },
  chat: {
    hint: "Ask in English or Chinese. /help shows what works here, /exit leaves, Ctrl-C cancels an answer.",
    tourHint: "Enter, with nothing typed, starts a tour of two minutes.",
    you: "You",
    leaving: ["exit", "quit", "bye"],
    unknown: (name: string) => `There is no command ${name}; /help shows those there are.`,
    /** Each command, with its argument, and what it does. */
    commands: {
      help: ["", "what works here"],
      tour: ["", "a tour of two minutes"],
      tools: ["", "the tools that the model has"],
      model: ["[NAME]", "the model and those that its server offers, or another one"],
      protocol: ["[NAME]", "how the model asks for tools, or another way"],
      system: ["[TEXT|@FILE|off]", "your own instructions for the model"],
      attach: ["FILE…", "files and images for the next question; in a question: @FILE"],
      usage: ["", "tokens and money of this chat"],
      undo: ["", "takes back the last question and its answer"],
      clear: ["", "begins anew: the model forgets what was said"],
      session: ["[NAME|off]", "what is kept of this conversation; takes up another, or keeps this one"],
      save: ["FILE", "writes the conversation: Markdown, or JSON by its name"],
      resume: ["[ID]", "resumes a program that waits"],
      exit: ["", "leaves"],
    },
    keys: 'A backslash at the end of a line continues it in the next one, and so does """ until the next """.\nUp and down: what you typed before. Tab completes commands and @files. Anything else goes to the model.',
    model: (label: string) => `The model is ${label}.`,
    models: (names: string) => `Configured: ${names}. Others are PROVIDER:NAME; ${cli} models lists them.`,
    offered: (url: string, names: string) => `The server at ${url} offers: ${names}.`,
    notOffered: (url: string, problem: string) => `What the server at ${url} offers is not known: ${problem}.`,
    protocol: (name: string) => `The protocol is ${name}.`,
    there: (names: string) => `There are ${names}.`,
    system: (text: string | undefined) =>
      text === undefined ? "There are no instructions of your own." : `Your instructions:\n${text}`,
    undone: (question: string) => `Taken back: ${question}`,
    changedFiles: `What was done stays done. ${cli} undo takes back changes of files.`,
    nothingToUndo: "Nothing was asked yet.",
    cleared: "The model knows nothing of what was said before.",
    clearKept: (name: string) =>
      `The session ${name} keeps what was said: /session off leaves it, /undo takes back a question, ${cli} sessions rm ${name} all.`,
    saved: (file: string) => `Written to ${file}.`,
    saveWhere: "/save FILE, as /save talk.md",
    attached: (names: string) => `With the next question: ${names}`,
    attachWhat: "/attach FILE, as /attach plan.png",
    noFiles: (model: string) => `The ${model} reads no files: choose a model, with /model NAME or --model.`,
    noFile: (path: string) => `There is no file ${path}; @${path} stays as you typed it.`,
    session: (name: string, questions: number) =>
      `The session ${name} keeps this conversation: ${questions} ${questions === 1 ? "question" : "questions"}. --session ${name} takes it up again, and ${cli} sessions list shows all.`,
    noSession: "This conversation is not kept. /session NAME keeps it, and --session NAME takes it up later.",
    usage: (questions: number, turns: number) =>
      `${questions} ${questions === 1 ? "question" : "questions"}, ${turns} ${turns === 1 ? "answer" : "answers"} of the model`,
    usageOf: (read: string, cached: string | undefined, written: string, costs: readonly string[]) =>
      [
        `${read} tokens read${cached === undefined ? "" : ` (${cached} from the cache)`}`,
        `${written} written`,
        ...costs,
      ].join(" · "),
    notCounted: "no tokens were counted",
    asksFirst: "asks first",
    allowed: "always allowed",
  },
  values: {
    misplaced:
      "After `set` come a name and options; a value is typed at the prompt, or comes on standard input. If that was a value: change it where it is valid, because it is in the process list and in the shell's history now.",
    badName: "A name has 1 to 64 letters, digits and _, and does not begin with a digit.",
    askValue: (name: string) => `Value of ${name} (not shown)`,
    noTerminal: "There is no terminal to ask at: pass the value on standard input.",
    empty: "The value is empty.",
    nul: "The value holds a NUL character, which a shell can't hold.",
    tooLong: "The value is longer than 64 KiB.",
    notText: "The value is no UTF-8 text.",
    place: { keychain: "the system's keychain", file: "the encrypted file toolglot/secrets.json of the user's data" },
    kept: (name: string, isForAll: boolean, place: string) =>
      `${name} is kept for ${isForAll ? "all projects" : "this project"}, in ${place}.`,
    allProjects: "all projects",
    storeIs: (place: string) => `In ${place}:`,
    noValues: "No values.",
    unknown: (name: string, place: string) => `There is no value ${name} in ${place}.`,
    forgotten: (name: string, place: string) => `${name} is forgotten, in ${place}.`,
    emptied: (changes: number, copies: number) =>
      `Emptied: ${changes} ${changes === 1 ? "change" : "changes"}, which can't be undone any more, and ${copies} ${copies === 1 ? "copy" : "copies"} of protected files. Files of the project that hold the value still do.`,
    passphrase: (path: string, isAgain: boolean) => `${isAgain ? "That was wrong. " : ""}Passphrase of ${path}`,
    newPassphrase: (path: string, isAgain: boolean) =>
      `${isAgain ? "It needs 8 characters or more, twice the same. " : ""}A new passphrase for ${path} (8 characters or more)`,
    sameAgain: "The same passphrase once more",
  },
  flags: {
    titles: { usage: "Usage:", arguments: "Arguments:", options: "Options:" },
    question: "ask once and leave; without it, chat",
    protocol: "how the model asks for tools; dialect: also finds calls that an open model writes into its text",
    lang: "language of the prompts and of what is said here (default: prompts as the question, else English)",
    mode: "loop: results go back until it answers; single: one program",
    model: "a configured NAME, PROVIDER:NAME, or any name with --base-url; see models --help",
    baseUrl: "OpenAI-compatible endpoint, as http://localhost:11434/v1",
    timeout: "how long the model may be silent, before its first byte and between two (default: 30)",
    project: "the folder that the model works in (default: this one, once you have agreed)",
    noProject: "the model works in no folder",
    continue: "takes up the last conversation of this folder",
    session: "keeps the conversation under a name, with the variables of its programs; see sessions --help",
    noKeep: "keeps nothing of this conversation",
    system: "your own instructions for the model; @FILE: those of a file",
    attach: "a file or an image for the question, more than once; also @FILE in it",
    maxTurns: "model answers for a question (default: 16)",
    maxTokens: "tokens for a question, read and written together",
    maxSeconds: "seconds for a question, waiting for you not counted",
    maxCost: "money for a question, by the model's configured price",
    tools: "a module that exports tools of your own, more than once",
    mcp: 'a file of MCP servers, { "mcpServers": … }, more than once',
    config: "a configuration file instead of the folder's; see config --help",
    noConfig: "read no configuration files and no .env",
    record: "write the run to a file",
    replay: "play a recorded run; calls no model and no tool",
    resume: `resume a program of code mode that waits; also: ${cli} resume [ID]`,
    json: "events as NDJSON, nothing else on standard output",
    plain: "show Markdown as it is",
    showPrompt: "show what the model is asked; alone: only the instructions",
    yes: "approve every call without asking",
    sandbox: "confine commands in the project: bwrap or off (default: bwrap where it works)",
    dataDir: "where conversations, programs and the router's store live",
    router: "with trp, trp-code and trp-code-js: a running router at http:// or ws://, not one in the process",
    token: "identifies the agent to that router",
    tour: (model: string) => `two minutes through all protocols, by the ${model}; also: ${cli} tour`,
    messy: (model: string) => `the ${model} makes slips that models make, one after another`,
    slip: (model: string) => `the ${model} makes this slip`,
    reset: "make the data anew",
    version: "show the version",
    help: "show this help",
  },
  help: {
    before:
      "Talks with a language model that works in this folder: it reads and edits files, runs commands once you allow them, and calls your own tools. Models of any OpenAI-compatible server, and Anthropic's.",
    examples: `
Commands:
  ${cli} models                              what is configured, and what the servers of providers offer
  ${cli} config                              what holds, and where each of it comes from; config forget NAME
  ${cli} tools list                          also: tools call NAME '{"key": "value"}'
  ${cli} undo                                takes back the last change of files in this folder; undo --list
  ${cli} sessions list                       also: sessions show NAME, sessions undo NAME, sessions rm NAME
  ${cli} var set NPM_TOKEN                   keeps a value that a model may use and never sees; var list, var rm NAME
  ${cli} parse --protocol toolsxml < FILE    what a parser makes of a model's text
  ${cli} scan                                calls that came damaged, in the logs of Claude Code, Codex, Gemini CLI and others
  ${cli} check CALL.json --tools FILE        whether one call came damaged
  ${cli} router --tools ./my-tools.mjs       serves tools to agents over HTTP and WebSockets
  ${cli} gateway --config toolglot.json      serves MCP servers to MCP clients, with policy and approvals; gateway --help
  ${cli} approvals list                      also: approvals approve ID, approvals deny ID
  ${cli} audit verify                        also: audit list
  ${cli} resume                              resumes a program that waits for an approval

Examples:
  ${cli} --model ollama:qwen3                chat
  ${cli} "why does the build fail?"          one question
  git diff | ${cli} "review this"            what is piped in goes with the question, or is the question
  ${cli} --continue "and now in Chinese"     takes up the last conversation of this folder
  ${cli} --json "list the TODOs" | jq .type`,
    codes: `
Exit codes, the same in every protocol:
  0  answered                         4    a call needed approval and was denied
  1  error                            5    a limit was reached
  2  the command line is wrong        6    a program waits for an approval: see resume
  3  declined, where the protocol     7    no model is configured
     has a document for it            130  cancelled with Ctrl-C (twice: leaves at once)

Without a terminal nobody can be asked: the answer is no, unless --yes is given. Programs at a router (trp-code,
trp-code-js) wait instead. In the chat, /help shows its commands.

Configuration: config.toml or config.json in ~/.config/toolglot, then toolglot.toml or toolglot.json of the folder (or
--config FILE); flags come before both. AGENTS.md of the folder goes to the model. Keys also stand in .env of the folder.

Environment: the keys of providers (models shows their names), OPENAI_API_KEY (also sent to --base-url), NO_COLOR,
XDG_CONFIG_HOME, XDG_DATA_HOME; for routers TRP_HOST, TRP_PORT, TRP_TOKENS, TRP_APPROVAL_HMAC_SECRET, TRP_DATA_DIR.`,
    more: (command: string) => `${command} --help shows all options.`,
    meant: (word: string, near: string) =>
      `${cli} has no command ${word}. Did you mean ${near}? As a question to the model: ${cli} -- ${word}`,
  },
});

/** Everything that the command line says, in one language. */
export type Words = ReturnType<typeof en>;

/** What is known of a provider's failure. */
interface ModelFacts {
  /** As the person named it. */
  model?: string;
  url?: string;
  status?: number;
  ms?: number;
  phase?: string;
}
