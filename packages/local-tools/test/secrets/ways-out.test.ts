import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { recordRun, stringifyRecording } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { ToolError } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { rounds } from "@toolglot/internal/testing";
import { maskingExecutor, openSecrets } from "@toolglot/secrets";
import { valueMiddleware } from "@toolglot/secrets/toolkit";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { longestShown } from "../../../secrets/test/masking.ts";
import { anyValue, counting, type WrittenForm, writtenForms } from "../../../secrets/test/written-forms.ts";
import { openSession, protocol, type Session } from "../support/session.ts";
import { type Placed, waysOfPlaceholders, waysOfTexts } from "./ways-out.ts";

afterEach(() => trace.disable());

const filler = "x".repeat(6000);
const approve = { answer: () => ({ approved: true }) };

/** A session that knows the value as TOKEN. */
async function opened(value: string) {
  const secrets = await openSecrets();
  await secrets.set("TOKEN", value);
  return { value, secrets, ...(await openSession({ secrets, maxChars: 4000 })) };
}

/** Every text in what left: of errors as well, and keys. */
function textsOf(what: unknown): string[] {
  if (typeof what === "string") return [what];
  if (typeof what !== "object" || what === null) return [];
  if (what instanceof Error) return [what.message, String(what.stack), ...textsOf(what.cause), ...textsOf({ ...what })];
  return Object.entries(what).flatMap(([key, part]) => [key, ...textsOf(part)]);
}

/** What must not be seen of a form where lines are shown apart: those that are long enough to be known for a part of it. */
function hiddenParts({ text, hidden = [text], kind }: WrittenForm, isCut: boolean): string[] {
  if (!isCut) return [...hidden];
  // Lines of a dump with their offsets are known together only.
  return kind === "dump" ? [] : hidden.flatMap((part) => part.split("\n")).filter(({ length }) => length >= 12);
}

function expectHidden(
  seen: unknown,
  form: WrittenForm,
  { isCut = false, about }: { isCut?: boolean; about: string },
): void {
  const texts = textsOf(seen);
  for (const hidden of hiddenParts(form, isCut)) {
    const sought = counting(form, hidden);
    const length = form.kind === "text" ? (sought.length < 12 ? 5 : 7) : 9;
    for (const text of texts) {
      const shown = counting(form, text);
      if (longestShown(sought, shown, length) < length) continue;
      const at = [...Array(sought.length).keys()].map((from) => shown.indexOf(sought.slice(from, from + length)));
      const around = shown.slice(Math.max(0, Math.max(...at) - 200), Math.max(...at) + 200);
      expect.fail(`${about}: ${form.name} ${JSON.stringify(hidden)} is seen in ${JSON.stringify(around)}`);
    }
  }
}

const plain = (value: string): WrittenForm => ({ name: "the value", kind: "text", text: value });

/** Puts a text in files of the working directory, so that a model's calls come upon it. */
async function place(
  { work }: Session,
  { text, kind }: WrittenForm,
  number: number,
  cuts: readonly number[],
): Promise<Placed> {
  const folder = `w${number}`;
  // A dump has lines of its own.
  const whole = `the first line\n~~${kind === "dump" ? "\n" : " "}${text} ~~\nthe last line\n`;
  const places = cuts.map((cut) => cut % whole.length).sort((one, other) => one - other);
  const bytes = [0, ...places, whole.length].map((at) => Buffer.byteLength(whole.slice(0, at)));
  const pieces: string[] = [];
  for (let index = 1; index < bytes.length; index++) {
    const name = `${folder}/piece${index}`;
    await work.write(name, Buffer.from(whole).subarray(bytes[index - 1], bytes[index]));
    pieces.push(name);
  }
  await work.write(`${folder}/file`, whole);
  const before = Math.max(0, 5000 - 4 - ((cuts[0] ?? 0) % (text.length + 8)));
  await work.write(`${folder}/long`, `${filler.slice(0, before)} ~~ ${text} ~~ ${filler}\n`);
  const name = `n ${text}`;
  // A name with a line end is shown in quotes: of a derived form that would be a form of a form, which nobody looks for.
  const isName = kind !== "dump" && !/[/\0\n\t]/.test(name) && Buffer.byteLength(name) <= 240;
  if (isName) await work.write(`${folder}/named/${name}/inside.txt`, "inside\n");
  return { file: `${folder}/file`, long: `${folder}/long`, pieces, named: isName ? `${folder}/named` : undefined };
}

