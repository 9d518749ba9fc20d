//! The plain model of one chat: a list of what the person did and where each of it went. The queue,
//! the messages and the states are read off that list, slowly and with nothing kept beside it.

use super::*;
use crate::ids::EventName;
use crate::wait::WaitFor;

/// What a card may send in every sequence. `closed` is the name that a close note has, too.
pub(super) const NAMES: [&str; 5] = ["a", "go", "ok", "one", "closed"];

pub(super) fn declared(name: &str) -> DeclaredEvent {
    DeclaredEvent {
        wake: name == "go",
        once: name == "one",
        ..DeclaredEvent::action(EventName::parse(name).unwrap())
    }
}

/// Something the person did that the agent has not got.
#[derive(Debug, Clone)]
struct Deed {
    card: u32,
    /// `None` is that the card was closed.
    name: Option<&'static str>,
    id: String,
    title: Arc<str>,
    data: Arc<str>,
    wake: bool,
    place: Place,
    /// The call that got it as its answer.
    call: Option<CallId>,
}

#[derive(Debug, Clone, PartialEq)]
enum Place {
    Queue,
    Message(String),
    Answer,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Out {
    Offered { woke: bool },
    Returned,
}

struct Asked {
    call: CallId,
    names: Vec<String>,
    since: Now,
    length: Duration,
    /// When the person was active in the card.
    active: Vec<Instant>,
}

impl Asked {
    /// Time counts outside of the 30 s after each activity, and a day is the end of it.
    fn deadline(&self) -> Instant {
        let (mut at, mut left) = (self.since.mono, self.length);
        for active in &self.active {
            let counted = active.since(at);
            if counted >= left {
                break;
            }
            left -= counted;
            at = at.max(*active + Duration::from_secs(30));
        }
        (at + left).min(self.since.mono + Duration::from_hours(24))
    }
}

struct ModelCard {
    open: bool,
    title: Arc<str>,
    revision: u32,
    spent: bool,
    seen: bool,
    ids: VecDeque<(EventId, DeliveryState)>,
    bucket: Bucket,
    asked: Option<Asked>,
    /// The newest thing it sent, by its place in the list.
    last: Option<u64>,
}

/// Nanoseconds of credit, a token for every `per` of them.
struct Bucket {
    credit: u64,
    most: u64,
    per: u64,
    at: Instant,
}

impl Bucket {
    fn new(burst: u64, per_second: u64, now: Now) -> Self {
        let per = 1_000_000_000 / per_second;
        Self { credit: burst * per, most: burst * per, per, at: now.mono }
    }

    fn spend(&mut self, now: Now) -> Result<(), Duration> {
        let earned = u64::try_from(now.mono.since(self.at).as_nanos()).unwrap();
        self.credit = self.most.min(self.credit.saturating_add(earned));
        self.at = now.mono;
        match self.credit.checked_sub(self.per) {
            Some(rest) => {
                self.credit = rest;
                Ok(())
            }
            None => Err(Duration::from_nanos(self.per - self.credit)),
        }
    }
}

/// What a take hands over.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) card: u32,
    pub(super) name: &'static str,
    pub(super) count: u64,
    pub(super) text: String,
}

#[derive(Debug, PartialEq)]
pub(super) enum Taken {
    Nothing,
    /// A message that came back, as it was.
    Again(String),
    /// A new one of the oldest of these, as many as fit.
    New(Vec<Line>),
}

pub(super) struct Model {
    cards: BTreeMap<u32, ModelCard>,
    next_card: u32,
    /// By the order in which they happened. What the agent has is not in it any more.
    deeds: BTreeMap<u64, Deed>,
    happened: u64,
    /// Messages that are not known to be delivered, oldest first.
    messages: Vec<(String, Out)>,
    pub(super) agent: AgentState,
    pub(super) wake: bool,
    woke: Option<Instant>,
    woke_wall: Option<i64>,
    bucket: Bucket,
    /// Accepted events that the agent has.
    pub(super) arrived: u64,
    pub(super) accepted: u64,
    /// Waits that ended since the last look.
    pub(super) settled: Vec<SettledWait>,
}

impl Model {
    pub(super) fn new(now: Now) -> Self {
        Self {
            cards: BTreeMap::new(),
            next_card: 1,
            deeds: BTreeMap::new(),
            happened: 0,
            messages: Vec::new(),
            agent: AgentState::Gone,
            wake: true,
            woke: None,
            woke_wall: None,
            bucket: Bucket::new(60, 10, now),
            arrived: 0,
            accepted: 0,
            settled: Vec::new(),
        }
    }

