import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { openSqlite } from "@toolglot/sqlite";
import { principal } from "@toolglot/trp-core";
import { describe, expect, it, vi } from "vitest";
import { sharedPlace } from "../../../trp-core/test/store-kinds.ts";
import { lost, secret } from "../rig.ts";
import { type Served, served } from "./served.ts";

const ada = principal({ id: "ada", roles: ["approver"] });

/** A browser without a picture: it keeps cookies, and sends forms as one does. */
class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #base: string;

  constructor({ host }: Served) {
    this.#base = host.url;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(path, { headers });
  }

  async post(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const body = new URLSearchParams(form);
    return this.#send(path, { method: "POST", body, headers: { origin: this.#base, ...headers } });
  }

  /** Opens a page, and sends its form. */
  async send(path: string, form: Record<string, string>, action = path): Promise<Response> {
    const page = await (await this.get(path)).text();
    return this.post(action, { ...fieldsOf(page), ...form });
  }

  async signIn(authorization: string): Promise<void> {
    const response = await this.send("/approvals", { token: authorization.slice(7) }, "/approvals/sign-in");
    expect(response.status).toBe(303);
  }

  get cookies(): string[] {
    return [...this.#cookies.keys()];
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== "" && { cookie }) };
    const response = await fetch(this.#base + path, { ...init, headers, redirect: "manual" });
    for (const text of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (/max-age=0/i.test(text)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}

/** The hidden fields of the last form: the one before it signs out. */
function fieldsOf(page: string): Record<string, string> {
  const form = page.slice(page.lastIndexOf("<form"));
  const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value]));
}

async function signedIn(store?: Parameters<typeof served>[0]): Promise<Served & { browser: Browser }> {
  const parts = await served(store);
  const browser = new Browser(parts);
  await browser.signIn(parts.approver);
  return { ...parts, browser };
}

describe("signing in", () => {
  it("takes a token, and nothing else", async () => {
    const parts = await served();
    const browser = new Browser(parts);
    const first = await browser.get("/approvals");
    expect(first.status).toBe(200);
    expect(await first.text()).toContain('name="token"');
    expect((await browser.send("/approvals", { token: "tg1_x" }, "/approvals/sign-in")).status).toBe(401);
    expect((await browser.get("/approvals/decided")).status).toBe(401);
    const response = await browser.send("/approvals", { token: parts.approver.slice(7) }, "/approvals/sign-in");
    const cookie = response.headers.getSetCookie().find((text) => text.startsWith("toolglot_login="));
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).toMatch(/Path=\/approvals/);
    expect(cookie).toMatch(/Max-Age=43200/);
    expect(await (await browser.get("/approvals")).text()).toContain("Nothing waits for you");
  });

  it("brings one back to where one was, and nowhere else", async () => {
    const parts = await served();
    const browser = new Browser(parts);
    const go = async (next: string) => {
      const response = await browser.send(
        "/approvals/in-doubt",
        { token: parts.approver.slice(7), next },
        "/approvals/sign-in",
      );
      const location = response.headers.get("location");
      await browser.send("/approvals", {}, "/approvals/sign-out");
      return location;
    };
    expect(await go("/approvals/in-doubt")).toBe("/approvals/in-doubt");
    expect(await go("//evil.example")).toBe("/approvals");
    expect(await go("https://evil.example")).toBe("/approvals");
  });

  it("ends with a revocation at once, streams too", async () => {
    const { browser, tokens } = await signedIn();
    const events = await browser.get("/approvals/events");
    const all = events.text();
    const info = (await tokens.list()).find(({ principal }) => principal === "ada");
    await tokens.revoke(info?.id ?? "");
    expect(await all).toContain("event: end");
    expect((await browser.get("/approvals/decided")).status).toBe(401);
  });

  it("goes by the roles that somebody has now", async () => {
    const { browser, tokens } = await signedIn();
    expect((await browser.get("/approvals/in-doubt")).status).toBe(200);
    const { readFile, writeFile } = await import("node:fs/promises");
    const text = await readFile(tokens.file, "utf8");
    await writeFile(tokens.file, text.replace('"approver"', '"reader"'));
    await vi.waitFor(async () => expect((await browser.get("/approvals/in-doubt")).status).toBe(404));
  });

  it("takes a link once", async () => {
    const parts = await served();
    const link = parts.page.signInLink({ id: "link", principal: ada, mayElicit: true, lenientHeaders: false });
    const browser = new Browser(parts);
    // A program that shows previews fetches it, and nothing is used up.
    expect((await fetch(parts.host.url + link)).status).toBe(200);
    expect((await browser.send(link, {})).status).toBe(303);
    expect(await (await browser.get("/approvals")).text()).toContain("<b>ada</b>");
    const other = new Browser(parts);
    expect((await other.send(link, {})).status).toBe(401);
    expect((await other.get(link)).status).toBe(401);
    expect(other.cookies).not.toContain("toolglot_login");
  });
});

