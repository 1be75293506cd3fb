import type { ConfigProvider } from "../config/schema.ts";

/** Servers that are known by name. Those without a key variable run on this machine, and are named by what runs there. */
export const knownProviders: Readonly<Record<string, ConfigProvider>> = {
  openai: { baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" },
  anthropic: { kind: "anthropic", baseUrl: "https://api.anthropic.com/v1", keyVariable: "ANTHROPIC_API_KEY" },
  gemini: {
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
  },
  openrouter: { baseUrl: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" },
  mistral: { baseUrl: "https://api.mistral.ai/v1", keyVariable: "MISTRAL_API_KEY" },
  groq: { baseUrl: "https://api.groq.com/openai/v1", keyVariable: "GROQ_API_KEY" },
  cerebras: { baseUrl: "https://api.cerebras.ai/v1", keyVariable: "CEREBRAS_API_KEY" },
  together: { baseUrl: "https://api.together.xyz/v1", keyVariable: "TOGETHER_API_KEY" },
  fireworks: { baseUrl: "https://api.fireworks.ai/inference/v1", keyVariable: "FIREWORKS_API_KEY" },
  xai: { baseUrl: "https://api.x.ai/v1", keyVariable: "XAI_API_KEY" },
  deepseek: { baseUrl: "https://api.deepseek.com/v1", keyVariable: "DEEPSEEK_API_KEY" },
  dashscope: {
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    keyVariable: "DASHSCOPE_API_KEY",
  },
  moonshot: { baseUrl: "https://api.moonshot.cn/v1", keyVariable: "MOONSHOT_API_KEY" },
  zhipu: { baseUrl: "https://open.bigmodel.cn/api/paas/v4", keyVariable: "ZHIPU_API_KEY" },
  siliconflow: { baseUrl: "https://api.siliconflow.cn/v1", keyVariable: "SILICONFLOW_API_KEY" },
  ollama: { baseUrl: "http://localhost:11434/v1" },
  lmstudio: { baseUrl: "http://localhost:1234/v1" },
  llamacpp: { baseUrl: "http://localhost:8080/v1" },
  vllm: { baseUrl: "http://localhost:8000/v1" },
};
