// playwright-core's driver. Of 1.64.0 a navigation that Firefox reports of a frame that is gone ends the whole driver;
// cards' frames come and go, so that one error is let pass.
process.on("uncaughtException", (error) => {
	if (/_onNavigationCommitted/.test(String(error.stack))) return;
	console.error(error);
	process.exit(1);
});
require("./node_modules/playwright-core/cli.js");
