use super::*;
use rstest::rstest;

fn codes(html: &str) -> Vec<String> {
    let checked = check(html);
    let all = checked.notes.iter().chain(&checked.refusal);
    all.map(|f| match f.at {
        Some(at) => format!("{} {at}", f.code),
        None => f.code.to_owned(),
    })
    .collect()
}

#[rstest]
#[case("<p>x</p>", &[])]
#[case("<script>if (a < b && c > d) { x() }</script>", &[])]
#[case("<script>let x = ;</script>", &["script_syntax 1:17"])]
fn a_card_is_checked(#[case] html: &str, #[case] expected: &[&str]) {
    assert_eq!(codes(html), expected);
}
