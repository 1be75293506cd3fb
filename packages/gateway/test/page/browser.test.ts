import { existsSync } from "node:fs";
import { isThorough, someOf } from "@toolglot/internal/testing";
import { principal } from "@toolglot/trp-core";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { lost } from "../rig.ts";
import { type Served, served } from "./served.ts";

const executable = process.env.CHROMIUM ?? "/usr/bin/chromium";
// No browser, no test of one; a machine that must run everything fails instead.
const skip = !existsSync(executable) && !isThorough;

const ada = principal({ id: "ada", roles: ["approver"] });
const bob = principal({ id: "bob", roles: ["approver"] });
const phone = { width: 320, height: 640 };
const desk = { width: 1100, height: 800 };

describe.skipIf(skip)("the page in Chromium", { timeout: 120_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({
      executablePath: executable,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
  }, 120_000);
  afterAll(() => browser?.close());

  /** A page that fails the test when its script throws, or something breaks its content security policy. */
  async function open({ host, approver }: Served, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: "en-US", viewport: desk, ...options });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      // That a request was refused, the browser says by itself.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        problems.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    await page.goto(`${host.url}/approvals`);
    await page.fill("#token", approver.slice("Bearer ".length));
    const isLive = options.javaScriptEnabled !== false;
    await Promise.all([
      isLive && page.waitForResponse((response) => response.url().endsWith("/events")),
      page.press("#token", "Enter"),
    ]);
    await page.waitForSelector("#tabs");
    return page;
  }

  const isVisible = (page: Page, text: string): Promise<unknown> => page.getByText(text).first().waitFor();

  const all = [
    { locale: "en-US", colorScheme: "light", viewport: desk },
    { locale: "en-US", colorScheme: "dark", viewport: phone },
    { locale: "zh-CN", colorScheme: "dark", viewport: phone },
    { locale: "zh-CN", colorScheme: "light", viewport: desk },
  ] as const;
  // Each language, each scheme and each width.
  const some = someOf(all, 0, [all[1], all[3]]);

  it.each(some)(
    "has no fault that axe finds, and no scrolling to the side ($locale, $colorScheme)",
    async (options) => {
      const parts = await served();
      const long = `${"x".repeat(400)} https://example.com/${"path/".repeat(40)}`;
      const first = await parts.ask({ order: "A-1", note: long });
      await parts.router.approvals.deny(bob, first, long);
      await parts.call({ order: "A-1", note: long });
      const [again] = await parts.router.approvals.list(ada, { status: "pending" });
      const id = await parts.ask({ order: "A-2" });
      await parts.call({ order: "L-1" }, { capId: lost });
      await parts.call({ order: "A-3" }, { who: ada });
      const [own] = await parts.router.approvals.list(ada, { status: "pending", limit: 1 });
      const page = await open(parts, options);
      const paths = ["", `/${again?.id}`, `/${id}`, `/${own?.id}`, "/decided", `/${first}`, "/in-doubt", "/none"];
      await page.goto(`${parts.host.url}/approvals/in-doubt`);
      paths.push((await page.getAttribute(".list a", "href"))?.slice("/approvals".length) ?? "");
      const check = async (what: string): Promise<void> => {
        for (const summary of await page.$$("summary")) await summary.click();
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
        const found = violations.map(({ id, nodes }) => `${what} ${id}: ${nodes.map(({ html }) => html).join("\n")}`);
        expect(found).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBeLessThanOrEqual(
          options.viewport.width,
        );
      };
      for (const path of paths) {
        await page.goto(`${parts.host.url}/approvals${path}`);
        await check(path);
      }
      await page.context().clearCookies();
      await page.goto(`${parts.host.url}/approvals`);
      await check("sign-in");
      await page.fill("#token", "tg1_x");
      await page.press("#token", "Enter");
      await page.waitForSelector("[role=alert]");
      await check("wrong token");
    },
  );

  it("works without JavaScript", async () => {
    const parts = await served();
    const id = await parts.ask({ order: "A-1" });
    const page = await open(parts, { javaScriptEnabled: false });
    await page.click(`#a-${id}`);
    await page.fill("#comment", "Fine.");
    await page.click("#approve");
    await isVisible(page, "Approved:");
    expect(await parts.router.approvals.read(ada, id)).toMatchObject({ status: "approved", comment: "Fine." });
    await page.getByText("Sign out").click();
    await page.waitForSelector("#token");
  });

  it("works with the keyboard alone", async () => {
    const parts = await served();
    const id = await parts.ask({ order: "A-1" });
    const page = await open(parts);
    const tabTo = async (wanted: string): Promise<void> => {
      for (let count = 0; count < 40; count++) {
        await page.keyboard.press("Tab");
        if (await page.evaluate((selector) => document.activeElement?.matches(selector), wanted)) return;
      }
      throw new Error(`Tab never comes to ${wanted}`);
    };
    await tabTo(".skip");
    await page.keyboard.press("Enter");
    await tabTo(`#a-${id}`);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#comment");
    await tabTo("#raw");
    await page.keyboard.press("Enter");
    await isVisible(page, '"order": "A-1"');
    await tabTo("#comment");
    await page.keyboard.type("No.");
    await tabTo("#approve");
    await tabTo("#deny");
    await page.keyboard.press("Space");
    await isVisible(page, "Denied:");
    expect(await parts.router.approvals.read(ada, id)).toMatchObject({ status: "denied", comment: "No." });
  });

  it("shows by itself what has changed, and keeps what is being written", async () => {
    const parts = await served();
    const page = await open(parts);
    await isVisible(page, "Nothing waits for you");
    const id = await parts.ask({ order: "A-1" });
    await page.waitForSelector(`#a-${id}`);
    expect(await page.title()).toContain("(1)");
    expect(await page.textContent("#said")).toBe("1 request waits");
    await page.focus(`#a-${id}`);
    const other = await parts.ask({ order: "A-2" });
    await page.waitForSelector(`#a-${other}`);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(`a-${id}`);
    await page.click(`#a-${id}`);
    await page.fill("#comment", "I am not sure");
    await parts.ask({ order: "A-3" });
    await page.waitForFunction(() => document.title.includes("(3)"));
    expect(await page.inputValue("#comment")).toBe("I am not sure");
    await parts.router.approvals.approve(bob, id);
    await isVisible(page, "Decided by");
    expect(await page.$("#approve")).toBeNull();
  });

  it("goes back to the form when the token is revoked", async () => {
    const parts = await served();
    const page = await open(parts);
    const info = (await parts.tokens.list()).find(({ principal }) => principal === "ada");
    await parts.tokens.revoke(info?.id ?? "");
    await page.waitForSelector("#token");
  });
});
