import type { BodyKind } from "../bodies.ts";

/** A program to run and what it is for: what every format has to carry. */
export interface Call {
  target: string;
  code: string;
}

/** A parser in the benchmark, with the format it reads. */
export interface Subject {
  /** As in tables: package, version, format. */
  name: string;
  /** What its format does to a body: what models write as it stands, or escaped by the peer's own formatter. */
  form: string;
  /** The text a model would write for these calls, prose between where the format allows it. */
  encode(calls: readonly Call[]): string;
  /** The bodies found in a whole text. */
  parse(text: string): string[] | Promise<string[]>;
  /**
   * Feeds chunks with deltas on, and gives the bodies found. Stops early and gives undefined once `expired()`.
   * Absent: the parser reads whole texts only, and is asked again for every longer prefix.
   */
  stream?(chunks: readonly string[], expired: () => boolean): string[] | undefined | Promise<string[] | undefined>;
  /** Reads a text that is not whole yet; may throw. For parsers without `stream`. */
  parsePrefix?(text: string): unknown;
}

/** What is used of a push parser of this project. */
interface PushParser<Block> {
  feed(chunk: string): void;
  end(): { blocks: readonly Block[] };
}

/** One of this project's parsers as a subject: whole texts, and streams whose deltas are added up and checked. */
export function ownSubject<Block, Event>(
  name: string,
  form: string,
  encode: Subject["encode"],
  {
    parse,
    createParser,
  }: {
    parse(text: string): { blocks: readonly Block[] };
    createParser(options: { onEvent(event: Event): void }): PushParser<Block>;
  },
  bodies: (blocks: readonly Block[]) => string[],
  /** The text of a delta of a body, if the event is one. */
  deltaOf: (event: Event) => string | undefined,
): Subject {
  return {
    name,
    form,
    encode,
    parse: (text) => bodies(parse(text).blocks),
    stream(chunks, expired) {
      let deltas = 0;
      const parser = createParser({
        onEvent(event) {
          deltas += deltaOf(event)?.length ?? 0;
        },
      });
      for (const chunk of chunks) {
        parser.feed(chunk);
        if (expired()) return undefined;
      }
      const found = bodies(parser.end().blocks);
      const length = found.reduce((sum, body) => sum + body.length, 0);
      if (deltas !== length) throw new Error(`the deltas hold ${deltas} characters, the bodies ${length}`);
      return found;
    },
  };
}

/** One of this project's parsers, with what is hard for it. Its stream is fed with a listener that takes in every delta. */
export interface Own {
  id: "attp" | "tam" | "toolsxml";
  subject: Subject;
  /** One call as a block, without prose. */
  alone(call: Call): string;
  /** Bodies made to be hard: each is full of what a parser must look at twice. */
  hostile: readonly BodyKind[];
  /** Prose around a small block, made to be hard to search. */
  hostileProse: readonly BodyKind[];
  /** Parsers that read the very same text. */
  sameText: readonly Subject[];
  /** Shares of a peer's one-shot speed that this parser has to have, by the peer's name. */
  shares?: Readonly<Record<string, number>>;
}

/** Prose that stands before a call. */
export const prose = "I will look at the files first and then change what has to be changed, step by step.\n\n";
