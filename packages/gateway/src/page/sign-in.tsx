import { visibleText } from "@toolglot/internal";
import type { Child } from "hono/jsx";
import { Note, type View } from "./layout.tsx";
import type { Markup } from "./markup.ts";

interface SignInProps {
  view: View;
  /** For the form. */
  formKey: string;
  /** Where to go then. */
  next: string;
  problem?: string;
}

/** The form that takes a token. */
export function SignIn({ view: { words }, formKey, next, problem }: SignInProps): Markup {
  return (
    <Gate>
      <h1>{words.title}</h1>
      <p class="lead">{words.signInLead}</p>
      {problem && <Note kind="bad">{problem}</Note>}
      <form method="post" action="/approvals/sign-in">
        <input type="hidden" name="key" value={formKey} />
        <input type="hidden" name="next" value={next} />
        <label for="token">{words.token}</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autocomplete="current-password"
          spellcheck={false}
          autocapitalize="none"
          placeholder="tg1_…"
        />
        <button class="button enter" type="submit">
          {words.signIn}
        </button>
      </form>
      <p class="hint">
        {words.tokenHint} <code>toolglot gateway token add NAME --role approver</code>
      </p>
    </Gate>
  );
}

/** What a link shows before it is used: whoever only fetches it, as programs do that show a preview, uses nothing up. */
export function SignInLink(props: { view: View; formKey: string; code: string; name: string }): Markup {
  const { view, formKey, code, name } = props;
  return (
    <Gate>
      <h1>{view.words.title}</h1>
      <p class="lead">
        {view.words.linkLead} <b>{visibleText(name)}</b>.
      </p>
      <form method="post" action={`/approvals/link/${code}`}>
        <input type="hidden" name="key" value={formKey} />
        <button class="button enter" type="submit">
          {view.words.signInAs} {visibleText(name)}
        </button>
      </form>
    </Gate>
  );
}

function Gate({ children }: { children?: Child }): Markup {
  return (
    <div class="gate">
      <div class="sheet">{children}</div>
    </div>
  );
}
