use crate::repair_surrogates;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// JSON-RPC's reserved error codes, and the one of our own.
pub mod error_code {
    /// The line is not JSON, or was too long.
    pub const PARSE: i64 = -32700;
    /// JSON, but no request, notification or response.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method is not known.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are not of the method's form.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The answering side failed; the request may be tried again.
    pub const INTERNAL: i64 = -32603;
    /// The request does not fit the state of the connection: not initialised yet, or taken by another portal.
    pub const NOT_READY: i64 = -32000;
}

/// What stands in an `error` member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// One of [`error_code`], or another side's own.
    pub code: i64,
    /// One sentence for a person.
    pub message: String,
    /// More for a program, where there is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// A result, or why there is none.
pub type Reply = Result<Box<RawValue>, ErrorObject>;

/// One line, sorted. Parameters stay as text, so that a deep or large one costs nothing before its
/// reader has bounded it.
#[derive(Debug)]
pub enum Incoming {
    /// Wants an answer under its id (a string or a number).
    Request {
        /// Echoed in the answer.
        id: Value,
        /// The method's name.
        method: String,
        /// `{}` when the line had none.
        params: Box<RawValue>,
    },
    /// Wants none.
    Notification {
        /// The method's name.
        method: String,
        /// `{}` when the line had none.
        params: Box<RawValue>,
    },
    /// Answers a request of ours.
    Response {
        /// The id of that request.
        id: Value,
        /// What came back.
        reply: Reply,
    },
}

/// A line that is no message. Answer it with [`response_error`], under `id` where there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadError {
    /// [`error_code::PARSE`] or [`error_code::INVALID_REQUEST`].
    pub code: i64,
    /// What was wrong.
    pub message: String,
    /// The id that could be made out, else null.
    pub id: Value,
}

#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<Value>,
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present_raw")]
    result: Option<Box<RawValue>>,
    error: Option<ErrorObject>,
}

/// Keeps an explicit null apart from an absent member.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

fn present_raw<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

impl Incoming {
    /// Reads one line. Unpaired surrogate escapes are repaired on the way.
    pub fn read(line: &[u8]) -> Result<Self, ReadError> {
        let broken =
            |message: String| ReadError { code: error_code::PARSE, message, id: Value::Null };
        let text =
            std::str::from_utf8(line).map_err(|e| broken(format!("the line is not UTF-8: {e}")))?;
        let text = repair_surrogates(text);
        if text.trim_start().starts_with('[') {
            return Err(ReadError {
                code: error_code::INVALID_REQUEST,
                message: "batches are not taken: send one message a line".to_owned(),
                id: Value::Null,
            });
        }
        let envelope: Envelope = match serde_json::from_str(&text) {
            Ok(envelope) => envelope,
            Err(e) if e.is_data() => {
                return Err(ReadError {
                    code: error_code::INVALID_REQUEST,
                    message: format!("the line is no JSON-RPC message: {e}"),
                    id: Value::Null,
                });
            }
            Err(e) => return Err(broken(format!("the line is not JSON: {e}"))),
        };
        envelope.sort()
    }
}

impl Envelope {
    fn sort(self) -> Result<Incoming, ReadError> {
        let id = self.id.clone().filter(|id| id.is_string() || id.is_number());
        let invalid = |message: &str| ReadError {
            code: error_code::INVALID_REQUEST,
            message: message.to_owned(),
            id: id.clone().unwrap_or(Value::Null),
        };
        if self.jsonrpc != Some(Value::from("2.0")) {
            return Err(invalid("`jsonrpc` must be \"2.0\""));
        }
        if let Some(method) = self.method {
            let Value::String(method) = method else {
                return Err(invalid("`method` must be a string"));
            };
            let params = self.params.unwrap_or_else(empty);
            return match (self.id, id) {
                (None, _) => Ok(Incoming::Notification { method, params }),
                (Some(_), Some(id)) => Ok(Incoming::Request { id, method, params }),
                (Some(_), None) => Err(ReadError {
                    code: error_code::INVALID_REQUEST,
                    message: "`id` must be a string or a number".to_owned(),
                    id: Value::Null,
                }),
            };
        }
        let reply = match (self.result, self.error) {
            (_, Some(error)) => Err(error),
            (Some(result), None) => Ok(result),
            (None, None) => return Err(invalid("neither a method nor a result nor an error")),
        };
        Ok(Incoming::Response { id: self.id.unwrap_or(Value::Null), reply })
    }
}

