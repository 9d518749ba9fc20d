import { api, Problem } from "./api.js";
import { h } from "./dom.js";

/** @typedef {import("./api.js").Provider} Provider */

const DEMO = "demo";

/** Which model answers: the demo, or one of a provider's, by its name. */
export class ModelChoice {
	#changed;
	/** @type {Provider[]} */
	#providers = [];
	#provider = h("select", { id: "model-provider", "aria-describedby": "model-about" });
	#name = h("input", {
		id: "model-name",
		type: "text",
		autocomplete: "off",
		spellcheck: "false",
		autocapitalize: "none",
	});
	#about = h("p", { class: "hint", id: "model-about" });
	#error = h("p", { class: "error", id: "model-error", role: "alert" });
	#outcome = h("p", { class: "told", role: "status" });
	#button = h("button", { type: "submit", class: "primary" }, "Use this model");
	#naming = h("div", { class: "field" }, h("label", { for: "model-name" }, "Name of the model"), this.#name);
	element = h(
		"form",
		{
			class: "extension-form",
			novalidate: true,
			onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event),
			oninput: () => this.#outcome.replaceChildren(),
		},
		h("div", { class: "field" }, h("label", { for: "model-provider" }, "Provider"), this.#provider, this.#about),
		this.#naming,
		this.#error,
		h("div", { class: "buttons" }, this.#button, this.#outcome),
	);

	/** @param {(model: string) => void} changed hears which model answers from then on */
	constructor(changed) {
		this.#changed = changed;
		this.#name.setAttribute("aria-describedby", "model-error");
		this.#provider.addEventListener("change", () => this.#describe());
		this.#fetch();
	}

	async #fetch() {
		try {
			const { model, providers } = await api.model();
			this.#providers = providers;
			this.#provider.replaceChildren(
				h("option", { value: DEMO }, "Demo: a script, without a key"),
				...providers.map(({ name, title }) => h("option", { value: name }, title)),
			);
			const [provider, ...name] = model.split(":");
			this.#provider.value = provider;
			this.#describe();
			this.#name.value = name.join(":");
		} catch (error) {
			this.#error.textContent = error instanceof Error ? error.message : String(error);
		}
	}

	#describe() {
		const provider = this.#providers.find(({ name }) => name === this.#provider.value);
		this.#error.textContent = "";
		this.#naming.hidden = !provider;
		this.#name.value = provider?.usualModel ?? "";
		if (!provider) {
			this.#about.textContent = "It knows a handful of requests and shows what cards can do.";
			return;
		}
		const { address, keyVariable, keySet, missing } = provider;
		const key = keySet ? `with the key in ${keyVariable}` : "without a key";
		this.#about.textContent = missing
			? `It cannot be used as things stand: ${missing}.`
			: `Asked at ${address} ${key}.`;
	}

	/** @param {SubmitEvent} event */
	async #submit(event) {
		event.preventDefault();
		this.#error.textContent = "";
		const provider = this.#provider.value;
		const chosen = provider === DEMO ? DEMO : `${provider}:${this.#name.value.trim()}`;
		this.#button.disabled = true;
		try {
			const { model } = await api.chooseModel(chosen);
			this.#outcome.textContent = `From the next message on, ${model} answers.`;
			this.#changed(model);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			this.#error.textContent = error.message;
			this.#name.focus();
		} finally {
			this.#button.disabled = false;
		}
	}
}
