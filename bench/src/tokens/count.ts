import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import llama3 from "llama3-tokenizer-js";

/** What splits text into tokens. */
export interface Tokenizer {
  name: string;
  count(text: string): number;
}

/** Counts each text once: tables ask for the same ones again and again. */
function tokenizer(name: string, encode: (text: string) => { length: number }): Tokenizer {
  const counts = new Map<string, number>();
  return {
    name,
    count(text) {
      const count = counts.get(text) ?? encode(text).length;
      counts.set(text, count);
      return count;
    },
  };
}

/** OpenAI's since GPT-4o, and Meta's, on which many open models build. */
export const tokenizers: Tokenizer[] = [
  tokenizer("o200k", (text) => encodeO200k(text, { disallowedSpecial: new Set() })),
  tokenizer("Llama 3", (text) => llama3.encode(text, { bos: false, eos: false })),
];

/** The names of the tokenizers, as notes say them. */
export const both: string = tokenizers.map(({ name }) => name).join(" / ");

export const number = (value: number): string => (Number.isFinite(value) ? value.toLocaleString("en-US") : "never");

/** A figure with each tokenizer. */
export const each = (figure: (tokenizer: Tokenizer) => number): string =>
  tokenizers.map((tokenizer) => number(figure(tokenizer))).join(" / ");
