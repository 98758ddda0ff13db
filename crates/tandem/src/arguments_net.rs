//! The words of commands that use a queue on a NATS server. Says what may be written, does nothing.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tandem_net::Server;

use crate::quantity::{parse_size, parse_time};

/// A server, for commands that can do without.
#[derive(Args, Clone, Debug, Default)]
pub struct OptionalServer {
    /// Let workers do it that have joined this NATS server, such as nats://127.0.0.1:4222
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    #[command(flatten)]
    pub access: Access,
}

/// How to be let in by a server.
#[derive(Args, Clone, Debug, Default)]
pub struct Access {
    /// A credentials file for the NATS server
    #[arg(long, value_name = "FILE", requires = "nats", hide_short_help = true)]
    pub creds: Option<PathBuf>,
    /// Certificates (PEM) of those who vouch for the NATS server; the connection is encrypted then
    #[arg(long, value_name = "FILE", requires = "nats", hide_short_help = true)]
    pub tls_ca: Option<PathBuf>,
    /// Our certificate (PEM) for the NATS server
    #[arg(long, value_name = "FILE", requires = "tls_key", hide_short_help = true)]
    pub tls_cert: Option<PathBuf>,
    /// The key (PEM) of our certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert", hide_short_help = true)]
    pub tls_key: Option<PathBuf>,
    /// In front of all names on the NATS server
    #[arg(long, value_name = "NAME", requires = "nats", hide_short_help = true)]
    pub namespace: Option<String>,
}

impl OptionalServer {
    pub fn server(&self) -> Option<Server> {
        self.nats.as_ref().map(|url| self.access.server(url))
    }
}

impl Access {
    pub fn server(&self, url: &str) -> Server {
        Server {
            url: url.to_string(),
            credentials: self.creds.clone(),
            tls_ca: self.tls_ca.clone(),
            tls_certificate: self.tls_cert.clone().zip(self.tls_key.clone()),
            namespace: self.namespace.clone().unwrap_or_else(|| "tandem".into()),
        }
    }
}

#[derive(Args, Debug)]
pub struct Worker {
    /// The NATS server, such as nats://127.0.0.1:4222
    #[arg(long, value_name = "URL")]
    pub nats: String,
    #[command(flatten)]
    pub access: Access,
    /// How many jobs are worked on at once (default: as many as the machine has processors)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// No job gets more memory than this
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<u64>,
    /// Also take jobs that run programs from outside
    #[arg(long)]
    pub allow_external: bool,
    /// Say nothing about jobs
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args, Debug)]
pub struct NetStatus {
    /// The NATS server, such as nats://127.0.0.1:4222
    #[arg(long, value_name = "URL")]
    pub nats: String,
    #[command(flatten)]
    pub access: Access,
    /// Print one JSON object on stdout instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct JobArguments {
    #[arg(long, value_parser = parse_time)]
    pub time_limit: Option<Duration>,
    #[arg(long, value_parser = parse_size)]
    pub memory_limit: Option<u64>,
    #[arg(long)]
    pub allow_external: bool,
}
