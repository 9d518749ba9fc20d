/** Storage of the tab, as the sender sees it. */
export function makeShelf() {
	const shelf = {
		events: [],
		full: false,
		read: () => structuredClone(shelf.events),
		keep(events) {
			if (!shelf.full) shelf.events = structuredClone(events);
			return !shelf.full;
		},
		forget(id) {
			shelf.events = shelf.events.filter((event) => event.id !== id);
			return true;
		},
	};
	return shelf;
}
