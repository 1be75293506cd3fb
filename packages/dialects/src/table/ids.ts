// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.

/** Ids of the dialects, in the order in which they are tried where several begin alike. */
export type DialectId =
  | "hermes"
  | "exaone"
  | "granite"
  | "llama3-json"
  | "phi4-mini"
  | "functionary3.1"
  | "functionary3.2"
  | "nemotron-json"
  | "jamba"
  | "kimi-k2"
  | "deepseek-v3"
  | "deepseek-v3.1"
  | "mistral"
  | "mistral-11"
  | "cohere"
  | "longcat"
  | "apertus"
  | "openai-loose"
  | "qwen-xml"
  | "seed-oss"
  | "glm"
  | "glm-4.7"
  | "glm-5.3"
  | "dsml"
  | "anthropic-xml"
  | "minimax"
  | "dsml4"
  | "dsml4.1"
  | "gigachat3.5"
  | "step3"
  | "cohere5"
  | "minimax-m3"
  | "hy3"
  | "hy4"
  | "k2-horizon"
  | "dots"
  | "minicpm5"
  | "pythonic"
  | "llama3-builtin"
  | "lfm2"
  | "olmo3"
  | "sarashina"
  | "gemma3"
  | "gemma4"
  | "functiongemma"
  | "harmony"
  | "atem"
  | "inkling"
  | "kimi-k3";

/** Every {@link DialectId}, in the same order. */
export const dialectIds: readonly DialectId[] = [
  "hermes",
  "exaone",
  "granite",
  "llama3-json",
  "phi4-mini",
  "functionary3.1",
  "functionary3.2",
  "nemotron-json",
  "jamba",
  "kimi-k2",
  "deepseek-v3",
  "deepseek-v3.1",
  "mistral",
  "mistral-11",
  "cohere",
  "longcat",
  "apertus",
  "openai-loose",
  "qwen-xml",
  "seed-oss",
  "glm",
  "glm-4.7",
  "glm-5.3",
  "dsml",
  "anthropic-xml",
  "minimax",
  "dsml4",
  "dsml4.1",
  "gigachat3.5",
  "step3",
  "cohere5",
  "minimax-m3",
  "hy3",
  "hy4",
  "k2-horizon",
  "dots",
  "minicpm5",
  "pythonic",
  "llama3-builtin",
  "lfm2",
  "olmo3",
  "sarashina",
  "gemma3",
  "gemma4",
  "functiongemma",
  "harmony",
  "atem",
  "inkling",
  "kimi-k3",
];
