import { api, Problem } from "./api.js";
import { askWithChoice } from "./dialogs.js";
import { h } from "./dom.js";
import { words } from "./extension-form.js";

/**
 * @typedef {import("./api.js").Installed} Installed
 * @typedef {import("./api.js").Hit} Hit
 * @typedef {(name: string, said: string) => Promise<void>} Changed what is done after a change of that extension
 */

/** Does something slow: the button says so meanwhile, and a refusal stands in words where it is read out.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} refusal
 * @param {() => Promise<void>} work */
async function doing(button, refusal, work) {
	refusal.textContent = "";
	if (button.getAttribute("aria-disabled") === "true") return;
	// A button that is disabled would lose the keyboard's place.
	button.setAttribute("aria-disabled", "true");
	try {
		await work();
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		refusal.textContent = error.message;
	} finally {
		button.removeAttribute("aria-disabled");
	}
}

const refusalLine = () => h("p", { class: "error", role: "alert" });

/** Discover, and install by name.
 * @param {Changed} changed */
export function installing(changed) {
	return h("div", { class: "installing panel" }, byName(changed), discover(changed));
}

/** @param {Changed} changed */
function byName(changed) {
	const box = h("input", {
		type: "text",
		id: "install-source",
		required: true,
		autocomplete: "off",
		autocapitalize: "none",
		spellcheck: "false",
		placeholder: "npm:NAME",
		"aria-describedby": "install-about install-refusal",
	});
	const button = h("button", { type: "submit", class: "primary" }, "Install");
	const refusal = refusalLine();
	refusal.id = "install-refusal";
	const submit = (/** @type {SubmitEvent} */ event) => {
		event.preventDefault();
		return doing(button, refusal, async () => {
			const { extension } = await api.install(box.value);
			box.value = "";
			await changed(extension.name, `${extension.title} is installed. Read what it asks for, then enable it.`);
		});
	};
	return h(
		"form",
		{ class: "field", novalidate: true, onsubmit: submit },
		h("label", { for: box.id }, "Install by name"),
		h(
			"p",
			{ class: "hint", id: "install-about" },
			"npm:NAME, npm:NAME@VERSION or path:/FOLDER. What is installed does not run before you enable it, and its " +
				"install scripts are never run.",
		),
		h("div", { class: "with-button" }, box, button),
		refusal,
	);
}

/** @param {Changed} changed */
function discover(changed) {
	const box = h("input", {
		type: "text",
		id: "discover-words",
		autocomplete: "off",
		"aria-describedby": "discover-about",
	});
	const button = h("button", { type: "submit" }, "Search");
	const refusal = refusalLine();
	const count = h("p", { class: "hint", role: "status" });
	const found = h("ul", { class: "found", "aria-label": "Extensions found" });
	const submit = (/** @type {SubmitEvent} */ event) => {
		event.preventDefault();
		return doing(button, refusal, async () => {
			count.textContent = "Searching…";
			found.replaceChildren();
			try {
				const { packages } = await api.search(box.value);
				found.replaceChildren(...packages.map((hit) => foundOne(hit, changed)));
				count.textContent =
					packages.length === 0
						? "Nothing found."
						: packages.length === 1
							? "1 extension."
							: `${packages.length} extensions.`;
			} catch (error) {
				count.textContent = "";
				throw error;
			}
		});
	};
	return h(
		"form",
		{ class: "field", role: "search", "aria-label": "Discover extensions", onsubmit: submit },
		h("label", { for: box.id }, "Discover"),
		h(
			"p",
			{ class: "hint", id: "discover-about" },
			"Searches the registry for extensions of agent portals; empty finds all.",
		),
		h("div", { class: "with-button" }, box, button),
		refusal,
		count,
		found,
	);
}

/** @param {Hit} hit @param {Changed} changed */
function foundOne({ name, version, description, publisher }, changed) {
	const refusal = refusalLine();
	const button = h("button", { type: "button", "aria-label": `Install ${name}` }, "Install");
	button.addEventListener("click", () =>
		doing(button, refusal, async () => {
			const { extension } = await api.install(`npm:${name}`);
			await changed(extension.name, `${extension.title} is installed. Read what it asks for, then enable it.`);
		}),
	);
	return h(
		"li",
		{},
		h(
			"div",
			{},
			h("b", {}, name),
			" ",
			h("span", { class: "version" }, publisher ? `${version}, by ${publisher}` : version),
		),
		h("p", { class: "description" }, description),
		button,
		refusal,
	);
}

