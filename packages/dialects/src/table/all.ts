// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { DialectId } from "./ids.ts";
import { hermesDialect } from "./rows/hermes.ts";
import { exaoneDialect } from "./rows/exaone.ts";
import { graniteDialect } from "./rows/granite.ts";
import { llama3JsonDialect } from "./rows/llama3-json.ts";
import { phi4MiniDialect } from "./rows/phi4-mini.ts";
import { functionary3_1Dialect } from "./rows/functionary3.1.ts";
import { functionary3_2Dialect } from "./rows/functionary3.2.ts";
import { nemotronJsonDialect } from "./rows/nemotron-json.ts";
import { jambaDialect } from "./rows/jamba.ts";
import { kimiK2Dialect } from "./rows/kimi-k2.ts";
import { deepseekV3Dialect } from "./rows/deepseek-v3.ts";
import { deepseekV3_1Dialect } from "./rows/deepseek-v3.1.ts";
import { mistralDialect } from "./rows/mistral.ts";
import { mistral11Dialect } from "./rows/mistral-11.ts";
import { cohereDialect } from "./rows/cohere.ts";
import { longcatDialect } from "./rows/longcat.ts";
import { apertusDialect } from "./rows/apertus.ts";
import { openaiLooseDialect } from "./rows/openai-loose.ts";
import { qwenXmlDialect } from "./rows/qwen-xml.ts";
import { seedOssDialect } from "./rows/seed-oss.ts";
import { glmDialect } from "./rows/glm.ts";
import { glm4_7Dialect } from "./rows/glm-4.7.ts";
import { glm5_3Dialect } from "./rows/glm-5.3.ts";
import { dsmlDialect } from "./rows/dsml.ts";
import { anthropicXmlDialect } from "./rows/anthropic-xml.ts";
import { minimaxDialect } from "./rows/minimax.ts";
import { dsml4Dialect } from "./rows/dsml4.ts";
import { dsml4_1Dialect } from "./rows/dsml4.1.ts";
import { gigachat3_5Dialect } from "./rows/gigachat3.5.ts";
import { step3Dialect } from "./rows/step3.ts";
import { cohere5Dialect } from "./rows/cohere5.ts";
import { minimaxM3Dialect } from "./rows/minimax-m3.ts";
import { hy3Dialect } from "./rows/hy3.ts";
import { hy4Dialect } from "./rows/hy4.ts";
import { k2HorizonDialect } from "./rows/k2-horizon.ts";
import { dotsDialect } from "./rows/dots.ts";
import { minicpm5Dialect } from "./rows/minicpm5.ts";
import { pythonicDialect } from "./rows/pythonic.ts";
import { llama3BuiltinDialect } from "./rows/llama3-builtin.ts";
import { lfm2Dialect } from "./rows/lfm2.ts";
import { olmo3Dialect } from "./rows/olmo3.ts";
import { sarashinaDialect } from "./rows/sarashina.ts";
import { gemma3Dialect } from "./rows/gemma3.ts";
import { gemma4Dialect } from "./rows/gemma4.ts";
import { functiongemmaDialect } from "./rows/functiongemma.ts";
import { harmonyDialect } from "./rows/harmony.ts";
import { atemDialect } from "./rows/atem.ts";
import { inklingDialect } from "./rows/inkling.ts";
import { kimiK3Dialect } from "./rows/kimi-k3.ts";
import type { Dialect } from "./types.ts";

/** The dialects by their ids. */
export const dialects: Readonly<Record<DialectId, Dialect>> = {
  "hermes": hermesDialect,
  "exaone": exaoneDialect,
  "granite": graniteDialect,
  "llama3-json": llama3JsonDialect,
  "phi4-mini": phi4MiniDialect,
  "functionary3.1": functionary3_1Dialect,
  "functionary3.2": functionary3_2Dialect,
  "nemotron-json": nemotronJsonDialect,
  "jamba": jambaDialect,
  "kimi-k2": kimiK2Dialect,
  "deepseek-v3": deepseekV3Dialect,
  "deepseek-v3.1": deepseekV3_1Dialect,
  "mistral": mistralDialect,
  "mistral-11": mistral11Dialect,
  "cohere": cohereDialect,
  "longcat": longcatDialect,
  "apertus": apertusDialect,
  "openai-loose": openaiLooseDialect,
  "qwen-xml": qwenXmlDialect,
  "seed-oss": seedOssDialect,
  "glm": glmDialect,
  "glm-4.7": glm4_7Dialect,
  "glm-5.3": glm5_3Dialect,
  "dsml": dsmlDialect,
  "anthropic-xml": anthropicXmlDialect,
  "minimax": minimaxDialect,
  "dsml4": dsml4Dialect,
  "dsml4.1": dsml4_1Dialect,
  "gigachat3.5": gigachat3_5Dialect,
  "step3": step3Dialect,
  "cohere5": cohere5Dialect,
  "minimax-m3": minimaxM3Dialect,
  "hy3": hy3Dialect,
  "hy4": hy4Dialect,
  "k2-horizon": k2HorizonDialect,
  "dots": dotsDialect,
  "minicpm5": minicpm5Dialect,
  "pythonic": pythonicDialect,
  "llama3-builtin": llama3BuiltinDialect,
  "lfm2": lfm2Dialect,
  "olmo3": olmo3Dialect,
  "sarashina": sarashinaDialect,
  "gemma3": gemma3Dialect,
  "gemma4": gemma4Dialect,
  "functiongemma": functiongemmaDialect,
  "harmony": harmonyDialect,
  "atem": atemDialect,
  "inkling": inklingDialect,
  "kimi-k3": kimiK3Dialect,
};
