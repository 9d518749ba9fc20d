import { clock } from "./debounce.js";

const APART_MS = 2000;

/** What each card has to say, the newest of each; one page speaks with one voice. @type {Map<HTMLElement, string>} */
const waiting = new Map();
let last = -APART_MS;
let timer = 0;

/** @type {import("./types.js").Announce} */
export const announce = (region, text, time = clock) => {
	waiting.delete(region);
	waiting.set(region, text);
	const speak = () => {
		timer = 0;
		const [[next, words]] = waiting;
		waiting.delete(next);
		next.textContent = words;
		last = time.now();
		arm();
	};
	const arm = () => {
		if (waiting.size && !timer) timer = time.setTimeout(speak, Math.max(0, last + APART_MS - time.now()));
	};
	arm();
};
