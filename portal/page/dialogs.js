import { h } from "./dom.js";

/**
 * Asks before something that cannot be undone.
 * @param {string} title
 * @param {string} text
 * @param {string} action the word on the button that does it
 * @returns {Promise<boolean>}
 */
export function ask(title, text, action) {
	return show(title, text, (close) => [
		h("button", { type: "button", onclick: () => close(false) }, "Cancel"),
		h("button", { type: "button", class: "danger", onclick: () => close(true) }, action),
	]);
}

/**
 * Asks before something that cannot be undone, with a box to tick for more of it.
 * @param {string} title
 * @param {string} text
 * @param {string} more what the box does
 * @param {string} action the word on the button that does it
 * @returns {Promise<{ chosen: boolean } | null>} null for no
 */
export async function askWithChoice(title, text, more, action) {
	const box = h("input", { type: "checkbox" });
	const agreed = await show(title, text, (close) => [
		h("label", { class: "choice" }, box, more),
		h("button", { type: "button", onclick: () => close(false) }, "Cancel"),
		h("button", { type: "button", class: "danger", onclick: () => close(true) }, action),
	]);
	return agreed ? { chosen: box.checked } : null;
}

/**
 * Asks for a line of text.
 * @param {string} title
 * @param {string} label of the box
 * @param {string} value what stands in it
 * @param {string} action the word on the button that takes it
 * @returns {Promise<string | null>} null when it was not given
 */
export async function askText(title, label, value, action) {
	const box = h("input", { type: "text", id: "dialog-box", maxlength: 200, required: true, autocomplete: "off" });
	box.value = value;
	const given = await show(
		title,
		h("label", { for: "dialog-box" }, label),
		(close) => [
			h("button", { type: "button", onclick: () => close(false) }, "Cancel"),
			h("button", { type: "button", class: "primary", onclick: () => box.reportValidity() && close(true) }, action),
		],
		box,
	);
	return given ? box.value : null;
}

/** @param {string} title @param {string} text */
export function tell(title, text) {
	return show(title, text, (close) => [
		h("button", { type: "button", class: "primary", onclick: () => close(true) }, "OK"),
	]);
}

/**
 * @param {string} title
 * @param {string | Node} text
 * @param {(close: (answer: boolean) => void) => Node[]} buttons the last one is what Enter in the box means
 * @param {HTMLInputElement} [box]
 * @returns {Promise<boolean>}
 */
function show(title, text, buttons, box) {
	return new Promise((resolve) => {
		const dialog = h(
			"dialog",
			{ "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text", onclose: () => finish() },
			h("h2", { id: "dialog-title" }, title),
			h("p", { id: "dialog-text" }, text),
			box,
		);
		let answer = false;
		const finish = () => {
			dialog.remove();
			resolve(answer);
		};
		const close = (/** @type {boolean} */ chosen) => {
			answer = chosen;
			dialog.close();
		};
		const all = buttons(close);
		const last = all.at(-1);
		box?.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && !event.isComposing && last instanceof HTMLElement) last.click();
		});
		dialog.append(h("div", { class: "buttons" }, ...all));
		document.body.append(dialog);
		dialog.showModal();
		box?.focus();
		box?.select();
	});
}
