import { api, Problem } from "./api.js";
import { Cards } from "./cards.js";
import { ChatHead } from "./chat-head.js";
import { Composer } from "./composer.js";
import { announce, h } from "./dom.js";
import { Follow } from "./follow.js";
import { Stream } from "./stream.js";
import { Transcript } from "./transcript.js";

/** A connection that is back this soon is not worth a word. */
const UNNOTICED_MS = 800;
const RETRY_MS = 2000;

/**
 * What a chat tells the page around it.
 * @typedef {{ changed: () => void, titled: (title: string) => void, go: (path: string) => void, gone: () => void }} Around
 */

/** One chat: its head, its conversation with its cards, its composer, and the stream that keeps them true. */
export class ChatView {
	#id;
	#around;
	#head;
	#composer;
	#transcript;
	#follow;
	#cards;
	#stream;
	#working = h("p", { class: "working", hidden: true }, "Working");
	#connection = h("p", { class: "connection", role: "status" });
	#trouble = h("p", { class: "connection", role: "status" });
	/** @type {number | undefined} */
	#lostTimer;
	#closed = false;
	elements;

	/** @param {string} id @param {Around} around */
	constructor(id, around) {
		this.#id = id;
		this.#around = around;
		this.#head = new ChatHead(id, around);
		this.#composer = new Composer(
			(text) => this.#sendMessage(text),
			() => api.stop(id),
		);
		this.#transcript = new Transcript((act) => this.#follow.change(act));
		const column = h(
			"div",
			{ class: "column conversation" },
			this.#transcript.element,
			this.#working,
			this.#transcript.queue,
		);
		this.#follow = new Follow(column);
		this.#cards = new Cards(
			id,
			this.#transcript,
			(card, place) => this.#follow.arrive(card, place),
			(text) => this.#tellTrouble(text),
		);
		this.#stream = new Stream(
			(after) => api.streamAddress(id, after),
			this.#events(),
			(connected) => this.#connected(connected),
		);
		const dock = h(
			"div",
			{ class: "dock" },
			this.#follow.button,
			this.#connection,
			this.#trouble,
			this.#composer.element,
		);
		this.elements = [this.#head.element, column, dock];
	}

	async open() {
		this.#cards.watch();
		await this.#load();
	}

	focus() {
		this.#composer.focus();
	}

	close() {
		this.#closed = true;
		clearTimeout(this.#lostTimer);
		this.#stream.close();
		this.#cards.stop();
		this.#follow.stop();
	}

	/** Takes the whole chat as it is, keeps what is drawn already, and follows the stream from there. */
	async #load() {
		try {
			const [chat] = await Promise.all([api.chat(this.#id), this.#cards.known]);
			if (this.#closed) return;
			this.#transcript.reconcile(chat.items);
			this.#cards.settle();
			this.#setTitle(chat.title);
			this.#setAgent(chat.agent);
			this.#stream.start(chat.after);
		} catch (error) {
			if (this.#closed) return;
			if (error instanceof Problem && error.status === 404) return this.#around.gone();
			if (error instanceof Problem && error.status === 401) return;
			this.#connected(false);
			await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
			if (!this.#closed) await this.#load();
		}
	}

	/** @returns {Record<string, (data: any) => void>} */
	#events() {
		return {
			item: ({ item }) => {
				this.#transcript.put(item);
				this.#cards.settle();
			},
			delta: ({ id, text }) => this.#transcript.append(id, text),
			agent: ({ agent }) => this.#setAgent(agent),
			title: ({ title }) => this.#setTitle(title),
			deleted: () => this.#around.gone(),
			resync: () => {
				this.#stream.rest();
				this.#load();
			},
		};
	}

	/** @param {string} text */
	async #sendMessage(text) {
		const { item, queued } = await api.send(this.#id, text);
		// the stream may have brought it already, and in a later state
		if (!this.#transcript.has(item.id)) this.#transcript.put(item);
		this.#follow.toEnd();
		if (queued) announce("Your message is queued until the agent is done.");
		this.#around.changed();
	}

	/** @param {string} title */
	#setTitle(title) {
		this.#head.setTitle(title);
		this.#around.titled(title);
		this.#around.changed();
	}

	/** @param {import("./api.js").Agent} agent */
	#setAgent(agent) {
		this.#composer.setAgent(agent);
		this.#follow.change(() => {
			this.#working.hidden = agent !== "working";
		});
		this.#around.changed();
	}

	/** @param {boolean} connected */
	#connected(connected) {
		clearTimeout(this.#lostTimer);
		this.#lostTimer = undefined;
		if (connected) {
			this.#composer.recovered();
			return this.#connection.replaceChildren();
		}
		if (this.#connection.hasChildNodes()) return this.#checkSession();
		this.#lostTimer = setTimeout(() => {
			const retry = h("button", { type: "button", class: "plain", onclick: () => this.#stream.retry() }, "Try now");
			this.#connection.replaceChildren("Connection lost. Trying again… ", retry);
		}, UNNOTICED_MS);
	}

	/** A stream does not say why it is refused: an ended session or a deleted chat says so here. */
	async #checkSession() {
		const error = await api.chat(this.#id).then(
			() => null,
			(reason) => reason,
		);
		if (!this.#closed && error instanceof Problem && error.status === 404) this.#around.gone();
	}

	/** @param {string} text */
	#tellTrouble(text) {
		if (this.#trouble.textContent !== text) this.#trouble.textContent = text;
	}
}
