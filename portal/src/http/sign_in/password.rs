use crate::store::{Store, StoreError};
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Where the hash stands among the settings; no extension has such a name.
const STORED_AS: &str = "portal:password";

// What OWASP's password storage cheat sheet names first for argon2id. Each guess at a hash that was
// stolen costs this much memory and tens of milliseconds; so does each sign-in, which a small machine
// can afford.
/// In KiB: 19 MiB.
const MEMORY: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Sign-ins that are hashed at the same time; others wait.
const AT_ONCE: usize = 2;

/// The portal's password, of which only the hash is kept.
#[derive(Debug)]
pub(super) struct Password {
    hash: Arc<str>,
    turns: Semaphore,
}

impl Password {
    /// Hashes the password, or takes the hash of an earlier start that it fits. Another password ends the
    /// sessions of the one before.
    pub(super) async fn open(password: String, store: &Store) -> Result<Self, StoreError> {
        let stored = store.settings(STORED_AS.to_owned()).await?;
        let stored = stored.and_then(|text| serde_json::from_str::<String>(&text).ok());
        let failed = |why: String| StoreError::Failed(format!("the password is not hashed: {why}"));
        let opened = tokio::task::spawn_blocking(move || match stored {
            Some(hash) if is_current(&hash) && fits(&password, &hash) => Ok((hash, false)),
            _ => hash(&password).map(|hash| (hash, true)),
        });
        let opened = opened.await.map_err(|error| failed(error.to_string()))?;
        let (hash, is_new) = opened.map_err(|error| failed(error.to_string()))?;
        if is_new {
            let body = serde_json::Value::from(hash.as_str()).to_string();
            let change = move |_| Ok::<_, std::convert::Infallible>((body, ()));
            store.end_all_sessions().await?;
            store.change_settings(STORED_AS.to_owned(), change).await?.unwrap_or_default();
        }
        Ok(Self { hash: hash.into(), turns: Semaphore::new(AT_ONCE) })
    }

    /// Takes about the same time whatever is given.
    pub(super) async fn is(&self, given: String) -> bool {
        let _turn = self.turns.acquire().await;
        let hash = Arc::clone(&self.hash);
        let fits = tokio::task::spawn_blocking(move || fits(&given, &hash));
        fits.await.unwrap_or(false)
    }
}

fn argon2() -> Result<Argon2<'static>, argon2::Error> {
    let params = Params::new(MEMORY, PASSES, LANES, None)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(password: &str) -> Result<String, argon2::password_hash::Error> {
    let salt: [u8; 16] = rand::random();
    let argon2 = argon2().map_err(argon2::password_hash::Error::from)?;
    Ok(argon2.hash_password_with_salt(password.as_bytes(), &salt)?.to_string())
}

/// The parameters are those that stand in the hash.
fn fits(password: &str, hash: &str) -> bool {
    Argon2::default().verify_password(password.as_bytes(), hash).is_ok()
}

/// Of these parameters, which a later version may raise.
fn is_current(hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else { return false };
    let Ok(params) = Params::try_from(&hash) else { return false };
    let costs = (params.m_cost(), params.t_cost(), params.p_cost());
    hash.algorithm.as_str() == "argon2id" && costs == (MEMORY, PASSES, LANES)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn stored(store: &Store) -> String {
        store.settings(STORED_AS.to_owned()).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn only_a_salted_hash_of_the_named_cost_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("a.sqlite3")).unwrap();
        let password = Password::open("secret".to_owned(), &store).await.unwrap();
        assert!(password.is("secret".to_owned()).await);
        for wrong in ["", "Secret", "secret ", "secre"] {
            assert!(!password.is(wrong.to_owned()).await, "{wrong}");
        }
        let kept = stored(&store).await;
        assert!(kept.starts_with("\"$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert!(!kept.contains("secret"));
        assert_ne!(hash("secret").unwrap(), hash("secret").unwrap());
    }

    #[tokio::test]
    async fn the_same_password_keeps_its_hash_and_its_sessions_and_another_ends_them() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("a.sqlite3")).unwrap();
        let open =
            async |password: &str| Password::open(password.to_owned(), &store).await.unwrap();
        open("secret").await;
        let first = stored(&store).await;
        store.add_session("s".to_owned(), 5).await.unwrap();
        open("secret").await;
        assert_eq!(stored(&store).await, first);
        assert_eq!(store.sessions(0).await.unwrap().len(), 1);
        let other = open("other").await;
        assert!(store.sessions(0).await.unwrap().is_empty());
        assert!(other.is("other".to_owned()).await && !other.is("secret".to_owned()).await);
    }

    #[test]
    fn a_hash_of_other_costs_is_not_current() {
        let weak = Argon2::from(Params::new(8, 1, 1, None).unwrap());
        let weak = weak.hash_password_with_salt(b"secret", &[1; 16]).unwrap().to_string();
        assert!(fits("secret", &weak) && !is_current(&weak));
        assert!(is_current(&hash("secret").unwrap()));
        assert!(!is_current("nonsense") && !fits("secret", "nonsense"));
    }
}
