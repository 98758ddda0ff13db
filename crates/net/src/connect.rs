//! How to get to a server: its address, who we are, and whom we believe. Makes a connection, and says in one message why there is none.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};
use tandem_coop::queue::Trouble;

use crate::trouble::words;

/// How long the first connection may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a server may take to start, and how long one that is there may be silent.
const STARTING: Duration = Duration::from_secs(3);
const SILENT: Duration = Duration::from_secs(15);
/// How long is waited for any answer.
pub const ANSWER: Duration = Duration::from_secs(5);

/// A server and how to be let in.
#[derive(Clone, Debug, Default)]
pub struct Server {
    pub url: String,
    /// A file of credentials, as `nsc` and `nk` write them.
    pub credentials: Option<PathBuf>,
    /// Certificates of those who may vouch for the server.
    pub tls_ca: Option<PathBuf>,
    /// The certificate by which the server knows us, and its key.
    pub tls_certificate: Option<(PathBuf, PathBuf)>,
    /// In front of every name on the server, so that several queues can share one.
    pub namespace: String,
}

impl Server {
    /// The address without secrets in it.
    pub fn shown(&self) -> String {
        match self.url.rsplit_once('@') {
            Some((before, host)) => {
                format!("{}{host}", before.split_inclusive("://").next().filter(|it| it.ends_with("://")).unwrap_or(""))
            }
            None => self.url.clone(),
        }
    }

    /// Connects. A server that is just being started, or does not answer for a moment, is tried again.
    pub async fn connect(&self, name: &str) -> Result<Client, Trouble> {
        let start = Instant::now();
        loop {
            let (kind, trouble) = match self.connect_once(name).await {
                Ok(client) => return Ok(client),
                Err(refused) => refused,
            };
            let patience = match kind {
                Some(ConnectErrorKind::Io) => STARTING,
                Some(ConnectErrorKind::TimedOut) => SILENT,
                Some(_) | None => return Err(trouble),
            };
            if start.elapsed() > patience {
                return Err(trouble);
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Tries once; with the trouble, what kind it is of, if it is one with the connection.
    async fn connect_once(&self, name: &str) -> Result<Client, (Option<ConnectErrorKind>, Trouble)> {
        let shown = self.shown();
        let address: ServerAddr =
            self.url.parse().map_err(|_| (None, refused(&shown, ConnectErrorKind::ServerParse, "")))?;
        let options = self.options(name, &address).map_err(|trouble| (None, trouble))?;
        let connecting = tokio::time::timeout(PATIENCE * 2, options.connect(address));
        match connecting.await {
            Ok(Ok(client)) => Ok(client),
            Ok(Err(error)) => {
                let text = words(&error);
                let kind = kind_of(error.kind(), &text);
                Err((Some(kind), refused(&shown, kind, &text)))
            }
            Err(_) => {
                let kind = ConnectErrorKind::TimedOut;
                Err((Some(kind), refused(&shown, kind, "timed out")))
            }
        }
    }

    fn options(&self, name: &str, address: &ServerAddr) -> Result<ConnectOptions, Trouble> {
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(PATIENCE)
            .request_timeout(Some(ANSWER))
            .ping_interval(Duration::from_secs(3))
            .reconnect_delay_callback(|attempts| Duration::from_millis((50 * attempts as u64).min(1000)));
        // The library does not look for them in the address.
        options = match (address.username(), address.password()) {
            (Some(user), Some(password)) => options.user_and_password(user.into(), password.into()),
            (Some(token), None) => options.token(token.into()),
            (None, _) => options,
        };
        if let Some(file) = &self.credentials {
            let text = std::fs::read_to_string(file).map_err(|error| unreadable(file, &error.to_string()))?;
            options = options.credentials(&text).map_err(|error| unreadable(file, &error.to_string()))?;
        }
        for file in self.tls_ca.iter().chain(self.tls_certificate.iter().flat_map(|(one, other)| [one, other])) {
            std::fs::read(file).map_err(|error| unreadable(file, &error.to_string()))?;
        }
        if let Some(file) = &self.tls_ca {
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.tls_certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        Ok(options)
    }
}

/// What kind of trouble it is: the library takes a certificate that nobody vouches for as one with the line.
fn kind_of(kind: ConnectErrorKind, text: &str) -> ConnectErrorKind {
    let is_tls = ["certificate", "handshake", "tls"].iter().any(|word| text.to_lowercase().contains(word));
    if kind == ConnectErrorKind::Io && is_tls { ConnectErrorKind::Tls } else { kind }
}

fn unreadable(file: &std::path::Path, why: &str) -> Trouble {
    Trouble::new(format!("{}: the file cannot be used: {why}", file.display()), "a readable file of the right kind")
}

fn refused(url: &str, kind: ConnectErrorKind, text: &str) -> Trouble {
    match kind {
        ConnectErrorKind::ServerParse => {
            Trouble::new(format!("`{url}` is no address of a NATS server"), "an address such as nats://127.0.0.1:4222")
        }
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => Trouble::new(
            format!("{url}: the server does not let us in: {text}"),
            "credentials that the server knows: --creds FILE, or nats://USER:PASSWORD@HOST",
        ),
        ConnectErrorKind::Tls => Trouble::new(
            format!("{url}: no TLS connection: {text}"),
            "--tls-ca with the certificate that vouches for the server, and --tls-cert and --tls-key if it wants to know us",
        ),
        ConnectErrorKind::Dns | ConnectErrorKind::TimedOut | ConnectErrorKind::Io | ConnectErrorKind::MaxReconnects => {
            Trouble::new(
                format!("{url}: there is no NATS server: {text}"),
                "the address of a server that runs; `nats-server -js` starts one on this machine",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let shown = |url: &str| Server { url: url.into(), ..Server::default() }.shown();
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(shown("me:secret@host"), "host");
        assert_eq!(shown("tls://host:1"), "tls://host:1");
    }
}
