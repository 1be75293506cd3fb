/** A test that failed, as the runner prints it. */
export interface Failure {
  name: string;
  /** As printed, absolute or relative to the project, and where the assertion stands. */
  file: string;
  line: number;
  expected?: string;
  actual?: string;
}

/** What a run of the tests said. */
export interface TestRun {
  /** Tests that passed and failed; undefined when the runner gave no count. */
  passed: number | undefined;
  failed: number | undefined;
  /** The first failure that names its place in a file. */
  failure: Failure | undefined;
}

/** Reads the output of Node's test runner, as it is in a terminal (spec) and in a pipe (TAP). */
export function readTestRun(output: string): TestRun {
  const count = (what: string): number | undefined => {
    const found = new RegExp(`^(?:#|ℹ) ${what} (\\d{1,9})$`, "m").exec(output)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  return { passed: count("pass"), failed: count("fail"), failure: readFailure(output) };
}

// A line about one test, with its name when it failed.
const testLine = /^\s*(?:ok \d+ - |✔ |not ok \d+ - (.+)$|✖ (.+?)(?: \([\d.]+ms\))?$)/gm;
// A frame of a stack that is no file of Node itself.
const frameMark = /(?:\(|\bat )(?:file:\/\/)?((?!node:)[^()\s:]{1,4000}):(\d{1,9}):\d{1,9}\)?/g;

function readFailure(output: string): Failure | undefined {
  const marks = [...output.matchAll(testLine)];
  // The runner names the file from the project's folder, too.
  const places = [...output.matchAll(/^test at (\S+):\d+:\d+$/gm)].map(([, path = ""]) => path);
  for (const [index, mark] of marks.entries()) {
    const name = mark[1] ?? mark[2];
    if (name === undefined) continue;
    const block = output.slice(mark.index, marks[index + 1]?.index);
    const frames = [...block.matchAll(frameMark)].map(([, path = "", line]) => ({
      path: decoded(path),
      line: Number(line),
    }));
    const frame = frames.find(({ path }) => /[./]test|spec/.test(path)) ?? frames[0];
    if (frame === undefined) continue;
    const file = places.find((path) => frame.path.endsWith(`/${path}`)) ?? frame.path;
    const found = [...block.matchAll(/^\s*(expected|actual): (.{1,300}?),?$/gm)].reverse();
    return { name, file, line: frame.line, ...Object.fromEntries(found.map(([, key, value]) => [key, value])) };
  }
  return undefined;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
