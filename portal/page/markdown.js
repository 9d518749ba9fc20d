import { copyButton } from "./copy.js";
import { h } from "./dom.js";

/**
 * A block of assistant text. Its key is its kind and source: a block whose key stayed the same keeps its element, so
 * text that streams in redraws its last block only and what the reader has selected above stays selected.
 * @typedef {{ key: string, draw: () => HTMLElement }} Block
 */

/** Draws assistant text as elements, never as markup. */
export class Prose {
	element = h("div", { class: "prose" });
	/** @type {string[]} */
	#keys = [];

	/** @param {string} text */
	set(text) {
		const blocks = parse(text);
		let same = 0;
		while (same < blocks.length && this.#keys[same] === blocks[same].key) same += 1;
		while (this.element.children.length > same) this.element.lastElementChild?.remove();
		for (const block of blocks.slice(same)) this.element.append(block.draw());
		this.#keys = blocks.map((block) => block.key);
	}
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^(#{1,6})\s+(.+)$/;
const BULLET = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const QUOTE = /^>\s?/;

/**
 * @param {string} text
 * @returns {Block[]}
 */
function parse(text) {
	const lines = text.replaceAll("\r\n", "\n").split("\n");
	/** @type {Block[]} */
	const blocks = [];
	let at = 0;
	/** @param {(line: string) => boolean} goes */
	const take = (goes) => {
		const from = at;
		while (at < lines.length && goes(lines[at])) at += 1;
		return lines.slice(from, at);
	};
	while (at < lines.length) {
		const line = lines[at];
		const fence = line.match(FENCE);
		const heading = line.match(HEADING);
		if (line.trim() === "") {
			at += 1;
		} else if (fence) {
			at += 1;
			const code = take((next) => !next.trimStart().startsWith(fence[1])).join("\n");
			at += 1;
			blocks.push({ key: `code ${fence[2]} ${code}`, draw: () => drawCode(code, fence[2]) });
		} else if (heading) {
			at += 1;
			blocks.push({ key: `heading ${line}`, draw: () => h("h3", {}, ...inline(heading[2])) });
		} else if (BULLET.test(line)) {
			const source = take((next) => BULLET.test(next) || /^\s{2,}\S/.test(next));
			blocks.push({ key: `list ${source.join("\n")}`, draw: () => drawList(source) });
		} else if (QUOTE.test(line)) {
			const source = take((next) => QUOTE.test(next)).map((next) => next.replace(QUOTE, ""));
			blocks.push({ key: `quote ${source.join("\n")}`, draw: () => h("blockquote", {}, ...inline(source.join("\n"))) });
		} else {
			const source = take((next) => next.trim() !== "" && !starts(next)).join("\n");
			blocks.push({ key: `text ${source}`, draw: () => h("p", {}, ...inline(source)) });
		}
	}
	return blocks;
}

/** @param {string} line whether it begins a block of its own */
const starts = (line) => FENCE.test(line) || HEADING.test(line) || BULLET.test(line) || QUOTE.test(line);

/** @param {string} code @param {string} language */
function drawCode(code, language) {
	const label = language ? `Code, ${language}` : "Code";
	const box = h("pre", { tabindex: 0, role: "group", "aria-label": label }, h("code", {}, code));
	return h(
		"div",
		{ class: "code" },
		box,
		copyButton("Copy this code", () => code),
	);
}

/** @param {string[]} lines */
function drawList(lines) {
	const list = h(/^\s*\d/.test(lines[0]) ? "ol" : "ul", {});
	const first = lines[0].match(/^\s*(\d+)/);
	if (first) list.setAttribute("start", first[1]);
	/** @type {string[]} */
	const items = [];
	for (const line of lines) {
		if (BULLET.test(line)) items.push(line.replace(BULLET, ""));
		else items[items.length - 1] += `\n${line.trim()}`;
	}
	list.append(...items.map((item) => h("li", {}, ...inline(item))));
	return list;
}

const INLINE = /(`+)(.+?)\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/gs;

/**
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function inline(text) {
	/** @type {(Node | string)[]} */
	const parts = [];
	let from = 0;
	for (const match of text.matchAll(INLINE)) {
		parts.push(text.slice(from, match.index));
		from = match.index + match[0].length;
		const [, , code, bold, label, address] = match;
		if (code !== undefined) parts.push(h("code", {}, code));
		else if (bold !== undefined) parts.push(h("strong", {}, ...inline(bold)));
		else parts.push(h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, label));
	}
	parts.push(text.slice(from));
	return parts;
}
