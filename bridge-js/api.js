/** @type {import("./types.js").ChatUrl} */
export const chatUrl = (base, chat) => `${base.replace(/\/$/, "")}/chats/${encodeURIComponent(chat)}`;

/** @type {import("./types.js").PostJson} */
export const post = async (url, body) => {
	const headers = { "content-type": "application/json" };
	const send = (keepalive = false) => fetch(url, { method: "POST", headers, body, keepalive });
	// All requests that outlive a page share 64 KiB: a browser refuses what is over that.
	const response = await send(true)
		.catch(() => send())
		.catch(() => null);
	return { status: response?.status ?? 0, value: (await response?.json().catch(() => null)) ?? {} };
};
