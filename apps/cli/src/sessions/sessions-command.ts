import { messageText, type ProgramLanguage } from "@toolglot/core";
import { createSandbox, listSessions, removeSession, type Sandbox } from "@toolglot/sandbox";
import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { hostDataFolder } from "../modules/load-module.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { wordsFor } from "../words/index.ts";
import { ConversationBook, type SessionQuestion } from "./conversation-book.ts";
import { KeptSession } from "./kept-session.ts";
import {
  openProgramSession,
  openSessionFolder,
  programLanguages,
  type SessionFolder,
  sessionNames,
} from "./session-folder.ts";
import { checkSessionName } from "./session-names.ts";

interface SessionsOptions {
  dataDir?: string;
  json?: boolean;
}

/** Creates the subcommand `sessions`: what `--session` keeps. */
export function sessionsCommand(run: Run, host: Host): Command {
  const command = new Command(`${host.command} sessions`).description(
    "conversations that are kept, with the variables of their programs: --session NAME begins one, or takes it up",
  );
  const subcommand = (name: string): Command => command.command(name).option("--data-dir <dir>", "where they are kept");
  subcommand("list")
    .description("names, when they were last used, and their last question")
    .option("--json", "as NDJSON", false)
    .action((options: SessionsOptions) => run(() => list(options, host)));
  subcommand("show")
    .description("the variables of a session, and its questions")
    .argument("<name>")
    .option("--json", "as one JSON object", false)
    .action((name: string, options: SessionsOptions) => run(() => show(name, options, host)));
  subcommand("undo")
    .description("goes back to before the last question, or the last so many: variables and conversation")
    .argument("<name>")
    .argument("[questions]", "how many", "1")
    .action((name: string, count: string, options: SessionsOptions) => run(() => undo(name, count, options, host)));
  subcommand("rm")
    .description("removes a session")
    .argument("<name>")
    .action((name: string, options: SessionsOptions) => run(() => remove(name, options, host)));
  return command;
}

