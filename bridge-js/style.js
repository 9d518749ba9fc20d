export const sheet = new CSSStyleSheet();

sheet.replaceSync(`
:host { display: block; margin: 8px 0; }
[hidden] { display: none !important; }
section { overflow: hidden; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); color: var(--fg); font: 13px/1.5 system-ui, sans-serif; }
header { display: flex; align-items: center; min-height: 36px; box-sizing: border-box; padding: 5px 6px 5px 14px; border-bottom: 1px solid var(--line); }
.title { overflow: hidden; font-weight: 600; text-overflow: ellipsis; white-space: nowrap; }
.id { margin-inline: 8px auto; color: var(--fg-subtle); font-size: 12px; }
.title:empty + .id { margin-inline-start: 0; }
button { margin-inline-start: 4px; padding: 2px 9px; border: 1px solid transparent; border-radius: 6px; background: none; color: var(--fg-muted); font: inherit; white-space: nowrap; cursor: pointer; }
button:hover, .action { border-color: var(--line); background: var(--raised); color: var(--fg); }
.close { padding: 0 8px; font-size: 18px; line-height: 24px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.skip { display: block; padding: 4px 14px; color: var(--accent); }
.full svg { display: block; width: 16px; height: 22px; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
.quiet:not(:focus) { position: absolute; width: 1px; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%); }
.failed { overflow: hidden; padding: 3px 14px; border-bottom: 1px solid var(--line); color: var(--fg-muted); font-size: 12px; text-overflow: ellipsis; white-space: nowrap; }
.fallback { padding: 4px 14px 0; color: var(--fg-muted); font-size: 12px; }
.fallback p { margin: 4px 0; color: var(--fg); font-size: 13px; white-space: pre-line; }
summary { width: fit-content; cursor: pointer; }
iframe { display: block; width: 100%; height: 20px; border: 0; opacity: 0; }
.shown { opacity: 1; }
footer { display: flex; align-items: center; min-height: 18px; padding: 3px 14px 7px; color: var(--fg-subtle); font-size: 12px; }
.line { position: relative; padding-inline-start: 15px; }
.line:not(:empty)::before { content: ""; position: absolute; inset: 6px auto auto 0; width: 7px; height: 7px; border-radius: 50%; background: var(--dot, var(--warn)); }
[data-state=answered], [data-state=delivered] { --dot: var(--ok); }
[data-state=asked], [data-state=sending], [data-state=next_step], [data-state=starting] { --dot: var(--accent); }
[data-state=next_message], [data-state=unanswered], [data-state=closed], [data-state=removed] { --dot: var(--fg-faint); }
[data-state=refused] { --dot: var(--danger); color: var(--danger); }
section.full { display: flex; flex-direction: column; inset: 0; box-sizing: border-box; width: 100%; height: 100%; margin: 0; padding: 0; border: 0; border-radius: 0; }
.full .stage { flex: 1; overflow: auto; }
.full .more { display: none; }
.closed { border-style: dashed; background: none; }
.closed .shown { opacity: .75; }
`);
