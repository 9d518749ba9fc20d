use super::body;
use super::cards::OfCard;
use super::loads::LoadName;
use super::problem::Problem;
use super::view::StateJson;
use crate::server::Server;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use inline_ui_core::limits::EVENT_DATA_BYTES;
use inline_ui_core::{Accepted, EventId, EventInput, Input, Refusal};
use inline_ui_store::Store;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// An event's body, in bytes: twice the data, so that data a little over its limit is refused in its
/// place in the order of refusals; past that the body is cut off.
const BODY: usize = 2 * EVENT_DATA_BYTES;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventBody {
    id: String,
    load: String,
    name: String,
    #[serde(default)]
    data: Option<Box<RawValue>>,
}

pub(crate) async fn event<S: Store>(
    State(server): State<Arc<Server<S>>>,
    OfCard(chat, card): OfCard,
    body: Body,
) -> Result<(StatusCode, Json<StateJson>), Problem> {
    let given: EventBody = body::json(body, BODY).await.map_err(too_large_is_the_datas)?;
    let id = EventId::parse(&given.id).map_err(|refusal| {
        Problem::new(StatusCode::BAD_REQUEST, "bad_event_id", refusal.to_string())
    })?;
    let event = EventInput {
        card,
        id,
        load: LoadName::check(&given.load, &chat, card, server.boot),
        name: given.name.into(),
        data: given.data.map(|data| data.get().into()),
    };
    let answer = server.handle(&chat, Input::Event(event)).await;
    let outcome = answer.as_ref().map_or_else(Refusal::code, |_| "accepted");
    metrics::counter!("inline_ui_events_total", "outcome" => outcome).increment(1);
    match answer?.accepted {
        Accepted::Event { state, after } => {
            Ok((StatusCode::ACCEPTED, Json(StateJson::new(state, after))))
        }
        _ => Err(Problem::internal()),
    }
}

fn too_large_is_the_datas(problem: Problem) -> Problem {
    if problem.code() == "body_too_large" { Refusal::DataTooLarge.into() } else { problem }
}
