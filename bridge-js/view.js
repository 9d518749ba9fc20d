import { sheet } from "./style.js";

const MARKUP = `
<section class="card" part="card">
	<header part="head">
		<b class="title"></b>
		<small class="id"></small>
		<button class="enter quiet">Enter card</button>
		<button class="more" hidden></button>
		<button class="close" aria-label="Close" title="Close card">×</button>
	</header>
	<a class="skip quiet" href="#">Skip card</a>
	<div class="stage" part="stage"></div>
	<footer>
		<div class="line" part="line" role="status" aria-live="polite"></div>
		<button class="action" hidden></button>
		<span class="end" tabindex="-1"></span>
	</footer>
</section>
<span class="probe" hidden></span>`;

/** @type {import("./types.js").Draw} */
export const draw = (root) => {
	root.adoptedStyleSheets = [sheet];
	root.innerHTML = MARKUP;
	const view = Object.fromEntries([...root.querySelectorAll("[class]")].map((part) => [part.classList[0], part]));
	const { skip, end } = /** @type {any} */ (view);
	skip.onclick = () => {
		// From a negative index Chromium would start over in this root.
		end.tabIndex = 0;
		end.focus();
		return false;
	};
	end.onblur = () => {
		end.tabIndex = -1;
	};
	return /** @type {any} */ (view);
};
