import { clock } from "./debounce.js";

const RETRY_MS = 500;
const RETRY_MAX_MS = 15_000;
const SIGNED_OUT = 401;
const TOO_MANY = 429;

/** @type {import("./types.js").MakeSender} */
export const makeSender = ({ post, waiting, settled, unsent }, time = clock) => {
	/** @type {import("./types.js").Outgoing[]} */
	let queue = [];
	let busy = false;
	/** Why the first one waits; empty while it does not. @type {"" | "rate_limited" | "offline" | "unreachable"} */
	let stalled = "";
	let status = 0;
	let failures = 0;
	let timer = 0;
	let stored = false;
	let retired = false;
	let done = () => {};

	const keep = () => {
		stored = unsent.keep(queue);
		return stored;
	};
	/** @type {(why: "rate_limited" | "offline" | "unreachable", ms: number) => void} */
	const stall = (why, ms) => {
		stalled = why;
		if (!retired) waiting(why, keep(), status);
		timer = time.setTimeout(goOn, ms);
	};
	const goOn = () => {
		time.clearTimeout(timer);
		timer = 0;
		next();
	};
	const next = async () => {
		const event = queue[0];
		if (!event) return done();
		if (busy || timer) return;
		if (!navigator.onLine) return stall("offline", RETRY_MAX_MS);
		// A portal that did not answer is not said to be fine before it answers.
		if (stalled !== "unreachable" && !retired) waiting("sending", true, 0);
		busy = true;
		event.tried = true;
		const answer = await post(event);
		busy = false;
		status = answer.status;
		if (status === TOO_MANY) {
			event.tried = false;
			return stall("rate_limited", answer.value.retryAfterMs ?? RETRY_MS);
		}
		if (isOpen(status)) {
			if (!navigator.onLine) return stall("offline", RETRY_MAX_MS);
			return stall("unreachable", Math.min(RETRY_MS * 2 ** failures++, RETRY_MAX_MS));
		}
		queue = queue.filter((other) => other !== event);
		stalled = "";
		failures = 0;
		if (retired) unsent.forget(event.id);
		else {
			if (stored) keep();
			settled(answer, queue.length);
		}
		next();
	};
	/** Keeps the newest of each name, and before each action that stays what it had pending. */
	const fold = () => {
		const actions = new Set();
		let values = new Set();
		// What was tried may have arrived, so only its own id may carry it.
		for (let i = queue.length - 1; i >= 0 && !queue[i].tried; i--) {
			const { name, action } = queue[i];
			const seen = action ? actions : values;
			if (seen.has(name)) queue.splice(i, 1);
			else if (action) values = new Set();
			seen.add(name);
		}
	};

	return {
		send(event) {
			queue.push({ ...event, id: newId(), tried: false });
			fold();
			next();
		},
		restore() {
			queue = unsent.read().map((event) => ({ ...event, tried: true }));
			stored = true;
			next();
		},
		drop() {
			const left = queue.filter(({ tried }) => tried);
			const some = left.length < queue.length;
			queue = left;
			if (stored) keep();
			return some;
		},
		retry() {
			if (stalled !== "rate_limited") goOn();
		},
		leave() {
			if (queue.length && !retired) keep();
			// What is kept goes in order later; all at once, requests overtake each other.
			if (stored && (stalled === "offline" || stalled === "unreachable")) return;
			for (const event of queue) {
				event.tried = true;
				post(event);
			}
		},
		retire() {
			if (queue.length) keep();
			retired = true;
			goOn();
		},
		idle: () =>
			new Promise((resolve) => {
				done = resolve;
				next();
			}),
	};
};

/** Whether such an answer leaves open what becomes of the event. */
const isOpen = (/** @type {number} */ status) => !status || status >= 500 || status === SIGNED_OUT;

/** Not `randomUUID`: that needs a secure context. */
const newId = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