    pub(super) fn show(
        &mut self,
        now: Now,
        call: &CallId,
        title: &str,
        waits: Option<&WaitFor>,
    ) -> u32 {
        if self.cards.len() == 200 {
            let oldest = *self.cards.keys().next().unwrap();
            self.end_wait(now, oldest, Outcome::Closed);
            self.cards.remove(&oldest);
        }
        let card = ModelCard {
            open: true,
            title: title.into(),
            revision: 1,
            spent: false,
            seen: false,
            ids: VecDeque::new(),
            bucket: Bucket::new(20, 5, now),
            asked: waits.map(|asked| Asked {
                call: call.clone(),
                names: asked.events.iter().map(ToString::to_string).collect(),
                since: now,
                length: asked.length,
                active: Vec::new(),
            }),
            last: None,
        };
        self.next_card += 1;
        self.cards.insert(self.next_card - 1, card);
        self.next_card - 1
    }

    pub(super) fn event(&mut self, now: Now, event: &EventInput) -> Result<DeliveryState, Refusal> {
        let id = event.card.0;
        let unknown = || Refusal::UnknownCard { card: format!("c{id}") };
        let card = self.cards.get_mut(&id).ok_or_else(unknown)?;
        if let Some((_, state)) = card.ids.iter().find(|(known, _)| *known == event.id) {
            return Ok(*state);
        }
        match event.load {
            LoadCheck::Revision(revision) if revision != card.revision => {
                return Err(Refusal::StaleLoad);
            }
            LoadCheck::Foreign => return Err(Refusal::StaleLoad),
            LoadCheck::Revision(_) | LoadCheck::Earlier => {}
        }
        if !card.open {
            return Err(Refusal::CardClosed { card: event.card });
        }
        let name = EventName::parse(&event.name)?;
        let Some(known) = NAMES.into_iter().find(|known| *known == &*event.name) else {
            return Err(Refusal::UndeclaredEvent { name });
        };
        if &*event.name == "one" && card.spent {
            return Err(Refusal::EventSpent { name });
        }
        let data: Arc<str> = event.data.clone().unwrap_or_else(|| "null".into());
        if data.len() > 32_768 {
            return Err(Refusal::DataTooLarge);
        }
        card.bucket.spend(now).map_err(|retry_after| Refusal::CardRate { retry_after })?;
        self.bucket.spend(now).map_err(|retry_after| Refusal::ChatRate { retry_after })?;

        card.spent |= &*event.name == "one";
        let answers =
            card.asked.as_ref().filter(|asked| asked.names.iter().any(|it| **it == *event.name));
        let call = answers.map(|asked| asked.call.clone());
        let deed = Deed {
            card: id,
            name: Some(known),
            id: event.id.to_string(),
            title: card.title.clone(),
            data: data.clone(),
            wake: &*event.name == "go",
            place: if call.is_some() { Place::Answer } else { Place::Queue },
            call,
        };
        card.last = Some(self.happened);
        if deed.place == Place::Answer {
            self.end_wait(now, id, Outcome::Answered { name, data });
        }
        self.does(deed);
        let state = self.state(id, self.unsent()).unwrap();
        let ids = &mut self.cards.get_mut(&id).unwrap().ids;
        ids.push_back((event.id.clone(), state));
        if ids.len() > 256 {
            ids.pop_front();
        }
        Ok(state)
    }

    pub(super) fn update(
        &mut self,
        card: u32,
        title: Option<&str>,
        html: bool,
    ) -> Result<(), Refusal> {
        let card_id = CardId(card);
        let unknown = || Refusal::UnknownCard { card: card_id.to_string() };
        let card = self.cards.get_mut(&card).ok_or_else(unknown)?;
        if !card.open {
            return Err(Refusal::CardClosed { card: card_id });
        }
        if let Some(title) = title {
            card.title = title.into();
        }
        card.revision += u32::from(html);
        Ok(())
    }

    /// Whether it was closed already.
    pub(super) fn close(&mut self, now: Now, id: u32, by_person: bool) -> Result<bool, Refusal> {
        let unknown = || Refusal::UnknownCard { card: format!("c{id}") };
        let card = self.cards.get_mut(&id).ok_or_else(unknown)?;
        if !std::mem::take(&mut card.open) {
            return Ok(true);
        }
        let (asked, title) = (card.asked.is_some(), card.title.clone());
        self.end_wait(now, id, Outcome::Closed);
        if by_person && !asked {
            self.does(Deed {
                card: id,
                name: None,
                id: format!("closed-c{id}"),
                title,
                data: r#"{"closedBy":"person"}"#.into(),
                wake: false,
                place: Place::Queue,
                call: None,
            });
        }
        Ok(false)
    }

