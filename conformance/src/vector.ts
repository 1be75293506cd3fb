import { readdirSync, readFileSync } from "node:fs";
import type { Affects, BlockStatus, EndOptions, ParseOptions, Severity } from "@toolglot/core";

/** A text as vectors write it: a string, or pieces that are joined with line feeds. */
export type VectorText = string | (string | { repeat: string; times: number; join?: string })[];

/** What is expected of one diagnostic; what is not given is not compared. */
export interface ExpectedDiagnostic {
  code?: string;
  severity?: Severity;
  affects?: Affects;
  /** The source text under the span. */
  at?: string;
  /** The span overlaps an occurrence of this text. */
  touches?: string;
  /** Parts of the message or the hint. */
  mentions?: string | string[];
}

/** What is expected of one block. Further keys are the protocol's own; see `valueDifferences` for what they may say. */
export interface ExpectedBlock {
  status?: BlockStatus | BlockStatus[];
  /** White space at the end of texts is not compared. */
  trim?: true;
  [key: string]: unknown;
}

/** What is expected of one segment. White space at the ends of its texts is not compared. */
export interface ExpectedSegment {
  type: "text" | "reasoning" | "block";
  /** The source under its span. */
  text?: VectorText;
  /** The segment's own text, which is not the source where the format encodes it. */
  value?: VectorText;
}

/** One case: model text and the result of a conforming parser. The format is that of `vector.schema.json`. */
export interface Vector {
  name: string;
  spec: string;
  input: VectorText;
  options?: ParseOptions & Record<string, unknown>;
  end?: EndOptions;
  expect: {
    blocks?: ExpectedBlock[];
    blockCount?: number;
    runnable?: number;
    segments?: ExpectedSegment[];
    /** Text segments hold what the source stands for, as the `reply` of a JSON envelope: they are not source text. */
    encodedText?: true;
    /** `serialize` may refuse the block, which holds what the format can't write without loss. */
    mayNotSerialize?: true;
    diagnostics: ExpectedDiagnostic[];
    /** Others that may be there too: all, more that fit an entry, those of severity `info`. */
    moreDiagnostics?: true | "same" | "info";
  };
}

/** The vectors of one topic. */
export interface VectorFile {
  protocol: string;
  topic: string;
  about: string;
  vectors: Vector[];
}

/** The text that pieces stand for. */
export function expandText(text: VectorText): string {
  if (typeof text === "string") return text;
  return text
    .map((piece) =>
      typeof piece === "string"
        ? piece
        : Array(piece.times)
            .fill(piece.repeat)
            .join(piece.join ?? ""),
    )
    .join("\n");
}

/** All vector files of a protocol, by topic. `protocol` is the folder's name under `vectors/`. */
export function readVectors(protocol: string): VectorFile[] {
  const folder = new URL(`../vectors/${protocol}/`, import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as VectorFile);
}
