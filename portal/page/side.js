import { api } from "./api.js";
import { deleteChat, renameChat } from "./chat-actions.js";
import { h, icon, iconButton } from "./dom.js";

const WORKING_POLL_MS = 4000;

/** @typedef {import("./api.js").ChatEntry} ChatEntry */

/** The button that opens the side where there is no room for it. */
export function menuButton() {
	return iconButton("menu", "Chats and settings", { class: "icon-button menu", popovertarget: "side" });
}

/** The side of the page: the chats, the newest first, and the ways to everything else. */
export class Side {
	#element;
	#list = h("nav", { "aria-label": "Chats" });
	#current = "";
	/** @type {ChatEntry[]} */
	#chats = [];
	#drawn = "";
	#model = h("p");
	#me;
	/** @type {number | undefined} */
	#timer;

	/**
	 * @param {HTMLElement} element
	 * @param {import("./api.js").Me} me
	 * @param {() => void} signOut
	 */
	constructor(element, me, signOut) {
		this.#element = element;
		this.#me = me;
		this.showModel();
		element.replaceChildren(
			h(
				"a",
				{ class: "brand", href: "/" },
				h("img", { src: "/assets/icon.svg", alt: "", width: 26, height: 26 }),
				"Inline UI",
			),
			h("a", { class: "new-chat", href: "/" }, icon("plus"), "New chat"),
			this.#list,
			h(
				"footer",
				{},
				h("a", { href: "/settings" }, icon("gear"), "Settings"),
				me.passwordNeeded ? h("button", { type: "button", class: "plain", onclick: signOut }, "Sign out") : null,
				this.#model,
			),
		);
		document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
	}

	showModel() {
		this.#model.textContent = `${this.#me.model} model, version ${this.#me.version}`;
	}

	/** @param {string} path the page that is open */
	setCurrent(path) {
		this.#current = path;
		this.#draw();
		for (const link of this.#element.querySelectorAll("footer a, .new-chat")) {
			if (link.getAttribute("href") === path) link.setAttribute("aria-current", "page");
			else link.removeAttribute("aria-current");
		}
		if (this.#element.matches(":popover-open")) this.#element.hidePopover();
	}

	/** Asks for the list soon; many wishes in a row are one. */
	refresh() {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fetch(), 100);
	}

	async #fetch() {
		const answer = await api.chats().catch(() => null);
		if (!answer) return;
		this.#chats = answer.chats;
		this.#draw();
		const workingElsewhere = this.#chats.some((chat) => chat.agent === "working" && pathOf(chat) !== this.#current);
		if (!workingElsewhere || document.hidden) return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fetch(), WORKING_POLL_MS);
	}

	#draw() {
		const drawing = JSON.stringify([this.#current, this.#chats]);
		if (drawing === this.#drawn) return;
		this.#drawn = drawing;
		const active = this.#list.contains(document.activeElement) ? document.activeElement : null;
		const focused = active?.closest("li")?.querySelector("a")?.getAttribute("href");
		this.#list.replaceChildren();
		for (const [day, chats] of byDay(this.#chats)) {
			this.#list.append(h("h2", {}, day), h("ul", {}, ...chats.map((chat) => this.#entry(chat))));
		}
		if (focused) [...this.#list.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
	}

	/** @param {Promise<boolean>} act whether it changed anything; an open chat hears of it by its stream */
	async #act(act) {
		if (await act) this.refresh();
	}

	/** @param {ChatEntry} chat */
	#entry(chat) {
		const path = pathOf(chat);
		return h(
			"li",
			{},
			h(
				"a",
				{ href: path, title: chat.title, "aria-current": path === this.#current ? "page" : null },
				h("span", { class: "chat-title" }, chat.title),
				chat.agent === "working" ? h("span", { class: "dot" }, h("span", { class: "unseen" }, "working")) : null,
			),
			h(
				"div",
				{ class: "entry-actions" },
				iconButton("pencil", `Rename ${chat.title}`, { onclick: () => this.#act(renameChat(chat.id, chat.title)) }),
				iconButton("trash", `Delete ${chat.title}`, { onclick: () => this.#act(deleteChat(chat.id, chat.title)) }),
			),
		);
	}
}

/** @param {ChatEntry} chat */
const pathOf = (chat) => `/chats/${encodeURIComponent(chat.id)}`;

/**
 * @param {ChatEntry[]} chats
 * @returns {Map<string, ChatEntry[]>}
 */
function byDay(chats) {
	/** @type {Map<string, ChatEntry[]>} */
	const days = new Map();
	for (const chat of chats) {
		const day = dayOf(chat.at);
		days.set(day, [...(days.get(day) ?? []), chat]);
	}
	return days;
}

/** @param {number} at */
function dayOf(at) {
	const today = new Date().setHours(0, 0, 0, 0);
	if (at >= today) return "Today";
	return at >= today - 86_400_000 ? "Yesterday" : "Earlier";
}
