/** Cards that run at once, beside those that somebody used and those near what is looked at. */
const LIVE = 24;
/** A card this much of the window away is near: it runs before it comes into sight. */
const NEAR = "150% 0px";

/** @type {Map<Element, import("./types.js").Runner>} */
const runners = new Map();
/** @type {IntersectionObserver | undefined} */
let observer;

/** @type {import("./types.js").MakeLive} */
export const makeLive = (card, { run, rest, stays }) => {
	/** @type {import("./types.js").Runner} */
	const my = { near: undefined, wants: false, runs: false, run, rest, stays };
	observer ??= new IntersectionObserver(
		(entries) => {
			for (const { target, isIntersecting } of entries) {
				const runner = runners.get(target);
				if (runner) runner.near = isIntersecting;
			}
			review();
		},
		{ rootMargin: NEAR },
	);
	runners.set(card, my);
	observer.observe(card);
	return {
		want() {
			my.wants = true;
			if (my.runs) run();
			else review();
		},
		ended() {
			my.wants = my.runs = false;
			review();
		},
		leave() {
			runners.delete(card);
			observer?.unobserve(card);
			review();
		},
	};
};

/** From the middle of what is looked at. */
const distance = (/** @type {Element} */ card) => Math.abs(card.getBoundingClientRect().top - innerHeight / 2);

const review = () => {
	const all = [...runners];
	const nearestFirst = (/** @type {(runner: import("./types.js").Runner) => unknown} */ is) =>
		all
			.filter(([, runner]) => is(runner))
			.sort(([a], [b]) => distance(a) - distance(b))
			.map(([, runner]) => runner);
	const start = (/** @type {import("./types.js").Runner} */ runner) => {
		runner.runs = true;
		runner.run();
	};
	// Nothing is known of one that was not laid out yet.
	const waiting = nearestFirst(({ near, wants, runs }) => near !== undefined && wants && !runs);
	for (const runner of waiting) if (runner.near) start(runner);
	const far = waiting.filter(({ near }) => !near);
	const running = () => all.filter(([, { runs }]) => runs).length;
	for (const runner of far) if (running() < LIVE) start(runner);
	if (running() <= LIVE) return;
	const idle = nearestFirst(({ near, runs, stays }) => runs && near === false && !stays()).reverse();
	for (const runner of idle) {
		if (running() <= LIVE) return;
		runner.runs = false;
		runner.rest();
	}
};
