use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;
use tokio::time::Instant;

/// Wrong passwords taken in a [`WINDOW`] from one address.
pub(super) const FROM_ONE: u32 = 10;
/// The same from all sides together: many addresses may be one guesser.
pub(super) const FROM_ALL: u32 = 60;
pub(super) const WINDOW: Duration = Duration::from_mins(1);
/// Addresses that are counted at the same time.
const ADDRESSES: usize = 1024;

/// Tries to sign in, by the address they came from.
#[derive(Debug, Default)]
pub(super) struct Tries {
    all: Option<Count>,
    of: HashMap<IpAddr, Count>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    tries: u32,
    since: Instant,
}

impl Count {
    fn new(now: Instant) -> Self {
        Self { tries: 0, since: now }
    }

    fn left(&self, now: Instant) -> Duration {
        (self.since + WINDOW).saturating_duration_since(now)
    }
}

/// Who tried too often, and how long nothing is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooMany {
    FromOne(Duration),
    FromAll(Duration),
}

impl Tries {
    /// Counts a try before its password is looked at, so that tries at the same time count too.
    pub(super) fn count(&mut self, address: IpAddr, now: Instant) -> Result<(), TooMany> {
        let address = network(address);
        self.forget(now);
        let all = self.all.get_or_insert_with(|| Count::new(now));
        if all.tries >= FROM_ALL {
            return Err(TooMany::FromAll(all.left(now)));
        }
        let one = self.of.entry(address).or_insert_with(|| Count::new(now));
        if one.tries >= FROM_ONE {
            return Err(TooMany::FromOne(one.left(now)));
        }
        one.tries += 1;
        all.tries += 1;
        Ok(())
    }

    /// The password was right: its address begins anew.
    pub(super) fn forgive(&mut self, address: IpAddr) {
        self.of.remove(&network(address));
        if let Some(all) = &mut self.all {
            all.tries = all.tries.saturating_sub(1);
        }
    }

    fn forget(&mut self, now: Instant) {
        self.all = self.all.filter(|count| !count.left(now).is_zero());
        self.of.retain(|_, count| !count.left(now).is_zero());
        if self.of.len() >= ADDRESSES
            && let Some(oldest) = self.of.iter().min_by_key(|(_, count)| count.since)
        {
            let oldest = *oldest.0;
            self.of.remove(&oldest);
        }
    }
}

/// Whoever has one IPv6 address has the 2^64 beside it.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn an_address_has_its_own_count_and_all_together_have_one() {
        let (mut tries, now) = (Tries::default(), Instant::now());
        for of in 0..6 {
            for _ in 0..FROM_ONE {
                assert_eq!(tries.count(address(of), now), Ok(()));
            }
            if of < 5 {
                let left = TooMany::FromOne(WINDOW);
                assert_eq!(tries.count(address(of), now), Err(left));
            }
        }
        assert_eq!(tries.count(address(9), now), Err(TooMany::FromAll(WINDOW)));
        let later = now + WINDOW - Duration::from_secs(1);
        let left = Duration::from_secs(1);
        assert_eq!(tries.count(address(9), later), Err(TooMany::FromAll(left)));
        assert_eq!(tries.count(address(0), now + WINDOW), Ok(()));
    }

    #[test]
    fn a_right_password_clears_its_own_address_only() {
        let (mut tries, now) = (Tries::default(), Instant::now());
        for _ in 0..FROM_ONE {
            tries.count(address(1), now).unwrap();
            tries.count(address(2), now).unwrap();
        }
        tries.forgive(address(1));
        assert_eq!(tries.count(address(1), now), Ok(()));
        assert!(tries.count(address(2), now).is_err());
    }

    #[test]
    fn the_neighbours_of_an_ipv6_address_count_as_that_address() {
        let (mut tries, now) = (Tries::default(), Instant::now());
        let at = |text: &str| text.parse::<IpAddr>().unwrap();
        for n in 0..FROM_ONE {
            tries.count(at(&format!("2001:db8::{n}")), now).unwrap();
        }
        assert!(tries.count(at("2001:db8::ffff"), now).is_err());
        assert!(tries.count(at("2001:db8:0:1::1"), now).is_ok());
        assert_eq!(network(at("::ffff:10.0.0.1")), address(1));
    }

    #[test]
    fn however_many_addresses_try_no_more_than_so_many_are_remembered() {
        let (mut tries, now) = (Tries::default(), Instant::now());
        for n in 0..3000u32 {
            tries.all = None;
            let _ = tries.count(IpAddr::from(n.to_be_bytes()), now);
        }
        assert!(tries.of.len() <= ADDRESSES);
    }
}
