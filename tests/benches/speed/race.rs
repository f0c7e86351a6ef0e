//! Times the product and the floor alternately, so that other load on the machine affects both.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode};

/// Approximate measurement time. Slower measurements still take [`SAMPLES`] samples.
const MEASURED_FOR: Duration = Duration::from_secs(3);

/// Number of criterion samples; each is one or more runs.
const SAMPLES: usize = 15;

/// The times of the product and of the floor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Race {
    pub(crate) ours: Duration,
    pub(crate) floor: Duration,
}

/// Times `ours` and `floor` alternately, and returns the fastest run of each; criterion reports on `ours`.
pub(crate) fn race(
    criterion: &mut Criterion,
    name: &str,
    mut ours: impl FnMut() -> Duration,
    mut floor: impl FnMut() -> Duration,
) -> Race {
    let (mut our_times, mut floor_times) = (Vec::new(), Vec::new());
    let mut group = criterion.benchmark_group("speed");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(SAMPLES)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(MEASURED_FOR);
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        bencher.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for _ in 0..iterations {
                let time = ours();
                our_times.push(time);
                floor_times.push(floor());
                total += time;
            }
            total
        });
    });
    group.finish();
    Race {
        ours: fastest(our_times),
        floor: fastest(floor_times),
    }
}

/// Runs a process; returns how long it took.
///
/// # Panics
/// If the process fails.
pub(crate) fn time(mut command: Command) -> Duration {
    command.stdout(Stdio::null()).stderr(Stdio::inherit());
    let begun = Instant::now();
    let status = command.status().expect("the program starts");
    let time = begun.elapsed();
    assert!(status.success(), "{command:?} failed");
    time
}

/// Returns the time of the fastest run. All runs of a program do the same work; if one is slower, the cause is other
/// load on the machine.
pub(crate) fn fastest(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap_or_default()
}

/// Returns the median.
pub(crate) fn median(times: Vec<Duration>) -> Duration {
    percentile(times, 50)
}

/// Returns a percentile of the times.
pub(crate) fn percentile(mut times: Vec<Duration>, percent: usize) -> Duration {
    times.sort_unstable();
    let at = times.len() * percent / 100;
    times.get(at).copied().unwrap_or_default()
}
