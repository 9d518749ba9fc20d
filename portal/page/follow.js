import { h, icon } from "./dom.js";

const NEAR_PX = 48;
/** A card that was just put into the page takes its height within this time. */
const ARRIVAL_MS = 3000;

/**
 * Keeps the end of the conversation in view for a reader who is there, and leaves alone one who is not. A card that
 * grows later does not scroll the page: only the conversation and a card's arrival do.
 */
export class Follow {
	button = h(
		"button",
		{ type: "button", class: "latest", hidden: true, "aria-label": "Jump to the latest", onclick: () => this.toEnd() },
		icon("down"),
	);
	#following = true;
	#frame = 0;
	/** Where the end was when it was last brought into view. */
	#end = 0;
	/** @type {Set<Element>} */
	#arriving = new Set();
	#observer = new ResizeObserver(() => this.#resized());
	#watch = new AbortController();

	/** @param {...Element} content what grows */
	constructor(...content) {
		for (const element of content) this.#observer.observe(element);
		const options = { signal: this.#watch.signal, passive: true };
		addEventListener("scroll", () => this.#look(), options);
		addEventListener("resize", () => this.#following && this.toEnd(), options);
		for (const touch of ["pointerdown", "keydown", "wheel", "touchstart", "blur"]) {
			addEventListener(touch, () => this.#arriving.clear(), options);
		}
	}

	/**
	 * Does what changes the conversation, then brings its end into view if it was: once for all changes of a frame, since
	 * each time lays out the page.
	 */
	change = (/** @type {() => void} */ act) => {
		act();
		if (this.#following) this.#frame ||= requestAnimationFrame(() => this.toEnd());
	};

	/** @param {Element} card @param {() => void} place */
	arrive(card, place) {
		this.#arriving.add(card);
		setTimeout(() => this.#arriving.delete(card), ARRIVAL_MS);
		this.change(place);
	}

	toEnd() {
		cancelAnimationFrame(this.#frame);
		this.#frame = 0;
		scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
		this.#end = scrollY;
		this.#look();
	}

	stop() {
		cancelAnimationFrame(this.#frame);
		this.#observer.disconnect();
		this.#watch.abort();
	}

	#resized() {
		if (this.#following && this.#arriving.size > 0) this.toEnd();
		else this.#look();
	}

	#look() {
		// The end is about to be brought into view, unless the reader has just gone up.
		if (this.#frame && scrollY > this.#end - NEAR_PX) return;
		cancelAnimationFrame(this.#frame);
		this.#frame = 0;
		const { scrollHeight } = document.documentElement;
		this.#following = scrollHeight - scrollY - innerHeight < NEAR_PX;
		this.button.hidden = this.#following;
	}
}
