import { api } from "./api.js";
import { lookAt } from "./cards.js";
import { Composer } from "./composer.js";
import { h, icon } from "./dom.js";
import { menuButton } from "./side.js";

/** @type {{ icon: import("./dom.js").IconName, title: string, about: string, request: string }[]} */
const SUGGESTIONS = [
	{ icon: "colour", title: "Pick a colour", about: "Swatches, or one you mix", request: "Pick a colour" },
	{ icon: "form", title: "Fill in a form", about: "Checked before it is sent", request: "Show me a form" },
	{ icon: "sliders", title: "Set some sliders", about: "Reported when you pause", request: "Show me sliders" },
	{ icon: "chart", title: "Look at a chart", about: "Choose a bar to talk about it", request: "Show me a chart" },
	{ icon: "game", title: "Play a game", about: "Noughts and crosses", request: "Play a game" },
	{ icon: "approval", title: "Give an approval", about: "The agent waits for you", request: "Ask me for an approval" },
];

/** How long a page goes on looking at a chat that it began, until the chat's own view does. */
const HANDOVER_MS = 5000;

/** Not `randomUUID`: that needs a secure context. */
const newId = () =>
	Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, "0")).join("");

/** The start of a new chat: its composer, and what to try. */
export class HomeView {
	#composer;
	elements;

	/** @param {import("./api.js").Me} me @param {(chat: string) => void} begun */
	constructor(me, begun) {
		this.#composer = new Composer(async (text) => {
			const chat = newId();
			const lookAway = await lookAt(chat);
			try {
				await api.begin(chat, text);
				begun(chat);
			} finally {
				// The chat's own view has joined by then.
				setTimeout(lookAway, HANDOVER_MS);
			}
		});
		const buttons = SUGGESTIONS.map((suggestion) =>
			h(
				"li",
				{},
				h(
					"button",
					{ type: "button", class: "suggestion", onclick: () => this.#composer.send(suggestion.request) },
					icon(suggestion.icon),
					h("span", { class: "suggestion-title" }, suggestion.title),
					h("span", { class: "suggestion-about" }, suggestion.about),
				),
			),
		);
		this.elements = [
			h("header", { class: "head bare" }, menuButton()),
			h(
				"div",
				{ class: "column home" },
				h("h1", {}, "What would you rather see than read?"),
				h(
					"p",
					{ class: "lead" },
					"The agent answers with small interfaces, here in the chat. What you do in them is its next input.",
				),
				this.#composer.element,
				h("h2", {}, "Try one of these"),
				h("ul", { class: "suggestions" }, ...buttons),
				me.model === "demo" ? demoNote() : null,
			),
		];
	}

	focus() {
		this.#composer.focus();
	}

	close() {}
}

function demoNote() {
	return h(
		"p",
		{ class: "note" },
		"This is the demo model. It needs no key and no network, and it knows these six requests. To try a card of your own, write ",
		h("code", {}, '/call ui_show {"title": "Hello", "html": "<p>Hello</p>"}'),
		".",
	);
}
