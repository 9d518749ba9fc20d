/** What `vh` resolves against while the content is first measured. */
export const FIRST_VIEWPORT = 20;
const FILLING = 240;
const RESERVED = 64;
const WIDTH_CLASS = 160;
const TALLEST_KEPT = 4000;
const KEEP_MS = 2000;
/** Content that grew again so often in that time is drawn at its tallest, until it has kept still for as long. */
const FLIPS = 3;
const FLIPS_MS = 4000;

/** @type {import("./types.js").MakeHeight} */
export const makeHeight = ({ card, stage, more }, my, tell) => {
	let content = 0;
	let tallest = 0;
	let shrank = false;
	let settling = 0;
	/** @type {number[]} */
	let flips = [];
	let all = false;
	let keeping = 0;

	const widthClass = () => Math.ceil(stage.clientWidth / WIDTH_CLASS);
	const kept = () => my.card?.heights.find(([width]) => width === widthClass())?.[1];
	const keep = () => {
		keeping = 0;
		const width = stage.clientWidth;
		const tall = Math.min(Math.max(content, tallest), TALLEST_KEPT);
		if (!my.card || !width || !tall || kept() === tall) return;
		my.card.heights = [[widthClass(), tall], ...my.card.heights];
		tell({ width, height: tall });
	};
	/** Whether a change of that much goes on and on. */
	const flickers = (/** @type {number} */ change) => {
		const now = performance.now();
		if (change > 0 && shrank) flips.push(now);
		if (change) shrank = change < 0;
		flips = flips.filter((at) => now - at < FLIPS_MS);
		return flips.length >= FLIPS;
	};
	const settle = () => {
		settling = 0;
		tallest = 0;
		height.fit();
	};
	/** @type {import("./types.js").Height} */
	const height = {
		isKnown: () => content > 0,
		reserve() {
			const reserved = my.load ? stage.clientHeight : Math.min(kept() ?? RESERVED, my.settings.maxHeight);
			stage.style.minHeight = `${reserved}px`;
		},
		forget() {
			content = tallest = 0;
			flips = [];
			shrank = false;
		},
		measured(next) {
			const before = content;
			content = !content && next === FIRST_VIEWPORT ? FILLING : next;
			if (before && flickers(content - before)) {
				tallest = Math.max(tallest, before, content);
				clearTimeout(settling);
				settling = setTimeout(settle, FLIPS_MS);
			}
			height.fit();
			if (!keeping) keeping = setTimeout(keep, KEEP_MS);
		},
		fit() {
			const cap = my.settings.maxHeight;
			const wanted = Math.max(content, tallest);
			more.hidden = wanted <= cap;
			more.textContent = all ? "Show less" : "Show all";
			if (!my.load || !content) return;
			const shown = card.matches(".full") ? stage.clientHeight : all ? wanted : Math.min(wanted, cap);
			const { frame } = my.load;
			// Said before it is done, so that the bridge can tell its effect from the author's; held, there is none.
			if (!tallest || frame.style.height !== `${shown}px`) my.load.post({ type: "sized", height: shown });
			frame.style.height = `${shown}px`;
			frame.className = "shown";
			stage.style.minHeight = "";
		},
	};
	more.onclick = () => {
		all = !all;
		height.fit();
	};
	return height;
};
