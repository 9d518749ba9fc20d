//! The sessions in `docs/portal-link.md`, played against the program: what the page says is what happens.

use crate::harness::{Http, Program, within};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// What stands for the words in braces.
#[derive(Default)]
struct Words(BTreeMap<String, String>);

impl Words {
    fn put_into(&self, line: &str) -> String {
        self.0
            .iter()
            .fold(line.to_owned(), |line, (word, is)| line.replace(&format!("{{{word}}}"), is))
    }

    /// Whether what came is what the page says, which may leave things out.
    fn meet(&mut self, said: &Value, came: &Value) -> bool {
        match (said, came) {
            (Value::String(said), Value::String(came)) => {
                let word = said.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                let Some(word) = word else { return said == came };
                self.0.entry(word.to_owned()).or_insert_with(|| came.clone()) == came
            }
            (Value::Object(said), Value::Object(came)) => said
                .iter()
                .all(|(key, said)| came.get(key).is_some_and(|came| self.meet(said, came))),
            (Value::Array(said), Value::Array(came)) => {
                said.len() == came.len()
                    && said.iter().zip(came).all(|(said, came)| self.meet(said, came))
            }
            _ => said == came,
        }
    }

    fn expect(&mut self, said: &str, came: &Value) {
        let said: Value = serde_json::from_str(&self.put_into(said)).unwrap();
        assert!(self.meet(&said, came), "the page says {said}, and what came is {came}");
    }
}

fn sessions(page: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```session\n").skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap().lines()).map(str::to_owned).collect()
}

#[tokio::test]
async fn the_sessions_of_the_portal_link_are_what_happens() {
    let data = tempfile::tempdir().unwrap();
    let mut words = Words::default();
    words.0.insert("data".to_owned(), data.path().to_str().unwrap().to_owned());
    let mut program = Program::start(&["serve", "--stdio"]);
    let (mut input, output) = program.pipes();
    let mut output = BufReader::new(output).lines();
    let mut http = None;
    let mut asked = None;
    let lines = sessions("portal-link.md");
    assert!(lines.len() > 20, "{}", lines.len());
    for line in &lines {
        let (way, said) = line.split_once(' ').unwrap();
        match (way, said.split(' ').next().unwrap()) {
            (">", method @ ("GET" | "POST")) => {
                http.get_or_insert_with(|| {
                    let of = |word: &str| words.0[word].clone();
                    Http::of(&serde_json::json!({ "address": of("address"), "token": of("token") }))
                });
                let rest = words.put_into(&said[method.len() + 1..]);
                let (path, body) = rest.split_once(' ').unwrap_or((&rest, ""));
                asked = Some((method == "POST", path.to_owned(), body.to_owned()));
            }
            (">", _) => {
                input.write_all(format!("{}\n", words.put_into(said)).as_bytes()).await.unwrap();
            }
            ("<", status @ ("200" | "202")) => {
                let (posts, path, body) = asked.take().expect("a request before the reply");
                let http = http.as_ref().unwrap();
                // What the link was told a moment ago may not have been done yet.
                let reply = within(said, async {
                    loop {
                        let reply = if posts {
                            http.post(&path, body.as_str()).await
                        } else {
                            http.get(&path).await
                        };
                        if reply.status != 404 {
                            return reply;
                        }
                    }
                })
                .await;
                assert_eq!(reply.status.as_str(), status, "{}", reply.text());
                words.expect(&said[4..], &reply.json());
            }
            ("<", _) => {
                let came = within(said, output.next_line()).await.unwrap().expect("a line");
                words.expect(said, &serde_json::from_str(&came).unwrap());
            }
            _ => panic!("no line of a session: {line}"),
        }
    }
    assert!(within("the end", program.ended()).await.success());
}
