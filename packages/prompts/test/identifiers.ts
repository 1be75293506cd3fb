/** What both languages must say alike: identifiers, numbers and all that stands in backticks, other than placeholders. */
export const identifiers = (text: string): string[] =>
  [
    ...text.matchAll(
      /`[^`\n]+`|^\w+:(?=»»»)|<\/?\w+[^>\n]*>|\b(?:tool_call|status|success|target|code|fail|message|thought)\b(?= =)|search_web|max_results[=:] ?\d|\w+\d\b|\b\d+\b|__result__|math, .*statistics|[✓✗]/gm,
    ),
  ]
    .map(([match]) => match.replace(/\[(?:参数名|parameter)\]|\{(?:变量名|KEY)\}/, "PLACEHOLDER"))
    .filter((match) => !/^(?:参数名|parameter_name):$/.test(match));
