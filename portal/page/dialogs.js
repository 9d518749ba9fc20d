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

/** @param {string} title @param {string} text */
export function tell(title, text) {
	return show(title, text, (close) => [
		h("button", { type: "button", class: "primary", onclick: () => close(true) }, "OK"),
	]);
}

/**
 * @param {string} title
 * @param {string} text
 * @param {(close: (answer: boolean) => void) => Node[]} buttons
 * @returns {Promise<boolean>}
 */
function show(title, text, buttons) {
	return new Promise((resolve) => {
		const dialog = h(
			"dialog",
			{ "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text", onclose: () => finish() },
			h("h2", { id: "dialog-title" }, title),
			h("p", { id: "dialog-text" }, text),
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
		dialog.append(h("div", { class: "buttons" }, ...buttons(close)));
		document.body.append(dialog);
		dialog.showModal();
	});
}
