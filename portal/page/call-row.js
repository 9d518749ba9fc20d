import { h, icon } from "./dom.js";

/** @typedef {import("./api.js").CallItem} CallItem */

const GATEWAY = "extension_call";

/**
 * One tool call: a line that opens to its arguments and result, and below it the place of the cards it showed, which
 * stay in view whether the line is open or not.
 */
export class CallRow {
	#mark = h("span", { class: "mark", "aria-hidden": "true" });
	#name = h("span", { class: "tool" });
	#hint = h("span", { class: "hint" });
	#status = h("span", { class: "status" });
	#body = h("div", { class: "call-body" });
	#details = h(
		"details",
		{ ontoggle: () => this.#drawArguments() },
		h("summary", {}, this.#mark, this.#name, this.#hint, this.#status, icon("chevron")),
		this.#body,
	);
	#arguments = h("dl", {});
	#result = h("dl", {});
	#cards = h("div", { class: "cards" });
	element = h("li", { class: "row call" }, this.#details, this.#cards);
	/** @type {CallItem} */
	#item;

	/** @param {CallItem} item */
	constructor(item) {
		this.#item = item;
		this.#body.append(this.#arguments, this.#result);
		this.update(item);
	}

	/** @param {CallItem} item */
	update(item) {
		this.#item = item;
		this.element.dataset.call = item.call;
		this.element.dataset.status = item.status;
		this.element.classList.toggle("slim", this.tool === "ui_show");
		this.#name.textContent = this.tool;
		this.#hint.textContent = hint(item);
		this.#status.textContent = statusWords(item);
		this.#result.replaceChildren();
		if (item.result) {
			this.#result.append(...entry("Result", item.result.text));
			if (item.result.structured !== undefined)
				this.#result.append(...entry("Structured", json(item.result.structured)));
		}
		if (this.#details.open) this.#drawArguments();
	}

	/** The tool that is called in the end, through the gateway too. */
	get tool() {
		return wanted(this.#item).tool;
	}

	/** The card that its result names; empty when none. */
	get card() {
		const card = field(this.#item.result?.structured, "card");
		return typeof card === "string" ? card : "";
	}

	/** @param {HTMLElement} card */
	place(card) {
		this.#cards.append(card);
		this.element.classList.add("slim");
	}

	/** A card's HTML is long: it is drawn when somebody looks. */
	#drawArguments() {
		const values = this.#item.arguments;
		/** @type {[string, unknown][]} */
		const entries = values !== null && typeof values === "object" ? Object.entries(values) : [["arguments", values]];
		this.#arguments.replaceChildren();
		for (const [name, value] of entries) {
			this.#arguments.append(...entry(name, typeof value === "string" ? value : json(value)));
		}
	}
}

/** @param {string} name @param {string} text */
function entry(name, text) {
	return [h("dt", {}, name), h("dd", {}, h("pre", { tabindex: 0, role: "group", "aria-label": name }, text))];
}

/** @param {unknown} value */
const json = (value) => JSON.stringify(value, null, 2) ?? "";

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
function field(value, name) {
	return value !== null && typeof value === "object" ? /** @type {Record<string, unknown>} */ (value)[name] : undefined;
}

/**
 * What is called with what: of a call through the portal's gateway, the tool behind it.
 * @param {CallItem} item
 * @returns {{ tool: string, arguments: unknown }}
 */
function wanted(item) {
	const tool = item.name === GATEWAY ? field(item.arguments, "tool") : undefined;
	if (typeof tool !== "string") return { tool: item.name, arguments: item.arguments };
	return { tool, arguments: field(item.arguments, "arguments") };
}

/** @param {CallItem} item what the call is about, from arguments that say it in a word */
function hint(item) {
	const { arguments: values } = wanted(item);
	const about = field(values, "title") ?? field(values, "card");
	return typeof about === "string" ? about : "";
}

/** @param {CallItem} item */
function statusWords(item) {
	if (item.status === "running" && field(wanted(item).arguments, "wait")) return "running · waiting for you";
	const outcome = field(item.result?.structured, "outcome");
	return typeof outcome === "string" ? `${item.status} · ${outcome}` : item.status;
}
