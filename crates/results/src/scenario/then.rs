//! What was published between 2007 and 2018: facts from `then.json`, each with its source. What this machine says is
//! in the other files.

use serde::Deserialize;
use std::sync::LazyLock;

/// Figures that the scenarios ask for anew.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Then {
    /// What it is.
    pub about: String,
    /// Of [`Scenario::Bulk`](cryptobench_schema::Scenario::Bulk).
    pub bulk_cbc: BulkCbc,
    /// Of [`Scenario::Keygen`](cryptobench_schema::Scenario::Keygen).
    pub rsa_keygen_ms: RsaKeygen,
    /// Of [`Scenario::Document`](cryptobench_schema::Scenario::Document).
    pub file_or_fields: FileOrFields,
    /// Of [`Scenario::GcmSiv`](cryptobench_schema::Scenario::GcmSiv).
    pub gcm_siv_ns: GcmSivThen,
}

/// Bulk data through one encryptor.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BulkCbc {
    /// Where it is from.
    pub source: String,
    /// What was done.
    pub workload: String,
    /// The slower implementation.
    pub slow_side: String,
    /// The faster one.
    pub fast_side: String,
    /// How many times as fast the faster one was, at the least.
    pub speedup_low: f64,
    /// The same at the most.
    pub speedup_high: f64,
}

/// RSA keys.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RsaKeygen {
    /// Where it is from.
    pub source: String,
    /// Systems.
    pub rows: Vec<RsaKeygenRow>,
    /// What was concluded.
    pub claim: String,
}

/// The keys of one system, in milliseconds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RsaKeygenRow {
    /// The system.
    pub system: String,
    /// A key of 1024 bits.
    #[serde(rename = "1024")]
    pub bits_1024: f64,
    /// A key of 2048 bits.
    #[serde(rename = "2048")]
    pub bits_2048: f64,
    /// A key of 3072 bits.
    #[serde(rename = "3072")]
    pub bits_3072: f64,
}

/// A document or its fields.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileOrFields {
    /// Where it is from.
    pub source: String,
    /// What was done.
    pub workload: String,
    /// What was found.
    pub claims: Vec<String>,
}

/// AES-GCM-SIV.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GcmSivThen {
    /// Where it is from.
    pub source: String,
    /// What was claimed.
    pub claim: String,
    /// What the rows have, in their order.
    pub columns: Vec<String>,
    /// On an Intel Core i7-4800MQ.
    pub windows_i7_4800mq: Vec<GcmSivRow>,
    /// On an Intel Core i7-5557U.
    pub macos_i7_5557u: Vec<GcmSivRow>,
}

/// One row of a table of BenchmarkDotNet, times in nanoseconds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct GcmSivRow {
    /// The algorithm.
    pub algorithm: String,
    /// `seal` or `open`.
    pub operation: String,
    /// Bytes of the message.
    pub size: u64,
    /// The mean.
    pub mean_ns: f64,
    /// Half of its 99.9 % interval.
    pub error_ns: f64,
    /// The standard deviation.
    pub stddev_ns: f64,
    /// The mean over that of AES-GCM.
    pub scaled: f64,
}

/// The figures.
#[must_use]
pub fn then() -> &'static Then {
    static THEN: LazyLock<Then> = LazyLock::new(|| {
        // Part of the program; a test reads it.
        serde_json::from_str(include_str!("then.json")).expect("then.json as the types have it")
    });
    &THEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_as_its_types() {
        let then = then();
        assert_eq!((then.bulk_cbc.speedup_low, then.bulk_cbc.speedup_high), (2.1, 2.4));
        assert_eq!(then.rsa_keygen_ms.rows.len(), 6);
        assert_eq!(then.rsa_keygen_ms.rows[0].bits_2048, 80.0);
        assert_eq!(then.file_or_fields.claims.len(), 5);
        let columns =
            ["algorithm", "operation", "size", "mean_ns", "error_ns", "stddev_ns", "scaled"];
        assert_eq!(then.gcm_siv_ns.columns, columns);
        for rows in [&then.gcm_siv_ns.windows_i7_4800mq, &then.gcm_siv_ns.macos_i7_5557u] {
            assert_eq!(rows.len(), 16);
            for pair in rows.chunks(2) {
                let [gcm, siv] = pair else { panic!("a pair") };
                assert_eq!((gcm.scaled, gcm.size, &gcm.operation), (1.0, siv.size, &siv.operation));
                assert!((siv.mean_ns / gcm.mean_ns - siv.scaled).abs() < 0.0051, "{siv:?}");
            }
        }
        for source in [
            &then.bulk_cbc.source,
            &then.rsa_keygen_ms.source,
            &then.file_or_fields.source,
            &then.gcm_siv_ns.source,
        ] {
            assert!(!source.is_empty());
        }
    }
}
