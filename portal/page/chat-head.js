import { api } from "./api.js";
import { attempt, deleteChat } from "./chat-actions.js";
import { h, iconButton } from "./dom.js";
import { menuButton } from "./side.js";

/** The head of a chat: its title, and rename, fork and delete. */
export class ChatHead {
	#id;
	#around;
	#title = h("h1", {}, " ");
	#rename = iconButton("pencil", "Rename chat", { onclick: () => this.#edit() });
	element;

	/** @param {string} id @param {import("./chat.js").Around} around */
	constructor(id, around) {
		this.#id = id;
		this.#around = around;
		this.element = h(
			"header",
			{ class: "head" },
			menuButton(),
			this.#title,
			h(
				"div",
				{ class: "actions" },
				this.#rename,
				iconButton("fork", "Fork chat", { onclick: () => attempt(() => this.#fork()) }),
				iconButton("trash", "Delete chat", { onclick: () => this.#delete() }),
			),
		);
	}

	/** @param {string} title */
	setTitle(title) {
		this.#title.textContent = title;
	}

	#edit() {
		const box = h("input", {
			type: "text",
			"aria-label": "Chat title",
			maxlength: 200,
			required: true,
			autocomplete: "off",
		});
		box.value = this.#title.textContent ?? "";
		let open = true;
		const end = () => {
			if (!open) return;
			open = false;
			const focused = form.contains(document.activeElement);
			form.replaceWith(this.#title);
			this.#rename.disabled = false;
			if (focused) this.#rename.focus();
		};
		const save = async () => {
			const title = box.value.trim();
			const changed = title !== "" && title !== this.#title.textContent;
			end();
			if (!changed) return;
			await attempt(async () => {
				await api.rename(this.#id, title);
				this.setTitle(title);
				this.#around.titled(title);
				this.#around.changed();
			});
		};
		/** @type {HTMLFormElement} */
		const form = h(
			"form",
			{
				class: "rename",
				onsubmit: (event) => {
					event.preventDefault();
					save();
				},
				onkeydown: (event) => event.key === "Escape" && end(),
				onfocusout: (event) => open && !form.contains(event.relatedTarget) && save(),
			},
			box,
		);
		this.#title.replaceWith(form);
		this.#rename.disabled = true;
		box.focus();
		box.select();
	}

	async #fork() {
		const { id } = await api.fork(this.#id);
		this.#around.go(`/chats/${encodeURIComponent(id)}`);
		this.#around.changed();
	}

	async #delete() {
		if (!(await deleteChat(this.#id))) return;
		this.#around.go("/");
		this.#around.changed();
	}
}