/** Names and link targets below a folder, and the contents of what `holds` chooses. */
function leftIn(folder: string, holds: (path: string) => boolean): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return [path, readlinkSync(path)];
    return entry.isFile() && holds(path) ? [path, readFileSync(path, "utf8")] : [path];
  });
}

/** Cycles through the forms, so that a few rounds see all kinds of them. */
function formsInTurn(value: string, from: number): () => WrittenForm {
  const forms = writtenForms(value);
  let at = from;
  return () => {
    at += 5;
    return forms[at % forms.length] as WrittenForm;
  };
}

/** What a host does with tools and executors, besides running a model's blocks; gives everything that could be seen. */
type HostWay = (session: Opened, text: string, file: string, cuts: readonly number[]) => Promise<unknown>;
type Opened = Awaited<ReturnType<typeof opened>>;

/** Tools that give a text in each of the ways in which tools give something. */
function foreignTools(text: string, value: string, cuts: readonly number[]): Toolkit {
  const toolkit = new Toolkit();
  const add = (name: string, execute: () => unknown, chunks?: "cumulative" | "incremental"): void => {
    const tool = defineTool({ name, description: "A foreign tool.", input: { type: "object" }, execute });
    toolkit.registerToolFunction(tool, chunks && { chunks });
  };
  const places = [0, ...cuts.map((cut) => cut % text.length).sort((one, other) => one - other), text.length];
  add("texts", () => `before\n${text}\nbehind`);
  // A form that JSON writes in another way would be a form of a form.
  const plain = JSON.stringify(text) === `"${text}"` ? text : value;
  add("data", () => ({ [plain]: [plain, { deep: plain }] }));
  add("refusals", () => Promise.reject(new ToolError(`no:\n${text}`, { data: { type: "Refused", hint: text } })));
  add("faults", () => Promise.reject(new Error(`no:\n${text}`, { cause: new Error(text) })));
  add(
    "pieces",
    async function* () {
      for (let at = 1; at < places.length; at++) yield text.slice(places[at - 1], places[at]);
    },
    "incremental",
  );
  add(
    "growing",
    async function* () {
      for (const place of places.slice(1)) yield text.slice(0, place);
    },
    "cumulative",
  );
  return toolkit;
}