describe("a decision", () => {
  it("is made in the form of the request, with a comment", async () => {
    const { browser, ask, router, call, refunds } = await signedIn();
    const id = await ask({ order: "A-17", note: "lost parcel" });
    const detail = await (await browser.get(`/approvals/${id}`)).text();
    expect(detail).toContain("agent-7");
    expect(detail).toContain("&quot;lost parcel&quot;");
    expect(detail).toContain("Nothing shows that the same was done before.");
    const response = await browser.send(`/approvals/${id}`, { decision: "approve", comment: "Fine." });
    expect(response.headers.get("location")).toBe(`/approvals?done=${id}`);
    expect(await router.approvals.read(ada, id)).toMatchObject({
      status: "approved",
      decidedBy: "ada",
      comment: "Fine.",
    });
    expect(await (await browser.get(`/approvals?done=${id}`)).text()).toContain("Approved:");
    await call({ order: "A-17", note: "lost parcel" }, { key: "k0" });
    expect(refunds).toHaveLength(1);
    // The same once more, as another call: the page says when it was last done.
    const again = await ask({ order: "A-17", note: "lost parcel" });
    expect(again).not.toBe(id);
    expect(await (await browser.get(`/approvals/${again}`)).text()).not.toContain("Nothing shows");
    expect((await browser.send(`/approvals/${again}`, { decision: "deny", comment: "No." })).status).toBe(303);
    const decided = await (await browser.get("/approvals/decided")).text();
    expect(decided).toContain("Approved and run");
    expect(decided).toContain("No.");
  });

  it("is refused without the fingerprint that was seen, with another, twice, and without a choice", async () => {
    const { browser, ask, router } = await signedIn();
    const id = await ask({ order: "A-1" });
    const other = await ask({ order: "A-2" });
    const fields = fieldsOf(await (await browser.get(`/approvals/${id}`)).text());
    const { fingerprint, ...without } = fields;
    const { fingerprint: foreign = "" } = fieldsOf(await (await browser.get(`/approvals/${other}`)).text());
    expect(foreign).not.toBe(fingerprint);
    const post = (form: Record<string, string>) => browser.post(`/approvals/${id}`, form);
    expect((await post({ ...without, decision: "approve" })).status).toBe(409);
    expect((await post({ ...fields, fingerprint: foreign, decision: "approve" })).status).toBe(409);
    expect((await post({ ...fields, decision: "maybe" })).status).toBe(400);
    expect(await router.approvals.read(ada, id)).toMatchObject({ status: "pending" });
    expect((await post({ ...fields, decision: "deny" })).status).toBe(303);
    expect((await post({ ...fields, decision: "approve" })).status).toBe(409);
    expect(await router.approvals.read(ada, id)).toMatchObject({ status: "denied" });
  });

  it("is never one's own", async () => {
    const { browser, router, call, tokens, host } = await signedIn();
    await call({ order: "A-1" }, { who: ada });
    const [own] = await router.approvals.list(ada, { status: "pending" });
    const id = own?.id ?? "";
    const page = await (await browser.get(`/approvals/${id}`)).text();
    expect(page).toContain("You asked for this yourself");
    expect(page).not.toContain('value="approve"');
    const form = { ...fieldsOf(page), fingerprint: own?.fingerprint ?? "", decision: "approve" };
    expect((await browser.post(`/approvals/${id}`, form)).status).toBe(403);
    const outsider = new Browser({ host } as Served);
    await outsider.signIn(
      `Bearer ${(await tokens.add({ principal: "eve", tenant: "other", roles: ["approver"] })).token}`,
    );
    expect((await outsider.get(`/approvals/${id}`)).status).toBe(404);
  });

  it("comes from a form of this server, shown to this browser", async () => {
    const { browser, ask, router, host, approver } = await signedIn();
    const id = await ask({ order: "A-1" });
    const fields = { ...fieldsOf(await (await browser.get(`/approvals/${id}`)).text()), decision: "approve" };
    const status = async (form: Record<string, string>, headers: Record<string, string>) =>
      (await browser.post(`/approvals/${id}`, form, headers)).status;
    expect(await status({ ...fields, key: "x" }, {})).toBe(403);
    expect(await status({ ...fields, key: "" }, {})).toBe(403);
    expect(await status(fields, { origin: "https://evil.example" })).toBe(403);
    // Allowed to call, but no page of this server.
    expect(await status(fields, { origin: "http://localhost:1" })).toBe(403);
    const other = new Browser({ host } as Served);
    await other.signIn(approver);
    const foreign = fieldsOf(await (await other.get(`/approvals/${id}`)).text());
    expect(await status({ ...fields, key: foreign.key ?? "" }, {})).toBe(403);
    const noOrigin = await fetch(`${host.url}/approvals/${id}`, { method: "POST", body: new URLSearchParams(fields) });
    expect(noOrigin.status).toBe(403);
    expect(await status({ ...fields, comment: "x".repeat(100_000) }, {})).toBe(403);
    expect(await router.approvals.read(ada, id)).toMatchObject({ status: "pending" });
    expect(await status(fields, {})).toBe(303);
  });
});

