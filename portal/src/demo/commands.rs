use serde_json::value::RawValue;

/// More than this is a slip of the finger.
pub(super) const MOST_STEPS: u32 = 1000;

/// A line that the demo model always understands.
#[derive(Debug)]
pub(super) enum Command {
    Call {
        name: String,
        arguments: Box<RawValue>,
    },
    Work {
        steps: u32,
    },
    Show {
        file: String,
    },
    LetGo,
    /// Say what the model was given.
    Context,
    /// Not one of these, or not complete; why, for the person.
    Unclear(String),
}

const KNOWN: &[&str] = &["/call", "/work", "/show", "/letgo", "/context"];

/// The commands of a message: each begins a line, and what follows up to the next is its own, so
/// that JSON may be laid out over lines.
pub(super) fn read(text: &str) -> Vec<Command> {
    let mut pieces: Vec<String> = Vec::new();
    for line in text.trim().lines() {
        let begins = line.split_whitespace().next().is_some_and(|word| KNOWN.contains(&word));
        match pieces.last_mut() {
            Some(piece) if !begins => {
                piece.push('\n');
                piece.push_str(line);
            }
            _ => pieces.push(line.to_owned()),
        }
    }
    pieces.iter().map(|piece| read_one(piece.trim())).collect()
}

/// The steps of a message that is a `/work` line and nothing else.
pub(super) fn work_alone(text: &str) -> Option<u32> {
    match read(text).as_slice() {
        [Command::Work { steps }] => Some(*steps),
        _ => None,
    }
}

fn read_one(piece: &str) -> Command {
    let (word, rest) = piece.split_once(char::is_whitespace).unwrap_or((piece, ""));
    let rest = rest.trim();
    match word {
        "/call" => call(rest),
        "/work" => match rest.parse() {
            Ok(steps) if (1..=MOST_STEPS).contains(&steps) => Command::Work { steps },
            _ => Command::Unclear(format!(
                "Write `/work N` with a number of steps from 1 to {MOST_STEPS}."
            )),
        },
        "/show" if !rest.is_empty() => Command::Show { file: rest.to_owned() },
        "/show" => {
            Command::Unclear("Write `/show FILE` with the name of a card's file.".to_owned())
        }
        "/letgo" => Command::LetGo,
        "/context" => Command::Context,
        _ => Command::Unclear(
            "I understand the lines `/call NAME JSON`, `/work N`, `/show FILE`, `/letgo` and \
             `/context`."
                .to_owned(),
        ),
    }
}

fn call(rest: &str) -> Command {
    let (name, json) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let json = json.trim();
    if name.is_empty() || json.is_empty() {
        return Command::Unclear(
            "Write `/call NAME JSON`, for example `/call ui_close {\"card\": \"c1\"}`.".to_owned(),
        );
    }
    match serde_json::from_str::<Box<RawValue>>(json) {
        Ok(arguments) => Command::Call { name: name.to_owned(), arguments },
        Err(error) => Command::Unclear(format!(
            "That is not JSON, so I called nothing: {error}, counted from its first character."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_exactly_the_json_that_was_written() {
        let json = "{ \"a\": 1,\n  \"a\": \"\\ud800\" }";
        let commands = read(&format!("/call ui_show {json}\n/call ui_close {{}}\n/letgo"));
        let [Command::Call { name, arguments }, Command::Call { .. }, Command::LetGo] =
            commands.as_slice()
        else {
            panic!("{commands:?}")
        };
        assert_eq!((name.as_str(), arguments.get()), ("ui_show", json));
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let unclear = |text: &str| match read(text).pop() {
            Some(Command::Unclear(why)) => why,
            other => panic!("{other:?}"),
        };
        assert!(unclear("/call ui_show {\"a\": }").contains("line 1 column 7"));
        assert!(unclear("/call ui_show {} more").contains("trailing characters"));
        assert!(unclear("/call ui_show").contains("/call NAME JSON"));
        assert!(unclear("/work").contains("1 to 1000"));
        assert!(unclear("/work 1001").contains("1 to 1000"));
        assert!(unclear("/nonsense").contains("/letgo"));
        assert_eq!(work_alone("/work 1000"), Some(1000));
        assert_eq!(work_alone("/work 2\n/letgo"), None);
    }
}
