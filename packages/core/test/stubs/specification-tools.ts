import type { ToolDefinition } from "../../src/index.ts";

const text = { type: "string" as const };

/** The four tools of the ATTP specification, as definitions. */
export const specifiedTools: ToolDefinition[] = [
  {
    name: "search_web",
    description: "在网络上搜索信息，返回搜索结果的列表。",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "搜索查询字符串" },
        max_results: { type: "integer", description: "返回结果的最大数量，默认为5", default: 5 },
      },
      required: ["query"],
    },
    outputSchema: {
      type: "array",
      description: "搜索结果列表，每个结果包含以下字段：",
      items: {
        type: "object",
        properties: {
          title: { ...text, description: "标题" },
          url: { ...text, description: "链接地址" },
          snippet: { ...text, description: "内容摘要" },
        },
      },
    },
    examples: [
      {
        code: 'results = search_web("Python异步编程", max_results=3)\nprint(results[0]["title"])',
        output: "深入理解Python异步编程",
      },
    ],
  },
  {
    name: "read_file",
    description: "读取指定路径的文件内容。",
    inputSchema: {
      type: "object",
      properties: { path: { ...text, description: "文件的绝对路径" } },
      required: ["path"],
    },
    outputSchema: { type: "string", description: "文件的完整内容" },
    raises: [
      { type: "FileNotFoundError", description: "当文件不存在时" },
      { type: "PermissionError", description: "当无读取权限时" },
    ],
    examples: [{ code: 'content = read_file("/home/user/config.json")\nprint(content)', output: '{"timeout": 30}' }],
  },
  {
    name: "write_file",
    description: "将内容写入到指定路径的文件。",
    inputSchema: {
      type: "object",
      properties: {
        path: { ...text, description: "文件的绝对路径" },
        content: { ...text, description: "要写入的内容" },
      },
      required: ["path", "content"],
    },
    outputSchema: { type: "boolean", description: "成功返回True，失败返回False" },
    examples: [{ code: 'success = write_file("/home/user/output.txt", "Hello World")\nprint(success)', output: true }],
  },
  {
    name: "list_files",
    description: "列出指定目录下的文件，支持通配符匹配。",
    inputSchema: {
      type: "object",
      properties: {
        directory: { ...text, description: "目录的绝对路径" },
        pattern: { ...text, description: '文件匹配模式，默认为"*"（所有文件）', default: "*" },
      },
      required: ["directory"],
    },
    outputSchema: { type: "array", items: text, description: "匹配的文件路径列表" },
    examples: [
      {
        code: 'files = list_files("/home/user/docs", pattern="*.md")\nprint(files)',
        output: ["readme.md", "api.md", "changelog.md"],
      },
    ],
  },
];

/** What the specification shows for them, character by character. */
export const specifiedStubs = `# ===== 可用工具列表 =====

def search_web(query: str, max_results: int = 5) -> list[dict]:
    """
    在网络上搜索信息，返回搜索结果的列表。

    Args:
        query: 搜索查询字符串
        max_results: 返回结果的最大数量，默认为5

    Returns:
        list[dict]: 搜索结果列表，每个结果包含以下字段：
            - title: str - 标题
            - url: str - 链接地址
            - snippet: str - 内容摘要

    Example:
        >>> results = search_web("Python异步编程", max_results=3)
        >>> print(results[0]["title"])
        '深入理解Python异步编程'
    """
    pass


def read_file(path: str) -> str:
    """
    读取指定路径的文件内容。

    Args:
        path: 文件的绝对路径

    Returns:
        str: 文件的完整内容

    Raises:
        FileNotFoundError: 当文件不存在时
        PermissionError: 当无读取权限时

    Example:
        >>> content = read_file("/home/user/config.json")
        >>> print(content)
        '{"timeout": 30}'
    """
    pass


def write_file(path: str, content: str) -> bool:
    """
    将内容写入到指定路径的文件。

    Args:
        path: 文件的绝对路径
        content: 要写入的内容

    Returns:
        bool: 成功返回True，失败返回False

    Example:
        >>> success = write_file("/home/user/output.txt", "Hello World")
        >>> print(success)
        True
    """
    pass


def list_files(directory: str, pattern: str = "*") -> list[str]:
    """
    列出指定目录下的文件，支持通配符匹配。

    Args:
        directory: 目录的绝对路径
        pattern: 文件匹配模式，默认为"*"（所有文件）

    Returns:
        list[str]: 匹配的文件路径列表

    Example:
        >>> files = list_files("/home/user/docs", pattern="*.md")
        >>> print(files)
        ['readme.md', 'api.md', 'changelog.md']
    """
    pass
`;
