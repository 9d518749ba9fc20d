/**
 * The portal's HTTP, typed.
 * @typedef {"idle" | "working" | "gone"} Agent
 * @typedef {{ signedIn: boolean, passwordNeeded: boolean, model: string, version: string }} Me
 * @typedef {{ id: string, title: string, at: number, agent: Agent }} ChatEntry
 * @typedef {{ id: string, title: string, agent: Agent, items: Item[], after: string }} Chat
 * @typedef {{ id: number, at: number, kind: "person", text: string, queued?: boolean }} PersonItem
 * @typedef {{ id: number, at: number, kind: "assistant", text: string, streaming?: boolean }} AssistantItem
 * @typedef {"running" | "done" | "failed" | "cancelled"} CallStatus
 * @typedef {{ id: number, at: number, kind: "call", call: string, name: string, arguments: unknown, status: CallStatus,
 *   result?: { text: string, structured?: unknown } }} CallItem
 * @typedef {{ id: number, at: number, kind: "events", message: string, summary: string, text: string }} EventsItem
 * @typedef {{ id: number, at: number, kind: "notice", level: "info" | "error", text: string }} NoticeItem
 * @typedef {PersonItem | AssistantItem | CallItem | EventsItem | NoticeItem} Item
 * @typedef {{ type?: string | string[], title?: string, description?: string, default?: unknown, enum?: unknown[],
 *   minimum?: number, maximum?: number }} PropertySchema
 * @typedef {{ properties?: Record<string, PropertySchema> }} SettingsSchema
 * @typedef {{ name: string, title: string, version: string, description: string, state: "running" | "starting" | "failed",
 *   base: string, page: { module: string, element: string }, tools: { name: string, title: string }[],
 *   settingsSchema: SettingsSchema, settings: Record<string, unknown>, asks: Record<string, string>, lazy: boolean,
 *   error?: string, package?: Installed }} Extension
 * @typedef {{ name: string, source: string, enabled: boolean, version: string | null, previous: string | null, error?: string,
 *   title?: string, description?: string, license?: string, homepage?: string, command?: string[], scripts?: string[],
 *   tools?: { name: string, title: string }[], asks?: Record<string, string> }} Installed
 * @typedef {{ name: string, version: string, description: string, publisher: string }} Hit
 * @typedef {{ name: string, version: string | null, error: string | null }} Update
 * @typedef {{ name: string, title: string, keyVariable: string, keySet: boolean, usualModel: string, address?: string,
 *   missing?: string }} Provider
 */

/** A refusal of the portal, in its own words. Status 0 is a portal that does not answer. */
export class Problem extends Error {
	/**
	 * @param {number} status
	 * @param {{ title?: unknown, code?: unknown, detail?: unknown, field?: unknown }} body
	 */
	constructor(status, body) {
		super(String(body.detail ?? body.title ?? `The portal answered ${status}.`));
		this.status = status;
		this.code = typeof body.code === "string" ? body.code : "";
		this.field = typeof body.field === "string" ? body.field : "";
	}
}

let signedOut = () => {};

/** @param {() => void} listener called when the portal wants a sign-in first */
export function onSignedOut(listener) {
	signedOut = listener;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function request(method, path, body) {
	/** @type {RequestInit} */
	const init = { method, headers: { accept: "application/json" } };
	if (method !== "GET") {
		init.headers = { accept: "application/json", "content-type": "application/json" };
		init.body = JSON.stringify(body ?? {});
	}
	const response = await fetch(path, init).catch(() => {
		throw new Problem(0, { detail: "The portal does not answer. Is it still running?" });
	});
	const answer = await response.json().catch(() => null);
	if (response.ok) return answer;
	if (response.status === 401 && path !== "/api/sign-in") signedOut();
	throw new Problem(response.status, answer ?? {});
}

/** @param {string} name */
const packageAt = (name) => `/api/packages/${encodeURIComponent(name)}`;

/** @param {string} chat */
const at = (chat) => `/api/chats/${encodeURIComponent(chat)}`;

export const api = {
	/** @returns {Promise<Me>} */
	me: () => request("GET", "/api/me"),
	/** @param {string} password */
	signIn: (password) => request("POST", "/api/sign-in", { password }),
	signOut: () => request("POST", "/api/sign-out"),
	/** @returns {Promise<{ chats: ChatEntry[] }>} */
	chats: () => request("GET", "/api/chats"),
	/** @param {string} id of the new chat @param {string} text @returns {Promise<{ id: string }>} */
	begin: (id, text) => request("POST", "/api/chats", { id, text }),
	/** @param {string} chat @returns {Promise<Chat>} */
	chat: (chat) => request("GET", at(chat)),
	/** @param {string} chat @param {string} after */
	streamAddress: (chat, after) => `${at(chat)}/stream?after=${encodeURIComponent(after)}`,
	/** @param {string} chat @param {string} text @returns {Promise<{ item: Item, queued: boolean }>} */
	send: (chat, text) => request("POST", `${at(chat)}/messages`, { text }),
	/** @param {string} chat */
	stop: (chat) => request("POST", `${at(chat)}/stop`),
	/** @param {string} chat @returns {Promise<{ id: string }>} */
	fork: (chat) => request("POST", `${at(chat)}/fork`),
	/** @param {string} chat @param {string} title */
	rename: (chat, title) => request("PATCH", at(chat), { title }),
	/** @param {string} chat */
	remove: (chat) => request("DELETE", at(chat)),
	/** @returns {Promise<{ model: string, providers: Provider[] }>} */
	model: () => request("GET", "/api/model"),
	/** @param {string} model @returns {Promise<{ model: string }>} */
	chooseModel: (model) => request("PUT", "/api/model", { model }),
	/** @returns {Promise<{ extensions: Extension[], installed: Installed[] }>} */
	extensions: () => request("GET", "/api/extensions"),
	/** @param {string} name @param {boolean} lazy */
	setLazy: (name, lazy) => request("PUT", `/api/extensions/${encodeURIComponent(name)}/lazy`, { lazy }),
	/** @param {string} name @param {Record<string, unknown>} changed @returns {Promise<{ settings: Record<string, unknown> }>} */
	saveSettings: (name, changed) => request("PUT", `/api/extensions/${encodeURIComponent(name)}/settings`, changed),
	/** @param {string} words @returns {Promise<{ packages: Hit[] }>} */
	search: (words) => request("GET", `/api/packages/search?text=${encodeURIComponent(words)}`),
	/** @returns {Promise<{ updates: Update[] }>} */
	updates: () => request("GET", "/api/packages/updates"),
	/** @param {string} source @returns {Promise<{ extension: Installed }>} */
	install: (source) => request("POST", "/api/packages", { source }),
	/** @param {string} name @returns {Promise<{ extension: Installed }>} */
	enable: (name) => request("POST", `${packageAt(name)}/enable`),
	/** @param {string} name @returns {Promise<{ extension: Installed }>} */
	disable: (name) => request("POST", `${packageAt(name)}/disable`),
	/** @param {string} name @returns {Promise<{ extension: Installed }>} */
	update: (name) => request("POST", `${packageAt(name)}/update`),
	/** @param {string} name @returns {Promise<{ extension: Installed }>} */
	rollBack: (name) => request("POST", `${packageAt(name)}/roll-back`),
	/** @param {string} name @param {boolean} deleteData */
	uninstall: (name, deleteData) => request("DELETE", packageAt(name), { deleteData }),
};
