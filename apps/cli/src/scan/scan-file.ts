import { type CallFinding, checkCall } from "@toolglot/core/check-call";
import { leakedCalls } from "@toolglot/core/text";
import { parse } from "@toolglot/dialects";
import { atPointer, parseJson } from "@toolglot/internal";
import { excerptOf, inputText } from "./excerpt.ts";
import { type LogRecord, type RecordTaker, readRecords } from "./log-records.ts";
import type { LogEntry, LogItem } from "./logs/log-reader.ts";
import { RecordReader } from "./logs/log-readers.ts";
import { StreamedAnswers } from "./logs/streamed-answers.ts";
import { LostCalls } from "./lost-calls.ts";
import { Repeats } from "./repeats.ts";
import { ToolBook } from "./tool-book.ts";

/** What is wrong with a call, where it stands, and how it looks. */
export interface ScanFinding {
  file: string;
  /** From 1. */
  line: number;
  /** Empty where nobody knows. */
  tool: string;
  model?: string;
  code: CallFinding["code"] | "scan/leaked-call" | "scan/lost-result";
  /** Of a call that leaked: the dialect that it is written in, where it is one. */
  dialect?: string;
  /** JSON Pointer in the line, or in the file that is one document. It goes on into arguments that are JSON text. */
  path: string;
  /** At most 200 characters, with secrets masked. */
  excerpt: string;
}

/** Which calls are looked at. */
export interface ScanFilter {
  /** Milliseconds since the epoch: what is older is left out. */
  since?: number | undefined;
  tool?: string | undefined;
}

/** Receiver of what is found in a file. */
export interface ScanTaker {
  call(tool: string, model: string | undefined): void;
  finding(finding: ScanFinding): void;
  /** A line, or a part of a document, that no reader knows. */
  unread(line: number): void;
}

/** Reads the records of a source, from its start. A source is read twice: what its tools are is known in the end. */
export type ReadSource = (taker: RecordTaker) => void | Promise<void>;

/** Looks through a log for calls that came damaged. Returns whether a reader knew any of its records. Throws what reading it does. */
export async function scanSource(
  file: string,
  read: ReadSource,
  filter: ScanFilter,
  taker: ScanTaker,
): Promise<boolean> {
  const survey = new Survey();
  await walk(read, survey, () => undefined);
  survey.lost.end();
  return walk(read, new Judge(file, survey, filter, taker), (line) => taker.unread(line));
}

/** The source of a file. */
export const fileSource =
  (path: string): ReadSource =>
  (taker) =>
    readRecords(path, taker);

/** An item of a log, and all that is known of its surroundings. */
interface Surroundings {
  line: number;
  pointer: string;
  conversation: string;
  entry: LogEntry;
  /** Of a message in a conversation: that and all before it. */
  key: string | undefined;
  /** The same message, behind the same ones, stood in a record before: requests repeat what was said. */
  isRepeat: boolean;
}

interface Visitor {
  /** An entry begins; its items follow. */
  entry(about: Surroundings): void;
  item(item: LogItem, about: Surroundings): void;
  /** A list of messages begins, with a conversation's first one. */
  listStart(conversation: string): void;
  conversationEnd(conversation: string): void;
}

/** Reads all records. Returns whether a reader knew any of them. */
async function walk(read: ReadSource, visitor: Visitor, unread: (line: number) => void): Promise<boolean> {
  const reader = new RecordReader();
  const again = new WrittenAnew();
  const repeats = new Repeats();
  const answers = new StreamedAnswers();
  let isKnown = false;
  const readOne = ({ line, pointer, value }: LogRecord): void => {
    // A record that holds a whole conversation is one of its own.
    const own = `${line}${pointer}`;
    repeats.restart();
    const found = reader.read(value, pointer, {
      entry(entry, at, isInside, message) {
        const key = isInside ? repeats.next(entry, message) : undefined;
        const conversation = isInside ? own : (entry.conversation ?? "");
        const about = {
          line,
          pointer: at,
          conversation,
          entry,
          key,
          isRepeat: repeats.isRepeat(key, at, entry.isHistory),
        };
        visitor.entry(about);
        for (const item of entry.items) if (!again.has(entry.record, item)) visitor.item(item, about);
      },
      listStart() {
        repeats.restart();
        visitor.listStart(own);
      },
      conversationEnd: () => visitor.conversationEnd(own),
    });
    if (found) isKnown = true;
    else unread(line);
  };
  const record = (found: LogRecord): void => answers.take(found).forEach(readOne);
  await read({ record, unread });
  answers.end().forEach(readOne);
  return isKnown;
}

/** Knows what stood in a record that is written anew: the last one alone, so the memory stays flat. */
class WrittenAnew {
  #record: string | undefined;
  readonly #paths = new Set<string>();

  /** Whether the item was told before. A result never was: it may be what is new. */
  has(record: string | undefined, item: LogItem): boolean {
    if (record === undefined || !("path" in item)) return false;
    if (record !== this.#record) this.#paths.clear();
    this.#record = record;
    const isKnown = this.#paths.has(item.path);
    this.#paths.add(item.path);
    return isKnown;
  }
}

/** The first reading: which tools there are, and which calls never had a result. */
class Survey implements Visitor {
  readonly tools = new ToolBook();
  readonly lost = new LostCalls();
  #calls = 0;
  #entries = 0;
  #answer: string | undefined;

