/** @type {import("./types.js").ChatUrl} */
export const chatUrl = (base, chat) => `${base.replace(/\/$/, "")}/chats/${encodeURIComponent(chat)}`;

/** @type {import("./types.js").PostJson} */
export const post = async (url, body) => {
	const headers = { "content-type": "application/json" };
	const response = await fetch(url, { method: "POST", headers, body, keepalive: true }).catch(() => null);
	return { status: response?.status ?? 0, value: (await response?.json().catch(() => null)) ?? {} };
};
