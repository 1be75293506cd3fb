import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type CodeAction,
  type Executor,
  type ExecutorContext,
  type Locale,
  type Message,
  type ProtocolMode,
  textMessage,
} from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { makeFolder } from "@toolglot/internal/node";
import { folderStorage } from "@toolglot/storage";
import type { ProtocolName } from "../cli/protocol-names.ts";
import { UsageError } from "../cli/usage-error.ts";
import { parseOwn, readOwn, writeOwn } from "../config/own-file.ts";

/** What was asked when a program was written. */
export interface Asked {
  protocol: ProtocolName;
  mode: ProtocolMode;
  locale: Locale;
  /** The running router's URL; absent for the one in the process. */
  router?: string;
  /** The conversation before the program, without the instructions. */
  messages: Message[];
}

/** A program that has not ended, with all that it takes to resume it in another process. */
export interface KeptProgram extends Asked {
  /** As a person names it. */
  id: string;
  runId: string;
  action: CodeAction;
  /** ISO time. */
  since: string;
}

const folderOf = (dataFolder: string): string => join(dataFolder, "programs");

/** Forgets all programs of a data folder that have not ended, and what was called for them. */
export function dropPrograms(dataFolder: string): void {
  rmSync(folderOf(dataFolder), { recursive: true, force: true });
}

const version = 1;
const name = /^[a-z0-9]{6}$/;

/**
 * The programs of a data folder that have not ended: a file for each in `programs/`, and a storage of their calls. A file is
 * written before its program starts, and removed when it has ended, so a program survives its process wherever that is stopped.
 */
export class ProgramBook {
  readonly #folder: string;
  #asked: Asked | undefined;

  constructor(dataFolder: string) {
    this.#folder = folderOf(dataFolder);
  }

  /** Where the programs' calls are kept. */
  get storage(): Storage {
    makeFolder(this.#folder);
    return folderStorage(join(this.#folder, "calls"));
  }

  /** Notes the conversation for the programs that come out of it. */
  hear(asked: Asked): void {
    this.#asked = asked;
  }

  /** Notes what the model wrote, the program in it. */
  heard(text: string): void {
    this.#asked?.messages.push(textMessage("assistant", text, "untrusted"));
  }

  /** The executor, which keeps each program of a conversation that was heard until it has ended. */
  keeping(executor: Executor): Executor {
    return {
      ...executor,
      execute: async (action, context) => {
        const asked = this.#asked;
        if (action.kind !== "code" || asked === undefined) return executor.execute(action, context);
        return this.#run(executor, this.#keep(asked, action, context), context);
      },
    };
  }

  /** Makes a kept program's calls, those that were not made yet, and resolves with its results. Rejects as a durable sandbox run does. */
  goOn(executor: Executor, program: KeptProgram, context: ExecutorContext): ReturnType<Executor["execute"]> {
    return this.#run(executor, program, context);
  }

  /** The kept programs, oldest first. */
  list(): KeptProgram[] {
    if (!existsSync(this.#folder)) return [];
    const names = readdirSync(this.#folder).filter((file) => file.endsWith(".json"));
    return names
      .map((file) => this.#read(file.slice(0, -".json".length)))
      .sort((one, other) => (one.since < other.since ? -1 : 1));
  }

  /** The program of that name. Throws `UsageError` when there is none, and an error when its file is not as it was written. */
  find(id: string): KeptProgram {
    if (!name.test(id) || !existsSync(this.#path(id))) {
      const known = this.list().map((program) => program.id);
      const hint = known.length === 0 ? "No program waits." : `There are ${known.join(", ")}.`;
      throw new UsageError(`There is no program ${JSON.stringify(id)}. ${hint}`);
    }
    return this.#read(id);
  }

  async #run(executor: Executor, program: KeptProgram, context: ExecutorContext): ReturnType<Executor["execute"]> {
    const results = await executor.execute(program.action, context);
    if (results.some(({ status }) => status === "pending")) {
      return results.map((result) => ({ ...result, metadata: { ...result.metadata, program: program.id } }));
    }
    rmSync(this.#path(program.id), { force: true });
    return results;
  }

  #keep(asked: Asked, action: CodeAction, { runId }: ExecutorContext): KeptProgram {
    const id = randomBytes(8).toString("hex").slice(0, 6);
    const program: KeptProgram = { ...asked, id, runId, action, since: new Date().toISOString() };
    writeOwn(this.#path(id), `${JSON.stringify({ version, digest: digest(JSON.stringify(program)), program })}\n`);
    return program;
  }

  /** Under other names its calls would be new ones: a file that was edited is not gone on with. */
  #read(id: string): KeptProgram {
    const path = this.#path(id);
    const kept = parseOwn(path, readOwn(path), version);
    const program = kept.program as KeptProgram | undefined;
    if (program?.id === id && kept.digest === digest(JSON.stringify(program))) return program;
    throw new Error(`${path} is not as it was written: nothing was run. Remove it, or restore it.`);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
