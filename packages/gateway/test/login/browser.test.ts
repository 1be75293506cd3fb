import { existsSync } from "node:fs";
import { isThorough } from "@toolglot/internal/testing";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createHttpApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/listen.ts";
import type { GatewayLogins } from "../../src/login/index.ts";
import { rig } from "../rig.ts";
import { authorizationServer } from "./authorization-server.ts";
import { guardedServer, loginsOf, memoryStore } from "./support.ts";

const executable = process.env.CHROMIUM ?? "/usr/bin/chromium";
// No browser, no test of one; a machine that must run everything fails instead.
const skip = !existsSync(executable) && !isThorough;

describe.skipIf(skip)("the page to log in, in Chromium", { timeout: 120_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({
      executablePath: executable,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
  }, 120_000);
  afterAll(() => browser?.close());

  /** A gateway over HTTP, with a server of whose callers each logs in. */
  async function gateway(): Promise<{ logins: GatewayLogins; token: string }> {
    const parts = await rig();
    const mcp = await guardedServer([await authorizationServer()]);
    const { path: stateDir } = await scratchFolder();
    let publicUrl = "";
    const servers = [{ name: "tracker", url: mcp.url, credentials: "caller" as const }];
    const logins = loginsOf({ stateDir, servers, store: memoryStore(), publicUrl: () => publicUrl });
    const principalOf = async (authorization: string | undefined) =>
      (await parts.auth.authenticate(authorization))?.principal;
    const connect = await logins.connectRoutes({
      identify: ({ req }) => principalOf(req.header("authorization")),
      authenticate: principalOf,
    });
    const where = { allowedHosts: [], allowedOrigins: [] };
    const app = createHttpApp({ mcp: async () => new Response(), ...parts, listen: where, connect });
    const host = await listen(app, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => host.close(0));
    publicUrl = host.url;
    return { logins, token: parts.agent.slice("Bearer ".length) };
  }

  /** A page that fails the test when something breaks its content security policy. */
  async function open(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => {
      // That a request was refused, the browser says by itself.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        problems.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    return page;
  }

  const check = async (page: Page): Promise<void> => {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  };

  it("leads there and back with the keyboard alone, in English and in Chinese", async () => {
    const { logins, token } = await gateway();
    for (const [locale, done] of [
      ["en-US", "is done"],
      ["zh-CN", "已登录 tracker"],
    ] as const) {
      const page = await open({ locale, viewport: { width: 320, height: 640 }, colorScheme: "dark" });
      await page.goto(logins.connectLink("tracker", { id: "agent-7" }) ?? "");
      await check(page);
      await page.keyboard.press("Tab");
      await page.keyboard.type(token);
      await page.keyboard.press("Enter");
      await page.getByText(done).waitFor();
      expect(new URL(page.url()).pathname).toBe("/connect/tracker/callback");
      await check(page);
      expect(await logins.info("tracker", { id: "agent-7" })).toBeDefined();
      await logins.logout("tracker");
    }
  });

  it("needs no script", async () => {
    const { logins, token } = await gateway();
    const page = await open({ locale: "en-US", javaScriptEnabled: false });
    await page.goto(logins.connectLink("tracker", { id: "agent-7" }) ?? "");
    await page.fill("#token", token);
    await page.press("#token", "Enter");
    await page.getByText("is done").waitFor();
    expect(await logins.info("tracker", { id: "agent-7" })).toBeDefined();
  });
});
