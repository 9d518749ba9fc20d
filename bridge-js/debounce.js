/** @type {import("./types.js").Clock} */
export const clock = {
	now: () => performance.now(),
	setTimeout: (fn, ms) => setTimeout(fn, ms),
	clearTimeout: (timer) => clearTimeout(timer),
};

const CEILING_FACTOR = 4;
const CEILING_MS = 1000;

/** @type {import("./types.js").MakeDebounce} */
export const makeDebounce = (send, waitOf, time = clock) => {
	/** In the order of each name's newest emit. */
	const pending = new Map();
	let timer = 0;

	const arm = () => {
		time.clearTimeout(timer);
		const due = Math.min(...[...pending.values()].map((entry) => entry.due));
		if (pending.size) timer = time.setTimeout(() => sendUntil(time.now()), due - time.now());
	};
	const sendUntil = (now = Number.POSITIVE_INFINITY) => {
		for (const [name, { data, due }] of [...pending])
			if (due <= now) {
				pending.delete(name);
				send(name, data);
			}
		arm();
	};

	return {
		push(name, data) {
			const wait = waitOf(name);
			if (!wait) {
				sendUntil();
				send(name, data);
				return;
			}
			const now = time.now();
			const since = pending.get(name)?.since ?? now;
			const due = Math.min(now + wait, since + Math.max(CEILING_FACTOR * wait, CEILING_MS));
			pending.delete(name);
			pending.set(name, { data, since, due });
			arm();
		},
		flush: () => sendUntil(),
		drop() {
			const some = pending.size > 0;
			pending.clear();
			arm();
			return some;
		},
	};
};