describe("what is in doubt", () => {
  it.each([
    ["happened", "SUCCESS"],
    ["not-happened", "UNKNOWN"],
  ])("is settled by whoever looked: it %s", async (answer, outcome) => {
    const { browser, call, router } = await signedIn(await sharedPlace().open());
    await call({ order: "L-1" }, { capId: lost, key: "x1" });
    const list = await (await browser.get("/approvals/in-doubt")).text();
    const path = /href="(\/approvals\/in-doubt\/\w+)"/.exec(list)?.[1] ?? "";
    const page = await (await browser.get(path)).text();
    expect(page).toContain("&quot;L-1&quot;");
    const fields = fieldsOf(page);
    expect((await browser.post(path, { ...fields, seen: "0 x", answer })).status).toBe(409);
    expect((await browser.post(path, { ...fields, answer: "leave" })).status).toBe(400);
    expect(await router.operations.inDoubt(ada)).toHaveLength(1);
    expect((await browser.post(path, { ...fields, answer })).status).toBe(303);
    expect(await router.operations.inDoubt(ada)).toEqual([]);
    const again = await call({ order: "L-1" }, { capId: lost, key: "x1" });
    expect(again.frame_type === "RESULT" ? again.payload.status : undefined).toBe(outcome);
  });
});

describe("a long list", () => {
  it("goes on, a hundred at a time", async () => {
    const { browser, call, router } = await signedIn();
    for (let count = 0; count < 102; count++) await call({ order: `A-${count}` });
    const first = await (await browser.get("/approvals")).text();
    expect(first).toContain("A-101");
    expect(first).not.toMatch(/"A-1&quot;|&quot;A-1&quot;/);
    const older = /id="older"/.test(first) ? (/href="(\/approvals\?before=[\w-]+)"/.exec(first)?.[1] ?? "") : "";
    const second = await (await browser.get(older)).text();
    expect(second.match(/<li>/g)?.length).toBe(2 + 3);
    expect(second).toContain("&quot;A-1&quot;");
    expect(second).not.toContain('id="older"');
    // What was decided is behind those that wait.
    const [oldest] = await router.approvals.list(ada, { before: older.split("=")[1] ?? "", limit: 1 });
    await router.approvals.deny(ada, oldest?.id ?? "");
    const decided = await (await browser.get("/approvals/decided")).text();
    const next = /href="(\/approvals\/decided\?before=[\w-]+)"/.exec(decided)?.[1] ?? "";
    expect(await (await browser.get(next)).text()).toContain("Denied");
  });
});

describe("every page", () => {
  it("loads nothing from elsewhere, and is kept by nobody", async () => {
    const { browser, ask } = await signedIn();
    const id = await ask({ order: "A-1" });
    for (const path of [
      "/approvals",
      `/approvals/${id}`,
      "/approvals/decided",
      "/approvals/in-doubt",
      "/approvals/none",
    ]) {
      const { headers } = await browser.get(path);
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    const page = await (await browser.get("/approvals")).text();
    for (const [, path = ""] of page.matchAll(/(?:href|src)="(\/approvals\/[0-9a-f]{12}[^"]*)"/g)) {
      const response = await browser.get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toContain("immutable");
      if (path.endsWith(".js")) expect((await response.text()).length).toBeLessThan(5_000);
    }
  });

  it("shows what a model wrote as text, and secrets not at all", async () => {
    const { browser, ask } = await signedIn();
    const id = await ask({ order: '"><script>alert(1)</script>', note: `\u202Eevil\n${secret}` });
    for (const path of ["/approvals", `/approvals/${id}`]) {
      const page = await (await browser.get(path)).text();
      expect(page).not.toContain("<script>alert");
      expect(page).not.toContain("\u202E");
      if (path !== "/approvals") expect(page).toContain("\\u202eevil\\n[secret SHOP_KEY]");
      expect(page).toContain("\\u{202E}evil\\n[secret SHOP_KEY]");
      expect(page).not.toContain(secret);
    }
  });

  it("speaks the reader's language, and keeps a choice", async () => {
    const { browser } = await signedIn();
    const text = async (path: string, language?: string) =>
      (await browser.get(path, language === undefined ? {} : { "accept-language": language })).text();
    expect(await text("/approvals", "de, zh-CN;q=0.8, en;q=0.5")).toContain("没有待处理的请求");
    expect(await text("/approvals", "de")).toContain("Nothing waits for you");
    expect(await text("/approvals?lang=zh")).toContain('<html lang="zh-CN">');
    expect(await text("/approvals")).toContain("没有待处理的请求");
    expect(await text("/approvals?lang=xx", "en")).toContain("没有待处理的请求");
  });

  it("says 503 when the store is gone, without its name", async () => {
    const scratch = await scratchFolder();
    const store = await openSqlite({ file: scratch.at("gateway.db") });
    const { browser } = await signedIn(store);
    await store.close();
    const response = await browser.get("/approvals");
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain(scratch.path);
  });
});
