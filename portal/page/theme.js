// A classic script, so that the chosen theme is there before the first paint. appearance.js changes it later.
{
	const chosen = localStorage.getItem("theme");
	if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
