//! The queue of one process: no server, nothing is written down.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tandem_base::Cancel;

use super::{JobId, Lease, Load, Queue, Supply, Trouble};

/// Jobs and answers between threads.
pub struct Local<J, A> {
    state: Mutex<State<J, A>>,
    changed: Condvar,
}

struct State<J, A> {
    waiting: VecDeque<(JobId, J)>,
    /// Every job that is waiting or in somebody's hands.
    known: HashSet<JobId>,
    running: HashMap<JobId, Cancel>,
    answers: Vec<(JobId, A)>,
    /// Threads that wait for a job.
    idle: usize,
    is_finished: bool,
}

impl<J, A> Default for Local<J, A> {
    fn default() -> Local<J, A> {
        let state = State {
            waiting: VecDeque::new(),
            known: HashSet::new(),
            running: HashMap::new(),
            answers: Vec::new(),
            idle: 0,
            is_finished: false,
        };
        Local { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl<J, A> Local<J, A> {
    pub fn new() -> Local<J, A> {
        Local::default()
    }

    /// Whether nothing will come any more.
    pub fn is_finished(&self) -> bool {
        self.lock().is_finished
    }

    fn lock(&self) -> MutexGuard<'_, State<J, A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `ready` says so; false if that took too long.
    fn wait<'s>(
        &'s self,
        mut state: MutexGuard<'s, State<J, A>>,
        wait: Duration,
        ready: impl Fn(&State<J, A>) -> bool,
    ) -> MutexGuard<'s, State<J, A>> {
        let end = Instant::now() + wait;
        while !ready(&state) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }
}

impl<J: Send, A: Send> Queue<J, A> for Local<J, A> {
    fn publish(&self, jobs: Vec<(JobId, J)>) -> Result<(), Trouble> {
        let mut state = self.lock();
        for (id, job) in jobs {
            if state.known.insert(id.clone()) {
                state.waiting.push_back((id, job));
            }
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    fn collect(&self, wait: Duration) -> Result<Vec<(JobId, A)>, Trouble> {
        let mut state = self.wait(self.lock(), wait, |state| !state.answers.is_empty());
        Ok(std::mem::take(&mut state.answers))
    }

    fn cancel(&self, jobs: &[JobId]) -> Result<(), Trouble> {
        let mut state = self.lock();
        let before = state.waiting.len();
        state.waiting.retain(|(id, _)| !jobs.contains(id));
        debug_assert!(state.waiting.len() <= before);
        for id in jobs {
            state.known.remove(id);
            if let Some(cancel) = state.running.get(id) {
                cancel.raise();
            }
        }
        Ok(())
    }

    fn finish(&self) -> Result<(), Trouble> {
        let mut state = self.lock();
        state.is_finished = true;
        state.waiting.clear();
        state.running.values().for_each(Cancel::raise);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    fn load(&self) -> Result<Load, Trouble> {
        let state = self.lock();
        Ok(Load { waiting: state.waiting.len(), running: state.running.len(), idle: state.idle })
    }
}

impl<J: Send, A: Send> Supply<J, A> for Local<J, A> {
    fn take<'s>(&'s self, wait: Duration) -> Result<Option<Box<dyn Lease<J, A> + 's>>, Trouble> {
        let mut state = self.lock();
        state.idle += 1;
        let mut state = self.wait(state, wait, |state| !state.waiting.is_empty() || state.is_finished);
        state.idle -= 1;
        let Some((id, job)) = state.waiting.pop_front() else { return Ok(None) };
        let cancel = Cancel::new();
        state.running.insert(id.clone(), cancel.clone());
        Ok(Some(Box::new(Held { queue: self, id, job: Some(job), cancel })))
    }
}

struct Held<'q, J: Send, A: Send> {
    queue: &'q Local<J, A>,
    id: JobId,
    /// Nothing once it is done.
    job: Option<J>,
    cancel: Cancel,
}

impl<J: Send, A: Send> Lease<J, A> for Held<'_, J, A> {
    fn id(&self) -> &str {
        &self.id
    }

    fn job(&self) -> &J {
        // Taken only by what consumes the lease.
        self.job.as_ref().unwrap_or_else(|| unreachable!("a lease has its job until it ends"))
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn tell(&self, so_far: A) {
        let mut state = self.queue.lock();
        if !self.cancel.is_raised() {
            state.answers.push((self.id.clone(), so_far));
        }
        drop(state);
        self.queue.changed.notify_all();
    }

    fn done(mut self: Box<Self>, answer: A) -> Result<(), Trouble> {
        self.job = None;
        let mut state = self.queue.lock();
        state.running.remove(&self.id);
        state.known.remove(&self.id);
        if !self.cancel.is_raised() {
            state.answers.push((self.id.clone(), answer));
        }
        drop(state);
        self.queue.changed.notify_all();
        Ok(())
    }

    fn give_back(self: Box<Self>) {}
}

impl<J: Send, A: Send> Drop for Held<'_, J, A> {
    fn drop(&mut self) {
        let Some(job) = self.job.take() else { return };
        let mut state = self.queue.lock();
        state.running.remove(&self.id);
        if !self.cancel.is_raised() {
            state.waiting.push_front((self.id.clone(), job));
        }
        drop(state);
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(30);

    fn queue(jobs: &[u32]) -> Local<u32, u32> {
        let queue = Local::new();
        queue.publish(jobs.iter().map(|job| (job.to_string(), *job)).collect()).unwrap();
        queue
    }

    #[test]
    fn every_job_is_done_once() {
        let jobs: Vec<u32> = (0..500).collect();
        let queue = queue(&jobs);
        queue.publish(vec![("7".into(), 7)]).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !queue.is_finished() {
                        if let Some(lease) = queue.take(MOMENT).unwrap() {
                            let square = lease.job() * lease.job();
                            lease.done(square).unwrap();
                        }
                    }
                });
            }
            let mut answers = Vec::new();
            while answers.len() < jobs.len() {
                answers.extend(queue.collect(LONG).unwrap());
            }
            queue.finish().unwrap();
            answers.sort_by_key(|(_, answer)| *answer);
            let expected: Vec<(String, u32)> = jobs.iter().map(|job| (job.to_string(), job * job)).collect();
            assert_eq!(answers, expected);
        });
    }

    #[test]
    fn what_is_dropped_is_done_by_others() {
        let queue = queue(&[1, 2]);
        drop(queue.take(MOMENT).unwrap());
        assert_eq!(queue.load().unwrap(), Load { waiting: 2, running: 0, idle: 0 });
        queue.take(MOMENT).unwrap().unwrap().give_back();
        let lease = queue.take(MOMENT).unwrap().unwrap();
        assert_eq!((lease.id(), *lease.job()), ("1", 1));
        lease.done(10).unwrap();
        assert_eq!(queue.collect(LONG).unwrap(), [("1".to_string(), 10)]);
        assert_eq!(queue.load().unwrap(), Load { waiting: 1, running: 0, idle: 0 });
    }

    #[test]
    fn what_is_cancelled_is_not_done() {
        let queue = queue(&[1, 2, 3]);
        let lease = queue.take(MOMENT).unwrap().unwrap();
        queue.cancel(&["1".into(), "3".into()]).unwrap();
        assert!(lease.cancel().is_raised());
        lease.done(1).unwrap();
        let lease = queue.take(MOMENT).unwrap().unwrap();
        assert_eq!(lease.id(), "2");
        queue.finish().unwrap();
        assert!(lease.cancel().is_raised());
        drop(lease);
        assert!(queue.take(LONG).unwrap().is_none());
        assert!(queue.collect(MOMENT).unwrap().is_empty());
    }
}
