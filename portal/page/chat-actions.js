import { api, Problem } from "./api.js";
import { ask, askText, tell } from "./dialogs.js";

/**
 * Asks, and deletes.
 * @param {string} id
 * @param {string} [title] where more than one chat is in sight
 * @returns {Promise<boolean>} whether it is gone
 */
export async function deleteChat(id, title) {
	const about = title ? `“${title}”: its messages` : "Its messages";
	const sure = await ask("Delete this chat?", `${about} and its cards go with it. There is no way back.`, "Delete");
	return sure && (await attempt(() => api.remove(id)));
}

/**
 * Asks for another title, and sets it.
 * @param {string} id @param {string} title
 * @returns {Promise<boolean>} whether it has another one
 */
export async function renameChat(id, title) {
	const next = (await askText("Rename chat", "Chat title", title, "Rename"))?.trim();
	if (!next || next === title) return false;
	return attempt(() => api.rename(id, next));
}

/** @param {() => Promise<unknown>} act @returns {Promise<boolean>} whether it worked; the person was told when it did not */
export async function attempt(act) {
	try {
		await act();
		return true;
	} catch (error) {
		await tell("That did not work", error instanceof Problem ? error.message : String(error));
		return false;
	}
}
