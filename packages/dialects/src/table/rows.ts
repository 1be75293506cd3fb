// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
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
import type { DialectRow } from "./types.ts";

/** What reads and writes the dialects, in the order in which they are tried where several begin alike. */
export const rows: readonly DialectRow[] = [
  hermes,
  exaone,
  granite,
  llama3Json,
  phi4Mini,
  functionary3_1,
  functionary3_2,
  nemotronJson,
  jamba,
  kimiK2,
  deepseekV3,
  deepseekV3_1,
  mistral,
  mistral11,
  cohere,
  longcat,
  apertus,
  openaiLoose,
  qwenXml,
  seedOss,
  glm,
  glm4_7,
  glm5_3,
  dsml,
  anthropicXml,
  minimax,
  dsml4,
  dsml4_1,
  gigachat3_5,
  step3,
  cohere5,
  minimaxM3,
  hy3,
  hy4,
  k2Horizon,
  dots,
  minicpm5,
  pythonic,
  llama3Builtin,
  lfm2,
  olmo3,
  sarashina,
  gemma3,
  gemma4,
  functiongemma,
  harmony,
  atem,
  inkling,
  kimiK3,
];
