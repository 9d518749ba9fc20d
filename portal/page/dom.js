/**
 * Makes an element: `h("p", { class: "note" }, "text")`. A function is a listener (`onclick`), true is an empty
 * attribute; false, null and undefined leave the attribute out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [attributes]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === "function") element.addEventListener(name.slice(2), value);
		else if (value === true) element.setAttribute(name, "");
		else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
	}
	for (const child of children) if (child !== null && child !== undefined) element.append(child);
	return element;
}

/** Outlines on a 24 by 24 field, one path each. */
const ICONS = {
	menu: "M4 7h16M4 12h16M4 17h10",
	plus: "M12 5v14M5 12h14",
	send: "M12 19V5M6 11l6-6 6 6",
	stop: "M7 7h10v10H7z",
	down: "M12 5v14M6 13l6 6 6-6",
	pencil: "M4 20l1-4L16 5l3 3L8 19l-4 1M14 7l3 3",
	fork: "M7 3.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4M17 3.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4M7 16.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4M7 7.5v9M17 7.5c0 5-10 3.5-10 9",
	trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
	gear: "M4 7h8M18 7h2M4 17h2M12 17h8M15 4.5v5M9 14.5v5",
	chevron: "M9 6l6 6-6 6",
	copy: "M9 9h10v11H9zM5 15V4h10",
	check: "M5 12.5l4.5 4.5L19 7.5",
	colour: "M12 3.5c4 4.5 6 7.3 6 10.2a6 6 0 0 1-12 0c0-2.9 2-5.7 6-10.2zM9 14a3 3 0 0 0 3 3",
	form: "M5 4h14v16H5zM8.5 9h7M8.5 13h7M8.5 17h3",
	sliders: "M4 8h9M19 8h1M4 16h1M11 16h9M16 5.5v5M8 13.5v5",
	chart: "M4 20h16M7 16v-5M12 16V5M17 16V9",
	game: "M9 4v16M15 4v16M4 9h16M4 15h16",
	approval: "M12 3l8 3v6c0 4.5-3.2 7.7-8 9-4.8-1.3-8-4.5-8-9V6zM8.5 12l2.5 2.5 4.5-5",
	events: "M5 5l6 15 2.5-6.5L20 11z",
};

/** @typedef {keyof typeof ICONS} IconName */

/** @param {IconName} name */
export function icon(name) {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	svg.setAttribute("viewBox", "0 0 24 24");
	svg.setAttribute("class", "icon");
	svg.setAttribute("aria-hidden", "true");
	const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
	path.setAttribute("d", ICONS[name]);
	svg.append(path);
	return svg;
}

/**
 * A square button that shows an icon and is named in words.
 * @param {IconName} name
 * @param {string} label
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} attributes
 */
export function iconButton(name, label, attributes = {}) {
	return h(
		"button",
		{ type: "button", class: "icon-button", "aria-label": label, title: label, ...attributes },
		icon(name),
	);
}

/** @param {string} text what a screen reader says when it has time */
export function announce(text) {
	const announcer = document.getElementById("announcer");
	if (announcer) announcer.textContent = text;
}
