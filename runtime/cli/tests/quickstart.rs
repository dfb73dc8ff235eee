//! The quickstart leaves the folder it names, with equal bits and a stable pack, and the commands
//! on its page repeat it.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use program::tdse_json;
use serde_json::Value;

#[test]
fn report_folder_is_whole_and_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let (code, envelope) = tdse_json(["quickstart", "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{}", envelope["error"]);
    let data = &envelope["data"];
    assert_eq!(data["bits_identical"], true);
    assert_eq!(data["verdict"], "stable");

    let files: Vec<&str> = data["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f.as_str().unwrap())
        .collect();
    let mut present: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    present.sort();
    let mut named: Vec<String> = files.iter().map(|f| (*f).to_owned()).collect();
    named.sort();
    assert_eq!(present, named, "the folder holds what the envelope names");
    for file in &files {
        assert!(
            std::fs::metadata(out.join(file)).unwrap().len() > 500,
            "{file}"
        );
    }

    let story: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("report.json")).unwrap()).unwrap();
    check_bits(&story);
    check_page(
        &std::fs::read_to_string(out.join("index.html")).unwrap(),
        &story,
    );
    repeat(&story, folder.path());
}

fn check_bits(story: &Value) {
    let rows = story["bits"].as_array().unwrap();
    for class in [
        "direct(partials = 8, fma)",
        "direct(partials = 8, separate)",
    ] {
        let of_class: Vec<&Value> = rows.iter().filter(|row| row["class"] == class).collect();
        let digests: Vec<&Value> = of_class
            .iter()
            .filter_map(|row| row["digest"].get("sha256"))
            .collect();
        assert!(
            digests.len() >= 3,
            "{class}: interpreter, cranelift and portable at least"
        );
        assert!(
            digests.iter().all(|digest| *digest == digests[0]),
            "{class}"
        );
        assert!(of_class.iter().any(|row| row["executor"] == "interpreter"));
    }
    let times = story["times"].as_array().unwrap();
    assert!(
        times
            .iter()
            .all(|row| row["output_sha256"] == times[0]["output_sha256"])
    );
    assert_eq!(times.iter().filter(|row| row["chosen"] == true).count(), 1);
}

/// The page stands alone: it loads nothing, and each figure is in it.
fn check_page(page: &str, story: &Value) {
    for loading in ["<script", "<link", "src=", "url(", "@import"] {
        assert!(!page.contains(loading), "the page has {loading}");
    }
    assert_eq!(page.matches("<svg").count(), 4);
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(!page.contains("NaN"));
    assert!(page.contains(story["pack"]["content_sha256"].as_str().unwrap()));
    for command in story["commands"].as_array().unwrap() {
        assert!(page.contains(command.as_str().unwrap()));
    }
}

/// The build command of the page gives the pack of the page.
fn repeat(story: &Value, folder: &std::path::Path) {
    let command = story["commands"][1].as_str().unwrap();
    let again = folder.join("again.tdse");
    let words: Vec<String> = command
        .split_whitespace()
        .skip(1)
        .map(|word| word.replace("pair.tdse", again.to_str().unwrap()))
        .collect();
    let (code, built) = tdse_json(&words);
    assert_eq!(code, 0, "{built}");
    assert_eq!(
        built["data"]["content_sha256"],
        story["pack"]["content_sha256"]
    );
}
