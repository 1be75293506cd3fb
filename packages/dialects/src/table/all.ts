// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { DialectId } from "./ids.ts";
import { hermes } from "./rows/hermes.ts";
import { exaone } from "./rows/exaone.ts";
import { granite } from "./rows/granite.ts";
import { llama3Json } from "./rows/llama3-json.ts";
import { phi4Mini } from "./rows/phi4-mini.ts";
import { functionary3_1 } from "./rows/functionary3.1.ts";
import { functionary3_2 } from "./rows/functionary3.2.ts";
import { nemotronJson } from "./rows/nemotron-json.ts";
import { jamba } from "./rows/jamba.ts";
import { kimiK2 } from "./rows/kimi-k2.ts";
import { deepseekV3 } from "./rows/deepseek-v3.ts";
import { deepseekV3_1 } from "./rows/deepseek-v3.1.ts";
import { mistral } from "./rows/mistral.ts";
import { mistral11 } from "./rows/mistral-11.ts";
import { cohere } from "./rows/cohere.ts";
import { longcat } from "./rows/longcat.ts";
import { apertus } from "./rows/apertus.ts";
import { openaiLoose } from "./rows/openai-loose.ts";
import { qwenXml } from "./rows/qwen-xml.ts";
import { seedOss } from "./rows/seed-oss.ts";
import { glm } from "./rows/glm.ts";
import { glm4_7 } from "./rows/glm-4.7.ts";
import { glm5_3 } from "./rows/glm-5.3.ts";
import { dsml } from "./rows/dsml.ts";
import { anthropicXml } from "./rows/anthropic-xml.ts";
import { minimax } from "./rows/minimax.ts";
import { dsml4 } from "./rows/dsml4.ts";
import { dsml4_1 } from "./rows/dsml4.1.ts";
import { gigachat3_5 } from "./rows/gigachat3.5.ts";
import { step3 } from "./rows/step3.ts";
import { cohere5 } from "./rows/cohere5.ts";
import { minimaxM3 } from "./rows/minimax-m3.ts";
import { hy3 } from "./rows/hy3.ts";
import { hy4 } from "./rows/hy4.ts";
import { k2Horizon } from "./rows/k2-horizon.ts";
import { dots } from "./rows/dots.ts";
import { minicpm5 } from "./rows/minicpm5.ts";
import { pythonic } from "./rows/pythonic.ts";
import { llama3Builtin } from "./rows/llama3-builtin.ts";
import { lfm2 } from "./rows/lfm2.ts";
import { olmo3 } from "./rows/olmo3.ts";
import { sarashina } from "./rows/sarashina.ts";
import { gemma3 } from "./rows/gemma3.ts";
import { gemma4 } from "./rows/gemma4.ts";
import { functiongemma } from "./rows/functiongemma.ts";
import { harmony } from "./rows/harmony.ts";
import { atem } from "./rows/atem.ts";
import { inkling } from "./rows/inkling.ts";
import { kimiK3 } from "./rows/kimi-k3.ts";
import type { Dialect } from "./types.ts";

/** The dialects by their ids. */
export const dialects: Readonly<Record<DialectId, Dialect>> = {
  "hermes": hermes,
  "exaone": exaone,
  "granite": granite,
  "llama3-json": llama3Json,
  "phi4-mini": phi4Mini,
  "functionary3.1": functionary3_1,
  "functionary3.2": functionary3_2,
  "nemotron-json": nemotronJson,
  "jamba": jamba,
  "kimi-k2": kimiK2,
  "deepseek-v3": deepseekV3,
  "deepseek-v3.1": deepseekV3_1,
  "mistral": mistral,
  "mistral-11": mistral11,
  "cohere": cohere,
  "longcat": longcat,
  "apertus": apertus,
  "openai-loose": openaiLoose,
  "qwen-xml": qwenXml,
  "seed-oss": seedOss,
  "glm": glm,
  "glm-4.7": glm4_7,
  "glm-5.3": glm5_3,
  "dsml": dsml,
  "anthropic-xml": anthropicXml,
  "minimax": minimax,
  "dsml4": dsml4,
  "dsml4.1": dsml4_1,
  "gigachat3.5": gigachat3_5,
  "step3": step3,
  "cohere5": cohere5,
  "minimax-m3": minimaxM3,
  "hy3": hy3,
  "hy4": hy4,
  "k2-horizon": k2Horizon,
  "dots": dots,
  "minicpm5": minicpm5,
  "pythonic": pythonic,
  "llama3-builtin": llama3Builtin,
  "lfm2": lfm2,
  "olmo3": olmo3,
  "sarashina": sarashina,
  "gemma3": gemma3,
  "gemma4": gemma4,
  "functiongemma": functiongemma,
  "harmony": harmony,
  "atem": atem,
  "inkling": inkling,
  "kimi-k3": kimiK3,
};
