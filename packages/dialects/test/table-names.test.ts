import fc from "fast-check";
import { expect, it } from "vitest";
import { dialectFor } from "../src/dialect-for.ts";
import { dialects } from "../src/table/all.ts";
import { type DialectId, dialectIds } from "../src/table/ids.ts";

const names: Record<string, DialectId | undefined> = {
  "Qwen2.5-7B-Instruct": "hermes",
  "Qwen/Qwen3-8B": "hermes",
  "Qwen3-Next-80B-A3B": "hermes",
  "Qwen/Qwen3-Coder-480B-A35B-Instruct": "qwen-xml",
  "Qwen3.5-27B": "qwen-xml",
  "Qwen3.8-Flash": "qwen-xml",
  "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B": "qwen-xml",
  "unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M": "qwen-xml",
  "zai-org/GLM-4.5-Air": "glm",
  "GLM-4.6": "glm",
  "GLM-4.7-Flash": "glm-4.7",
  "z-ai/glm-5.3-flash": "glm-4.7",
  "MiniMaxAI/MiniMax-M2.5": "minimax",
  "moonshotai/Kimi-K2-Thinking": "kimi-k2",
  "kimi-k2.5": "kimi-k2",
  "deepseek-ai/DeepSeek-V3": "deepseek-v3",
  "DeepSeek-V3-0324": "deepseek-v3",
  "deepseek-r1:14b": "deepseek-v3",
  "DeepSeek-R1-Distill-Llama-70B": "deepseek-v3",
  "DeepSeek-V3.1-Terminus": "deepseek-v3.1",
  "accounts/fireworks/models/deepseek-v3p1": "deepseek-v3.1",
  "DeepSeek-V3.2-Exp": "deepseek-v3.1",
  "DeepSeek-V3.2": "dsml",
  "mlx-community/DeepSeek-V3.2-4bit": "dsml",
  "DeepSeek-V4-Pro": "dsml4",
  "deepseek-v4.1-flash": "dsml4.1",
  "openai/gpt-oss-120b:free": "harmony",
  "gpt-oss:20b": "harmony",
  "google/gemma-4-27b-it": "gemma4",
  "Meta-Llama-3.1-8B-Instruct": "llama3-json",
  "llama3.2:3b": "llama3-json",
  "meta-llama/Llama-4-Scout-17B-16E": "pythonic",
  "LiquidAI/LFM2-1.2B": "lfm2",
  "LFM2.5-350M": "lfm2",
  "Mistral-7B-Instruct-v0.3": "mistral",
  "mistralai/Mistral-Nemo-Instruct-2407": "mistral",
  "Mixtral-8x22B-Instruct-v0.1": "mistral",
  "Devstral-Small-2507": "mistral-11",
  "Ministral-3-8B": "mistral-11",
  "Magistral-Small": "mistral-11",
  "Mistral-Small-3.1-24B": "mistral-11",
  "ByteDance-Seed/Seed-OSS-36B-Instruct": "seed-oss",
  "allenai/Olmo-3-7B-Instruct": "olmo3",
  "command-r7b-12-2024": "cohere",
  "CohereLabs/c4ai-command-a-03-2025": "cohere",
  "LGAI-EXAONE/EXAONE-4.0-32B": "exaone",
  "microsoft/Phi-4-mini-instruct": "phi4-mini",
  "NousResearch/Hermes-3-Llama-3.1-8B": "hermes",
  "my-model": undefined,
  "Qwen-32B": undefined,
  "Llama-3-8B": undefined,
  "gemma-7b": undefined,
  "meetkai/functionary-small-v3.2": "functionary3.2",
  "gpt-4o": undefined,
  "": undefined,
  "claude-sonnet-5": undefined,
  "mlx-community/Qwen3-Coder-30B-A3B-Instruct-4bit-DWQ": "qwen-xml",
  "accounts/fireworks/models/qwen2p5-coder-32b-instruct": "hermes",
  "bartowski/mistralai_Devstral-Small-2507-GGUF": "mistral-11",
  "nvidia/Llama-3_3-Nemotron-Super-49B-v1": "nemotron-json",
  "nvidia/Llama-3.1-Nemotron-Ultra-253B-v1": "nemotron-json",
  "MiniMax-M3": "minimax-m3",
  "MiniMaxAI/MiniMax-M1-80k": "jamba",
  "ai21labs/AI21-Jamba-Mini-1.5": "jamba",
  "tencent/Hunyuan-A13B-Instruct": "jamba",
  "moonshotai/Kimi-K3": "kimi-k3",
  "tencent/Hy3-preview": "hy3",
  "tencent/hy4": "hy4",
  "google/functiongemma-270m-it": "functiongemma",
  "google/gemma-3-27b-it": "gemma3",
  "granite3.1-dense:8b": "granite",
  "ibm-granite/granite-4.0-h-small": "hermes",
  "command-a-plus": "cohere5",
};

