import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { approveBefore, givenUp, guardedSubjects, nothingGuarded } from "./guarded.ts";
import type { VerifyParts } from "./parts.ts";
import type { ProcessCall, ProcessEnd } from "./process/main.ts";
import { argumentsOf, inScratch, openRig, type VerifiedConfig } from "./rig.ts";
import { type Finding, fail, notApplicable, pass } from "./types.ts";

const processes = 8;
/** On a machine that has other things to do; a process needs about a second. */
const maxMs = 120_000;

/** Asks for the same effect in eight processes at the same time. */
export async function manyProcesses(config: VerifiedConfig, parts: VerifyParts): Promise<Finding> {
  if (config.settings.store === "memory") return notApplicable("a store in memory serves one process");
  return inScratch(async (folder) => {
    const file = join(folder, "gateway.db");
    const prepared = await prepare(config, parts, file);
    if ("state" in prepared) return prepared;
    const { tool } = prepared;
    const ends = await runProcesses(
      parts.processFile,
      Array.from({ length: processes }, (_, n) => ({ ...prepared, file: parts.fileOfProcess(file, n) })),
    );
    const ran = ends.reduce((sum, end) => sum + end.ran, 0);
    if (ran !== 1) return fail(`${ran} of ${processes} processes ran ${tool.shownName}`);
    const lost = ends.filter(({ status }) => status !== "done" && status !== "replayed");
    if (lost.length === 0) return pass;
    return fail(`one process ran it, and ${lost.length} got no result: ${lost.map(({ status }) => status).join(", ")}`);
  });
}

/** Returns the call that all of them make; a person has allowed it, where one is asked. */
async function prepare(
  config: VerifiedConfig,
  parts: VerifyParts,
  file: string,
): Promise<Omit<ProcessCall, "file"> | Finding> {
  const rig = await openRig(config, parts, file);
  try {
    const found = await guardedSubjects(rig);
    const subject = found.find(({ tool }) => tool.repeat.mode === "window");
    if (subject === undefined) {
      const free = found.find(({ tool }) => tool.repeat.mode === "free");
      if (free !== undefined) return fail(givenUp(free.tool));
      return found.length === 0 ? nothingGuarded : notApplicable('repeat "in-doubt" runs again what is done');
    }
    const { tool, caller } = subject;
    const args = argumentsOf(tool, "processes");
    return (await approveBefore(rig, subject, args)) ?? { config, tool, caller, arguments: args };
  } finally {
    await rig.close();
  }
}

/** Starts them, has all of them call when all of them are ready, and waits for their ends. Rejects when one can't. */
async function runProcesses(program: URL, calls: readonly ProcessCall[]): Promise<ProcessEnd[]> {
  const children = calls.map(() =>
    fork(program, [], { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [], timeout: maxMs }),
  );
  try {
    const ready = Promise.all(children.map((child) => messageOf(child)));
    for (const [at, child] of children.entries()) child.send(calls[at] as ProcessCall);
    await ready;
    const ends = Promise.all(children.map((child) => messageOf<ProcessEnd>(child)));
    for (const child of children) child.send("go");
    return await ends;
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
}

async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-500);
  });
  const ended = once(child, "exit").then(([code, signal]) => {
    throw new Error(`a process ended early (${signal ?? code}): ${said.trim()}`);
  });
  const [message] = await Promise.race([once(child, "message"), ended]);
  return message as Message;
}
