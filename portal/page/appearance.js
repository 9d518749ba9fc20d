/** @typedef {"system" | "light" | "dark"} Theme */

/** @returns {Theme} the theme this browser was told to use */
export function chosenTheme() {
	const chosen = localStorage.getItem("theme");
	return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** @param {Theme} theme */
export function chooseTheme(theme) {
	if (theme === "system") {
		localStorage.removeItem("theme");
		delete document.documentElement.dataset.theme;
		return;
	}
	localStorage.setItem("theme", theme);
	document.documentElement.dataset.theme = theme;
}

/** Takes over what another tab of the portal chose. */
export function followOtherTabs() {
	addEventListener("storage", (event) => {
		if (event.key === "theme") chooseTheme(chosenTheme());
	});
}
