// Loaded before everything else, in the main thread and in every worker (`node --require`): counts what a unit of work makes the
// system do. The counts lie in memory that the threads share, so a store's thread is counted as the main one is.
"use strict";
const Module = require("node:module");
const threads = require("node:worker_threads");

const kinds = ["files", "processes", "threads", "messages", "statements", "commits"];
if (threads.isMainThread)
  threads.setEnvironmentData("toolglot-costs", new SharedArrayBuffer(kinds.length * Int32Array.BYTES_PER_ELEMENT));
const counts = new Int32Array(threads.getEnvironmentData("toolglot-costs"));
const count = (kind) => Atomics.add(counts, kinds.indexOf(kind), 1);

/** Every function of a module, those that are not written yet too: a list of names would be out of date. */
function countCalls(module, kind) {
  for (const [name, member] of Object.entries(module)) {
    if (typeof member !== "function" || /^[A-Z_]/.test(name)) continue;
    const counted = function (...given) {
      count(kind);
      return Reflect.apply(member, this, given);
    };
    module[name] = Object.assign(counted, member);
  }
}

countCalls(require("node:fs"), "files");
countCalls(require("node:fs/promises"), "files");
countCalls(require("node:child_process"), "processes");
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(script, options) {
    count("threads");
    // Also where a package starts its own with no flags.
    const execArgv = options?.execArgv && [...options.execArgv, "--require", __filename];
    super(script, { ...options, ...(execArgv && { execArgv }) });
  }
};
const { postMessage } = threads.MessagePort.prototype;
threads.MessagePort.prototype.postMessage = function (...given) {
  count("messages");
  return Reflect.apply(postMessage, this, given);
};
Module.syncBuiltinESMExports();

const load = Module._load;
Module._load = function (...given) {
  const loaded = Reflect.apply(load, this, given);
  // libsql, by whatever name.
  const { prepare, exec } = (typeof loaded === "function" && loaded.prototype) || {};
  if (prepare && exec && !known.has(loaded)) countStatements(loaded);
  return loaded;
};
const known = new WeakSet();

function countStatements(Database) {
  known.add(Database);
  const { exec, prepare } = Database.prototype;
  Database.prototype.exec = function (sql) {
    count("statements");
    if (sql === "COMMIT") count("commits");
    return Reflect.apply(exec, this, [sql]);
  };
  Database.prototype.prepare = function (sql) {
    const statement = Reflect.apply(prepare, this, [sql]);
    for (const name of ["run", "get", "all", "iterate"]) {
      const member = statement[name];
      statement[name] = (...given) => {
        count("statements");
        return Reflect.apply(member, statement, given);
      };
    }
    return statement;
  };
}

globalThis.costsCounted = () => Object.fromEntries(kinds.map((kind, at) => [kind, Atomics.load(counts, at)]));
