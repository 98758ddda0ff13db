//! A NATS server for one test: on a free port of the loopback, with a store of its own, ended with the test.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub struct NatsServer {
    child: Child,
    port: u16,
    directory: PathBuf,
    arguments: Vec<String>,
}

impl NatsServer {
    /// Nothing, and a word about it, if there is no server on this machine.
    pub fn start(name: &str) -> Option<NatsServer> {
        NatsServer::with(name, &["-js"])
    }

    pub fn with(name: &str, arguments: &[&str]) -> Option<NatsServer> {
        let program = program()?;
        let directory = std::env::temp_dir().join(format!("tandem-nats-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let child = spawn(&program, port, &directory, &arguments);
        let server = NatsServer { child, port, directory, arguments };
        server.wait();
        Some(server)
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn wait(&self) {
        let end = Instant::now() + Duration::from_secs(20);
        while Instant::now() < end {
            if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
                let mut hello = [0; 4];
                if stream.read_exact(&mut hello).is_ok() && &hello == b"INFO" {
                    return;
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the NATS server does not start");
    }

    /// Ends the server without a word, as a crash would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again, with what it had written.
    pub fn start_again(&mut self) {
        self.child = spawn(&program().unwrap(), self.port, &self.directory, &self.arguments);
        self.wait();
    }

    /// Sends lines of the NATS protocol, and waits until the server has heard them.
    pub fn send(&self, lines: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        stream.write_all(format!("CONNECT {{\"verbose\":false}}\r\n{lines}PING\r\n").as_bytes()).unwrap();
        let (mut heard, mut part) = (Vec::new(), [0; 4096]);
        while let Ok(read) = stream.read(&mut part) {
            heard.extend_from_slice(&part[..read]);
            if read == 0 {
                break;
            }
        }
        String::from_utf8_lossy(&heard).into_owned()
    }
}

fn program() -> Option<PathBuf> {
    let places = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"];
    let found = places.iter().map(PathBuf::from).find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: nats-server is not installed (Debian package nats-server)");
    }
    found
}

fn spawn(program: &Path, port: u16, directory: &Path, arguments: &[String]) -> Child {
    let log = directory.join("server.log");
    let mut command = Command::new(program);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-l"]).arg(log);
    command.arg("-sd").arg(directory).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