fn empty() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

/// The line of a request.
pub fn request(
    id: u64,
    method: &str,
    params: &impl Serialize,
) -> Result<String, serde_json::Error> {
    line(&Out { jsonrpc: "2.0", id: Some(id), method, params })
}

/// The line of a notification.
pub fn notification(method: &str, params: &impl Serialize) -> Result<String, serde_json::Error> {
    line(&Out { jsonrpc: "2.0", id: None, method, params })
}

/// The line that answers a request.
pub fn response(id: &Value, result: &impl Serialize) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Answer<'a, R> {
        jsonrpc: &'static str,
        id: &'a Value,
        result: &'a R,
    }
    line(&Answer { jsonrpc: "2.0", id, result })
}

/// The line that refuses a request.
pub fn response_error(id: &Value, code: i64, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

/// One message as one line. JSON that is passed on as it was written may be laid out over lines: what
/// stands behind a line feed would be a message of its own, of whoever wrote that JSON. Outside
/// strings a line break means no more than a space, and inside them JSON has none.
fn line(message: &impl Serialize) -> Result<String, serde_json::Error> {
    let line = serde_json::to_string(message)?;
    Ok(if line.contains(['\n', '\r']) { line.replace(['\n', '\r'], " ") } else { line })
}

#[derive(Serialize)]
struct Out<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: &'a P,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> i64 {
        Incoming::read(line.as_bytes()).unwrap_err().code
    }

    #[test]
    fn requests_notifications_and_responses_are_told_apart() {
        let read = |line: &str| Incoming::read(line.as_bytes()).unwrap();
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","id":1,"method":"a","more":1}"#),
            Incoming::Request { .. }
        ));
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","method":"a","params":{}}"#),
            Incoming::Notification { .. }
        ));
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","id":1,"result":null}"#),
            Incoming::Response { reply: Ok(_), .. }
        ));
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#),
            Incoming::Response { reply: Err(_), .. }
        ));
    }

    #[test]
    fn broken_lines_have_the_codes_of_json_rpc() {
        assert_eq!(code("{"), error_code::PARSE);
        assert_eq!(code("nonsense"), error_code::PARSE);
        assert_eq!(Incoming::read(b"\xff\xfe").unwrap_err().code, error_code::PARSE);
        assert_eq!(code("[]"), error_code::INVALID_REQUEST);
        assert_eq!(code("7"), error_code::INVALID_REQUEST);
        assert_eq!(code(r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#), error_code::INVALID_REQUEST);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#), error_code::INVALID_REQUEST);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":1}"#), error_code::INVALID_REQUEST);
    }

    #[test]
    fn an_invalid_request_keeps_its_id_for_the_answer() {
        assert_eq!(Incoming::read(br#"{"id":"q7","method":"a"}"#).unwrap_err().id, json!("q7"));
    }

    #[test]
    fn parameters_nested_deeper_than_a_parser_dares_are_still_sorted() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{}{}}}"#,
            "[".repeat(5000),
            "]".repeat(5000)
        );
        assert!(matches!(Incoming::read(deep.as_bytes()), Ok(Incoming::Request { .. })));
    }

    #[test]
    fn json_that_was_laid_out_over_lines_is_one_line_and_says_the_same() {
        let laid_out =
            "{\"a\": [\r\n{\"jsonrpc\":\"2.0\",\"method\":\"shutdown\"}\n], \"b\": \"x\\ny\"}";
        let params = RawValue::from_string(laid_out.to_owned()).unwrap();
        let lines = [
            request(1, "m", &params).unwrap(),
            notification("m", &params).unwrap(),
            response(&json!(1), &params).unwrap(),
        ];
        for line in lines {
            assert!(!line.contains(['\n', '\r']), "{line}");
            let read: Value = serde_json::from_str(&line).unwrap();
            let found = read.get("params").or(read.get("result")).unwrap();
            assert_eq!(*found, serde_json::from_str::<Value>(laid_out).unwrap());
        }
    }

    #[test]
    fn a_lone_surrogate_does_not_break_the_line() {
        let Ok(Incoming::Request { params, .. }) =
            Incoming::read(br#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"t":"\ud800"}}"#)
        else {
            panic!("not a request")
        };
        assert_eq!(serde_json::from_str::<Value>(params.get()).unwrap(), json!({"t": "\u{fffd}"}));
    }
}
