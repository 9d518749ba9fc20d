use super::*;
use crate::ids::EventName;
use rstest::rstest;

/// Every finding as `code LINE:COLUMN`, for a card that declares `events`.
fn codes_with(html: &str, events: &[&str]) -> Vec<String> {
    let Checked { notes, refusal, emitted, .. } = check(html);
    let declared: Vec<_> = events
        .iter()
        .map(|name| crate::card::DeclaredEvent::action(EventName::parse(name).unwrap()))
        .collect();
    let notes = emitted.notes_with(notes, &declared);
    let all = refusal.iter().chain(&notes);
    all.map(|f| f.at.map_or(f.code.to_owned(), |at| format!("{} {at}", f.code))).collect()
}

fn codes(html: &str) -> Vec<String> {
    let Checked { notes, refusal, .. } = check(html);
    let all = refusal.iter().chain(&notes);
    all.map(|f| f.at.map_or(f.code.to_owned(), |at| format!("{} {at}", f.code))).collect()
}

// The inputs of the field reports that are about what an author writes.
#[rstest]
#[case::c28("<form><input name=city value=Oslo aria-label=City><button name=act value=go>Go</button><button name=act value=skip>Skip</button></form>", &[])]
#[case::c29("<button onclick=\"if(confirm('Delete 3 files?'))pithagoras.emit('del',{n:3})\">Delete</button>", &["dialog 1:21"])]
#[case::c31("<script>const best=+localStorage.getItem('best')||0;document.write('best '+best)</script><button onclick=\"localStorage.setItem('best',9);pithagoras.emit('ok',{})\">ok</button>", &["storage 1:21", "storage 1:107"])]
#[case::c32("<canvas id=c></canvas><script src='https://cdn.jsdelivr.net/npm/chart.js'></script><script>new Chart(c,{type:'bar',data:{labels:['a'],datasets:[{data:[1]}]}})</script>", &["external_script 1:23"])]
#[case::c34("<script type=importmap>{\"imports\":{\"d3\":\"https://esm.sh/d3\"}}</script><script type=module>import * as d3 from 'd3';d3.select('body').append('p').text('hi')</script>", &["import_map 1:1"])]
#[case::c40("<a download='t.csv' href='data:text/csv,a,b%0A1,2'>Download CSV</a>", &[])]
#[case::c101("<p title=\"a &quot;b&quot; & c\">5 &lt; 6 &amp;amp; 'x'</p><script>document.body.append(1<2&&\"ok\")</script>", &[])]
#[case::c103("&lt;div class=&quot;x&quot;&gt;&lt;button&gt;OK&lt;/button&gt;&lt;/div&gt;", &["unescaped 1:1"])]
#[case::c104("<!DOCTYPE html><html lang=en><head><title>T</title><style>p{color:red}</style></head><body class=dark onload=\"document.title='ran'\"><p>x</p></body></html>", &[])]
#[case::c106("<script>const top=[3,1,2];top.sort();pithagoras.emit('x',{top})</script>", &["reserved_name 1:15"])]
#[case::c110("<img src='chart.png' alt='sales chart'><script>fetch('/api/chats').catch(e=>document.body.append(e.name))</script>", &["external_image 1:11"])]
fn the_field_reports_are_answered(#[case] html: &str, #[case] expected: &[&str]) {
    assert_eq!(codes(html), expected);
}

#[rstest]
#[case(
    "<button onclick=\"save()\">x</button><script type=module>function save() {}</script>",
    Some("handler_sees_no_module 1:18")
)]
#[case(
    "<button onclick=\"save()\">x</button><script type=module>const save = () => 1</script>",
    Some("handler_sees_no_module 1:18")
)]
#[case(
    "<body onload='init()'><script type=module>async function init() {}</script>",
    Some("handler_sees_no_module 1:15")
)]
#[case("<button onclick=\"save()\">x</button><script>function save() {}</script>", None)]
#[case(
    "<button onclick=\"save()\">x</button><script type=module>function save() {} window.save = save</script>",
    None
)]
#[case(
    "<button onclick=\"save()\">x</button><script type=module>function save() {} globalThis['save'] = save</script>",
    None
)]
#[case(
    "<button onclick=\"save()\">x</button><script type=module>function save() {} Object.assign(window, { save })</script>",
    None
)]
#[case(
    "<button onclick=\"save()\">x</button><script type=module>const all = { save() {} }; for (const k in all) window[k] = all[k]; function save() {}</script>",
    None
)]
#[case(
    "<button onclick=\"save()\">x</button><script>var save</script><script type=module>function save() {}</script>",
    None
)]
#[case("<button onclick=\"save()\">x</button>", None)]
#[case(
    "<button onclick=\"let save = () => 1; save()\">x</button><script type=module>function save() {}</script>",
    None
)]
#[case(
    "<button onclick=\"this.save()\">x</button><script type=module>function save() {}</script>",
    None
)]
#[case(
    "<button onclick=\"save()\">x</button><script type=module>{ function save() {} }</script>",
    None
)]
#[case(
    "<button onboarding=\"save(\">x</button><script type=module>function save() {}</script>",
    None
)]
fn a_handler_reaches_what_is_global(#[case] html: &str, #[case] refused: Option<&str>) {
    assert_eq!(codes(html).first().map(String::as_str), refused);
}

