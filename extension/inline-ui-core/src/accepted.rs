use crate::card::DeliveryState;
use crate::ids::{CardId, EventId};
use crate::limits;
use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The last accepted event ids of each card, with the state each was answered with.
#[derive(Debug, Clone, Default)]
pub(crate) struct AcceptedIds {
    cards: BTreeMap<CardId, OfCard>,
    change: Option<Change>,
}

/// Oldest first.
#[derive(Debug, Clone, Default)]
struct OfCard {
    /// Tells most ids apart without looking at their text.
    tags: VecDeque<u32>,
    known: VecDeque<(EventId, DeliveryState)>,
}

/// What an input changed. An input accepts one event at most, and drops as many cards as it likes.
#[derive(Debug, Clone)]
enum Change {
    Added { card: CardId, pushed_out: Option<(EventId, DeliveryState)> },
    Dropped(Vec<(CardId, OfCard)>),
}

impl AcceptedIds {
    /// Those of a card as they were kept, oldest first.
    pub(crate) fn restore(&mut self, card: CardId, ids: Vec<(EventId, DeliveryState)>) {
        if !ids.is_empty() {
            let tags = ids.iter().map(|(id, _)| tag(id)).collect();
            self.cards.insert(card, OfCard { tags, known: ids.into() });
        }
    }

    pub(crate) fn find(&self, card: CardId, id: &EventId) -> Option<DeliveryState> {
        let (tag, of_card) = (tag(id), self.cards.get(&card)?);
        let (older, newer) = of_card.tags.as_slices();
        if !older.contains(&tag) && !newer.contains(&tag) {
            return None;
        }
        of_card.known.iter().find(|(known, _)| known == id).map(|(_, state)| *state)
    }

    /// The last event that a card sent.
    pub(crate) fn newest(&self, card: CardId) -> Option<&EventId> {
        self.cards.get(&card)?.known.back().map(|(id, _)| id)
    }

    /// The last event of each card that sent one.
    pub(crate) fn newest_of_all(&self) -> impl Iterator<Item = (CardId, &EventId)> {
        self.cards.iter().filter_map(|(card, ids)| Some((*card, &ids.known.back()?.0)))
    }

    pub(crate) fn add(&mut self, card: CardId, id: EventId, state: DeliveryState) {
        let of_card = self.cards.entry(card).or_default();
        let full = of_card.known.len() == limits::EVENT_IDS_PER_CARD;
        let pushed_out = if full { of_card.pop_front() } else { None };
        of_card.tags.push_back(tag(&id));
        of_card.known.push_back((id, state));
        self.change = Some(Change::Added { card, pushed_out });
    }

    /// Forgets a card that goes.
    pub(crate) fn drop_card(&mut self, card: CardId) {
        let Some(ids) = self.cards.remove(&card) else { return };
        match &mut self.change {
            Some(Change::Dropped(dropped)) => dropped.push((card, ids)),
            change => *change = Some(Change::Dropped(vec![(card, ids)])),
        }
    }

    pub(crate) fn clear(&mut self) {
        let all = std::mem::take(&mut self.cards).into_iter().collect();
        self.change = Some(Change::Dropped(all));
    }

    pub(crate) fn keep(&mut self) {
        self.change = None;
    }

    pub(crate) fn undo(&mut self) {
        match self.change.take() {
            None => {}
            Some(Change::Dropped(dropped)) => self.cards.extend(dropped),
            Some(Change::Added { card, pushed_out }) => {
                let Some(of_card) = self.cards.get_mut(&card) else { return };
                of_card.tags.pop_back();
                of_card.known.pop_back();
                if let Some(oldest) = pushed_out {
                    of_card.tags.push_front(tag(&oldest.0));
                    of_card.known.push_front(oldest);
                }
                if of_card.known.is_empty() {
                    self.cards.remove(&card);
                }
            }
        }
    }
}

impl OfCard {
    fn pop_front(&mut self) -> Option<(EventId, DeliveryState)> {
        self.tags.pop_front();
        self.known.pop_front()
    }
}

fn tag(id: &EventId) -> u32 {
    let mut hasher = DefaultHasher::new();
    id.as_str().hash(&mut hasher);
    let [_, _, _, _, a, b, c, d] = hasher.finish().to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: usize) -> EventId {
        EventId::parse(&format!("e{n}")).unwrap()
    }

    #[test]
    fn the_last_256_of_a_card_are_known_and_going_back_brings_the_oldest_back() {
        let mut ids = AcceptedIds::default();
        for n in 0..257 {
            ids.keep();
            ids.add(CardId(1), id(n), DeliveryState::NextStep);
        }
        let known = |ids: &AcceptedIds, n| ids.find(CardId(1), &id(n)).is_some();
        assert_eq!([0, 1, 256].map(|n| known(&ids, n)), [false, true, true]);
        assert_eq!(ids.find(CardId(2), &id(1)), None);
        ids.undo();
        assert_eq!([0, 1, 256].map(|n| known(&ids, n)), [true, true, false]);
        ids.drop_card(CardId(1));
        assert!(!known(&ids, 1));
        ids.undo();
        assert!(known(&ids, 1));
    }
}
