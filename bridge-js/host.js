import { present } from "./present.js";
import { follow } from "./stream.js";
import { draw } from "./view.js";

class InlineUiCard extends HTMLElement {
	static observedAttributes = ["base", "chat", "card"];
	#view = draw(this.attachShadow({ mode: "open" }));
	#stop = () => {};

	connectedCallback() {
		const [base, chat, id] = InlineUiCard.observedAttributes.map((name) => this.getAttribute(name));
		this.#stop();
		this.#stop = chat && id && base !== null ? present(this, this.#view, base, chat, id) : () => {};
	}
	disconnectedCallback() {
		this.#stop();
		this.#stop = () => {};
	}
	attributeChangedCallback() {
		if (this.isConnected) this.connectedCallback();
	}
}

/** @type {import("./types.js").WatchCards} */
export const watchCards = (base, chat, onCards) =>
	follow(base, chat, (news) => {
		if (news.type === "cards") onCards(news.cards);
	});

customElements.define("inline-ui-card", InlineUiCard);
