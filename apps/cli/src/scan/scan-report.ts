import type { ScanFinding, ScanTaker } from "./scan-file.ts";

/** Calls and findings of one model, or of one tool. */
export interface ScanCount {
  calls: number;
  findings: number;
}

/** What a scan came to. As JSON it is what `--json` prints. */
export class ScanReport implements ScanTaker {
  /** Files in which a reader knew something. */
  files = 0;
  calls = 0;
  readonly findings: ScanFinding[] = [];
  unknownLines = 0;
  /** By name; the empty one stands for what nobody knows. */
  readonly byModel = new Map<string, ScanCount>();
  readonly byTool = new Map<string, ScanCount>();
  /** Files with lines that no reader knows: how many, and the first of them. */
  readonly unreadIn = new Map<string, { count: number; line: number }>();
  #unread: { count: number; line: number } | undefined;

  call(tool: string, model = ""): void {
    this.calls += 1;
    countOf(this.byTool, tool).calls += 1;
    countOf(this.byModel, model).calls += 1;
  }

  finding(finding: ScanFinding): void {
    this.findings.push(finding);
    countOf(this.byTool, finding.tool).findings += 1;
    countOf(this.byModel, finding.model ?? "").findings += 1;
  }

  unread(line: number): void {
    this.#unread ??= { count: 0, line };
    this.#unread.count += 1;
  }

  /** A file is over. */
  end(file: string, isKnown: boolean): void {
    if (isKnown) this.files += 1;
    if (this.#unread) this.unreadIn.set(file, this.#unread);
    this.unknownLines += this.#unread?.count ?? 0;
    this.#unread = undefined;
  }

  toJSON(): Pick<ScanReport, "files" | "calls" | "findings" | "unknownLines"> {
    const { files, calls, findings, unknownLines } = this;
    return { files, calls, findings, unknownLines };
  }
}

function countOf(counts: Map<string, ScanCount>, name: string): ScanCount {
  let count = counts.get(name);
  if (!count) {
    count = { calls: 0, findings: 0 };
    counts.set(name, count);
  }
  return count;
}