    pub(super) fn cancel(&mut self, now: Now, call: &CallId) {
        let asking =
            |card: &ModelCard| card.asked.as_ref().is_some_and(|asked| asked.call == *call);
        if let Some(id) = self.cards.iter().find(|(_, card)| asking(card)).map(|(id, _)| *id) {
            self.end_wait(now, id, Outcome::Cancelled);
        } else {
            self.give_back(Some(call));
        }
    }

    pub(super) fn agent(&mut self, state: AgentState) {
        self.agent = state;
        if state != AgentState::Working {
            for at in 0..self.messages.len() {
                self.take_back(at);
            }
            self.give_back(None);
        }
    }

    pub(super) fn link(&mut self, now: Now) {
        for id in self.cards.keys().copied().collect::<Vec<_>>() {
            self.end_wait(now, id, Outcome::Cancelled);
        }
        self.agent(AgentState::Gone);
    }

    /// When a take at a wake would find something, as things stand.
    pub(super) fn wake_due(&self, now: Now) -> Option<Instant> {
        let offered = self.messages.iter().any(|(_, out)| *out != Out::Returned);
        (self.wakes() && !offered)
            .then(|| self.woke.map_or(now.mono, |at| now.mono.max(at + Duration::from_secs(10))))
    }

    /// Whether a take would find something.
    pub(super) fn is_ready(&self, now: Now, at: TakeAt) -> bool {
        let is_due = self.wake_due(now).is_some_and(|due| due <= now.mono);
        (at != TakeAt::Wake || is_due)
            && self.messages.iter().all(|(_, out)| *out == Out::Returned)
            && (!self.messages.is_empty()
                || self.deeds.values().any(|deed| deed.place == Place::Queue))
    }

    pub(super) fn would_take(&self, now: Now, at: TakeAt) -> Taken {
        if !self.is_ready(now, at) {
            return Taken::Nothing;
        }
        match self.messages.first() {
            Some((id, _)) => Taken::Again(id.clone()),
            None => Taken::New(self.queue()),
        }
    }

    /// The message of that id was handed over; a new one has the first `lines` of the queue.
    pub(super) fn took(&mut self, now: Now, at: TakeAt, id: &str, lines: usize) {
        let woke = at == TakeAt::Wake;
        if woke {
            (self.woke, self.woke_wall) = (Some(now.mono), Some(now.wall_ms));
        }
        if let Some((_, out)) = self.messages.iter_mut().find(|(known, _)| known == id) {
            *out = Out::Offered { woke };
            return;
        }
        for line in self.queue().into_iter().take(lines) {
            let is_closed = line.id == format!("closed-c{}", line.card);
            for deed in self.deeds.values_mut().filter(|deed| deed.place == Place::Queue) {
                let of_line = match &deed.name {
                    None => is_closed,
                    Some(name) => !is_closed && **name == *line.name,
                };
                if deed.card == line.card && of_line {
                    deed.place = Place::Message(id.to_owned());
                }
            }
        }
        self.messages.push((id.to_owned(), Out::Offered { woke }));
    }

    pub(super) fn delivered(&mut self, id: &str) {
        let of_message = self.messages.iter().any(|(known, _)| known == id);
        self.messages.retain(|(known, _)| known != id);
        let has = self.deeds.extract_if(.., |_, deed| match &deed.place {
            Place::Message(message) => message == id,
            Place::Queue | Place::Answer => {
                !of_message && deed.call.as_ref().is_some_and(|call| call.as_str() == id)
            }
        });
        self.arrived += has.count() as u64;
    }

    pub(super) fn returned(&mut self, id: &str) {
        if let Some(at) =
            self.messages.iter().position(|(known, out)| known == id && *out != Out::Returned)
        {
            self.take_back(at);
        } else if let Ok(call) = CallId::parse(id) {
            self.give_back(Some(&call));
        }
    }

    pub(super) fn seen(&mut self, card: u32) {
        if let Some(card) = self.cards.get_mut(&card) {
            card.seen = true;
        }
    }

    pub(super) fn active(&mut self, now: Now, card: u32) {
        if let Some(asked) = self.cards.get_mut(&card).and_then(|card| card.asked.as_mut()) {
            asked.active.push(now.mono);
        }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.cards.values().filter_map(|card| card.asked.as_ref()).map(Asked::deadline).min()
    }

    pub(super) fn timeout(&mut self, now: Now) {
        for id in self.cards.keys().copied().collect::<Vec<_>>() {
            let card = &self.cards[&id];
            if card.asked.as_ref().is_some_and(|asked| asked.deadline() <= now.mono) {
                let outcome = if card.seen { Outcome::Timeout } else { Outcome::Unseen };
                self.end_wait(now, id, outcome);
            }
        }
    }