#[rstest]
#[case("const top = 1", true)]
#[case("let location", true)]
#[case("class window {}", true)]
#[case("const { a: document, ...undefined } = x", true)]
#[case("var location = 1", true)]
#[case("if (a) { for (var location of b) ; }", true)]
#[case("var top = 1, document = 2, window = 3", false)]
#[case("const parent = 1, self = 2, name = 3, event = 4, history = 5, status = 6", false)]
#[case("{ const top = 1; let location = 2 }", false)]
#[case("function f(top, location) { const document = 1; var window }", false)]
#[case("(() => { var location = 1 })()", false)]
#[case("location.hash = 'a'; top.focus()", false)]
fn names_that_are_the_browsers_are_refused_at_the_top_only(
    #[case] script: &str,
    #[case] refused: bool,
) {
    let classic = codes(&format!("<script>{script}</script>"));
    assert_eq!(classic.first().is_some_and(|code| code.starts_with("reserved_name")), refused);
    if !refused {
        assert_eq!(classic, Vec::<String>::new());
    }
    assert_eq!(codes(&format!("<script type=module>{script}</script>")), Vec::<String>::new());
}

#[rstest]
#[case("pithagoras.emit('pikc')", &["undeclared_emit", "never_emitted"])]
#[case("pithagoras.emit(`pick`)", &[])]
#[case("window.pithagoras.emit('pick')", &[])]
#[case("pithagoras?.emit?.('pick')", &[])]
#[case("if (window.pithagoras) pithagoras.emit('pick')", &[])]
#[case("typeof pithagoras !== 'undefined' && pithagoras.emit('pick')", &[])]
#[case("const { emit } = pithagoras; emit('pick')", &[])]
#[case("const { emit: send } = pithagoras; send('other')", &["undeclared_emit", "never_emitted"])]
#[case("const p = pithagoras; p.emit('pick')", &[])]
#[case("const send = pithagoras.emit; send('pick')", &[])]
#[case("const NAME = 'pick'; pithagoras.emit(NAME)", &[])]
#[case("pithagoras.emit(ok ? 'pick' : 'other')", &["undeclared_emit"])]
#[case("const send = (n) => pithagoras.emit(n); send('pick')", &[])]
#[case("pithagoras.emit('a' + b)", &[])]
#[case("const api = window.pithagoras || { emit() {} }; api.emit('pick')", &[])]
#[case("use(pithagoras)", &[])]
#[case("el.innerHTML = `<button onclick=\"pithagoras.emit('pick')\">x</button>`", &[])]
#[case("eval(code)", &[])]
#[case("form.dataset.event = 'pick'", &[])]
#[case("// pithagoras.emit('pikc')\n'pithagoras.emit'", &["never_emitted"])]
#[case("function f(pithagoras) { pithagoras.emit('pikc') }", &["never_emitted"])]
#[case("other.emit('pikc')", &["never_emitted"])]
#[case("pithagoras.onData(d => d); pithagoras.theme.mode", &["never_emitted"])]
fn what_is_emitted_is_read_from_the_scripts(#[case] script: &str, #[case] expected: &[&str]) {
    let found = codes_with(&format!("<script>{script}</script>"), &["pick"]);
    let found: Vec<&str> = found.iter().map(|code| code.split(' ').next().unwrap()).collect();
    assert_eq!(found, expected);
}

