/** A class of slips, with where models or parsers were seen to make it. */
export interface SlipClass {
  id: string;
  about: string;
  /** Public threads: `owner/repository#number`, issues and pull requests alike. */
  sources: readonly string[];
}

/** Every class, in the order of the page. */
export const slipClasses: readonly SlipClass[] = [
  {
    id: "as-written",
    about: "right outputs; bodies with `<`, `&`, markers of other formats, heredocs, conflict markers",
    sources: ["minpeter/ai-sdk-tool-call-middleware#67", "anthropics/claude-code#59787", "gptme/gptme#1694"],
  },
  {
    id: "own-closers",
    about: "bodies that hold the format's own closers, openers, or a whole call",
    sources: ["zed-industries/zed#52073", "raullenchai/Rapid-MLX#1515", "mrilikecoding/llm-orc#150"],
  },
  {
    id: "missing-closer",
    about: "a value or an element is not closed",
    sources: ["web-infra-dev/midscene#1981", "ggml-org/llama.cpp#12153"],
  },
  {
    id: "missing-end",
    about: "the block is not closed, though every value is",
    sources: ["ggml-org/llama.cpp#12153", "zed-industries/zed#31453"],
  },
  {
    id: "missing-opener",
    about: "the block's opener, its header or a value's opener is missing",
    sources: ["lioensky/VCPToolBox#344", "vllm-project/vllm#48931", "vllm-project/vllm#49248", "langroid/langroid#619"],
  },
  {
    id: "wrong-delimiters",
    about: "delimiters of another family, closing tags of another name, mixed ones",
    sources: ["zed-industries/zed#42997", "zed-industries/zed#44513", "RooCodeInc/Roo-Code#12185"],
  },
  {
    id: "one-character",
    about: "one character of the format's own missing, doubled, or another one",
    sources: ["vllm-project/vllm#54778", "anthropics/claude-code#66809"],
  },
  {
    id: "damaged-delimiter",
    about: "one delimiter lost, halved, misspelt, doubled or in other brackets, in one call or in one of two",
    sources: ["xalgorix/xalgorix#243", "xalgorix/xalgorix#248", "anthropics/claude-code#62407"],
  },
  {
    id: "layouts",
    about: "right outputs in other layouts: several values in a call, all on one line, close together, indented",
    sources: ["anthropics/claude-code#64099", "signalnine/q27#24"],
  },
  {
    id: "damaged-in-layout",
    about: "the same with one delimiter damaged, so that a value may swallow its neighbour",
    sources: ["zed-industries/zed#44513", "anthropics/claude-code#62407", "signalnine/q27#24"],
  },
  {
    id: "cut-length",
    about: "the text ends early, and the provider says so (`length`)",
    sources: ["ahwurm/localharness#77", "jaseci-labs/jac#6766"],
  },
  {
    id: "cut-unsaid",
    about: "the text ends early, and nothing says so",
    sources: ["QwenLM/qwen-code#2021", "FMXExpress/PasClaw#41"],
  },
  {
    id: "escapes",
    about: "backslashes that are not doubled where they have to be",
    sources: ["gptme/gptme#71", "gsd-build/get-shit-done#1018"],
  },
  {
    id: "entities",
    about: "bodies escaped as XML, wholly, partly or twice; bodies that mean their entities",
    sources: ["cline/cline#7698", "RooCodeInc/Roo-Code#10804", "RooCodeInc/Roo-Code#4077"],
  },
  {
    id: "cdata",
    about: "CDATA in other places, not closed, or closed only",
    sources: ["CJackHwang/ds2api#265", "dcdpr/jp#341"],
  },
  {
    id: "fence-around",
    about: "the block in a fence, with or without prose",
    sources: ["Roger-luo/Ion#134", "odysseus-dev/odysseus#2925"],
  },
  { id: "fence-unclosed", about: "the fence around the block is not closed", sources: ["langchain-ai/langchain#3057"] },
  {
    id: "fence-nested",
    about: "a fence between the delimiters and the body",
    sources: ["huggingface/smolagents#1219", "huggingface/smolagents#883"],
  },
  {
    id: "reasoning",
    about: "calls in reasoning, before the real one or instead of one",
    sources: ["lmstudio-ai/lmstudio-bug-tracker#1592", "cline/cline#1500"],
  },
  {
    id: "reasoning-broken",
    about: "reasoning that is not closed, or closed without having been opened",
    sources: ["vercel/ai#4920", "QwenLM/qwen-code#10791", "jundot/omlx#3048"],
  },
  { id: "prose", about: "prose before, after and directly beside the block", sources: ["github/app#1499"] },
  {
    id: "mention",
    about: "prose that names the markers, in inline code and bare",
    sources: ["RooCodeInc/Roo-Code#3456", "raullenchai/Rapid-MLX#1513", "stablyai/orca#19690"],
  },
  {
    id: "case-space",
    about: "other case, spaces, hyphens and emphasis in markers and names",
    sources: ["RooCodeInc/Roo-Code#7664", "earendil-works/pi#4517"],
  },
  {
    id: "odd-quotes",
    about: "curly quotes, full-width signs, missing quotes or colons",
    sources: ["BoundaryML/baml#1249", "bytedance/UI-TARS-desktop#825"],
  },
  { id: "duplicates", about: "a field, a header or an attribute given twice", sources: ["ROCm/aorta#490"] },
  {
    id: "near-names",
    about: "names of tools and parameters that are nearly right, or numbered otherwise",
    sources: ["lijunzh/koda#49", "anthropics/anthropic-sdk-python#1093", "taylorwilsdon/google_workspace_mcp#921"],
  },
  {
    id: "made-up-result",
    about: "a result that the model made up, and a call that builds on it",
    sources: ["anthropics/claude-code#47055", "anthropics/claude-code#64187"],
  },
  {
    id: "two-calls",
    about: "two blocks with little or nothing between, two calls in one block",
    sources: ["ml-explore/mlx-lm#1448", "BerriAI/litellm#40582"],
  },
  {
    id: "indented",
    about: "the block indented, in a list or in its fence",
    sources: ["Aider-AI/aider#5662", "langwatch/tasks#217"],
  },
  {
    id: "crlf",
    about: "line ends as in Windows",
    sources: ["QwenLM/qwen-code#2513", "RooCodeInc/Roo-Code#10288"],
  },
  {
    id: "bom",
    about: "a byte order mark before everything",
    sources: ["NousResearch/hermes-agent#57870", "dgtlmoon/changedetection.io#2945"],
  },
  {
    id: "two-at-once",
    about: "a slip within the block, and prose, a fence, reasoning or other line ends around it",
    sources: ["anthropics/claude-code#66809", "huggingface/smolagents#201"],
  },
  {
    id: "other-notation",
    about: "the same call as JSON or in another format",
    sources: ["cline/cline#10843", "whoz-oss/coday#956"],
  },
];

/** Classes that draw places or damages: another seed makes other cases of them. */
export const drawnClasses: ReadonlySet<string> = new Set([
  "own-closers",
  "one-character",
  "damaged-delimiter",
  "damaged-in-layout",
  "cut-length",
  "cut-unsaid",
]);

/** Seeds besides the one of the tables by class. */
export const moreSeeds: readonly string[] = ["second ", "third "];
