//! Texts by their SHA-256 in the object store. What comes out of it is looked at: a text whose hash is another one is refused.

use std::sync::Arc;
use std::time::Duration;

use tandem_artifact::job::LARGEST_TEXT;
use tandem_artifact::sha256_hex;
use tandem_coop::queue::{Texts, Trouble};
use tokio::io::AsyncReadExt;

use crate::cluster::{Cluster, Link, PATIENCE};
use crate::trouble::{explain, is_passing, words};

/// How long a text may take to come.
const TRANSFER: Duration = Duration::from_secs(120);

impl Texts for Cluster {
    fn put(&self, text: &[u8]) -> Result<(), Trouble> {
        if text.len() > LARGEST_TEXT {
            let message = format!("a text of {} bytes is too large to be sent", text.len());
            return Err(Trouble::new(message, format!("at most {LARGEST_TEXT} bytes")));
        }
        self.block_on(self.link.put(&sha256_hex(text), text))
    }

    fn get(&self, sha256: &str) -> Result<Arc<[u8]>, Trouble> {
        self.block_on(self.link.get(sha256)).map(Arc::from)
    }
}

impl Link {
    pub async fn put(&self, sha256: &str, text: &[u8]) -> Result<(), Trouble> {
        if self.places.texts.info(sha256).await.is_ok_and(|info| info.size == text.len() && !info.deleted) {
            return Ok(());
        }
        let attempt = || async {
            let mut rest = text;
            self.places.texts.put(sha256, &mut rest).await
        };
        self.persist("a program text", PATIENCE, attempt).await.map(drop)
    }

    pub async fn get(&self, sha256: &str) -> Result<Vec<u8>, Trouble> {
        let start = std::time::Instant::now();
        loop {
            let tried = tokio::time::timeout(TRANSFER, self.get_once(sha256)).await;
            let why = match tried {
                Ok(Ok(text)) => return Ok(text),
                Ok(Err(why)) => why,
                Err(_) => "timed out".into(),
            };
            if !is_passing(&why) || start.elapsed() > PATIENCE {
                return Err(explain(&self.url, "getting a program text", &why));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn get_once(&self, sha256: &str) -> Result<Vec<u8>, String> {
        let mut object = self.places.texts.get(sha256).await.map_err(|error| words(&error))?;
        let size = object.info().size;
        if size > LARGEST_TEXT {
            return Err(format!("a text of {size} bytes is too large"));
        }
        let mut text = Vec::new();
        let mut limited = (&mut object).take(LARGEST_TEXT as u64 + 1);
        limited.read_to_end(&mut text).await.map_err(|error| error.to_string())?;
        if sha256_hex(&text) != sha256 {
            return Err("it is not the text it is said to be".into());
        }
        Ok(text)
    }
}
