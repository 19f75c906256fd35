//! `report`: where the page and the summary are put, and what is refused. What the page holds is tested where it is
//! made.

use crate::{
    checkout::{Checkout, Ran},
    made_up::{comparison, record},
    reading::criterion,
};
use cryptobench_results::record::FailedSide;
use std::{fs, path::Path};

fn checkout() -> Checkout {
    let checkout = Checkout::new();
    checkout.keep("gcm", &record());
    checkout
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

/// That `ran` is an error that says all of `parts`, and that no page was written.
fn refused(checkout: &Checkout, ran: &Ran, parts: &[&str]) {
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert!(!checkout.path("reports/index.html").exists(), "{}", ran.err);
}

#[test]
fn a_record_becomes_a_page() {
    let checkout = checkout();
    let ran = checkout.run(&["report", "gcm"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert_eq!(ran.err, "page: DIR/reports/index.html\n");
    let page = text(&checkout.path("reports/index.html"));
    for part in ["Some CPU (6/143/8)", "cryptobench report gcm", "id=\"which\"", "id=\"ran\""] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("id=\"changed\""));
    // Again, and the same.
    assert_eq!(checkout.run(&["report", "gcm"]).code, Some(0));
    assert_eq!(text(&checkout.path("reports/index.html")), page);

    let ran = checkout.run(&["report", "gcm", "--output", "here.html", "--reference", "openssl"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "page: here.html\n"));
    assert!(text(&checkout.path("here.html")).contains("Ratio to openssl"));
}

#[test]
fn two_records_show_what_changed() {
    let checkout = checkout();
    let mut slower = record();
    for measured in &mut slower.measured {
        for (side, slices) in measured.sides.iter_mut().zip(&mut measured.slices) {
            side.time_ns *= 2.0;
            slices.iter_mut().for_each(|it| *it *= 2);
        }
    }
    checkout.keep("after", &slower);
    assert_eq!(checkout.run(&["report", "gcm", "after"]).code, Some(0));
    let page = text(&checkout.path("reports/index.html"));
    for part in ["id=\"changed\"", "8 slower", "The suite as a whole moved"] {
        assert!(page.contains(part), "{part}");
    }
    // A record of a comparison has both by itself.
    checkout.keep("compared", &comparison());
    assert_eq!(checkout.run(&["report", "compared"]).code, Some(0));
    assert!(text(&checkout.path("reports/index.html")).contains("id=\"changed\""));
}

#[test]
fn the_last_run_is_meant_where_none_is_named() {
    let checkout = Checkout::new();
    let ran = checkout.run(&["report"]);
    refused(&checkout, &ran, &["nothing has been run here yet", "cryptobench run"]);
    let ran = checkout.measure(&["run", "--filter", "16$"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = checkout.run(&["report"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(text(&checkout.path("reports/index.html")).contains("measured with --quick"));
}

#[test]
fn a_summary_is_put_between_its_markers() {
    let checkout = checkout();
    let begin = "<!-- cryptobench: begin -->";
    let end = "<!-- cryptobench: end -->";
    // Without a place for it neither is written.
    let ran = checkout.run(&["report", "gcm", "--markdown"]);
    refused(&checkout, &ran, &["cannot read README.md"]);
    for (content, part) in [
        ("# Mine\n".to_owned(), "has no place for it"),
        (format!("{end}\n{begin}\n"), "before"),
        (format!("{begin}\n"), "without its fellow"),
    ] {
        checkout.write("README.md", content.as_bytes());
        let ran = checkout.run(&["report", "gcm", "--markdown"]);
        refused(&checkout, &ran, &["README.md", part]);
        assert_eq!(text(&checkout.path("README.md")), content);
    }
    checkout.write("README.md", format!("# Mine\n\n{begin}\nold\n{end}\n\nmine too\n").as_bytes());
    let ran = checkout.run(&["report", "gcm", "--markdown"]);
    assert_eq!(ran.err, "page: DIR/reports/index.html\nsummary: README.md\n");
    let readme = text(&checkout.path("README.md"));
    assert!(readme.starts_with("# Mine\n") && readme.ends_with("\n\nmine too\n"), "{readme}");
    for part in [
        "Made by `cryptobench report gcm --markdown=README.md`",
        "| `aes-256-gcm` | seal | 16 B: **aws-lc** = **ring** 1.50× \\[1.50, 1.50\\] over openssl | 1024 B: **graviola** 1.25×",
        "Measured by `cryptobench run`",
    ] {
        assert!(readme.contains(part), "{part}: {readme}");
    }
    assert!(!readme.contains("old"));
    // And again, the same.
    assert_eq!(checkout.run(&["report", "gcm", "--markdown"]).code, Some(0));
    assert_eq!(text(&checkout.path("README.md")), readme);
}

#[test]
fn cases_lead_to_criterion_s_pages() {
    let checkout = checkout();
    let ran = checkout.run(&["report", "gcm", "--criterion"]);
    refused(&checkout, &ran, &["cannot list DIR/target/criterion"]);
    let ids = ["aes-256-gcm/seal/ring/1024", "aes-256-gcm/seal/openssl/1024"];
    criterion(&checkout, &ids, &ids);
    let ran = checkout.run(&["report", "gcm", "--criterion"]);
    refused(&checkout, &ran, &["has no page of any case", "--noplot"]);
    checkout.write("target/criterion/case-0/report/index.html", b"");
    let ran = checkout.run(&["report", "gcm", "--criterion"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = text(&checkout.path("reports/index.html"));
    assert_eq!(page.matches("href=\"../target/criterion/case-0/report/index.html\"").count(), 1);
    assert!(!page.contains("case-1"));
}

#[test]
fn what_cannot_be_shown_or_written_is_refused() {
    let checkout = checkout();
    let mut empty = record();
    empty.measured.clear();
    empty.cases.clear();
    checkout.keep("empty", &empty);
    checkout.write("reports/records/broken.json", b"{");
    for (arguments, parts) in [
        (&["report", "nothing"][..], &["there is no record `nothing`"][..]),
        (&["report", "broken"], &["broken.json"]),
        (&["report", "empty"], &["has no times to show"]),
        (&["report", "gcm", "empty"], &["has no times to show"]),
        (&["report", "gcm", "--reference", "botan"], &["no record has times of a backend `botan`"]),
        (&["report", "gcm", "--reference", "<b>"], &["--reference", "cannot name a backend"]),
        (&["report", "gcm", "--output", "no/such/page.html"], &["there is no directory no/such"]),
        (&["report", "gcm", "--output", "reports"], &["reports is a directory"]),
        (&["report", "gcm", "--output", "reports/records/gcm.json.zst"], &["is a record"]),
        (&["report", "gcm", "--margin=-1"], &["--margin", "0 to 1000"]),
    ] {
        refused(&checkout, &checkout.run(arguments), parts);
    }
}

#[test]
fn both_files_are_written_or_none() {
    let checkout = checkout();
    let place = "<!-- cryptobench: begin -->\n<!-- cryptobench: end -->\n";
    let file = checkout.write("README.md", place.as_bytes());
    let ran = checkout.run(&["report", "gcm", "--output", "README.md", "--markdown"]);
    refused(&checkout, &ran, &["README.md is to hold two things at once"]);
    let mut permissions = file.metadata().expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).expect("permissions");
    let ran = checkout.run(&["report", "gcm", "--markdown"]);
    refused(&checkout, &ran, &["README.md is not to be written"]);
    assert_eq!(text(&file), place);
}

#[test]
fn nothing_of_a_record_s_is_replaced() {
    let checkout = checkout();
    for (name, content) in [
        ("reports/records/x.json.partial", &b"anything"[..]),
        ("later.json", b"{\"header\":{\"format\":99}}\n"),
        ("damaged", b"\x28\xb5\x2f\xfd"),
    ] {
        let path = checkout.write(name, content);
        let ran = checkout.run(&["report", "gcm", "--output", name]);
        refused(&checkout, &ran, &["is a record"]);
        assert_eq!(fs::read(path).expect("a file"), content, "{name}");
    }
    let ran = checkout.run(&["report", "gcm", "--output", "new.json.zst"]);
    refused(&checkout, &ran, &["is the name of a record"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("gone", checkout.path("link")).expect("a link");
        let ran = checkout.run(&["report", "gcm", "--output", "link"]);
        refused(&checkout, &ran, &["leads nowhere"]);
    }
}

#[test]
fn where_every_case_failed_there_is_nothing_to_show() {
    let checkout = Checkout::new();
    let mut failed = record();
    for measured in &failed.measured {
        for side in &measured.sides {
            failed.failed.push(FailedSide {
                id: measured.contest.case(side.backend.clone()),
                program: 0,
                round: 0,
                reason: "wrong".to_owned(),
            });
        }
    }
    checkout.keep("gcm", &failed);
    refused(&checkout, &checkout.run(&["report", "gcm"]), &["every case failed"]);
}

#[test]
fn words_of_a_record_are_no_markers() {
    let checkout = Checkout::new();
    let mut hostile = record();
    hostile.header.settings.filter =
        Some("a`\n<!-- cryptobench: end -->\n<script>\u{202e}".to_owned());
    checkout.keep("gcm", &hostile);
    let place = "<!-- cryptobench: begin -->\n<!-- cryptobench: end -->\n";
    let file = checkout.write("README.md", place.as_bytes());
    for _ in 0..2 {
        let ran = checkout.run(&["report", "gcm", "--markdown"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(!text(&file).contains('\u{202e}'));
    }
}

#[test]
fn names_are_no_markup() {
    let checkout = checkout();
    let hostile = "reports/records/<script>alert(1)<!--'\"&.json.zst";
    fs::rename(checkout.path("reports/records/gcm.json.zst"), checkout.path(hostile))
        .expect("renamed");
    let ran = checkout.run(&["report", hostile]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = text(&checkout.path("reports/index.html"));
    // Its own script, and its data.
    assert_eq!(page.matches("<script").count(), 2);
    assert!(page.contains("&lt;script&gt;alert(1)"));
}
