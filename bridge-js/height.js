/** What `vh` resolves against while the content is first measured. */
export const FIRST_VIEWPORT = 20;
const FILLING = 240;
const RESERVED = 64;
const WIDTH_CLASS = 160;
const TALLEST_KEPT = 4000;
const KEEP_MS = 2000;

/** @type {import("./types.js").MakeHeight} */
export const makeHeight = ({ stage, more }, my, tell) => {
	let content = 0;
	let all = false;
	let keeping = 0;

	const widthClass = () => Math.ceil(stage.clientWidth / WIDTH_CLASS);
	const kept = () => my.card?.heights.find(([width]) => width === widthClass())?.[1];
	const keep = () => {
		keeping = 0;
		const width = stage.clientWidth;
		const tall = Math.min(content, TALLEST_KEPT);
		if (!my.card || !width || !tall || kept() === tall) return;
		my.card.heights = [[widthClass(), tall], ...my.card.heights];
		tell({ width, height: tall });
	};
	/** @type {import("./types.js").Height} */
	const height = {
		isKnown: () => content > 0,
		reserve() {
			const reserved = my.load ? stage.clientHeight : Math.min(kept() ?? RESERVED, my.settings.maxHeight);
			stage.style.minHeight = `${reserved}px`;
		},
		forget() {
			content = 0;
		},
		measured(next) {
			content = !content && next === FIRST_VIEWPORT ? FILLING : next;
			height.fit();
			if (!keeping) keeping = setTimeout(keep, KEEP_MS);
		},
		fit() {
			const cap = my.settings.maxHeight;
			more.hidden = content <= cap;
			more.textContent = all ? "Show less" : "Show all";
			if (!my.load || !content) return;
			const shown = all ? content : Math.min(content, cap);
			// Said before it is done, so that the bridge can tell its effect from the author's.
			my.load.post({ type: "sized", height: shown });
			my.load.frame.style.height = `${shown}px`;
			my.load.frame.className = "shown";
			stage.style.minHeight = "";
		},
	};
	more.onclick = () => {
		all = !all;
		height.fit();
	};
	return height;
};
