export const counts = { ignored: 0 };

const ERROR_TEXT = 500;
const KINDS = ["error", "rejection", "policy"];
const isPlace = (/** @type {unknown} */ n) => Number.isInteger(n) && Number(n) >= 0 && Number(n) < 1e6;

/** @type {import("./types.js").ReadHello} */
export const readHello = (event, from, nonce) => {
	if (!from || event.source !== from) return null;
	const { ports } = event;
	const { type, nonce: shown } = Object(ports.length === 1 && event.data);
	if (type === "inline-ui:hello" && shown === nonce) return ports[0];
	counts.ignored++;
	return null;
};

/** @type {import("./types.js").ReadBridge} */
export const readBridge = (message) => {
	const { type, name, data, held, height, n, kind, text, line, column } = Object(message);
	if (type === "pressed" || type === "active" || type === "escape" || type === "left") return { type };
	if (type === "emit" && typeof name === "string" && typeof data === "string")
		return { type, name, data, held: !!held };
	if (type === "height" && Number.isSafeInteger(height) && height > 0 && height < 1e6) return { type, height };
	if (type === "error" && KINDS.includes(kind) && typeof text === "string" && isPlace(line) && isPlace(column))
		return { type, kind, text: text.slice(0, ERROR_TEXT), line, column };
	if (type === "alive" && Number.isSafeInteger(n)) return { type, n };
	counts.ignored++;
	return null;
};
