import { parentOf } from "./gate.js";

const NAMES = "canvas surface raised line fg fg-muted fg-subtle fg-faint accent accent-fg ok warn danger".split(" ");
const LIGHT = "ffffff f6f6f7 ffffff d9dae0 1b1c20 4b4d56 5f626c 73767f 2b5bc7 ffffff 17703f 855600 b3261e".split(" ");
const DARK = "17181b 1f2024 292a2f 3b3d45 ececef b9bbc3 9c9fa9 83868f 8ab0ff 0f1420 6fcf97 e2b45c ff938a".split(" ");

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Most cards of a page see the same colours, and to make them out takes the browser long. */
let lastKey = "";
/** @type {any} */
let lastTheme;

/** @type {import("./types.js").ReadTheme} */
export const readTheme = (host, probe) => {
	const style = getComputedStyle(host);
	const values = NAMES.map((name) => style.getPropertyValue(`--${name}`));
	const scheme = style.colorScheme;
	const forced = host.getAttribute("theme");
	const key = [...values, style.color, scheme, forced, dark.matches].join();
	if (key === lastKey) return lastTheme;
	lastKey = key;
	const own = values.map((value) => {
		if (!CSS.supports("color", value)) return null;
		// The mix turns any colour there is into `color(srgb r g b)`.
		probe.style.color = `color-mix(in srgb, ${value}, ${value})`;
		return getComputedStyle(probe)
			.color.match(/[\d.e-]+(?=[ )])/g)
			?.map((part) => Math.min(1, Math.max(0, +part)));
	});
	const byScheme = scheme.includes("dark") && (dark.matches || !scheme.includes("light"));
	const byCanvas = own[0] && own[0][0] * 0.3 + own[0][1] * 0.59 + own[0][2] * 0.11 < 0.5;
	const isDark = forced ? forced === "dark" : (byCanvas ?? byScheme);
	const hex = (part = 0) =>
		Math.round(part * 255 + 256)
			.toString(16)
			.slice(1);
	const colors = NAMES.map((name, i) => {
		const rgb = own[i];
		return [name, `#${rgb ? hex(rgb[0]) + hex(rgb[1]) + hex(rgb[2]) : (isDark ? DARK : LIGHT)[i]}`];
	});
	lastTheme = { mode: isDark ? "dark" : "light", colors: Object.fromEntries(colors) };
	return lastTheme;
};

/** @type {import("./types.js").WatchTheme} */
export const watchTheme = (host, change) => {
	let frame = 0;
	const soon = () => {
		cancelAnimationFrame(frame);
		frame = requestAnimationFrame(change);
	};
	const observer = new MutationObserver(soon);
	for (let node = /** @type {any} */ (host); node; node = parentOf(node)) observer.observe(node, { attributes: true });
	dark.addEventListener("change", soon);
	return () => {
		observer.disconnect();
		dark.removeEventListener("change", soon);
	};
};
