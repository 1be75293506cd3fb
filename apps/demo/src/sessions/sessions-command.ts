import { createSandbox, type SandboxSession } from "@toolglot/sandbox";
import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import { type Run, runCommand } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { dataFolder } from "../data/folder.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { ConversationBook, type SessionQuestion } from "./conversation-book.ts";
import { checkSessionName, openProgramSession, openSessionFolder, type SessionFolder } from "./session-folder.ts";

interface SessionsOptions {
  dataDir?: string;
  json?: boolean;
}

/** The subcommand `sessions`: what `--session` keeps. Gives the exit code. */
export function sessionsCommand(args: readonly string[]): Promise<number> {
  return runCommand((run: Run) => {
    const command = new Command("npm run demo -- sessions").description(
      "conversations whose programs share their variables: --session NAME begins one, or goes on with it",
    );
    const subcommand = (name: string): Command =>
      command.command(name).option("--data-dir <dir>", "where documents and database live");
    subcommand("list")
      .description("names, when they were last used, and their last question")
      .option("--json", "as NDJSON", false)
      .action((options: SessionsOptions) => run(() => list(options)));
    subcommand("show")
      .description("the variables of a session, and its questions")
      .argument("<name>")
      .option("--json", "as one JSON object", false)
      .action((name: string, options: SessionsOptions) => run(() => show(name, options)));
    subcommand("undo")
      .description("goes back to before the last question, or the last so many: variables and conversation")
      .argument("<name>")
      .argument("[questions]", "how many", "1")
      .action((name: string, count: string, options: SessionsOptions) => run(() => undo(name, count, options)));
    subcommand("rm")
      .description("removes a session")
      .argument("<name>")
      .action((name: string, options: SessionsOptions) => run(() => remove(name, options)));
    return command;
  }, args);
}

async function list({ dataDir, json }: SessionsOptions): Promise<number> {
  const folder = openSessionFolder(dataFolder(dataDir));
  const found: { name: string; turn: number; at: string; bytes: number; question: string }[] = [];
  for await (const { id, turn, turns } of folder.store.list()) {
    const last = new ConversationBook(folder.path, id).questions.at(-1);
    const bytes = turns.reduce((sum, one) => sum + one.bytes, 0);
    const at = new Date(turns.at(-1)?.at ?? 0).toISOString();
    found.push({ name: id, turn, at, bytes, question: last ? questionOf(last) : "" });
  }
  found.sort((one, other) => (one.at < other.at ? 1 : -1));
  const style = styleFor(process.stdout);
  const lines = found.map((one) => {
    if (json) return JSON.stringify(one);
    const size = `${(one.bytes / 1e6).toFixed(1)} MB`;
    return `${style.accent(one.name)}  ${new Date(one.at).toLocaleString("sv")}  ${size}  ${visible(one.question).slice(0, 80)}`;
  });
  if (lines.length === 0 && !json) lines.push("No sessions.");
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.answered;
}

async function show(name: string, { dataDir, json }: SessionsOptions): Promise<number> {
  const { folder, book } = await find(name, dataDir);
  const variables = await withSession(folder, name, async (session) => session.variables());
  const questions = book.questions.map((question) => ({ at: question.at, question: questionOf(question) }));
  if (json) {
    process.stdout.write(`${JSON.stringify({ name, variables, questions })}\n`);
    return exitCodes.answered;
  }
  const style = styleFor(process.stdout);
  const lines = [
    ...questions.map(({ at, question }) => `${new Date(at).toLocaleString("sv")}  ${visible(question).slice(0, 100)}`),
    "",
    ...variables.map(({ name: variable, type, preview }) => {
      return `${style.accent(visible(variable))}: ${visible(type)} ${style.dim(visible(preview))}`;
    }),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return exitCodes.answered;
}

async function undo(name: string, count: string, { dataDir }: SessionsOptions): Promise<number> {
  const { folder, book } = await find(name, dataDir);
  const questions = Number(count);
  if (!Number.isInteger(questions) || questions < 1) throw new UsageError("undo takes a number of questions, from 1.");
  if (questions > book.questions.length) {
    throw new UsageError(
      `Questions in the session ${name}: ${book.questions.length}. It can't go back by ${questions}.`,
    );
  }
  const before = book.questions.at(-questions - 1)?.turn ?? 0;
  const turn = await withSession(folder, name, async (session) => {
    if (session.turn > before) {
      const earlier = session.checkpoints();
      const at = earlier.findIndex((one) => one.turn === before);
      if (at < 0)
        throw new Error(`The session ${name} has no image from before that question any more: go back less far.`);
      await session.undo(earlier.length - at);
    }
    return session.turn;
  });
  book.takeBack(questions, turn);
  const [last] = book.questions.slice(-1);
  const now = last ? `The last question is: ${visible(questionOf(last))}` : "Nothing was asked in it now.";
  process.stdout.write(
    `${name} is as it was ${questions === 1 ? "one question" : `${questions} questions`} ago. ${now}\n`,
  );
  return exitCodes.answered;
}

async function remove(name: string, { dataDir }: SessionsOptions): Promise<number> {
  const { folder, book } = await find(name, dataDir);
  // Not through a session: one that can't be gone on with is to be removed, too.
  const claimed = await folder.store.claim(name, "rm", 15_000);
  if ("until" in claimed) throw new Error(`The session ${name} is open in another process: close it there.`);
  await folder.store.drop(name, claimed.fence, "all");
  await folder.store.release(name, claimed.fence);
  book.remove();
  process.stdout.write(`Removed ${name}.\n`);
  return exitCodes.answered;
}

/** What is kept of a session. Throws `UsageError` when there is none of that name. */
async function find(
  name: string,
  dataDir: string | undefined,
): Promise<{ folder: SessionFolder; book: ConversationBook }> {
  checkSessionName(name);
  const folder = openSessionFolder(dataFolder(dataDir));
  if ((await folder.store.head(name)) === undefined) {
    const names: string[] = [];
    for await (const { id } of folder.store.list()) names.push(id);
    const hint = names.length === 0 ? "There are none." : `There are ${names.sort().join(", ")}.`;
    throw new UsageError(`There is no session ${JSON.stringify(name)}. ${hint}`);
  }
  return { folder, book: new ConversationBook(folder.path, name) };
}

/** Does something with a session, without starting an interpreter. */
async function withSession<Value>(
  folder: SessionFolder,
  name: string,
  work: (session: SandboxSession) => Promise<Value>,
): Promise<Value> {
  await using sandbox = createSandbox({ language: "python", pool: { size: 0 } });
  const { session } = await openProgramSession(sandbox, folder, name);
  await using _ = session;
  return await work(session);
}

function questionOf({ messages: [first] }: SessionQuestion): string {
  return first?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}
