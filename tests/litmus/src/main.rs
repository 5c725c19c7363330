//! Litmus tests of the recorder's protocols: each is written down with its atomic operations and their orders, and loom
//! tries the interleavings of its threads, and all values that the C11 memory model lets a load see. Without arguments
//! it lists what there is; with a model and a variant it runs that, and exits with 1 if it has found a fault.
//!
//! What loom cannot show: it takes SEQ_CST accesses for ACQ_REL, and only fences for more; a load never sees what is
//! stored later. Orders that only that would tell from weaker ones are named in the models, and not among what breaks.
mod claim;
mod explore;
mod gate;
mod lists;
mod lock;
mod say;
mod snapshots;
mod steal;
mod waitq;

use explore::{Variant, EXECUTIONS, FAULT};
use std::sync::atomic::Ordering::Relaxed;
use std::{panic, process};

pub struct Model {
    name: &'static str,
    holds: &'static [&'static str],
    breaks: &'static [&'static str],
    run: fn(Variant),
}

const MODELS: [&Model; 8] = [
    &gate::MODEL,
    &lists::MODEL,
    &lock::MODEL,
    &waitq::MODEL,
    &claim::MODEL,
    &steal::MODEL,
    &say::MODEL,
    &snapshots::MODEL,
];

fn list() {
    for model in MODELS {
        for variant in model.holds {
            println!("{} {variant} holds", model.name);
        }
        for variant in model.breaks {
            println!("{} {variant} breaks", model.name);
        }
    }
}

const HELD: i32 = 0;
const BROKE: i32 = 1;
const WRONG: i32 = 2;

/// What is not listed may be asked for, too: an order that nothing breaks without. Its scenario is one that is.
fn find(name: &str, variant: &str) -> Option<(&'static Model, &'static str)> {
    let model = MODELS.into_iter().find(|model| model.name == name)?;
    let variant: &str = variant.to_string().leak();
    model
        .holds
        .contains(&Variant::of(variant).scenario)
        .then_some((model, variant))
}

/// A panic that is no fault says that a model is wrong, or too large.
fn is_fault(said: &str) -> bool {
    said.starts_with(FAULT) || said.contains("Causality violation") || said.starts_with("deadlock")
}

fn run(model: &Model, variant: &'static str) -> i32 {
    panic::set_hook(Box::new(|_| ()));
    let result = panic::catch_unwind(|| (model.run)(Variant::of(variant)));
    let executions = EXECUTIONS.load(Relaxed);
    let Err(thrown) = result else {
        println!("no fault in {executions} executions");
        return HELD;
    };
    let said = match thrown.downcast_ref::<String>() {
        Some(text) => text.as_str(),
        None => thrown.downcast_ref::<&str>().copied().unwrap_or("?"),
    };
    println!("execution {executions}: {said}");
    if is_fault(said) {
        BROKE
    } else {
        WRONG
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => list(),
        [name, variant] => match find(name, variant) {
            Some((model, variant)) => process::exit(run(model, variant)),
            None => {
                eprintln!("there is no {name} {variant}");
                process::exit(WRONG);
            }
        },
        _ => {
            eprintln!("usage: thrace-litmus [MODEL VARIANT]");
            process::exit(WRONG);
        }
    }
}
