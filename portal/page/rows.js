import { CallRow } from "./call-row.js";
import { copyButton } from "./copy.js";
import { announce, h, icon } from "./dom.js";
import { Prose } from "./markdown.js";

/**
 * What an item is drawn as. A row keeps its element for its whole life: a card may stand in it.
 * @typedef {import("./api.js").Item} Item
 * @typedef {{ element: HTMLLIElement, update: (item: any) => void }} Row
 */

/**
 * @param {Item} item
 * @returns {Row}
 */
export function createRow(item) {
	switch (item.kind) {
		case "person":
			return new PersonRow(item);
		case "assistant":
			return new AssistantRow(item);
		case "call":
			return new CallRow(item);
		case "events":
			return new EventsRow(item);
		case "notice":
			return new NoticeRow(item);
		default:
			return { element: h("li", { hidden: true }), update: () => {} };
	}
}

class PersonRow {
	#text = h("p", {});
	#queued = h("p", { class: "queued-note" }, "Queued. It goes when the agent is done.");
	element = h(
		"li",
		{ class: "row person" },
		h("h2", { class: "unseen" }, "You"),
		h("div", { class: "bubble" }, this.#text),
		this.#queued,
	);

	/** @param {import("./api.js").PersonItem} item */
	constructor(item) {
		this.update(item);
	}

	/** @param {import("./api.js").PersonItem} item */
	update(item) {
		this.#text.textContent = item.text;
		this.#queued.hidden = !item.queued;
		this.element.classList.toggle("queued", item.queued === true);
	}
}

export class AssistantRow {
	#prose = new Prose();
	#text = "";
	#streaming = false;
	#frame = 0;
	element = h(
		"li",
		{ class: "row assistant" },
		h("h2", { class: "unseen" }, "Agent"),
		this.#prose.element,
		copyButton("Copy this answer", () => this.#text),
	);

	/** @param {import("./api.js").AssistantItem} item */
	constructor(item) {
		this.update(item);
	}

	/** @param {import("./api.js").AssistantItem} item */
	update(item) {
		const finished = this.#streaming && !item.streaming;
		this.#text = item.text;
		this.#streaming = item.streaming === true;
		this.draw();
		this.element.classList.toggle("streaming", this.#streaming);
		if (finished && this.#text.trim() !== "") announce(`Agent: ${this.#text}`);
	}

	/**
	 * Adds streamed text, drawn with the next frame.
	 * @param {string} text
	 * @param {(draw: () => void) => void} change wraps the drawing
	 */
	append(text, change) {
		this.#text += text;
		this.#frame ||= requestAnimationFrame(() => change(() => this.draw()));
	}

	draw() {
		cancelAnimationFrame(this.#frame);
		this.#frame = 0;
		this.#prose.set(this.#text);
	}
}

class EventsRow {
	#summary = h("span", {});
	#text = h("pre", { tabindex: 0, role: "group", "aria-label": "What the agent read" });
	element = h(
		"li",
		{ class: "row events" },
		h("details", {}, h("summary", {}, icon("events"), this.#summary, icon("chevron")), this.#text),
	);

	/** @param {import("./api.js").EventsItem} item */
	constructor(item) {
		this.update(item);
	}

	/** @param {import("./api.js").EventsItem} item */
	update(item) {
		this.#summary.textContent = item.summary;
		this.#text.textContent = item.text;
	}
}

class NoticeRow {
	element = h("li", { class: "row notice" });

	/** @param {import("./api.js").NoticeItem} item */
	constructor(item) {
		this.update(item);
	}

	/** @param {import("./api.js").NoticeItem} item */
	update(item) {
		this.element.classList.toggle("error", item.level === "error");
		this.element.textContent = item.text;
	}
}
