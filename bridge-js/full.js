import { parentOf } from "./gate.js";

const TWICE_MS = 1000;

/**
 * The section becomes a popover: it fills the window above everything, whatever its ancestors clip or transform, and its
 * frame stays where it is in the document. The Fullscreen API would leave out phones and portals in frames without leave
 * for it, and does not keep assistive technology from what lies behind.
 * @type {import("./types.js").MakeFull}
 */
export const makeFull = (host, { card, full: button, end }, fit) => {
	/** @type {Element[]} */
	let behind = [];
	/** @type {[Element, number, number][]} */
	let scrolled = [];
	/** @type {AbortController | undefined} */
	let life;
	let escapedAt = -TWICE_MS;

	const label = () => {
		button.ariaLabel = button.title = life ? "Leave full screen" : "Full screen";
	};
	const full = {
		leave() {
			if (!life) return;
			life.abort();
			life = undefined;
			for (const element of behind) element.removeAttribute("inert");
			card.classList.remove("full");
			card.popover = null;
			host.style.height = "";
			label();
			fit();
			button.focus({ preventScroll: true });
			for (const [node, left, top] of scrolled) node.scrollTo({ left, top, behavior: "instant" });
		},
		/** Escape, wherever in the card: out of full screen, or pressed twice out of the card, which may hold the Tab key. */
		escaped() {
			const now = performance.now();
			if (life) full.leave();
			else if (now - escapedAt < TWICE_MS) end.focus();
			escapedAt = now;
		},
	};
	const enter = () => {
		life = new AbortController();
		// What stands around it stays where it is.
		host.style.height = `${host.offsetHeight}px`;
		behind = [];
		scrolled = [];
		for (let node = /** @type {Element | null} */ (host); node; node = parentOf(node)) {
			scrolled.push([node, node.scrollLeft, node.scrollTop]);
			for (const beside of node.parentNode?.children ?? [])
				if (beside !== node && !(/** @type {HTMLElement} */ (beside).inert)) behind.push(beside);
		}
		for (const element of behind) element.setAttribute("inert", "");
		card.classList.add("full");
		card.popover = "manual";
		card.showPopover();
		label();
		fit();
		addEventListener("keydown", (event) => event.key === "Escape" && full.leave(), life);
		addEventListener("resize", fit, life);
	};
	button.onclick = () => (life ? full.leave() : enter());
	label();
	return full;
};