#[rstest]
#[case("<form data-event=pick></form>", &[])]
#[case("<button data-event=pick>x</button>", &[])]
#[case("<form data-event=pikc></form>", &["undeclared_emit 1:18", "never_emitted"])]
#[case("<form data-event=other></form><script>f.getAttribute('data-event')</script>", &[])]
#[case("<a href=\"javascript:pithagoras.emit('pick')\">x</a>", &[])]
#[case("<script type=text/template>pithagoras.emit('pick')</script>", &[])]
#[case("<button onclick=\"pithagoras.emit('pick')\">x</button>", &[])]
fn what_the_markup_emits_counts_too(#[case] html: &str, #[case] expected: &[&str]) {
    assert_eq!(codes_with(html, &["pick"]), expected);
}

#[test]
fn an_emit_of_a_card_without_events_says_so() {
    let Checked { notes, emitted, .. } = check("<script>pithagoras.emit('go')</script>");
    let notes = emitted.notes_with(notes, &[]);
    assert!(notes[0].text.contains("declares no events"), "{notes:?}");
}

#[rstest]
#[case("function alert() {} alert(1)", &[])]
#[case("function f(confirm) { confirm() }", &[])]
#[case("window.prompt = () => 1; prompt()", &[])]
#[case("const { alert } = ui; alert('x')", &[])]
#[case("toast.alert('x'); my.localStorage.x", &[])]
#[case("if (typeof alert === 'function') 1", &[])]
#[case("self.alert('x')", &["dialog 1:9"])]
#[case("window['sessionStorage'].x = 1", &["storage 1:9"])]
#[case("document.cookie", &["storage 1:9"])]
#[case("const localStorage = {}; localStorage.a = 1", &[])]
fn dialogs_and_storage_are_noted_where_they_are_the_browsers(
    #[case] script: &str,
    #[case] expected: &[&str],
) {
    assert_eq!(codes(&format!("<script>{script}</script>")), expected);
}

#[rstest]
#[case("<script>'</script><p>'</script>", Some("script_syntax 1:9"))]
#[case("<script type=text/babel>const a = <b/></script>", None)]
#[case("<script type=application/json>{,}</script>", None)]
#[case("<script type=text/plain src=x.js></script>", None)]
#[case("<template><script>let x = ;</script></template>", None)]
#[case("<script src=''></script>", None)]
#[case("<noscript><script src=x.js></script></noscript>", None)]
#[case("<!-- <script src=x.js></script> -->", None)]
#[case("<textarea aria-label=a><script>let x = ;</script></textarea>", None)]
#[case("<script nomodule src=x.js></script>", None)]
#[case("<svg><script>1 &lt; 2</script></svg>", None)]
#[case("<script language=VBScript>MsgBox 1</script>", None)]
#[case("<script>let a; let a;</script>", Some("script_syntax 1:20"))]
#[case("<script>let a</script><script>let a</script>", Some("script_syntax 1:35"))]
#[case("<script>var a</script><script>var a; function a() {}</script>", None)]
#[case("<script type=module>let a</script><script type=module>let a</script>", None)]
#[case("<script>import('./x.js')</script>", Some("module_import 1:16"))]
#[case("<script>import(url)</script>", None)]
#[case(
    "<script type=module>export { a } from 'b'; export * from 'c'</script>",
    Some("module_import 1:39")
)]
#[case("<script type=module>await 1; export const a = 1</script>", None)]
#[case("<p onclick='return false'>x</p>", None)]
#[case("<p onclick=''>x</p>", None)]
#[case("<p onclick='javascript:void(0)'>x</p>", None)]
#[case("<p onclick='await x'>x</p>", Some("script_syntax 1:13"))]
fn only_what_an_engine_would_run_is_read(#[case] html: &str, #[case] refused: Option<&str>) {
    assert_eq!(codes(html).first().map(String::as_str), refused);
}

#[rstest]
#[case("<link rel=preconnect href=https://a.example>\n<p>x", "\n<p>x")]
#[case("<link rel='x PreConnect' href=//a>x", "x")]
#[case("<link rel=pre&#99;onnect href=//a>x", "x")]
#[case("<link href=//a rel=dns-prefetch>x", "x")]
#[case("<link rel=preconnected href=//a>x", "<link rel=preconnected href=//a>x")]
#[case("<p rel=preconnect>x", "<p rel=preconnect>x")]
fn a_hint_at_a_connection_is_taken_out_without_a_word(#[case] html: &str, #[case] kept: &str) {
    let checked = check(html);
    assert_eq!((checked.html.as_str(), checked.notes, checked.refusal), (kept, vec![], None));
}

