import { post } from "./api.js";

const ERRORS = 3;
const GATHER_MS = 300;

/** @type {import("./types.js").MakeFailures} */
export const makeFailures = (element, url) => {
	/** @type {import("./types.js").CardError[]} */
	let errors = [];
	let load = "";
	let timer = 0;
	/** What the server half is to be told and was not. @type {Record<string, unknown>[]} */
	let untold = [];

	const tell = async () => {
		clearTimeout(timer);
		timer = 0;
		const [first] = untold;
		if (!first) return;
		const { status } = await post(`${url}/errors`, JSON.stringify(first));
		if (!status || status >= 500) return;
		untold = untold.filter((one) => one !== first);
		tell();
	};
	const show = () => {
		const at = ({ line = 0, column = 0 }) => (line ? ` (${line}:${column})` : "");
		const lines = errors.map((error) => `${error.text}${at(error)}`);
		element.hidden = !lines.length;
		const count = lines.length > 1 ? `${lines.length} errors in this card` : "An error in this card";
		element.textContent = lines.length ? `${count}: ${lines[0]}` : "";
		element.title = lines.join("\n");
	};

	const add = (/** @type {unknown} */ one) => {
		const gathered = timer && untold.find((other) => other.load === load && Array.isArray(other.errors));
		if (gathered) /** @type {unknown[]} */ (gathered.errors).push(one);
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
