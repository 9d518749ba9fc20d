import { Problem } from "./api.js";
import { h, icon } from "./dom.js";

/** @typedef {import("./api.js").Agent} Agent */

/** The textbox a message is written in, with Send and, while the agent works, Stop. */
export class Composer {
	#send;
	#box = h("textarea", {
		id: "message",
		rows: 1,
		placeholder: "Message the agent",
		autocomplete: "off",
		"aria-describedby": "composer-hint",
		onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
		oninput: () => {
			this.recovered();
			this.#changed();
		},
	});
	#sendButton = h(
		"button",
		{ type: "submit", class: "round primary", "aria-label": "Send", title: "Send", disabled: true },
		icon("send"),
	);
	#stopButton;
	#hint = h("p", { class: "hint", id: "composer-hint" });
	#error = h("p", { class: "error", role: "alert" });
	#sending = false;
	element;

	/**
	 * @param {(text: string) => Promise<void>} send
	 * @param {() => Promise<void>} [stop]
	 */
	constructor(send, stop) {
		this.#send = send;
		this.#stopButton = h(
			"button",
			{
				type: "button",
				class: "round",
				"aria-label": "Stop",
				title: "Stop",
				hidden: true,
				onclick: () => stop?.().catch((error) => this.#fail(error)),
			},
			icon("stop"),
		);
		this.element = h(
			"form",
			{ class: "composer", onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event) },
			h("label", { for: "message", class: "unseen" }, "Message"),
			h("div", { class: "box" }, this.#box, this.#stopButton, this.#sendButton),
			this.#error,
			this.#hint,
		);
		this.setAgent("idle");
	}

	/** @param {Agent} agent */
	setAgent(agent) {
		const working = agent === "working";
		if (!working && document.activeElement === this.#stopButton) this.focus();
		this.#stopButton.hidden = !working;
		this.#hint.textContent = HINTS[agent];
	}

	focus() {
		this.#box.focus({ preventScroll: true });
	}

	/** What went wrong is over: the text is still there to be sent. */
	recovered() {
		this.#error.textContent = "";
	}

	/** Sends `text` as if it was written here. @param {string} text */
	async send(text) {
		if (this.#sending || text.trim() === "") return;
		this.#sending = true;
		this.#error.textContent = "";
		this.#changed();
		try {
			await this.#send(text.trim());
			if (this.#box.value === text) this.#box.value = "";
		} catch (error) {
			this.#fail(error);
		} finally {
			this.#sending = false;
			this.#changed();
		}
	}

	/** @param {SubmitEvent} event */
	#submit(event) {
		event.preventDefault();
		this.send(this.#box.value);
	}

	/** @param {KeyboardEvent} event */
	#key(event) {
		// Safari ends a composition before the key that ended it: that key still says 229
		const composing = event.isComposing || event.keyCode === 229;
		if (event.key !== "Enter" || event.shiftKey || composing) return;
		event.preventDefault();
		this.send(this.#box.value);
	}

	#changed() {
		this.#sendButton.disabled = this.#sending || this.#box.value.trim() === "";
		if (CSS.supports("field-sizing", "content")) return;
		this.#box.style.height = "auto";
		this.#box.style.height = `${this.#box.scrollHeight}px`;
	}

	/** @param {unknown} error */
	#fail(error) {
		this.#error.textContent = error instanceof Problem ? error.message : "That did not work. Try again.";
	}
}

/** @type {Record<Agent, string>} */
const HINTS = {
	idle: "Enter sends, Shift+Enter makes a new line.",
	working: "The agent is working. A message sent now waits its turn.",
	gone: "The agent was let go. Your next message starts it again.",
};
