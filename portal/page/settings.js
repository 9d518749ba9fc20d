import { api } from "./api.js";
import { chooseTheme, chosenTheme } from "./appearance.js";
import { h } from "./dom.js";
import { ExtensionForm, words } from "./extension-form.js";
import { ModelChoice } from "./model-choice.js";
import { menuButton } from "./side.js";

/** @typedef {import("./api.js").Extension} Extension */

const STARTING_POLL_MS = 2000;

/** The settings page: this browser's theme, the model, and every extension with what it is, asks for and lets one set. */
export class SettingsView {
	#extensions = h("div", { class: "extensions" }, h("p", { class: "note" }, "Loading…"));
	#heading = h("h1", { tabindex: -1 }, "Settings");
	#timer = 0;
	#closed = false;
	/** @type {Map<string, ExtensionPanel>} */
	#panels = new Map();
	elements;

	/** @param {(model: string) => void} modelChanged hears which model answers from then on */
	constructor(modelChanged) {
		const model = h("div", { class: "panel" }, new ModelChoice(modelChanged).element);
		this.elements = [
			h("header", { class: "head" }, menuButton(), this.#heading),
			h(
				"div",
				{ class: "column settings" },
				section("appearance", "Appearance", themeChoice()),
				section("model", "Model", model),
				section("extensions", "Extensions", this.#extensions),
			),
		];
		this.#fetch();
	}

	focus() {
		this.#heading.focus();
	}

	close() {
		this.#closed = true;
		clearTimeout(this.#timer);
	}

	async #fetch() {
		try {
			const { extensions } = await api.extensions();
			if (this.#closed) return;
			for (const extension of extensions) this.#show(extension);
			if (this.#panels.size === 0)
				this.#extensions.replaceChildren(h("p", { class: "note" }, "No extension is installed."));
			const settled = extensions.every((extension) => extension.state === "running");
			if (!settled) this.#timer = setTimeout(() => this.#fetch(), STARTING_POLL_MS);
		} catch (error) {
			this.#extensions.replaceChildren(
				h("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : String(error)),
			);
		}
	}

	/** @param {Extension} extension */
	#show(extension) {
		const known = this.#panels.get(extension.name);
		if (known) return known.setState(extension);
		if (this.#panels.size === 0) this.#extensions.replaceChildren();
		const panel = new ExtensionPanel(extension);
		this.#panels.set(extension.name, panel);
		this.#extensions.append(panel.element);
	}
}

/** @param {string} id @param {string} title @param {HTMLElement} content */
function section(id, title, content) {
	return h("section", { "aria-labelledby": id }, h("h2", { id }, title), content);
}

function themeChoice() {
	const now = chosenTheme();
	const choices = /** @type {const} */ ([
		["system", "System"],
		["light", "Light"],
		["dark", "Dark"],
	]);
	return h(
		"fieldset",
		{ class: "segments" },
		h("legend", {}, "Theme"),
		...choices.map(([theme, name]) =>
			h(
				"label",
				{},
				h("input", {
					type: "radio",
					name: "theme",
					value: theme,
					checked: theme === now,
					onchange: () => chooseTheme(theme),
				}),
				h("span", { class: "segment" }, name),
			),
		),
	);
}

/** Whether the model is given an extension's tools, or finds them when it needs them. */
class LazyChoice {
	#box;
	#outcome = h("p", { class: "told", role: "status" });
	element;

	/** @param {Extension} extension */
	constructor({ name, lazy }) {
		const id = `lazy-${name}`;
		const about = `${id}-about`;
		this.#box = h("input", {
			id,
			type: "checkbox",
			role: "switch",
			class: "switch",
			checked: lazy,
			"aria-describedby": about,
			onchange: () => this.#save(name),
		});
		this.element = h(
			"div",
			{ class: "field flag" },
			this.#box,
			h("label", { for: id }, "Find tools on demand"),
			h(
				"p",
				{ class: "hint", id: about },
				"The model is not given these tools, but two that find and call them: fewer words in each request, one more step.",
			),
			this.#outcome,
		);
	}

	/** @param {string} name */
	async #save(name) {
		const lazy = this.#box.checked;
		this.#outcome.textContent = "";
		try {
			await api.setLazy(name, lazy);
			this.#outcome.textContent = "Saved.";
		} catch (error) {
			this.#box.checked = !lazy;
			this.#outcome.textContent = error instanceof Error ? error.message : String(error);
		}
	}
}

/** What an admin is told about one extension. */
class ExtensionPanel {
	#state = h("span", { class: "state" });
	#error = h("p", { class: "error" });
	element;

	/** @param {Extension} extension */
	constructor(extension) {
		const { name, title, version, description, asks, tools, settingsSchema, settings } = extension;
		const heading = `extension-${name}`;
		this.element = h(
			"article",
			{ class: "panel", "aria-labelledby": heading },
			h("header", {}, h("h3", { id: heading }, title), h("span", { class: "version" }, version), this.#state),
			h("p", { class: "description" }, description),
			this.#error,
			h("h4", {}, "What it asks for"),
			h(
				"dl",
				{ class: "facts" },
				...Object.entries(asks ?? {}).flatMap(([what, why]) => [h("dt", {}, words(what)), h("dd", {}, why)]),
			),
			h("h4", {}, "Tools"),
			h(
				"ul",
				{ class: "tools" },
				...(tools ?? []).map((tool) =>
					h("li", {}, h("code", {}, tool.name), h("span", { class: "tool-title" }, tool.title)),
				),
			),
		);
		this.element.append(new LazyChoice(extension).element);
		const form = new ExtensionForm(name, settingsSchema ?? {}, settings ?? {});
		if (!form.empty) this.element.append(h("h4", {}, "Settings"), form.element);
		this.setState(extension);
	}

	/** @param {Extension} extension */
	setState({ state, error }) {
		this.#state.textContent = state;
		this.#state.dataset.state = state;
		this.#error.textContent = error ?? "";
		this.#error.hidden = !error;
	}
}
