/** @type {import("./types.js").MakeUnsent} */
export const makeUnsent = (key) => {
	/** @type {import("./types.js").Unsent} */
	const unsent = {
		read() {
			try {
				return JSON.parse(sessionStorage.getItem(key) ?? "[]");
			} catch {
				return [];
			}
		},
		keep(events) {
			try {
				if (events.length) sessionStorage.setItem(key, JSON.stringify(events));
				else sessionStorage.removeItem(key);
				return true;
			} catch {
				return false;
			}
		},
		forget: (id) => unsent.keep(unsent.read().filter((event) => event.id !== id)),
	};
	return unsent;
};
