/** A clock that moves when it is told to. */
export function makeClock() {
	let now = 0;
	let last = 0;
	/** @type {Map<number, { at: number, fn: () => void }>} */
	const timers = new Map();
	return {
		now: () => now,
		setTimeout(fn, ms) {
			timers.set(++last, { at: now + ms, fn });
			return last;
		},
		clearTimeout(id) {
			timers.delete(id);
		},
		/** Runs what is due on the way, in order. */
		advance(ms) {
			const end = now + ms;
			for (;;) {
				const [next] = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
				if (!next) break;
				timers.delete(next[0]);
				now = Math.max(now, next[1].at);
				next[1].fn();
			}
			now = end;
		},
		get waiting() {
			return timers.size;
		},
	};
}