  entry({ entry: { answer, isAnswer } }: Surroundings): void {
    this.#entries += 1;
    this.#answer = answer ?? (isAnswer ? `#${this.#entries}` : undefined);
  }

  item(item: LogItem, { conversation }: Surroundings): void {
    switch (item.type) {
      case "call":
        this.tools.see(item.name, item.input);
        this.lost.model(conversation, this.#answer);
        if (item.id !== undefined) this.lost.call(conversation, this.#calls, item.id);
        this.#calls += 1;
        break;
      case "text":
        this.lost.model(conversation, this.#answer);
        break;
      case "result":
        this.lost.other(conversation, item.id);
        break;
      case "turn":
        this.lost.other(conversation);
        break;
      case "tools":
        for (const tool of item.tools) this.tools.list(tool);
    }
  }

  listStart(conversation: string): void {
    this.lost.end(conversation);
  }

  conversationEnd(conversation: string): void {
    this.lost.end(conversation);
  }
}

/** The second reading: judges what was said and called. */
class Judge implements Visitor {
  readonly #file: string;
  readonly #lost: ReadonlySet<number>;
  readonly #tools: ReturnType<ToolBook["definitions"]>;
  readonly #names: readonly { name: string }[];
  readonly #filter: ScanFilter;
  readonly #taker: ScanTaker;
  readonly #models = new Map<string, string>();
  /** Calls of conversations whose lost result was reported: requests repeat them. */
  readonly #lostTold = new Set<string>();
  #protocol: LogEntry["protocol"];
  #calls = 0;

  constructor(file: string, { tools, lost }: Survey, filter: ScanFilter, taker: ScanTaker) {
    this.#file = file;
    this.#lost = lost.found;
    this.#tools = tools.definitions();
    this.#names = [...this.#tools.values()];
    this.#filter = filter;
    this.#taker = taker;
  }

  entry({ conversation, entry: { model, protocol } }: Surroundings): void {
    if (model !== undefined) this.#models.set(conversation, model);
    this.#protocol = protocol ?? this.#protocol;
  }

  item(item: LogItem, about: Surroundings): void {
    const { time } = about.entry;
    const { since, tool } = this.#filter;
    const isLeftOut = since !== undefined && time !== undefined && time < since;
    if (item.type === "call") {
      const number = this.#calls;
      this.#calls += 1;
      if (!isLeftOut && (tool === undefined || tool === item.name)) this.#call(item, number, about);
    } else if (item.type === "text" && !isLeftOut && !about.isRepeat) this.#text(item, about);
  }

  listStart(): void {
    // What is known of the conversation stands around it.
  }

  conversationEnd(conversation: string): void {
    this.#models.delete(conversation);
  }

  #call({ id, name, input, path }: LogItem & { type: "call" }, number: number, about: Surroundings): void {
    const report = (code: ScanFinding["code"], at: string, excerpt: string): void =>
      this.#report(about, { tool: name, code, path: `${about.pointer}${at}`, excerpt });
    if (!about.isRepeat) this.#taker.call(name, this.#modelOf(about));
    for (const { code, path: inside, at } of about.isRepeat ? [] : checkCall({ name, input }, this.#tools.get(name))) {
      const value = atPointer(typeof input === "string" ? parseJson(input) : input, inside);
      const shown = typeof value === "string" ? value : inputText(input);
      report(code, `${path}${inside}`, excerptOf(shown, typeof value === "string" ? at : 0));
    }
    if (this.#lost.has(number)) {
      const lost = about.key === undefined ? undefined : `${about.key} ${id}`;
      if (lost === undefined || !this.#lostTold.has(lost))
        report("scan/lost-result", path, excerptOf(inputText(input)));
      if (lost !== undefined) this.#lostTold.add(lost);
    }
  }

  #text({ text, path }: LogItem & { type: "text" }, about: Surroundings): void {
    // There each dialect is read.
    if (this.#protocol === "dialects") return;
    const own = this.#protocol === "none" ? undefined : this.#protocol;
    for (const { span } of leakedCalls(text, this.#names, own)) {
      const leaked = text.slice(span.start, span.end);
      const [block] = parse(leaked).blocks;
      const tool = block?.calls[0]?.name ?? this.#toolIn(leaked);
      if (this.#filter.tool !== undefined && this.#filter.tool !== tool) continue;
      const excerpt = excerptOf(text.slice(span.start));
      this.#report(about, {
        ...{ tool, code: "scan/leaked-call", path: `${about.pointer}${path}`, excerpt },
        ...(block && { dialect: block.dialect }),
      });
    }
  }

  /** The tool that a leaked call names: one that is known, else what stands where names stand. */
  #toolIn(text: string): string {
    const head = text.slice(0, 1_000);
    for (const [word] of head.matchAll(/[\p{L}\p{N}_.:-]{1,100}/gu)) {
      const name = word.replace(/^functions\.|:\d+$/g, "");
      if (this.#tools.has(name)) return name;
    }
    return /(?:name["']?\s{0,9}[=:]\s{0,9}["']|function=["']?)([\w.:-]{1,100})/.exec(head)?.[1] ?? "";
  }

  #modelOf({ conversation }: Surroundings): string | undefined {
    return this.#models.get(conversation) ?? this.#models.get("");
  }

  #report(about: Surroundings, found: Omit<ScanFinding, "file" | "line" | "model">): void {
    const model = this.#modelOf(about);
    const { tool, ...rest } = found;
    this.#taker.finding({ file: this.#file, line: about.line, tool, ...(model !== undefined && { model }), ...rest });
  }
}