const hostWays: Readonly<Record<string, HostWay>> = {
  "results of foreign tools": async ({ secrets, value }, text) => {
    const events: unknown[] = [];
    const executor = maskingExecutor(toolkitExecutor(foreignTools(text, value, [])), secrets);
    // Of what a tool throws a Toolkit takes paths away, before anybody else sees it: see valueMiddleware.
    const calls = ["texts", "data", "refusals", "growing"].map((name) => ({
      id: name,
      name,
      input: {},
      protocol: "test",
    }));
    const context = executorContext({ emit: (event) => events.push(event) });
    const results = await executor.execute({ kind: "calls", calls, span: { start: 0, end: 0 } }, context);
    expect(results).toHaveLength(calls.length);
    return { results, events };
  },
  "responses of foreign tools, in chunks": async ({ secrets, value }, text, _file, cuts) => {
    const toolkit = foreignTools(text, value, cuts);
    toolkit.registerMiddleware(valueMiddleware(secrets, { tools: {} }));
    const seen: unknown[] = [];
    for (const name of toolkit.registered.keys()) {
      for await (const { content, data, error, metadata } of toolkit.callToolFunction({ name, input: {} })) {
        seen.push({ content, data, error, metadata });
      }
    }
    return seen;
  },
  "traces, with inputs and outputs": async ({ local }, _text, file) => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    const toolkit = new Toolkit({ tracing: { recordInputs: true, recordOutputs: true } });
    for (const tool of local.tools()) toolkit.registerToolFunction(tool);
    const edits = [{ find: "no such line\n~~ is in it", replace: "x" }];
    for (const [name, input] of Object.entries({
      command: { script: `cat ${file}; : "$KARYI{TOKEN}"` },
      read: { files: [{ src: file }], searches: [{ pattern: "$KARYI{TOKEN}" }] },
      edit: { files: [{ src: file, edits }] },
    })) {
      for await (const _ of toolkit.callToolFunction({ name, input }));
    }
    trace.disable();
    const spans = exporter.getFinishedSpans();
    expect(spans.filter(({ name }) => name.startsWith("execute_tool"))).toHaveLength(3);
    return spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  },
  "a run, its events, its messages and its recording": async ({ executor, local }, _text, file) => {
    const script = `<tools><command>cat ${file}; printf '%s' "$KARYI{TOKEN}"</command><read><file src="${file}"/></read></tools>`;
    const model = scriptedModel([script, "Done."]);
    const lines: string[] = [];
    const options = { model, protocol, executor, tools: local.tools() };
    const run = recordRun(options, "Go.", { onLine: (line) => lines.push(line) });
    const events: unknown[] = [];
    for await (const event of run) events.push(event);
    const result = await run.result;
    expect(result.status).toBe("answered");
    // As text as well: what JSON makes of it is no form of the value's own.
    const recorded = stringifyRecording(run.recording)
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
    return { events, result, requests: model.requests.map(({ messages }) => messages), recorded, lines };
  },
  "arguments and environments of processes": async ({ tell }) => {
    if (process.platform !== "linux") return [];
    await tell(`<tools><command timeout="5">: "$KARYI{TOKEN}"; read -r x</command></tools>`);
    const seen = readdirSync("/proc").flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      return ["cmdline", "environ"].flatMap((file) => {
        try {
          return readFileSync(`/proc/${pid}/${file}`, "utf8");
        } catch {
          return [];
        }
      });
    });
    await tell("<tools><input>\\n</input></tools>");
    return seen;
  },
};

it("no value leaves by any way, in any form, wherever it is cut", async () => {
  const cuts = fc.array(fc.nat(5000), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(anyValue, fc.nat(1000), cuts, async (value, from, at) => {
      const session = await opened(value);
      const { tell, state, local } = session;
      const next = formsInTurn(value, from);
      const used: WrittenForm[] = [];
      let number = 0;
      for (const [way, { messages, isCut = false, needsName = false }] of Object.entries(waysOfTexts)) {
        const form = next();
        const placed = await place(session, form, number++, at);
        if (needsName && placed.named === undefined) continue;
        used.push(form);
        for (const calls of messages(placed)) {
          const { text, raw, context } = await tell(`<tools>${calls}</tools>`, approve);
          const seen = { text, raw, events: context.events, asked: context.asked, state: (await local.shell()).state };
          expectHidden(seen, form, { isCut, about: way });
          expectHidden(seen, plain(value), { isCut, about: way });
        }
      }
      for (const [way, messages] of Object.entries(waysOfPlaceholders)) {
        for (const calls of messages) {
          const { text, raw, context } = await tell(`<tools>${calls}</tools>`, approve);
          const seen = { text, raw, events: context.events, asked: context.asked, state: (await local.shell()).state };
          expectHidden(seen, plain(value), { isCut: true, about: way });
        }
      }
      for (const [way, run] of Object.entries(hostWays)) {
        const form = next();
        const placed = await place(session, form, number++, at);
        used.push(form);
        const seen = await run(session, form.text, placed.file, at);
        expectHidden(seen, form, { isCut: true, about: way });
        expectHidden(seen, plain(value), { isCut: true, about: way });
      }
      const changes = await local.changes();
      const undone = await local.undo();
      // Contents for an undo, and copies of files, are as the files were.
      const artifacts = leftIn(join(state.path, "artifacts"), () => true);
      const rest = leftIn(state.path, (path) => path.endsWith(".json"));
      for (const form of [plain(value), ...used]) {
        expectHidden({ changes, undone }, form, { isCut: true, about: "the journal" });
        expectHidden({ artifacts, rest }, form, { about: "what is left on the disk" });
      }
    }),
    { numRuns: rounds(2, 200), endOnFailure: true },
  );
}, 1_800_000);
