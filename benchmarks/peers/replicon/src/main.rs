//! Measures the scenarios of benchmarks/peers over bevy_replicon, without packets: messages are
//! handed from one app to the other in memory.
//!
//! Each argument is the name of a scenario, and without arguments all run. Each prints a line of
//! JSON: its name; ours_ns and least_ns, the median and the least processor time of one operation
//! in nanoseconds; bytes and messages, what the server sent in one operation.

mod game;
mod harness;
mod scenarios;
mod values;

use std::process::ExitCode;

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let all = scenarios::all();
    for name in &asked {
        if !all.iter().any(|s| s.name == *name) {
            eprintln!("replicon: no scenario is named {name}");
            return ExitCode::FAILURE;
        }
    }
    for scenario in all {
        if !asked.is_empty() && !asked.iter().any(|name| *name == scenario.name) {
            continue;
        }
        match scenario.measure() {
            Ok(result) => println!("{result}"),
            Err(why) => {
                eprintln!("replicon: {}: {why}", scenario.name);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
