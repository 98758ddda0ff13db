//! The streams and the store on the server: made if they are not there, and refused if they are somebody else's.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{GetStreamErrorKind, RequestError, RequestErrorKind};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{Context, ErrorCode};
use tandem_coop::queue::Trouble;

use crate::names::Names;
use crate::trouble::{explain, words};

/// By this we know our own streams. It changes when what is in them changes its meaning.
const OURS: &str = "jobs, answers and texts of tandem, layout 1";
/// Who does not say a word for so long has lost its job.
pub const SILENCE: Duration = Duration::from_secs(5);
/// How long jobs, answers and texts are kept if nobody takes them away.
const KEPT: Duration = Duration::from_secs(3 * 24 * 3600);

/// What there is on the server.
#[derive(Clone)]
pub struct Places {
    pub jobs: Stream,
    pub results: Stream,
    pub texts: ObjectStore,
}

/// Finds or makes everything.
pub async fn places(context: &Context, url: &str, names: &Names) -> Result<Places, Trouble> {
    has_jetstream(context, url).await?;
    let jobs = Config {
        name: names.job_stream(),
        description: Some(OURS.into()),
        subjects: vec![names.all_jobs()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_age: KEPT,
        ..Config::default()
    };
    let results = Config {
        name: names.result_stream(),
        description: Some(OURS.into()),
        subjects: names.all_results(),
        retention: RetentionPolicy::Limits,
        max_messages_per_subject: 1,
        max_age: KEPT,
        ..Config::default()
    };
    let jobs = stream(context, url, jobs).await?;
    let results = stream(context, url, results).await?;
    Ok(Places { jobs, results, texts: texts(context, url, names).await? })
}

async fn has_jetstream(context: &Context, url: &str) -> Result<(), Trouble> {
    // The library's own question fails on answers of servers before 2.10.
    let asked: Result<serde_json::Value, RequestError> = context.request("INFO", &()).await;
    let is_missing = match &asked {
        Ok(answer) => {
            let codes = [ErrorCode::JETSTREAM_NOT_ENABLED, ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT];
            answer["error"]["err_code"].as_u64().is_some_and(|code| codes.contains(&ErrorCode(code)))
        }
        Err(error) => error.kind() == RequestErrorKind::NoResponders,
    };
    if is_missing {
        let help = "start it with JetStream: `nats-server -js`, and enable it for the account";
        return Err(Trouble::new(format!("{url}: the server has no JetStream"), help));
    }
    match asked {
        Ok(answer) if !answer["error"].is_null() => {
            Err(explain(url, "the first question", &answer["error"].to_string()))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(explain(url, "the first question", &words(&error))),
    }
}

async fn stream(context: &Context, url: &str, config: Config) -> Result<Stream, Trouble> {
    let name = config.name.clone();
    match context.get_stream(&name).await {
        Ok(stream) => {
            let there = &stream.cached_info().config;
            let is_ours = there.description == config.description
                && there.subjects == config.subjects
                && there.retention == config.retention;
            if is_ours { Ok(stream) } else { Err(foreign(url, &name)) }
        }
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(inner) if inner.error_code() == ErrorCode::STREAM_NOT_FOUND => {
                let made = context.create_stream(config).await;
                made.map_err(|error| not_made(url, &name, &words(&error)))
            }
            _ => Err(explain(url, &format!("looking for the stream {name}"), &words(&error))),
        },
    }
}

fn not_made(url: &str, name: &str, text: &str) -> Trouble {
    if text.contains("overlap") || text.contains("already in use") {
        return foreign(url, name);
    }
    explain(url, &format!("making the stream {name}"), text)
}

fn foreign(url: &str, name: &str) -> Trouble {
    Trouble::new(
        format!("{url}: the stream {name}, or its subjects, belong to something else on this server"),
        "another name for ours: --namespace NAME, the same for workers and coordinators",
    )
}

async fn texts(context: &Context, url: &str, names: &Names) -> Result<ObjectStore, Trouble> {
    let bucket = names.text_bucket();
    let stream_name = format!("OBJ_{bucket}");
    match context.get_stream(&stream_name).await {
        Ok(stream) if stream.cached_info().config.description.as_deref() != Some(OURS) => {
            return Err(foreign(url, &stream_name));
        }
        Ok(_) => {
            let store = context.get_object_store(&bucket).await;
            return store.map_err(|error| explain(url, "opening the object store", &words(&error)));
        }
        Err(_) => {}
    }
    let config = object_store::Config {
        bucket: bucket.clone(),
        description: Some(OURS.into()),
        max_age: KEPT,
        ..object_store::Config::default()
    };
    let made = context.create_object_store(config).await;
    made.map_err(|error| not_made(url, &stream_name, &words(&error)))
}

/// The consumer that all workers of a release share.
pub async fn consumer(places: &Places, url: &str, names: &Names) -> Result<PullConsumer, Trouble> {
    let config = pull::Config {
        durable_name: Some(names.consumer()),
        description: Some(OURS.into()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: SILENCE,
        // Workers count deliveries themselves, so that somebody always hears of a job that is given up.
        max_deliver: -1,
        filter_subject: names.jobs_of_release(),
        max_ack_pending: 100_000,
        max_waiting: 20_000,
        ..pull::Config::default()
    };
    let made = places.jobs.get_or_create_consumer(&names.consumer(), config).await;
    made.map_err(|error| explain(url, "joining the queue", &words(&error)))
}