async function list({ dataDir, json }: SessionsOptions, host: Host): Promise<number> {
  const { stdout, env } = host;
  const folder = openSessionFolder(await hostDataFolder(dataDir, host));
  const images = new Map<string, { at: number; bytes: number }>();
  for (const language of programLanguages) {
    for await (const { id, turns } of listSessions({ storage: folder.storages[language] })) {
      const { at = 0, bytes = 0 } = images.get(id) ?? {};
      const sum = turns.reduce((all, one) => all + one.bytes, bytes);
      images.set(id, { at: Math.max(at, turns.at(-1)?.at ?? 0), bytes: sum });
    }
  }
  const found = (await sessionNames(folder)).map((name) => {
    const { questions } = new ConversationBook(folder.path, name);
    const { at = 0, bytes = 0 } = images.get(name) ?? {};
    const last = questions.at(-1);
    const time = new Date(Math.max(at, Date.parse(last?.at ?? "") || 0)).toISOString();
    return { name, questions: questions.length, at: time, bytes, question: last ? questionOf(last) : "" };
  });
  found.sort((one, other) => (one.at < other.at ? 1 : -1));
  const style = styleFor(stdout, env);
  const lines = found.map((one) => {
    if (json) return JSON.stringify(one);
    const size = `${(one.bytes / 1e6).toFixed(1)} MB`;
    return `${style.accent(one.name)}  ${new Date(one.at).toLocaleString("sv")}  ${size}  ${visible(one.question).slice(0, 80)}`;
  });
  if (lines.length === 0 && !json) lines.push("No sessions.");
  stdout.write(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.answered;
}

async function show(name: string, { dataDir, json }: SessionsOptions, host: Host): Promise<number> {
  const { stdout, env } = host;
  const { folder, book } = await find(name, dataDir, host);
  const variables: { language: ProgramLanguage; name: string; type: string; preview: string }[] = [];
  for (const language of programLanguages) {
    if (!(await hasVariables(folder, language, name))) continue;
    await using sandbox = createSandbox({ language, pool: { size: 0 } });
    await using session = await openProgramSession(sandbox, folder, name);
    variables.push(...session.variables().map((variable) => ({ language, ...variable })));
  }
  const questions = book.questions.map((question) => ({ at: question.at, question: questionOf(question) }));
  if (json) {
    stdout.write(`${JSON.stringify({ name, variables, questions })}\n`);
    return exitCodes.answered;
  }
  const style = styleFor(stdout, env);
  const lines = [
    ...questions.map(({ at, question }) => `${new Date(at).toLocaleString("sv")}  ${visible(question).slice(0, 100)}`),
    "",
    ...variables.map(({ name: variable, type, preview }) => {
      return `${style.accent(visible(variable))}: ${visible(type)} ${style.dim(visible(preview))}`;
    }),
  ];
  stdout.write(`${lines.join("\n")}\n`);
  return exitCodes.answered;
}

async function undo(name: string, count: string, { dataDir }: SessionsOptions, host: Host): Promise<number> {
  const { book } = await find(name, dataDir, host);
  const questions = Number(count);
  if (!Number.isInteger(questions) || questions < 1) throw new UsageError("undo takes a number of questions, from 1.");
  if (questions > book.questions.length) {
    throw new UsageError(
      `Questions in the session ${name}: ${book.questions.length}. It can't go back by ${questions}.`,
    );
  }
  const sandboxes = programLanguages.map((language) => createSandbox({ language, pool: { size: 0 } }));
  const place = { data: await hostDataFolder(dataDir, host), words: wordsFor("en", host.command) };
  const kept = new KeptSession(place, name, (language) => {
    return sandboxes[programLanguages.indexOf(language)] as Sandbox;
  });
  try {
    await kept.takeBack(questions);
  } finally {
    await kept.close();
    for (const sandbox of sandboxes) await sandbox[Symbol.asyncDispose]();
  }
  const [last] = kept.book.questions.slice(-1);
  const now = last ? `The last question is: ${visible(questionOf(last))}` : "Nothing was asked in it now.";
  host.stdout.write(
    `${name} is as it was ${questions === 1 ? "one question" : `${questions} questions`} ago. ${now}\n`,
  );
  return exitCodes.answered;
}

async function remove(name: string, { dataDir }: SessionsOptions, host: Host): Promise<number> {
  const { folder, book } = await find(name, dataDir, host);
  // Not through a session: one that can't be taken up is to be removed, too.
  for (const language of programLanguages) {
    await removeSession({ storage: folder.storages[language], id: name });
  }
  book.remove();
  host.stdout.write(`Removed ${name}.\n`);
  return exitCodes.answered;
}

/** Whether programs in this language left variables in the session. */
async function hasVariables({ storages }: SessionFolder, language: ProgramLanguage, name: string): Promise<boolean> {
  for await (const { id } of listSessions({ storage: storages[language] })) if (id === name) return true;
  return false;
}

/** What is kept of a session. Throws `UsageError` when there is none of that name. */
async function find(
  name: string,
  dataDir: string | undefined,
  host: Host,
): Promise<{ folder: SessionFolder; book: ConversationBook }> {
  checkSessionName(name);
  const folder = openSessionFolder(await hostDataFolder(dataDir, host));
  const names = await sessionNames(folder);
  if (!names.includes(name)) {
    const hint = names.length === 0 ? "There are none." : `There are ${names.join(", ")}.`;
    throw new UsageError(`There is no session ${JSON.stringify(name)}. ${hint}`);
  }
  return { folder, book: new ConversationBook(folder.path, name) };
}

function questionOf({ messages }: SessionQuestion): string {
  // Files stand before the question they came with.
  const asked = messages.find(({ role, trust }) => role === "user" && trust === "user");
  return asked ? messageText(asked) : "";
}
