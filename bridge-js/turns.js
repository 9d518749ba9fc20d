/** Cards loading at once: of many, none would say hello in time. */
const AT_ONCE = 4;

/** @type {Map<Element, () => void>} */
const waiting = new Map();
let loading = 0;

/** @type {import("./types.js").TakeTurn} */
export const takeTurn = async (card) => {
	if (loading >= AT_ONCE) await new Promise((go) => waiting.set(card, () => go(null)));
	loading++;
	let over = false;
	return () => {
		if (over) return;
		over = true;
		loading--;
		const [next] = [...waiting.keys()].sort((a, b) => distance(a) - distance(b));
		waiting.get(next)?.();
		waiting.delete(next);
	};
};

/** From the middle of what is looked at. */
const distance = (/** @type {Element} */ card) => Math.abs(card.getBoundingClientRect().top - innerHeight / 2);