    /// The process died and another one read what was kept.
    pub(super) fn restart(&mut self, now: Now) {
        for (_, out) in &mut self.messages {
            *out = Out::Returned;
        }
        self.give_back(None);
        self.agent = AgentState::Gone;
        self.woke = self
            .woke_wall
            .and_then(|at| u64::try_from(now.wall_ms - at).ok())
            .filter(|ago| *ago < 10_000)
            .map(|ago| now.mono - Duration::from_millis(ago));
        self.bucket = Bucket::new(60, 10, now);
        for card in self.cards.values_mut() {
            card.bucket = Bucket::new(20, 5, now);
            (card.asked, card.seen) = (None, false);
        }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.cards.keys().copied()
    }

    /// Those that sent something.
    pub(super) fn active_cards(&self) -> impl Iterator<Item = u32> + '_ {
        self.cards.iter().filter(|(_, card)| card.last.is_some()).map(|(id, _)| *id)
    }

    pub(super) fn card(&self, id: u32) -> Option<(bool, &str, u32, bool)> {
        let card = self.cards.get(&id)?;
        Some((card.open, &card.title, card.revision, card.asked.is_some()))
    }

    /// What becomes of what was not handed over.
    pub(super) fn unsent(&self) -> DeliveryState {
        match self.agent {
            AgentState::Working => DeliveryState::NextStep,
            _ if self.wakes() => DeliveryState::Starting,
            _ => DeliveryState::NextMessage,
        }
    }

    /// What becomes of the last thing the card sent.
    pub(super) fn state(&self, card: u32, unsent: DeliveryState) -> Option<DeliveryState> {
        let Some(deed) = self.deeds.get(&self.cards.get(&card)?.last?) else {
            return Some(DeliveryState::Delivered);
        };
        Some(match &deed.place {
            Place::Queue => unsent,
            Place::Answer => DeliveryState::Answered,
            Place::Message(id) => {
                let starts = |(known, out): &(String, Out)| {
                    known == id && *out == Out::Offered { woke: true }
                };
                if self.messages.iter().any(starts) { DeliveryState::Starting } else { unsent }
            }
        })
    }

    /// What the agent has not got, whatever it is in.
    pub(super) fn under_way(&self) -> u64 {
        self.deeds.len() as u64
    }

    fn does(&mut self, deed: Deed) {
        self.deeds.insert(self.happened, deed);
        self.happened += 1;
        self.accepted += 1;
    }

    /// One line a card and name: the newest data, how many, in the order of the newest.
    fn queue(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let queued = || self.deeds.values().filter(|deed| deed.place == Place::Queue);
        let mut seen = BTreeSet::new();
        for newest in queued().rev() {
            if !seen.insert((newest.card, newest.name)) {
                continue;
            }
            let same = |deed: &&Deed| deed.card == newest.card && deed.name == newest.name;
            let count = queued().filter(same).count() as u64;
            let name = newest.name.unwrap_or("closed");
            let text = format!(
                r#"{{"card":"c{}","title":"{}","name":"{name}","count":{count},"data":{}}}"#,
                newest.card, newest.title, newest.data
            );
            lines.push(Line { id: newest.id.clone(), card: newest.card, name, count, text });
        }
        lines.reverse();
        lines
    }

    fn wakes(&self) -> bool {
        let waits = |deed: &Deed| match &deed.place {
            Place::Queue => true,
            Place::Message(id) => {
                self.messages.iter().any(|(known, out)| known == id && *out == Out::Returned)
            }
            Place::Answer => false,
        };
        self.wake
            && self.agent != AgentState::Working
            && self.deeds.values().any(|deed| deed.wake && waits(deed))
    }

    fn take_back(&mut self, at: usize) {
        if std::mem::replace(&mut self.messages[at].1, Out::Returned)
            == (Out::Offered { woke: true })
        {
            (self.woke, self.woke_wall) = (None, None);
        }
    }

    fn give_back(&mut self, call: Option<&CallId>) {
        for deed in self.deeds.values_mut() {
            if deed.place == Place::Answer && (call.is_none() || deed.call.as_ref() == call) {
                deed.place = Place::Queue;
            }
        }
    }

    fn end_wait(&mut self, now: Now, card: u32, outcome: Outcome) {
        let Some(asked) = self.cards.get_mut(&card).and_then(|card| card.asked.take()) else {
            return;
        };
        let waited_ms = u64::try_from(now.wall_ms - asked.since.wall_ms).unwrap_or(0);
        self.settled.push(SettledWait {
            call: asked.call,
            card: CardId(card),
            outcome,
            waited_ms,
            errors: Vec::new(),
        });
    }
}
