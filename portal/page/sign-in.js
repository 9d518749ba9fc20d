import { api, Problem } from "./api.js";
import { h } from "./dom.js";

/** Asks for the portal's password. */
export class SignInView {
	#box = h("input", { id: "password", type: "password", autocomplete: "current-password", required: true });
	#error = h("p", { class: "error", role: "alert", id: "password-error" });
	#button = h("button", { type: "submit", class: "primary" }, "Sign in");
	#done;
	elements;

	/** @param {() => void} done */
	constructor(done) {
		this.#done = done;
		this.elements = [
			h(
				"form",
				{ class: "sign-in", onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event) },
				h("img", { src: "/assets/icon.svg", alt: "", width: 44, height: 44 }),
				h("h1", {}, "Inline UI"),
				h("label", { for: "password" }, "Password"),
				this.#box,
				this.#error,
				this.#button,
			),
		];
	}

	focus() {
		this.#box.focus();
	}

	close() {}

	/** @param {SubmitEvent} event */
	async #submit(event) {
		event.preventDefault();
		this.#error.textContent = "";
		this.#button.disabled = true;
		try {
			await api.signIn(this.#box.value);
			this.#done();
		} catch (error) {
			const wrong = error instanceof Problem && error.status === 401;
			this.#error.textContent = wrong
				? "That is not the password."
				: error instanceof Error
					? error.message
					: "That did not work.";
			this.#box.setAttribute("aria-invalid", "true");
			this.#box.setAttribute("aria-describedby", "password-error");
			this.#box.select();
		} finally {
			this.#button.disabled = false;
		}
	}
}
