import { clock } from "./debounce.js";

const RETRY_MS = 500;
const RETRY_MAX_MS = 15_000;

/** @type {import("./types.js").MakeSender} */
export const makeSender = ({ post, waiting, settled }, time = clock) => {
	/** @type {import("./types.js").Outgoing[]} */
	let queue = [];
	let busy = false;
	/** The first may have arrived, so only its own id may carry it. */
	let tried = false;
	let failures = 0;
	let timer = 0;
	let done = () => {};

	const retry = () => {
		time.clearTimeout(timer);
		timer = 0;
		next();
	};
	const wait = (ms = RETRY_MAX_MS) => {
		timer = time.setTimeout(retry, ms);
	};
	const next = async () => {
		const event = queue[0];
		if (!event) done();
		if (busy || timer || !event) return;
		if (!navigator.onLine) {
			waiting("offline");
			return wait();
		}
		busy = true;
		waiting("sending");
		const answer = await post(event);
		const { status, value } = answer;
		busy = false;
		tried = !status || status >= 500;
		if (status === 429) {
			waiting("rate_limited");
			wait(value.retryAfterMs ?? RETRY_MS);
		} else if (tried) {
			if (!navigator.onLine) waiting("offline");
			wait(Math.min(RETRY_MS * 2 ** failures++, RETRY_MAX_MS));
		} else {
			queue.shift();
			failures = 0;
			settled(answer);
			next();
		}
	};
	/** Keeps the newest of each name, and before each action that stays what it had pending. */
	const fold = () => {
		const actions = new Set();
		let values = new Set();
		for (let i = queue.length - 1; i >= +(busy || tried); i--) {
			const { name, action } = queue[i];
			const seen = action ? actions : values;
			if (seen.has(name)) queue.splice(i, 1);
			else if (action) values = new Set();
			seen.add(name);
		}
	};

	return {
		send(name, data, action) {
			queue.push({ id: newId(), name, data, action });
			fold();
			next();
		},
		drop() {
			const left = queue.slice(0, +busy);
			const some = left.length < queue.length;
			queue = left;
			return some;
		},
		retry,
		leave() {
			for (const event of queue) post(event);
		},
		idle: () =>
			new Promise((resolve) => {
				done = resolve;
				next();
			}),
	};
};

/** Not `randomUUID`: that needs a secure context. */
const newId = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