/** What an admin does with an installed extension. */
export class PackageActions {
	#package;
	#changed;
	#refusal = refusalLine();
	#update = h("button", { type: "button" });
	element;

	/** @param {Installed} installed @param {Changed} changed */
	constructor(installed, changed) {
		this.#package = installed;
		this.#changed = changed;
		const { name, title = name, enabled, previous, error } = installed;
		const buttons = h("div", { class: "buttons", role: "group", "aria-label": `What to do with ${title}` });
		if (enabled) buttons.append(this.#button("Disable", () => this.#do(api.disable, "disabled")));
		else if (!error) buttons.append(this.#button("Enable", () => this.#do(api.enable, "enabled"), "primary"));
		this.#update.hidden = true;
		buttons.append(this.#update);
		if (previous)
			buttons.append(this.#button(`Go back to ${previous}`, () => this.#do(api.rollBack, `back at ${previous}`)));
		buttons.append(this.#button("Remove…", () => this.#remove(), "danger"));
		this.element = h("div", { class: "package-actions" }, buttons, this.#refusal);
	}

	/** @param {string} version that is newer */
	offer(version) {
		this.#update.textContent = `Update to ${version}`;
		this.#update.onclick = () =>
			doing(this.#update, this.#refusal, () => this.#do(api.update, `updated to ${version}`));
		this.#update.hidden = false;
	}

	/** @param {string} label @param {() => Promise<void>} work @param {string} [look] */
	#button(label, work, look) {
		const button = h("button", { type: "button", class: look }, label);
		button.addEventListener("click", () => doing(button, this.#refusal, work));
		return button;
	}

	/** @param {(name: string) => Promise<{ extension: Installed }>} act @param {string} said */
	async #do(act, said) {
		const { extension } = await act(this.#package.name);
		const waits = this.#package.enabled && !extension.enabled && said !== "disabled";
		const more = waits ? " It asks for something else than before: read it, then enable it." : "";
		await this.#changed(extension.name, `${extension.title ?? extension.name} is ${said}.${more}`);
	}

	async #remove() {
		const { name, title = name } = this.#package;
		const choice = await askWithChoice(
			`Remove ${title}?`,
			"Its data is kept for when it is installed again.",
			"Delete its data too",
			"Remove",
		);
		if (!choice) return;
		await api.uninstall(name, choice.chosen);
		await this.#changed(name, `${title} is removed.`);
	}
}

/** What an installed extension is and would do, for one that does not run. */
export class InstalledPanel {
	#heading;
	#actions;
	element;

	/** @param {Installed} installed @param {Changed} changed */
	constructor(installed, changed) {
		const { name, title = name, version, description, error, asks, tools } = installed;
		this.#heading = h("h3", { id: `installed-${name}`, tabindex: -1 }, title);
		this.#actions = new PackageActions(installed, changed);
		this.element = h(
			"article",
			{ class: "panel", "aria-labelledby": this.#heading.id },
			h(
				"header",
				{},
				this.#heading,
				h("span", { class: "version" }, version ?? ""),
				h("span", { class: "state", "data-state": "disabled" }, "not enabled"),
			),
			h("p", { class: "description" }, description ?? ""),
		);
		if (error) this.element.append(h("p", { class: "error" }, error));
		this.element.append(
			h("h4", {}, "What it asks for"),
			asksOf(asks ?? {}, installed),
			h("h4", {}, "Tools"),
			h("ul", { class: "tools" }, ...(tools ?? []).map((tool) => h("li", {}, h("code", {}, tool.name), tool.title))),
			this.#actions.element,
		);
	}

	focus() {
		this.#heading.focus();
	}

	/** @param {string} version */
	offer(version) {
		this.#actions.offer(version);
	}
}

/**
 * What it asks for, and what is known of it besides.
 * @param {Record<string, string>} asks
 * @param {Installed} [installed]
 */
export function asksOf(asks, installed) {
	const facts = Object.entries(asks).map(([what, why]) => [words(what), why]);
	if (installed?.command) facts.push(["Runs", installed.command.join(" ")]);
	if (installed) facts.push(["From", installed.source]);
	if (installed?.license) facts.push(["License", installed.license]);
	if (installed?.scripts?.length) facts.push(["Install scripts", `${installed.scripts.join(", ")}: never run`]);
	return h("dl", { class: "facts" }, ...facts.flatMap(([what, why]) => [h("dt", {}, what), h("dd", {}, why)]));
}
