import { announce, h, icon } from "./dom.js";

const DONE_MS = 1500;

/**
 * A button that copies a text; null where the browser lets no page copy (over plain http).
 * @param {string} label what it copies
 * @param {() => string} text
 */
export function copyButton(label, text) {
	if (!navigator.clipboard) return null;
	const button = h(
		"button",
		{ type: "button", class: "copy", "aria-label": label, title: label, onclick: () => copy() },
		icon("copy"),
		icon("check"),
	);
	let timer = 0;
	const copy = async () => {
		const copied = await navigator.clipboard.writeText(text()).then(
			() => true,
			() => false,
		);
		announce(copied ? "Copied." : "The browser did not let this be copied.");
		button.classList.toggle("done", copied);
		clearTimeout(timer);
		timer = setTimeout(() => button.classList.remove("done"), DONE_MS);
	};
	return button;
}
