//! Whom a server lets in: connections that are encrypted, certificates on both sides, files of credentials.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use common::NatsServer;
use nkeys::KeyPair;
use serde_json::{Value, json};
use tandem_net::{Cluster, Server};

const RELEASE: &str = "a release";

fn server(url: String) -> Server {
    Server { url, namespace: "tandem".into(), ..Server::default() }
}

/// Why we are not let in.
fn refused(server: &Server) -> String {
    let trouble = Cluster::join(server, RELEASE).err().expect("we are let in");
    assert!(!trouble.help.is_empty());
    trouble.message
}

/// Keys and certificates in a directory; nothing if there is nobody to make them.
struct Certificates(PathBuf);

impl Certificates {
    fn new(name: &str) -> Option<Certificates> {
        let directory = std::env::temp_dir().join(format!("tandem-access-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n").unwrap();
        let made = Certificates(directory);
        if Command::new("openssl").arg("version").stdout(Stdio::null()).status().is_err() {
            eprintln!("skipped: openssl is not installed");
            return None;
        }
        made.authority("ca");
        Some(made)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn openssl(&self, command: &str) {
        let mut openssl = Command::new("openssl");
        let output = openssl.current_dir(&self.0).args(command.split(' ')).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Somebody who vouches for others.
    fn authority(&self, name: &str) {
        self.openssl(&format!(
            "req -x509 -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.pem -days 2 -subj /CN={name}"
        ));
    }

    /// Somebody for whom the first authority vouches.
    fn known(&self, name: &str) {
        self.openssl(&format!("req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name}"));
        self.openssl(&format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out {name}.pem -days 2 -extfile names"
        ));
    }

    fn server(&self, name: &str, more: &[&str]) -> Option<NatsServer> {
        let path = |name: &str| self.file(name).display().to_string();
        let (certificate, key) = (path("server.pem"), path("server.key"));
        let arguments = ["-js", "--tls", "--tlscert", certificate.as_str(), "--tlskey", key.as_str()];
        NatsServer::with(name, &[&arguments[..], more].concat())
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn connections_can_be_encrypted() {
    let Some(made) = Certificates::new("tls") else { return };
    made.known("server");
    made.known("us");
    made.authority("stranger");
    let Some(nats) = made.server("tls", &[]) else { return };
    let vouched = Server { tls_ca: Some(made.file("ca.pem")), ..server(nats.url()) };
    assert!(Cluster::join(&vouched, RELEASE).is_ok());
    let other = Server { tls_ca: Some(made.file("stranger.pem")), ..vouched.clone() };
    assert!(refused(&other).contains("no TLS connection"), "{}", refused(&other));
    assert!(refused(&server(nats.url())).contains("no TLS connection"), "{}", refused(&server(nats.url())));
    // Both sides want to know each other.
    let ca = made.file("ca.pem").display().to_string();
    let strict = made.server("mutual", &["--tlsverify", "--tlscacert", &ca]).unwrap();
    let anonymous = Server { url: strict.url(), ..vouched };
    let said = refused(&anonymous);
    assert!(said.contains("no TLS connection") || said.contains("there is no NATS server"), "{said}");
    let named = Server { tls_certificate: Some((made.file("us.pem"), made.file("us.key"))), ..anonymous };
    assert!(Cluster::join(&named, RELEASE).is_ok());
}

/// A claim, signed by whoever makes it.
fn token(by: &KeyPair, about: &KeyPair, nats: Value) -> String {
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claim = json!({
        "jti": about.public_key(), "iat": 1_700_000_000, "iss": by.public_key(), "sub": about.public_key(), "name": "test",
        "nats": nats,
    });
    let text = format!("{}.{}", encoded(&json!({"typ": "JWT", "alg": "ed25519-nkey"})), encoded(&claim));
    let signature = by.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn credentials(file: &Path, account: &KeyPair) {
    let user = KeyPair::new_user();
    let rights = json!({"type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1, "pub": {}, "sub": {}});
    let text = format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        token(account, &user, rights),
        user.seed().unwrap()
    );
    std::fs::write(file, text).unwrap();
}

#[test]
fn a_file_of_credentials_opens_the_door() {
    let (operator, account, system) = (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_account());
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let rights = |limits: &Value| json!({"type": "account", "version": 2, "limits": limits});
    let plain = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
    });
    let directory = std::env::temp_dir().join(format!("tandem-access-{}-creds", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let config = directory.join("server.conf");
    let text = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n  {}: {}\n  {}: {}\n}}\njetstream {{}}\n",
        token(&operator, &operator, json!({"type": "operator", "version": 2})),
        system.public_key(),
        account.public_key(),
        token(&operator, &account, rights(&limits)),
        system.public_key(),
        token(&operator, &system, rights(&plain)),
    );
    std::fs::write(&config, text).unwrap();
    let Some(nats) = NatsServer::with("creds", &["-c", &config.display().to_string()]) else { return };
    let (good, bad, broken) =
        (directory.join("good.creds"), directory.join("bad.creds"), directory.join("broken.creds"));
    credentials(&good, &account);
    credentials(&bad, &KeyPair::new_account());
    std::fs::write(&broken, "nothing of the kind").unwrap();
    let with = |file: &Path| Server { credentials: Some(file.into()), ..server(nats.url()) };
    assert!(Cluster::join(&with(&good), RELEASE).map_err(|trouble| panic!("{}", trouble.message)).is_ok());
    for stranger in [server(nats.url()), with(&bad)] {
        assert!(refused(&stranger).contains("does not let us in"), "{}", refused(&stranger));
    }
    assert!(refused(&with(&broken)).contains("broken.creds"), "{}", refused(&with(&broken)));
    let _ = std::fs::remove_dir_all(&directory);
}
