import { createHash } from "node:crypto";
import { html, raw } from "hono/html";

/** The words of a page. What stands in braces is filled in. */
interface Words {
  lang: string;
  done: string;
  failed: string;
  foreign: string;
  unknown: string;
  forbidden: string;
  /** The server, or its authorization server, offers no login that works. */
  impossible: string;
  title: string;
  signIn: string;
  token: string;
  askToken: string;
  askShared: string;
  askOwn: string;
  go: string;
  going: string;
}

const english: Words = {
  lang: "en",
  done: "The login at {server} is done. You can close this window.",
  failed: "The login at {server} did not work. The one who began it sees why; begin it again.",
  foreign: "This is no answer to a login that was begun here, in this browser. Begin it again.",
  unknown: "There is no such server here to log in at.",
  forbidden: "This link was made for somebody else, or you may not log in here for everybody.",
  impossible: "A login at {server} can't begin: {why}",
  title: "Log in at {server}",
  signIn: "Sign in to the gateway first: this login will be yours.",
  token: "Gateway token",
  askToken: "The token is not known here, or no longer.",
  askShared: "The gateway will use this login for everybody who may call {server}.",
  askOwn: "The gateway will use this login for calls of {who} alone.",
  go: "Continue",
  going: "Continue at {host}",
};
const chinese: Words = {
  lang: "zh",
  done: "已登录 {server}，可以关闭此窗口。",
  failed: "登录 {server} 未成功。发起登录的一方可以看到原因；请重新开始。",
  foreign: "这不是在此浏览器中发起的登录的回应。请重新开始。",
  unknown: "这里没有可以登录的这个服务器。",
  forbidden: "此链接是为他人生成的，或者您无权在此为所有人登录。",
  impossible: "无法开始登录 {server}：{why}",
  title: "登录 {server}",
  signIn: "请先登录网关：此登录将属于您。",
  token: "网关令牌",
  askToken: "此令牌未知或已失效。",
  askShared: "网关会将此登录用于所有可以调用 {server} 的人。",
  askOwn: "网关只会将此登录用于 {who} 的调用。",
  go: "继续",
  going: "前往 {host} 继续",
};

/** What a page is about. */
export interface PageFacts {
  server: string;
  /** Whose login it will be. Absent: everybody's. */
  who?: string | undefined;
  /** Why it can't begin. */
  why?: string;
}

/** An answer for a browser. */
export interface Page {
  html: string;
  headers: Record<string, string>;
}

const style = `:root{color-scheme:light dark}body{font:1.05rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem}
input,button{font:inherit;padding:.4rem .6rem;max-width:100%;box-sizing:border-box}label{display:block;margin:1rem 0 .3rem}
button{margin-top:1rem;display:block}h1{font-size:1.4rem;overflow-wrap:anywhere}`;
const styleHash = createHash("sha256").update(style).digest("base64");

/** The words for a browser, by its `Accept-Language`. */
export function pageWords(acceptLanguage: string | undefined): Words {
  return /^\s*zh\b/i.test(acceptLanguage ?? "") ? chinese : english;
}

/** A page with one message. */
export function pageOf(
  words: Words,
  what: "done" | "failed" | "foreign" | "forbidden" | "impossible" | "unknown",
  { server, why = "" }: PageFacts,
): Page {
  return framed(words, fill(words.title, { server }), html`<p>${fill(words[what], { server, why })}</p>`);
}

/** The page that asks whether to begin; for somebody unknown, also for a token. `ticket`: as it came with the link. */
export function startPage(
  words: Words,
  { server, who }: PageFacts,
  form: { needsToken: boolean; isWrong?: boolean; ticket?: string | undefined },
): Page {
  const title = fill(words.title, { server });
  const whose = who === undefined ? fill(words.askShared, { server }) : fill(words.askOwn, { who });
  const { needsToken, isWrong = false, ticket } = form;
  return framed(
    words,
    title,
    html`<form method="post">
      <p>${needsToken ? words.signIn : whose}</p>
      ${isWrong ? html`<p role="alert">${words.askToken}</p>` : ""}
      ${
        needsToken
          ? html`<label for="token">${words.token}</label>
      <input id="token" name="token" type="password" required autocomplete="off" maxlength="4096">`
          : ""
      }
      ${ticket === undefined ? "" : html`<input type="hidden" name="for" value="${ticket}">`}
      <button>${words.go}</button>
    </form>`,
  );
}

/** The page that leads on to the authorization server. No redirection: a browser holds those of a form to the form's own site. */
export function goingPage(words: Words, { server }: PageFacts, authorizationUrl: string): Page {
  const text = fill(words.going, { host: new URL(authorizationUrl).host });
  return framed(
    words,
    fill(words.title, { server }),
    html`<p><a href="${authorizationUrl}" rel="noreferrer">${text}</a></p>`,
    html`<meta http-equiv="refresh" content="0;url=${authorizationUrl}">`,
  );
}

type Piece = ReturnType<typeof html>;

function framed(words: Words, title: string, body: Piece, head: Piece | string = ""): Page {
  const page = html`<!doctype html>
<html lang="${words.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
${head}<title>${title}</title><style>${raw(style)}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
  return {
    html: String(page),
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      // Without one, a form's Origin is `null`.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    },
  };
}

function fill(text: string, facts: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => facts[name] ?? whole);
}
