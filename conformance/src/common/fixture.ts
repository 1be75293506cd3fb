import type { BlockBase, ParseOptions, ProtocolEvent } from "@toolglot/core";
import type { Implementation } from "../check.ts";

/** A block whose one key is chosen by the case. */
export interface KeyedBlock<Block> {
  text: string;
  options?: ParseOptions;
  /** The value of that key, `"x"` when it was read right. */
  read(block: Block): unknown;
}

/** What the cases that all protocols share need to know of one protocol. */
export interface CommonFixture<Block extends BlockBase, Event extends ProtocolEvent<Block> = ProtocolEvent<Block>> {
  implementation: Implementation<Block, Event>;
  /** A canonical block that holds a value; no line breaks at its ends. */
  block(value: string): string;
  /** The value that was read. White space at its end is not compared. */
  value(block: Block): string | undefined;
  /** A block with several values, to be cut off at every character. */
  rich: string;
  /** What a block would run, a sentence for each value: a block that was cut must have none that the whole has not. */
  facts(block: Block): string[];
  /** A block ends by itself. Without, it ends with the text or with the fence around it. */
  endsItself: boolean;
  /** What starts a block: enough to be taken for one where it has power. */
  opener: string;
  /** What ends a block, when a provider strips it as a stop sequence. */
  stop?: string;
  /** Pieces that nearly open or close something, for texts that are full of them. */
  hostile: readonly string[];
  /** What the format is made of, whole and broken, for texts of its own pieces in random order. */
  pieces: readonly string[];
  /** A block with a key by this name, as the format allows it. */
  keyed(key: string): KeyedBlock<Block>;
}

/** A block as it stands in a text that goes on after it: in a fence, when it does not end by itself. */
export function inText(fixture: Pick<CommonFixture<never>, "block" | "endsItself">, value: string): string {
  const block = fixture.block(value);
  return fixture.endsItself ? block : `\`\`\`\n${block}\n\`\`\``;
}
