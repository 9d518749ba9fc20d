import { api, Problem } from "./api.js";
import { h } from "./dom.js";

/**
 * @typedef {import("./api.js").PropertySchema} PropertySchema
 * @typedef {{ element: HTMLElement, read: () => unknown, write: (value: unknown) => void, refuse: (text: string) => void,
 *   focus: () => void }} Field
 */

/** The form of an extension's settings, drawn from its schema. Only what was changed is saved. */
export class ExtensionForm {
	#name;
	#saved;
	/** @type {Map<string, Field>} */
	#fields = new Map();
	#outcome = h("p", { class: "outcome", role: "status" });
	#button = h("button", { type: "submit", class: "primary" }, "Save");
	element;

	/**
	 * @param {string} name
	 * @param {import("./api.js").SettingsSchema} schema
	 * @param {Record<string, unknown>} settings
	 */
	constructor(name, schema, settings) {
		this.#name = name;
		this.#saved = settings;
		for (const [key, property] of Object.entries(schema.properties ?? {})) {
			const field = createField(`${name}-${key}`, key, property);
			field.write(settings[key] ?? property.default);
			this.#fields.set(key, field);
		}
		this.element = h(
			"form",
			{
				class: "extension-form",
				novalidate: true,
				onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event),
				oninput: () => this.#outcome.replaceChildren(),
			},
			...[...this.#fields.values()].map((field) => field.element),
			h("div", { class: "buttons" }, this.#button, this.#outcome),
		);
	}

	get empty() {
		return this.#fields.size === 0;
	}

	/** @param {SubmitEvent} event */
	async #submit(event) {
		event.preventDefault();
		this.#outcome.textContent = "";
		/** @type {Record<string, unknown>} */
		const changed = {};
		for (const [key, field] of this.#fields) {
			field.refuse("");
			const value = field.read();
			if (value !== this.#saved[key]) changed[key] = value;
		}
		if (Object.keys(changed).length === 0) {
			this.#outcome.textContent = "Nothing has changed.";
			return;
		}
		this.#button.disabled = true;
		try {
			const { settings } = await api.saveSettings(this.#name, changed);
			this.#saved = settings;
			for (const [key, field] of this.#fields) if (key in settings) field.write(settings[key]);
			this.#outcome.textContent = "Saved.";
		} catch (error) {
			this.#refused(error, Object.keys(changed));
		} finally {
			this.#button.disabled = false;
		}
	}

	/** @param {unknown} error @param {string[]} changed */
	#refused(error, changed) {
		if (!(error instanceof Problem)) throw error;
		const named = error.field || [...this.#fields.keys()].find((key) => error.message.includes(key)) || "";
		const key = named || (error.status === 422 && changed.length === 1 ? changed[0] : "");
		const field = this.#fields.get(key);
		if (!field) {
			this.#outcome.textContent = error.message;
			return;
		}
		field.refuse(error.message);
		field.focus();
	}
}

/**
 * @param {string} id
 * @param {string} key
 * @param {PropertySchema} schema
 * @returns {Field}
 */
function createField(id, key, schema) {
	const type = [schema.type].flat().find((name) => name !== "null");
	const label = h("label", { for: id }, schema.title ?? words(key));
	const about = h(
		"p",
		{ class: "hint", id: `${id}-about` },
		[schema.description, bounds(schema)].filter(Boolean).join(" "),
	);
	const error = h("p", { class: "error", id: `${id}-error`, role: "alert" });
	const common = { id, "aria-describedby": `${about.id} ${error.id}` };
	const refuse = (/** @type {HTMLElement} */ control) => (/** @type {string} */ text) => {
		error.textContent = text;
		control.setAttribute("aria-invalid", String(text !== ""));
	};
	if (type === "boolean") {
		const box = h("input", { type: "checkbox", role: "switch", class: "switch", ...common });
		return {
			element: h("div", { class: "field flag" }, box, label, about, error),
			read: () => box.checked,
			write: (value) => {
				box.checked = value === true;
			},
			refuse: refuse(box),
			focus: () => box.focus(),
		};
	}
	const numeric = type === "integer" || type === "number";
	const box = numeric
		? h("input", {
				type: "number",
				min: schema.minimum,
				max: schema.maximum,
				step: type === "integer" ? 1 : "any",
				...common,
			})
		: h("input", { type: "text", ...common });
	return {
		element: h("div", { class: "field" }, label, about, box, error),
		read: () => (numeric && box.value !== "" ? Number(box.value) : box.value),
		write: (value) => {
			box.value = value === undefined || value === null ? "" : String(value);
		},
		refuse: refuse(box),
		focus: () => box.focus(),
	};
}

/** @param {PropertySchema} schema */
function bounds({ minimum, maximum, default: standard }) {
	const parts = [];
	if (minimum !== undefined && maximum !== undefined) parts.push(`${minimum} to ${maximum}`);
	if (typeof standard === "number") parts.push(`${standard} unless changed`);
	return parts.length > 0 ? `${parts.join(", ")}.` : "";
}

/** @param {string} name `maxHeight` as `Max height` */
export function words(name) {
	const spaced = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
	return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
