import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import llama3 from "llama3-tokenizer-js";

/** What splits text into tokens. */
export interface Tokenizer {
  name: string;
  count(text: string): number;
}

export const tokenizers: Tokenizer[] = [
  { name: "o200k", count: (text) => encodeO200k(text, { disallowedSpecial: new Set() }).length },
  { name: "Llama 3", count: (text) => llama3.encode(text, { bos: false, eos: false }).length },
];
