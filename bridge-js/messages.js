export const counts = { ignored: 0 };

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
	const { type, name, data, held, height, n } = Object(message);
	if (type === "pressed" || type === "active" || type === "escape" || type === "left") return { type };
	if (type === "emit" && typeof name === "string" && typeof data === "string")
		return { type, name, data, held: !!held };
	if (type === "height" && Number.isSafeInteger(height) && height > 0 && height < 1e6) return { type, height };
	if (type === "alive" && Number.isSafeInteger(n)) return { type, n };
	counts.ignored++;
	return null;
};
