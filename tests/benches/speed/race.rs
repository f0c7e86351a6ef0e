//! Two things timed in turn, so that whatever else the machine does falls on both.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode};

/// How long to measure, about. What takes longer is measured [`SAMPLES`] times all the same.
const MEASURED_FOR: Duration = Duration::from_secs(3);

/// How many samples criterion takes, each of one run or more.
const SAMPLES: usize = 15;

/// The median times of the two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Race {
    pub(crate) ours: Duration,
    pub(crate) floor: Duration,
}

/// Times `ours` and `floor` alternately; criterion reports on `ours`.
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
        ours: median(our_times),
        floor: median(floor_times),
    }
}

/// Runs a process to its end; returns how long it took.
///
/// # Panics
/// If it fails.
pub(crate) fn time(mut command: Command) -> Duration {
    command.stdout(Stdio::null()).stderr(Stdio::inherit());
    let begun = Instant::now();
    let status = command.status().expect("the program starts");
    let time = begun.elapsed();
    assert!(status.success(), "{command:?} failed");
    time
}

/// Returns the time in the middle.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
