// What a card's frame does not have, so that scripts which expect it go on. Part of the bridge's script.
(() => {
	"use strict";
	const warn = console.warn.bind(console);
	const { create, defineProperty, keys } = Object;

	/** @type {(name: string, value: unknown) => void} */
	const put = (name, value) =>
		void defineProperty(window, name, { configurable: true, enumerable: true, writable: true, value });

	/** A storage that lasts as long as the card's load. */
	const makeStorage = () => {
		const values = create(null);
		/** @type {Record<string | symbol, unknown>} */
		const methods = Object.assign(create(null), {
			getItem: (/** @type {unknown} */ key) => values[`${key}`] ?? null,
			setItem(/** @type {unknown} */ key, /** @type {unknown} */ value) {
				values[`${key}`] = `${value}`;
			},
			removeItem(/** @type {unknown} */ key) {
				delete values[`${key}`];
			},
			clear() {
				for (const key of keys(values)) delete values[key];
			},
			key: (/** @type {number} */ n) => keys(values)[n >>> 0] ?? null,
			toString: () => "[object Storage]",
		});
		return new Proxy(values, {
			get: (_, key) => (key === "length" ? keys(values).length : (methods[key] ?? values[key])),
			set(_, key, value) {
				values[key] = `${value}`;
				return true;
			},
		});
	};
	put("localStorage", makeStorage());
	put("sessionStorage", makeStorage());

	const ANSWERS = { alert: undefined, confirm: false, prompt: null, open: null };
	for (const [name, answer] of Object.entries(ANSWERS))
		put(name, () => {
			warn(`${name}() does nothing in a card`);
			return answer;
		});
})();
