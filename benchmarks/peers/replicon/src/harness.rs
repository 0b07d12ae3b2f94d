//! The clock, and the measurement of one operation in rounds.

use std::fmt;

/// What is measured.
pub trait Work {
    /// Does what happens before the operation. Not timed.
    fn before(&mut self);

    /// Runs the operation.
    fn run(&mut self);

    /// Does what happens after the operation, and returns what the server has sent. Not timed.
    fn after(&mut self) -> Traffic;

    /// Compares the clients' worlds with the server's.
    fn verify(&mut self) -> Result<(), String>;
}

/// What a server has sent.
#[derive(Clone, Copy, Default)]
pub struct Traffic {
    pub bytes: usize,
    pub messages: usize,
}

/// The result of a measurement.
pub struct Measured {
    pub name: &'static str,
    median: f64,
    least: f64,
    traffic: Traffic,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            r#"{{"name":"{}","ours_ns":{:.0},"least_ns":{:.0},"bytes":{},"messages":{}}}"#,
            self.name, self.median, self.least, self.traffic.bytes, self.traffic.messages
        )
    }
}

/// Measures an operation. The rounds for warming up come first.
pub fn measure(
    name: &'static str,
    work: &mut dyn Work,
    rounds: usize,
    warm: usize,
) -> Result<Measured, String> {
    let reading = reading_time();
    let mut took = Vec::with_capacity(rounds);
    let mut traffic = Traffic::default();
    for round in 0..warm + rounds {
        work.before();
        let start = thread_time();
        work.run();
        let ns = thread_time() - start - reading;
        traffic = work.after();
        if round >= warm {
            took.push(ns);
        }
    }
    work.verify()?;
    took.sort_by(f64::total_cmp);
    Ok(Measured {
        name,
        median: took[rounds / 2],
        least: took[0],
        traffic,
    })
}

/// The processor time that this thread has used, in nanoseconds.
fn thread_time() -> f64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: t is valid for writing.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    assert_eq!(failed, 0, "this system has no clock of a thread");
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}

/// What reading the clock adds to a measured time.
fn reading_time() -> f64 {
    (0..100)
        .map(|_| {
            let start = thread_time();
            thread_time() - start
        })
        .fold(f64::INFINITY, f64::min)
}
