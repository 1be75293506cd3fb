import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { assets } from "./assets.ts";
import type { Markup } from "./markup.ts";
import type { Language, Words } from "./words.ts";

/** What is the same on every page of one request. */
export interface View {
  language: Language;
  words: Words;
  /** By the clock of the store, whose times are shown. */
  now: number;
  /** Path and query of the request, without `lang`. */
  address: string;
  /** Who has signed in; absent on the pages before that. */
  account?: {
    name: string;
    /** For forms. */
    key: string;
    waiting: number;
    /** Undefined for who may not settle anything. */
    inDoubt: number | undefined;
    /** Changes whenever something that this person sees does. */
    mark: string;
  };
}

/** The parts that the three lists have a tab for. */
export type Tab = "waiting" | "in-doubt" | "decided";

interface PageProps {
  view: View;
  title: string;
  tab?: Tab;
  children?: Child;
}

/** A whole page. */
export function page({ view, title, tab, children }: PageProps): Markup {
  const { words, language, account } = view;
  const count = account === undefined || account.waiting === 0 ? "" : `(${account.waiting}) `;
  return html`<!DOCTYPE html>${(
    <html lang={language === "zh" ? "zh-CN" : "en"}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${count}${title === words.title ? title : `${title} – ${words.title}`} – toolglot`}</title>
        <link rel="icon" href={`/approvals${assets.icon.path}`} />
        <link rel="stylesheet" href={`/approvals${assets.style.path}`} />
        {account && <script src={`/approvals${assets.script.path}`} defer></script>}
      </head>
      <body data-mark={account?.mark}>
        <a class="skip" href="#content">
          {words.skip}
        </a>
        <Header view={view} {...(tab && { tab })} />
        {account && (
          <p class="unseen" role="status" id="said" data-live data-speaks data-version={account.mark}>
            {words.requestsWait(account.waiting)}
          </p>
        )}
        <main id="content" tabindex={-1}>
          <div class="wide">{children}</div>
        </main>
      </body>
    </html>
  )}`;
}

function Header({ view, tab }: { view: View; tab?: Tab }): Markup {
  const { words, language, account, address } = view;
  const other: Language = language === "zh" ? "en" : "zh";
  return (
    <header class="top">
      <div class="wide">
        <a class="brand" href="/approvals">
          <Mark />
          toolglot
        </a>
        <div class="account">
          {account && (
            <span>
              <span class="unseen">{words.signedInAs} </span>
              <b>{account.name}</b>
            </span>
          )}
          <a href={withLanguage(address, other)} lang={other === "zh" ? "zh-CN" : "en"} hreflang={other}>
            {other === "zh" ? "中文" : "English"}
          </a>
          {account && (
            <form method="post" action="/approvals/sign-out">
              <input type="hidden" name="key" value={account.key} />
              <button class="plain" type="submit">
                {words.signOut}
              </button>
            </form>
          )}
        </div>
        {account && <Tabs view={view} account={account} {...(tab && { tab })} />}
      </div>
    </header>
  );
}

function Tabs({ view: { words }, account, tab }: { view: View; account: Account; tab?: Tab }): Markup {
  const current = (of: Tab): { "aria-current"?: "page" } => (tab === of ? { "aria-current": "page" } : {});
  return (
    <nav aria-label={words.title} id="tabs" data-live data-version={account.mark}>
      <ul>
        <li>
          <a href="/approvals" id="tab-waiting" {...current("waiting")}>
            {words.waiting}
            {account.waiting > 0 && <span class="count">{account.waiting}</span>}
          </a>
        </li>
        {account.inDoubt !== undefined && (
          <li>
            <a href="/approvals/in-doubt" id="tab-in-doubt" {...current("in-doubt")}>
              {words.inDoubt}
              {account.inDoubt > 0 && <span class="count warn">{account.inDoubt}</span>}
            </a>
          </li>
        )}
        <li>
          <a href="/approvals/decided" id="tab-decided" {...current("decided")}>
            {words.decided}
          </a>
        </li>
      </ul>
    </nav>
  );
}

type Account = NonNullable<View["account"]>;

function Mark(): Markup {
  return (
    <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="currentColor" />
      <path
        d="m7 12.4 3.4 3.4L17.2 9"
        fill="none"
        stroke="var(--sheet)"
        stroke-width="2.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

function withLanguage(address: string, language: Language): string {
  return `${address}${address.includes("?") ? "&" : "?"}lang=${language}`;
}

/** A list without anything in it. */
export function Empty({ title, lead }: { title: string; lead?: string }): Markup {
  return (
    <div class="sheet empty">
      <svg
        width="40"
        height="40"
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        aria-hidden="true"
      >
        <circle cx="12" cy="12" r="9" />
        <path d="m8.2 12.3 2.6 2.6 5-5.2" stroke-linecap="round" stroke-linejoin="round" />
      </svg>
      <h1>{title}</h1>
      {lead && <p>{lead}</p>}
    </div>
  );
}

/** A message of the page, in a colour. */
export function Note({ kind, children }: { kind: "good" | "warn" | "bad"; children?: Child }): Markup {
  return (
    <div class={`note ${kind}`} role={kind === "bad" ? "alert" : undefined}>
      <p>{children}</p>
    </div>
  );
}
