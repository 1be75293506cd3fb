// Opens a folder as a web page in Debian's Chromium, driven by playwright-core (which installs no browser).
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const executable = process.env.CHROMIUM ?? "/usr/bin/chromium";
const contentTypes = /** @type {Record<string, string>} */ ({ ".js": "text/javascript", ".html": "text/html" });

/** @param {string} folder */
function serve(folder) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = join(folder, pathname === "/" ? "index.html" : pathname);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = contentTypes[extname(file)] ?? "application/octet-stream";
    return response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });
  return new Promise((/** @type {(value: import("node:http").Server) => void} */ resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

/**
 * Waits until the page has put a result for each id into `globalThis.results`, and compares.
 * @param {string} folder
 * @param {string[]} ids
 * @returns {Promise<void | { skip: string }>}
 */
export async function openInChromium(folder, ids) {
  if (!existsSync(executable)) return { skip: `no Chromium at ${executable}` };
  const { chromium } = await import("playwright-core");
  const server = await serve(folder);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const browser = await chromium.launch({
    executablePath: executable,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const page = await browser.newPage();
    /** @type {string[]} */
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${port}/`);
    /** @param {number} wanted */
    const complete = (wanted) =>
      Object.keys(/** @type {{ results?: object }} */ (globalThis).results ?? {}).length === wanted;
    await page.waitForFunction(complete, ids.length, { timeout: 300_000 }).catch((error) => errors.push(String(error)));
    const results = await page.evaluate(
      () => /** @type {{ results?: Record<string, { got: unknown, expected: unknown }> }} */ (globalThis).results ?? {},
    );
    for (const id of ids) {
      const result = results[id];
      if (result === undefined) errors.push(`${id} gave no result`);
      else if (result.got !== result.expected) errors.push(`${id}: got ${result.got}\n  expected ${result.expected}`);
    }
    if (errors.length > 0) throw new Error(errors.join("\n"));
  } finally {
    await browser.close();
    server.close();
  }
}
