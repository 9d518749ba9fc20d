import { api } from "./api.js";
import { chooseTheme, chosenTheme } from "./appearance.js";
import { announce, h } from "./dom.js";
import { ExtensionForm } from "./extension-form.js";
import { ModelChoice } from "./model-choice.js";
import { asksOf, InstalledPanel, installing, PackageActions } from "./packages.js";
import { menuButton } from "./side.js";

/**
 * @typedef {import("./api.js").Extension} Extension
 * @typedef {import("./api.js").Installed} Installed
 */

const STARTING_POLL_MS = 2000;

/** The settings page: this browser's theme, the model, and every extension with what it is, asks for and lets one set. */
export class SettingsView {
	#extensions = h("div", { class: "extensions" }, h("p", { class: "note" }, "Loading…"));
	#heading = h("h1", { tabindex: -1 }, "Settings");
	#timer = 0;
	#closed = false;
	/** By what they show. @type {Map<string, ExtensionPanel | InstalledPanel>} */
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
				section("extensions", "Extensions", this.#extensions, installing(this.#changed)),
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
		clearTimeout(this.#timer);
		try {
			const { extensions, installed } = await api.extensions();
			if (this.#closed) return;
			this.#draw(extensions, installed);
			const settled = extensions.every((extension) => extension.state === "running");
			if (!settled) this.#timer = setTimeout(() => this.#fetch(), STARTING_POLL_MS);
		} catch (error) {
			this.#panels.clear();
			this.#extensions.replaceChildren(
				h("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : String(error)),
			);
		}
	}

	/** What runs first, then what is installed besides. A panel that still fits stays as it is, and what is typed in it.
	 * @param {Extension[]} extensions @param {Installed[]} installed */
	#draw(extensions, installed) {
		const before = this.#panels;
		this.#panels = new Map();
		const changed = this.#changed;
		for (const extension of extensions) {
			const { name, version, package: from } = extension;
			const key = ["runs", name, version, from?.source, from?.previous].join(" ");
			const panel = before.get(key) ?? new ExtensionPanel(extension, changed);
			if (panel instanceof ExtensionPanel) panel.setState(extension);
			this.#panels.set(key, panel);
		}
		const rest = installed.filter((it) => !extensions.some((runs) => runs.package?.name === it.name));
		for (const it of rest) {
			const key = ["rests", it.name, it.version, it.source, it.previous, it.error].join(" ");
			this.#panels.set(key, before.get(key) ?? new InstalledPanel(it, changed));
		}
		const elements = [...this.#panels.values()].map((panel) => panel.element);
		for (const [key, panel] of before) if (!this.#panels.has(key)) panel.element.remove();
		if (before.size === 0 || elements.length === 0) this.#extensions.replaceChildren();
		elements.forEach((element, at) => {
			if (this.#extensions.children[at] !== element)
				this.#extensions.insertBefore(element, this.#extensions.children[at] ?? null);
		});
		if (elements.length === 0) this.#extensions.append(h("p", { class: "note" }, "No extension is installed."));
		if (installed.length > 0) this.#offerUpdates();
	}

	async #offerUpdates() {
		const { updates } = await api.updates().catch(() => ({ updates: [] }));
		for (const { name, version } of updates)
			if (version) for (const [key, panel] of this.#panels) if (key.split(" ")[1] === name) panel.offer(version);
	}

	/** @type {import("./packages.js").Changed} */
	#changed = async (name, said) => {
		await this.#fetch();
		announce(said);
		const panels = [...this.#panels].filter(([key]) => key.split(" ")[1] === name).map(([, panel]) => panel);
		const panel = panels.find((it) => it instanceof InstalledPanel) ?? panels[0];
		if (panel) panel.focus();
		else this.#heading.focus();
	};
}

/** @param {string} id @param {string} title @param {HTMLElement[]} content */
function section(id, title, ...content) {
	return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...content);
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

/** What an admin is told about one extension that is to run. */
class ExtensionPanel {
	#state = h("span", { class: "state" });
	#error = h("p", { class: "error" });
	#heading;
	/** @type {PackageActions | null} */
	#actions = null;
	element;

	/** @param {Extension} extension @param {import("./packages.js").Changed} changed */
	constructor(extension, changed) {
		const { name, title, version, description, asks, tools, settingsSchema, settings, package: from } = extension;
		this.#heading = h("h3", { id: `extension-${name}`, tabindex: -1 }, title);
		this.element = h(
			"article",
			{ class: "panel", "aria-labelledby": this.#heading.id },
			h("header", {}, this.#heading, h("span", { class: "version" }, version), this.#state),
			h("p", { class: "description" }, description),
			this.#error,
			h("h4", {}, "What it asks for"),
			asksOf(asks ?? {}, from),
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
		if (from) {
			this.#actions = new PackageActions(from, changed);
			this.element.append(this.#actions.element);
		}
		this.setState(extension);
	}

	focus() {
		this.#heading.focus();
	}

	/** @param {string} version that is newer */
	offer(version) {
		this.#actions?.offer(version);
	}

	/** @param {Extension} extension */
	setState({ state, error }) {
		this.#state.textContent = state;
		this.#state.dataset.state = state;
		this.#error.textContent = error ?? "";
		this.#error.hidden = !error;
	}
}
