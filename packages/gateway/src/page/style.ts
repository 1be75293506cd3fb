/** The style of the page: light and dark, from 320 pixels on, in the fonts of the machine. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --sheet: #ffffff; --inset: #f8f9fb; --line: #e0e4ea; --strong-line: #868f9c;
  --text: #1b2330; --soft: #566070; --link: #1d4fbf; --focus: #1d4fbf; --on-accent: #ffffff;
  --go: #17713f; --go-hover: #115a32; --stop: #b3261e; --stop-wash: #fdf0ef;
  --low: #2c6b45; --low-wash: #e8f3ec; --medium: #2a55a5; --medium-wash: #e9effa;
  --high: #8a4b00; --high-wash: #fcf1df; --critical: #a11d16; --critical-wash: #fce9e7;
  --shadow: 0 1px 2px rgb(20 30 50 / 5%), 0 2px 8px rgb(20 30 50 / 4%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1319; --sheet: #171c24; --inset: #12171e; --line: #29313c; --strong-line: #758091;
    --text: #e7ebf1; --soft: #a1abb9; --link: #8ab1ff; --focus: #8ab1ff; --on-accent: #0d1218;
    --go: #6fce97; --go-hover: #8adcad; --stop: #ff9b92; --stop-wash: #2c1a1a;
    --low: #86d3a4; --low-wash: #16291e; --medium: #9dbcff; --medium-wash: #18243d;
    --high: #f2bd6f; --high-wash: #2f2412; --critical: #ffa69d; --critical-wash: #341a18;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
}
a { color: var(--link); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: 12px; top: -60px; background: var(--sheet); padding: 8px 14px; z-index: 2; border-radius: 6px; }
.skip:focus { top: 12px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.wide { max-width: 920px; margin: 0 auto; padding: 0 20px; }
.top { background: var(--sheet); border-bottom: 1px solid var(--line); }
.top .wide { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 20px; min-height: 56px; }
.brand { display: flex; align-items: center; gap: 10px; font-weight: 650; color: inherit; text-decoration: none; margin-right: auto; padding: 6px 0; }
.brand svg { flex: none; color: var(--link); }
.account { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; font-size: 14px; color: var(--soft); padding: 6px 0; min-width: 0; }
.account b { color: var(--text); font-weight: 600; overflow-wrap: anywhere; }
.account form { margin: 0; }
.plain { border: 0; background: none; padding: 4px 0; font: inherit; color: var(--link); cursor: pointer; text-decoration: underline; text-underline-offset: 2px; }
nav { flex: 1 0 100%; }
nav ul { display: flex; gap: 0 26px; list-style: none; margin: 0 0 -1px; padding: 0; flex-wrap: wrap; }
nav a { display: inline-flex; align-items: center; gap: 8px; padding: 9px 0 10px; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; font-weight: 500; }
nav a:hover { color: var(--text); }
nav a[aria-current] { color: var(--text); border-bottom-color: var(--link); }
.count { min-width: 21px; padding: 0 6px; border-radius: 11px; background: var(--medium-wash); color: var(--medium); font-size: 12.5px; line-height: 21px; text-align: center; font-weight: 600; font-variant-numeric: tabular-nums; }
.count.warn { background: var(--high-wash); color: var(--high); }
h1 + .note { margin-top: 14px; }
main { padding: 28px 0 64px; overflow-wrap: anywhere; }
h1 { font-size: 22px; line-height: 1.3; font-weight: 650; margin: 0 0 4px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 15px; font-weight: 650; margin: 0 0 10px; }
p { margin: 0 0 12px; }
.lead, .hint { color: var(--soft); }
.hint { font-size: 13.5px; margin: 0; }
.hint + .arguments { margin-top: 10px; }
.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); padding: 20px 22px; margin: 0 0 16px; }
.list { list-style: none; margin: 0; padding: 0; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); }
.list li { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 20px; padding: 15px 22px 16px; border-top: 1px solid var(--line); }
.list li:first-child { border-top: 0; border-radius: 10px 10px 0 0; }
.list li:last-child { border-radius: 0 0 10px 10px; }
.list li:hover { background: var(--inset); }
.list li:has(a:focus-visible) { outline: 2px solid var(--focus); outline-offset: -2px; }
.list a { color: inherit; text-decoration: none; font-weight: 600; overflow-wrap: anywhere; }
.list a:focus-visible { outline: none; }
.list a::after { content: ""; position: absolute; inset: 0; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; min-width: 0; }
.when { color: var(--soft); font-size: 13.5px; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.about { grid-column: 1 / -1; color: var(--soft); font-size: 14px; overflow-wrap: anywhere; }
.glance { grid-column: 1 / -1; margin-top: 3px; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.badge { display: inline-block; padding: 1px 9px; border-radius: 11px; font-size: 12.5px; line-height: 20px; font-weight: 600; white-space: nowrap; color: var(--medium); background: var(--medium-wash); }
.badge.LOW, .badge.used, .badge.approved { color: var(--low); background: var(--low-wash); }
.badge.HIGH { color: var(--high); background: var(--high-wash); }
.badge.CRITICAL, .badge.denied { color: var(--critical); background: var(--critical-wash); }
.badge.expired { color: var(--soft); background: var(--inset); box-shadow: inset 0 0 0 1px var(--line); }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; margin-bottom: 18px; }
.head h1 { margin: 0; }
.back { display: inline-block; margin-bottom: 12px; font-size: 14px; }
code, pre, .value, .path, .glance { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; font-size: 13px; line-height: 1.55; }
code { overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: minmax(130px, max-content) minmax(0, 1fr); gap: 7px 24px; margin: 0; }
.facts dt { color: var(--soft); font-size: 14px; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.arguments { width: 100%; border-collapse: collapse; table-layout: fixed; border: 1px solid var(--line); background: var(--inset); }
.arguments th, .arguments td { text-align: left; vertical-align: top; padding: 7px 12px; border-top: 1px solid var(--line); overflow-wrap: anywhere; white-space: pre-wrap; }
.arguments tr:first-child > * { border-top: 0; }
.arguments th { width: 24%; font-weight: 500; color: var(--soft); }
details { margin-top: 14px; }
summary { cursor: pointer; color: var(--link); width: max-content; max-width: 100%; padding: 2px 0; }
.scroll { margin: 8px 0 0; background: var(--inset); border: 1px solid var(--line); max-height: 60vh; overflow-y: auto; }
pre { margin: 0; padding: 12px 14px; white-space: pre-wrap; overflow-wrap: anywhere; }
.note { border-left: 3px solid var(--strong-line); background: var(--inset); padding: 10px 14px; margin: 0 0 16px; overflow-wrap: anywhere; }
.note.warn { border-color: var(--high); background: var(--high-wash); }
.note.bad { border-color: var(--stop); background: var(--stop-wash); }
.note.good { border-color: var(--go); background: var(--low-wash); }
.note p:last-child { margin: 0; }
label { display: block; font-weight: 600; margin-bottom: 2px; }
input, textarea { display: block; width: 100%; margin: 8px 0 16px; padding: 9px 12px; font: inherit; color: inherit; background: var(--sheet); border: 1px solid var(--strong-line); border-radius: 7px; }
textarea { min-height: 76px; resize: vertical; }
.buttons { display: flex; flex-wrap: wrap; gap: 10px 12px; align-items: center; }
.button { display: inline-block; font: inherit; font-weight: 600; line-height: 22px; padding: 9px 22px; border-radius: 7px; border: 1px solid transparent; cursor: pointer; text-decoration: none; text-align: center; }
.go { background: var(--go); color: var(--on-accent); }
.go:hover { background: var(--go-hover); }
.enter { background: var(--link); color: var(--on-accent); }
.enter:hover { filter: brightness(0.92); }
.stop { background: transparent; color: var(--stop); border-color: currentColor; }
.stop:hover { background: var(--stop-wash); }
.quiet { background: transparent; color: var(--text); border-color: var(--strong-line); }
.quiet:hover { background: var(--inset); }
.choices { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 12px 16px; align-items: center; }
.choices .button { width: 100%; }
.empty { text-align: center; padding: 60px 20px; color: var(--soft); }
.empty h1 { color: var(--text); font-size: 18px; }
.empty svg { color: var(--strong-line); margin-bottom: 12px; }
.gate { max-width: 430px; margin: 7vh auto 0; }
.gate .sheet { padding: 28px; }
.gate .button { width: 100%; }
.gate h1 { margin-bottom: 8px; }
.gate .lead { margin-bottom: 20px; }
.gate .hint { margin-top: 18px; }
.gate code { display: block; margin-top: 2px; }
.more { display: block; text-align: center; padding: 16px; }
@media (max-width: 600px) {
  .wide { padding: 0 14px; }
  h1 + .note { margin-top: 14px; }
main { padding-top: 20px; }
  .sheet { padding: 16px; }
  .list li { grid-template-columns: minmax(0, 1fr); padding: 14px 16px; }
  .when { text-align: left; white-space: normal; }
  .facts, .choices { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: 10px; }
  .choices .hint { margin: 4px 0 14px; }
  .arguments, .arguments tbody, .arguments tr, .arguments th, .arguments td { display: block; width: auto; }
  .arguments th { padding-bottom: 0; }
  .arguments td { border-top: 0; padding-top: 1px; }
  .arguments tr + tr { border-top: 1px solid var(--line); }
  .arguments tr + tr th { border-top: 0; }
  .buttons .button { flex: 1 1 105px; }
  .facts dt, .hint, .when, .about { font-size: 14px; }
}
@media (prefers-reduced-motion: no-preference) { .button, .list li, nav a { transition: background-color 0.12s, color 0.12s; } }
@media (forced-colors: active) { .badge, .count, .button, .note { border: 1px solid; } }
`;
