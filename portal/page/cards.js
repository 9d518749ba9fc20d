import { api } from "./api.js";

/**
 * What the page half of an extension gives a portal.
 * @typedef {{ id: string, anchor: string }} Card
 * @typedef {{ watchCards: (base: string, chat: string, onCards: (cards: Card[]) => void) => () => void }} PageHalf
 * @typedef {import("./api.js").Extension} Extension
 * @typedef {import("./transcript.js").Transcript} Transcript
 */

const RETRY_MS = 2000;
/** How long a conversation waits for its cards, so that both are drawn at once and nothing shifts. */
const LIST_MS = 1000;
/** How long a card waits for its call to appear before it is put at the end. */
const HOMELESS_MS = 3000;

/** The cards of one chat: each is put at its call once and stays there; one that is not kept any more says so itself. */
export class Cards {
	#chat;
	#transcript;
	#arrived;
	#say;
	/** @type {Map<string, HTMLElement>} */
	#placed = new Map();
	/** @type {Map<string, { anchor: string, since: number, make: () => HTMLElement }>} */
	#homeless = new Map();
	/** @type {(() => void)[]} */
	#stops = [];
	/** @type {Set<string>} */
	#watched = new Set();
	/** Those whose cards are known. @type {Map<string, Extension>} */
	#lists = new Map();
	#stopped = false;
	#timer = 0;
	/** @type {() => void} */
	#listed = () => {};
	/** Settles once the cards are known, or when it takes too long to wait for them. */
	known = new Promise((/** @type {(value: void) => void} */ resolve) => {
		this.#listed = resolve;
		setTimeout(resolve, LIST_MS);
	});

	/**
	 * @param {string} chat
	 * @param {Transcript} transcript
	 * @param {(card: HTMLElement, place: () => void) => void} arrived puts a card into the page
	 * @param {(text: string) => void} say tells why there are no cards; empty when there are
	 */
	constructor(chat, transcript, arrived, say) {
		this.#chat = chat;
		this.#transcript = transcript;
		this.#arrived = arrived;
		this.#say = say;
	}

	/** Watches every extension that runs, and comes back for those that do not. */
	async watch() {
		const extensions = await api.extensions().then(
			(answer) => answer.extensions,
			() => null,
		);
		let all = extensions !== null;
		for (const extension of extensions ?? []) {
			if (this.#stopped || this.#watched.has(extension.name)) continue;
			all = extension.state === "running" && (await this.#watchOne(extension)) && all;
		}
		if (this.#stopped) return;
		if (!all || this.#watched.size === 0) this.#listed();
		this.#say(all ? "" : "The cards of this chat cannot be shown yet. Trying again.");
		if (!all) this.#timer = setTimeout(() => this.watch(), RETRY_MS);
	}

	/** Puts cards whose call has appeared since. */
	settle() {
		this.#placeForgotten();
		const now = performance.now();
		for (const [key, { anchor, since, make }] of this.#homeless) {
			const row = this.#transcript.callRow(anchor);
			if (!row && now - since < HOMELESS_MS) continue;
			const card = make();
			this.#homeless.delete(key);
			this.#placed.set(key, card);
			this.#arrived(card, () => (row ? row.place(card) : this.#transcript.placeAtEnd(card)));
		}
	}

	stop() {
		this.#stopped = true;
		clearTimeout(this.#timer);
		for (const stop of this.#stops) stop();
		this.#homeless.clear();
	}

	/** @param {Extension} extension @returns {Promise<boolean>} whether it is watched */
	async #watchOne(extension) {
		const half = await pageHalf(extension);
		if (this.#stopped || !half) return false;
		this.#stops.push(half.watchCards(extension.base, this.#chat, (cards) => this.#take(extension, cards)));
		this.#watched.add(extension.name);
		return true;
	}

	/** @param {Extension} extension @param {Card[]} cards */
	#take(extension, cards) {
		if (this.#stopped) return;
		const { name } = extension;
		this.#lists.set(name, extension);
		const keys = new Set(cards.map(({ id }) => `${name} ${id}`));
		for (const key of this.#homeless.keys())
			if (key.startsWith(`${name} `) && !keys.has(key)) this.#homeless.delete(key);
		this.#listed();
		for (const { id, anchor } of cards) {
			const key = `${name} ${id}`;
			if (this.#placed.has(key) || this.#homeless.has(key)) continue;
			this.#homeless.set(key, { anchor, since: performance.now(), make: () => this.#make(extension, id) });
			setTimeout(() => this.settle(), HOMELESS_MS);
		}
		this.settle();
	}

	/** A call that showed a card which the list does not have: its place says so. */
	#placeForgotten() {
		for (const extension of this.#lists.values()) {
			for (const row of this.#transcript.calls()) {
				const key = `${extension.name} ${row.card}`;
				const isOurs = row.card && extension.tools.some(({ name }) => name === row.tool);
				if (!isOurs || this.#placed.has(key) || this.#homeless.has(key)) continue;
				const card = this.#make(extension, row.card);
				this.#placed.set(key, card);
				this.#arrived(card, () => row.place(card));
			}
		}
	}

	/** @param {Extension} extension @param {string} id */
	#make({ base, page }, id) {
		const card = document.createElement(page.element);
		for (const [attribute, value] of Object.entries({ chat: this.#chat, card: id, base }))
			card.setAttribute(attribute, value);
		return card;
	}
}

/**
 * Looks at a chat that is about to begin, so that its first card finds a page there.
 * @param {string} chat
 * @returns {Promise<() => void>} what looks away again
 */
export async function lookAt(chat) {
	/** @type {(() => void)[]} */
	const stops = [];
	const look = async () => {
		const { extensions } = await api.extensions();
		for (const extension of extensions.filter(({ state }) => state === "running")) {
			const half = await pageHalf(extension);
			if (half)
				await new Promise((/** @type {(value: void) => void} */ seen) =>
					stops.push(half.watchCards(extension.base, chat, () => seen())),
				);
		}
	};
	await Promise.race([look().catch(() => {}), new Promise((resolve) => setTimeout(resolve, LIST_MS))]);
	return () => {
		for (const stop of stops) stop();
	};
}

/** @type {Map<string, PageHalf>} */
const halves = new Map();
let failures = 0;

/**
 * The page half of an extension, loaded once for the page: it defines an element. A module that failed to load stays
 * failed under its address in some browsers, hence the counter.
 * @param {Extension} extension
 * @returns {Promise<PageHalf | null>}
 */
async function pageHalf({ name, base, page }) {
	const loaded = halves.get(name);
	if (loaded) return loaded;
	try {
		const half = await import(`${base}/${page.module}${failures > 0 ? `?try=${failures}` : ""}`);
		halves.set(name, half);
		return half;
	} catch (error) {
		console.warn(`the page half of ${name} did not load`, error);
		failures += 1;
		return null;
	}
}
