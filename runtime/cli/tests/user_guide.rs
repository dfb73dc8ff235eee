//! The program in docs/user-guide.md is the one below, which is compiled and run.
#![allow(clippy::unwrap_used)]

mod program;

use std::sync::Arc;
use tdse_pack::Pack;
use tdse_runtime::{PrepareOptions, Prepared};

fn host(path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let prepared = Prepared::new(Arc::new(Pack::read(path)?), &PrepareOptions::default())?;
    let (shape, dt) = (prepared.pack().shape(), prepared.pack().dt());
    let mut model = prepared.model();
    let mut op = vec![0.0; shape.nq() * shape.np()];
    let (mut hr, mut y) = (vec![0.0; shape.nq()], vec![0.0; shape.nq()]);
    model.op(&mut op)?;
    for step in 0..1000 {
        model.begin(step as f64 * dt, dt)?;
        model.hr(&mut hr)?;
        // The host solves its own equations for x here, with y = op x + hr.
        let x = vec![1.0; shape.np()];
        model.commit(&x)?;
        model.dr(&mut y)?;
        for (y, hr) in y.iter_mut().zip(&hr) {
            *y += hr;
        }
    }
    Ok(())
}

#[test]
fn guide_shows_this_program() {
    let source = include_str!("user_guide.rs");
    let start = source.find("fn host").unwrap();
    let end = start + source[start..].find("\n}\n").unwrap() + 3;
    let guide = std::fs::read_to_string(program::root().join("docs/user-guide.md")).unwrap();
    assert!(
        guide.contains(&source[start..end]),
        "docs/user-guide.md does not show fn host"
    );
}

#[test]
fn program_of_the_guide_runs() {
    let (_folder, pack) = program::small_pack();
    host(&pack).unwrap();
}