#[rstest]
#[case("Here:\n\n```html\n<p>x</p>\n```", "\n\n\n<p>x</p>\n")]
#[case("```html\n&lt;p&gt;x&lt;/p&gt;\n```", "\n<p>x</p>\n")]
#[case("<meta http-equiv=refresh\r\ncontent=1>\n<p>x", "\r\n\n<p>x")]
fn what_is_repaired_keeps_its_lines(#[case] html: &str, #[case] kept: &str) {
    assert_eq!(check(html).html, kept);
}

#[rstest]
#[case("<META http-equiv=Refresh content=1><p>a", "<p>a")]
#[case("<p>a<meta name=x http-equiv='refresh'\ncontent='0;url=x'>b", "<p>a\nb")]
#[case("<template shadowrootmode=open>x</template>", "<template>x</template>")]
#[case("<template\n id=a shadowRootMode='closed'>", "<template\n id=a>")]
#[case("<template shadowrootmode=a shadowrootmode=b>", "<template>")]
fn what_must_not_stay_is_taken_out_and_nothing_else(#[case] html: &str, #[case] kept: &str) {
    let checked = check(html);
    assert_eq!((checked.html.as_str(), checked.refusal.clone()), (kept, None));
    assert!(!checked.notes.is_empty());
    assert_eq!(check(kept).html, kept);
}

#[rstest]
#[case("<meta charset=utf-8><meta http-equiv=content-type content=text/html>")]
#[case("<p shadowrootmode=open>x</p>")]
#[case("<p>&lt;meta http-equiv=refresh&gt;</p>")]
#[case("<script>'<meta http-equiv=refresh>'</script>")]
#[case(
    "<style>a{min-height:50vh;max-height:100vh;height:1100vh}b{position:fixed;height:100vh}</style>"
)]
#[case("<style>@namespace svg url(http://www.w3.org/2000/svg); a{fill:url(#a)}</style>")]
#[case("<a href='https://example.org'>x</a><a href=y.html>y</a>")]
#[case("<img alt='' src=''><img alt=a><video></video><img alt=b src=\"${src}\">")]
#[case("<link rel=icon href=x.png>")]
#[case(
    "<label>A <span><input></span></label><input aria-labelledby=x><input placeholder=Name><input type=submit>"
)]
#[case("<button></button><button id=a></button><button>×</button>")]
#[case("<input hidden><div hidden><input></div><p style='display: none'><select></select></p>")]
#[case("<template><input><img src=data:,></template>")]
#[case("<script>x.setAttribute('aria-label', 'y')</script><input>")]
#[case("<img role=presentation src=data:,><img aria-label=a src=data:,>")]
fn what_is_fine_has_no_finding(#[case] html: &str) {
    assert_eq!((codes(html), check(html).html), (vec![], html.to_owned()));
}

#[test]
fn scripts_that_an_engine_runs_are_not_refused() {
    let odd: Vec<String> =
        serde_json::from_str(include_str!("../../../tests/odd-scripts.json")).unwrap();
    assert!(odd.len() > 80);
    let refused: Vec<_> = odd
        .iter()
        .filter_map(|script| Some((script, check(&format!("<script>{script}</script>")).refusal?)))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[rstest]
#[case("(")]
#[case("[")]
#[case("{")]
#[case("!")]
#[case("a=>")]
#[case("new ")]
#[case("a?")]
#[case("`${")]
#[case("if(1)")]
#[case("1+")]
#[case("a.b(")]
#[case("function f(){")]
#[case("class A{x=")]
#[case("for(;;)")]
#[case("a=")]
#[case("{a:")]
#[case("async()=>")]
#[case("/(")]
fn a_script_nested_as_deep_as_it_can_be_does_no_harm(#[case] piece: &str) {
    let deep = piece.repeat(65_000 / piece.len());
    check(&format!("<script>{deep}1</script><p onclick='{deep}'>"));
}

#[test]
fn many_findings_of_a_kind_are_told_in_three() {
    let Checked { notes, .. } = check(&"<input>".repeat(50));
    assert_eq!(notes.len(), 3);
    assert!(notes[2].text.ends_with("(47 more like this)"), "{}", notes[2].text);
}
