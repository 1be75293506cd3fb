import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { languageDetector } from "hono/language";
import type { MiddlewareHandler } from "hono/types";
import type { HostCheck } from "../http/hosts.ts";
import type { HostEnv } from "../http/types.ts";
import type { Login, Logins } from "./logins.ts";
import type { Language } from "./words.ts";

/** Cookies of the page. */
const loginCookie = "toolglot_login";
const formCookie = "toolglot_form";
const languageCookie = "toolglot_language";
const twelveHours = 12 * 60 * 60;

/** What a handler of the page has around it. */
export interface PageEnv {
  Bindings: HostEnv["Bindings"];
  Variables: HostEnv["Variables"] & { language: Language };
}

export type PageContext = Context<PageEnv>;

/** Somebody who has signed in, and the cookie that proves it. */
export type Visit = Login & { cookie: string };

/** The headers of every page: it loads nothing from elsewhere, runs no script but its own, and stands in no frame. */
export const pageHeaders: MiddlewareHandler<PageEnv> = async (context, next) => {
  await next();
  const { headers } = context.res;
  headers.set(
    "content-security-policy",
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-frame-options", "DENY");
  headers.set("cross-origin-opener-policy", "same-origin");
  headers.set("cross-origin-resource-policy", "same-origin");
  // Forms need it: without a referrer their Origin is `null`.
  headers.set("referrer-policy", "same-origin");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
};

/** Sets the language: `?lang=`, then what was chosen before, then what the browser asks for. A choice is kept. */
export function pageLanguage(publicUrl: string | undefined): MiddlewareHandler<PageEnv>[] {
  return [
    languageDetector({
      supportedLanguages: ["en", "zh"],
      fallbackLanguage: "en",
      order: ["querystring", "cookie", "header"],
      lookupQueryString: "lang",
      lookupCookie: languageCookie,
      // Of `zh-Hans-CN` the first part decides.
      convertDetectedLanguage: (language) => language.split("-")[0] ?? language,
      caches: false,
    }) as unknown as MiddlewareHandler<PageEnv>,
    async (context, next) => {
      if (context.req.query("lang") !== undefined) {
        const year = 365 * 24 * 60 * 60;
        setCookie(context, languageCookie, context.get("language"), {
          ...cookieRules(context, publicUrl),
          maxAge: year,
        });
      }
      return next();
    },
  ];
}

/** Cookies that only this page gets, and no script; over https never in the clear. */
function cookieRules(context: PageContext, publicUrl: string | undefined) {
  const url = new URL(context.req.url);
  const host = context.req.header("host") ?? url.host;
  const isPublic = publicUrl !== undefined && new URL(publicUrl).host === host;
  const secure = url.protocol === "https:" || (isPublic && publicUrl.startsWith("https:"));
  return { path: "/approvals", httpOnly: true, sameSite: "Strict", secure } as const;
}

/** Who is behind a request, by its cookies. */
export class Visits {
  readonly #logins: Logins;
  readonly #hosts: HostCheck;
  readonly #publicUrl: string | undefined;

  constructor(logins: Logins, hosts: HostCheck, publicUrl: string | undefined) {
    this.#logins = logins;
    this.#hosts = hosts;
    this.#publicUrl = publicUrl;
  }

  async login(context: PageContext): Promise<Visit | undefined> {
    const cookie = getCookie(context, loginCookie);
    const login = await this.#logins.find(cookie);
    return login && cookie !== undefined ? { ...login, cookie } : undefined;
  }

  begin(context: PageContext, cookie: string): void {
    setCookie(context, loginCookie, cookie, { ...cookieRules(context, this.#publicUrl), maxAge: twelveHours });
  }

  async end(context: PageContext, cookie: string): Promise<void> {
    await this.#logins.end(cookie);
    setCookie(context, loginCookie, "", { ...cookieRules(context, this.#publicUrl), maxAge: 0 });
  }

  /** Returns the key of a form for who has not signed in yet; a cookie goes with it. */
  formKey(context: PageContext): string {
    let cookie = getCookie(context, formCookie);
    if (cookie === undefined || cookie.length !== 36) {
      cookie = crypto.randomUUID();
      setCookie(context, formCookie, cookie, { ...cookieRules(context, this.#publicUrl), maxAge: twelveHours });
    }
    return this.#logins.formKey(`form ${cookie}`);
  }

  /** Whether a form was sent from a page of this server that this browser was shown. */
  isOwnForm(context: PageContext, key: string | null, login: { cookie: string } | undefined): boolean {
    const host = context.req.header("host") ?? new URL(context.req.url).host;
    if (!this.#hosts.isOwn(context.req.header("origin"), host)) return false;
    const cookie = login?.cookie ?? `form ${getCookie(context, formCookie) ?? ""}`;
    return key !== null && this.#logins.isFormKey(cookie, key);
  }
}
