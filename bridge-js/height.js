/** What `vh` resolves against while the content is first measured. */
export const FIRST_VIEWPORT = 20;
const FILLING = 240;
const RESERVED = 64;
const WIDTH_CLASS = 160;
const TALLEST_KEPT = 4000;
const KEEP_MS = 2000;

/** @type {import("./types.js").MakeHeight} */
export const makeHeight = ({ stage, more }, { cap, kept, frame, announce, keep }) => {
	let content = 0;
	let all = false;
	let keeping = 0;

	const keptHere = () => kept().find(([width]) => width === Math.ceil(stage.clientWidth / WIDTH_CLASS))?.[1];
	const keepSoon = () => {
		if (keeping) return;
		keeping = setTimeout(() => {
			keeping = 0;
			const width = stage.clientWidth;
			const height = Math.min(content, TALLEST_KEPT);
			if (width && height && keptHere() !== height) keep(Math.ceil(width / WIDTH_CLASS), { width, height });
		}, KEEP_MS);
	};
	/** @type {import("./types.js").Height} */
	const height = {
		get isKnown() {
			return content > 0;
		},
		reserve(drawnBefore) {
			const reserved = drawnBefore ? stage.clientHeight : Math.min(keptHere() ?? RESERVED, cap());
			stage.style.minHeight = `${reserved}px`;
		},
		forget() {
			content = 0;
		},
		measured(next) {
			content = !content && next === FIRST_VIEWPORT ? FILLING : next;
			height.fit();
			keepSoon();
		},
		fit() {
			more.hidden = content <= cap();
			more.textContent = all ? "Show less" : "Show all";
			const drawn = frame();
			if (!drawn || !content) return;
			const shown = all ? content : Math.min(content, cap());
			// Said before it is done, so that the bridge can tell its effect from the author's.
			announce(shown);
			drawn.style.height = `${shown}px`;
			drawn.className = "shown";
			stage.style.minHeight = "";
		},
	};
	more.onclick = () => {
		all = !all;
		height.fit();
	};
	return height;
};