it.each(Object.entries(names))("knows the model %j", (model, dialect) => {
  expect(dialectFor({ model })).toBe(dialect);
});

it("knows every name of the table, whatever stands round it", () => {
  for (const id of dialectIds)
    for (const pattern of dialects[id].models) {
      const model = pattern.replaceAll("*", "");
      for (const name of [
        model,
        model.toLowerCase(),
        `some-host/${model}`,
        `a/b/${model}-GGUF:Q4_K_M`,
        `${model}-4bit`,
      ])
        expect(dialectFor({ model: name }), name).toBe(id);
    }
});

const jinja: Record<string, [template: string, dialect: DialectId | undefined]> = {
  hermes: ["{{- '<tool_call>\\n{\"name\": \"' }}{{ name }}{{- '}\\n</tool_call>' }}", "hermes"],
  "elements in the tags of hermes": [
    "{{- '<tool_call>\\n<function=' + name + '>\\n' }}<parameter=a></parameter></function>\n</tool_call>",
    "qwen-xml",
  ],
  glm: ["{{ '\n<tool_call>' + name }}<arg_key>{{ k }}</arg_key>\n<arg_value>{{ v }}</arg_value>\n</tool_call>", "glm"],
  "glm without line breaks": [
    "{{- '<tool_call>' + name }}<arg_key>{{ k }}</arg_key><arg_value>{{ v }}</arg_value>{% endfor %}</tool_call>",
    "glm-4.7",
  ],
  "hermes without line breaks": ['<tool_call>{"name": {{ name }}, "arguments": {{ a }}}</tool_call>', "exaone"],
  "a constant for a part of the marks": [
    '{%- set dsml_token = "｜DSML｜" -%}<{{ dsml_token }}function_calls>\n<{{ dsml_token }}invoke name="">' +
      '<{{ dsml_token }}parameter name="" string="true"></{{ dsml_token }}parameter></{{ dsml_token }}invoke></{{ dsml_token }}function_calls>',
    "dsml",
  ],
  "macros that write the marks": ["'<|open|>' + tag + '<|sep|>' '<|close|>' + tag + '<|sep|>'", "kimi-k3"],
  "a fence": [
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + type + '<｜tool▁sep｜>' + name + '\\n```json\\n' + a + '<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v3",
  ],
  "no fence": [
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + name + '<｜tool▁sep｜>' + a + '<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v3.1",
  ],
  "a marker before a list": ["{{ '[TOOL_CALLS] [' + calls + ']' }}", "mistral"],
  "a marker before a name": ["{{ '[TOOL_CALLS]' + name + '[ARGS]' + a }}", "mistral-11"],
  harmony: ["<|start|>assistant<|channel|>commentary to=functions. <|constrain|>json<|message|>{}<|call|>", "harmony"],
  "no calls": ["<|im_start|>{{ role }}\n{{ content }}<|im_end|>", undefined],
};

it.each(Object.entries(jinja))("knows a chat template with %s", (_, [chatTemplate, dialect]) => {
  expect(dialectFor({ chatTemplate })).toBe(dialect);
  expect(dialectFor({ chatTemplate, model: "Kimi-K2" })).toBe(dialect ?? "kimi-k2");
});

it("asks the response template first, as text or as an object", () => {
  const responseTemplate = { fields: { tool_calls: { open: "<|tool_call_start|>", close: "<|tool_call_end|>" } } };
  const chatTemplate = "<tool_call></tool_call>";
  expect(dialectFor({ responseTemplate, chatTemplate, model: "Kimi-K2" })).toBe("lfm2");
  expect(dialectFor({ responseTemplate: JSON.stringify(responseTemplate) })).toBe("lfm2");
  expect(
    dialectFor({ responseTemplate: '{"open": "\\u003ctool_call\\u003e", "close": "\\u003c/tool_call\\u003e"}' }),
  ).toBe("hermes");
});

it("refuses unknown options, and takes any text", () => {
  expect(() => dialectFor({ name: "x" } as never)).toThrow(TypeError);
  expect(() => dialectFor({ model: 1 } as never)).toThrow(TypeError);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (model) => {
      const found = dialectFor({ model, chatTemplate: model });
      expect(found === undefined || dialectIds.includes(found)).toBe(true);
    }),
  );
  expect(dialectFor({ model: "-".repeat(100_000) })).toBeUndefined();
});
