import { post } from "./api.js";

const ERRORS = 3;
const GATHER_MS = 300;

/** @typedef {{ load: string, errors?: object[], stuck?: boolean }} Report */

/** @type {import("./types.js").MakeFailures} */
export const makeFailures = (element, url) => {
	/** @type {import("./types.js").CardError[]} */
	let errors = [];
	let load = "";
	let timer = 0;
	let telling = false;
	/** What the server half is to be told, without what it is being told. @type {Report[]} */
	const untold = [];

	const tell = async () => {
		clearTimeout(timer);
		timer = 0;
		if (telling) return;
		const first = untold.shift();
		if (!first) return;
		telling = true;
		const { status } = await post(`${url}/errors`, JSON.stringify(first));
		telling = false;
		if (!status || status >= 500) untold.unshift(first);
		else tell();
	};
	const show = () => {
		const at = ({ line = 0, column = 0 }) => (line ? ` (${line}:${column})` : "");
		const lines = errors.map((error) => `${error.text}${at(error)}`);
		element.hidden = !lines.length;
		const count = lines.length > 1 ? `${lines.length} errors in this card` : "An error in this card";
		element.textContent = lines.length ? `${count}: ${lines[0]}` : "";
		element.title = lines.join("\n");
	};

	const add = (/** @type {object} */ one) => {
		const last = untold.at(-1);
		// The server half takes no more of one report.
		if (last?.load === load && last.errors && last.errors.length < ERRORS) last.errors.push(one);
		else untold.push({ load, errors: [one] });
		timer ||= setTimeout(tell, GATHER_MS);
	};

	return {
		begin(next) {
			load = next;
			errors = [];
			show();
		},
		heard(error) {
			if (errors.length >= ERRORS) return;
			errors.push(error);
			show();
			const { type, line, column, ...rest } = error;
			add(line ? { ...rest, line, column } : rest);
		},
		stopped(text) {
			add({ kind: "error", text });
		},
		stuck(is) {
			untold.push({ load, stuck: is });
			timer ||= setTimeout(tell);
		},
		retry: tell,
	};
};
