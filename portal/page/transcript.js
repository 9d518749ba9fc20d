import { CallRow } from "./call-row.js";
import { h } from "./dom.js";
import { AssistantRow, createRow } from "./rows.js";

/**
 * @typedef {import("./api.js").Item} Item
 * @typedef {import("./rows.js").Row} Row
 */

/**
 * The items of a chat in their order, and after them the person's queued messages. Rows are kept by id and never
 * moved, but for a queued message that gets its turn: a frame that moves in the document loads again.
 */
export class Transcript {
	element = h("ol", { class: "transcript", "aria-label": "Conversation" });
	queue = h("ol", { class: "transcript queue", "aria-label": "Queued messages", hidden: true });
	/** @type {Map<number, Row>} */
	#rows = new Map();
	/** @type {Map<string, CallRow>} */
	#calls = new Map();
	#change;

	/** @param {(draw: () => void) => void} change wraps whatever changes the height */
	constructor(change) {
		this.#change = change;
	}

	/** @param {Item[]} items all of them: rows that are there stay, others come and go */
	reconcile(items) {
		this.#change(() => {
			const ids = new Set(items.map((item) => item.id));
			for (const id of [...this.#rows.keys()]) if (!ids.has(id)) this.#forget(id);
			/** @type {Element | null} */
			let before = null;
			for (const item of items) {
				const row = this.#put(item, before);
				if (row.element.parentElement === this.element) before = row.element;
			}
		});
	}

	/** @param {Item} item new, or in place of the one with its id */
	put(item) {
		this.#change(() => this.#put(item, this.element.lastElementChild));
	}

	/** @param {number} id */
	has(id) {
		return this.#rows.has(id);
	}

	/** @param {number} id @param {string} text */
	append(id, text) {
		const row = this.#rows.get(id);
		if (row instanceof AssistantRow) row.append(text, this.#change);
	}

	/** @param {string} call */
	callRow(call) {
		return this.#calls.get(call);
	}

	calls() {
		return this.#calls.values();
	}

	/** @param {HTMLElement} card one whose call is not in the transcript */
	placeAtEnd(card) {
		this.element.append(h("li", { class: "row call" }, card));
	}

	/**
	 * @param {Item} item
	 * @param {Element | null} before the row a new one comes after
	 */
	#put(item, before) {
		const known = this.#rows.get(item.id);
		const row = known ?? createRow(item);
		if (known) known.update(item);
		const queued = item.kind === "person" && item.queued === true;
		const home = queued ? this.queue : this.element;
		if (row.element.parentElement !== home) {
			if (queued) home.append(row.element);
			else if (before) before.after(row.element);
			else home.prepend(row.element);
		}
		this.queue.hidden = this.queue.childElementCount === 0;
		this.#rows.set(item.id, row);
		if (item.kind === "call" && row instanceof CallRow) this.#calls.set(item.call, row);
		return row;
	}

	/** @param {number} id */
	#forget(id) {
		const row = this.#rows.get(id);
		if (row instanceof CallRow) this.#calls.delete(row.element.dataset.call ?? "");
		row?.element.remove();
		this.#rows.delete(id);
		this.queue.hidden = this.queue.childElementCount === 0;
	}
}
