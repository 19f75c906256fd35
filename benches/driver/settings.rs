//! What the user narrowed the run to, by environment variables. Criterion's own filter and flags are
//! Criterion's.

use cryptobench_harness::{Failure, OwnDocument, Suite, sizes_here};
use cryptobench_schema::{
    Algorithm, BackendId, Contest, Family, ParseError, Scenario, SizeChoice, Unit,
    protocol::{DOCUMENT, ELEMENT},
    sizes,
};
use std::{ffi::OsString, str::FromStr};
use thiserror::Error;

const BACKENDS: &str = "CRYPTOBENCH_BACKENDS";
const ALGORITHMS: &str = "CRYPTOBENCH_ALGORITHMS";
const SIZES: &str = "CRYPTOBENCH_SIZES";
const RSA_BITS: &str = "CRYPTOBENCH_RSA_BITS";
const SCENARIO: &str = "CRYPTOBENCH_SCENARIO";

/// Private: set in the process that only lists, by the one that asks it to.
pub(crate) const LISTING: &str = "CRYPTOBENCH_LISTING";

/// The variables, and what each is for.
pub const VARIABLES: [(&str, &str); 7] = [
    (BACKENDS, "backends to measure, comma-separated"),
    (ALGORITHMS, "algorithms to measure, comma-separated"),
    (SIZES, "message sizes in bytes, comma-separated, or `all`"),
    (RSA_BITS, "RSA moduli in bits, comma-separated, or `all`"),
    (SCENARIO, "one scenario, with its contests of other targets, and nothing else"),
    (DOCUMENT, "your own XML document instead of the generated ones"),
    (ELEMENT, "its element whose content is a field, instead of `author`"),
];

/// The settings of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    backends: Option<Vec<BackendId>>,
    algorithms: Option<Vec<Algorithm>>,
    bytes: SizeChoice,
    bits: SizeChoice,
    scenario: Option<Scenario>,
}

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// A value does not exist.
    #[error("{variable}: unknown {kind} `{value}`; there are: {known}")]
    Unknown {
        /// The variable.
        variable: &'static str,
        /// What its values name.
        kind: &'static str,
        /// The value.
        value: String,
        /// All values that exist.
        known: String,
    },
    /// A variable is set, but to nothing.
    #[error("{variable} is empty: unset it, or name some of: {known}")]
    Empty {
        /// The variable.
        variable: &'static str,
        /// All values that exist.
        known: String,
    },
    /// No scenario has that name.
    #[error("{variable}: {error}")]
    Scenario {
        /// The variable.
        variable: &'static str,
        /// Its value, and all that exist.
        error: ParseError,
    },
    /// The document cannot be used.
    #[error("{0}")]
    Document(Failure),
    /// A variable of that name does not exist.
    #[error("unknown setting {name}; there are:{}", VARIABLES.map(|(name, what)| format!("\n  {name}: {what}")).concat())]
    Variable {
        /// Its name.
        name: String,
    },
    /// A variable's value is not text.
    #[error("{name} is not valid UTF-8")]
    NotText {
        /// Its name.
        name: String,
    },
}

impl Settings {
    /// The settings in `variables`, which are those of the process; `suite` says which backends exist.
    ///
    /// # Errors
    ///
    /// The first invalid setting.
    pub fn from_variables(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        suite: &Suite,
    ) -> Result<Self, SettingsError> {
        let mut settings = Self {
            backends: None,
            algorithms: None,
            bytes: SizeChoice::Default,
            bits: SizeChoice::Default,
            scenario: None,
        };
        for (name, value) in variables {
            let Some(name) = name.to_str().filter(|name| name.starts_with("CRYPTOBENCH_")) else {
                continue;
            };
            if name == LISTING {
                continue;
            }
            let Some((variable, _)) = VARIABLES.into_iter().find(|(known, _)| *known == name)
            else {
                return Err(SettingsError::Variable { name: name.to_owned() });
            };
            let value = value
                .into_string()
                .map_err(|_| SettingsError::NotText { name: name.to_owned() })?;
            match variable {
                BACKENDS => {
                    let known: Vec<BackendId> =
                        suite.backends().iter().map(|backend| backend.id().clone()).collect();
                    settings.backends = Some(list(variable, "backend", &value, &known)?);
                }
                ALGORITHMS => {
                    let known: Vec<Algorithm> = Algorithm::all().collect();
                    settings.algorithms = Some(list(variable, "algorithm", &value, &known)?);
                }
                SIZES => settings.bytes = chosen(variable, "size", &value, Unit::Bytes)?,
                RSA_BITS => {
                    settings.bits = chosen(variable, "modulus size", &value, Unit::ModulusBits)?;
                }
                SCENARIO => {
                    settings.scenario = Some(
                        value
                            .parse()
                            .map_err(|error| SettingsError::Scenario { variable, error })?,
                    );
                }
                // Read by the harness, which knows what is the matter with the document.
                DOCUMENT | ELEMENT => {
                    OwnDocument::of_environment().map_err(SettingsError::Document)?;
                }
                _ => unreachable!("every known variable has an arm"),
            }
        }
        Ok(settings)
    }

    /// The contests of `family` that the settings leave, with the backends of each that can do them:
    /// grouped by algorithm and operation, sizes ascending, so that a contest's backends are adjacent. Of a scenario that
    /// is asked for, the whole of it, in the family of scenarios.
    #[must_use]
    pub fn contests(&self, suite: &Suite, family: Family) -> Vec<(Contest, Vec<BackendId>)> {
        let mut contests = Vec::new();
        let ours = |contest: &Contest| match self.scenario {
            Some(scenario) => family == Family::Scenarios && scenario.has(contest),
            None => contest.family() == family,
        };
        for algorithm in Algorithm::all() {
            if self.algorithms.as_ref().is_some_and(|chosen| !chosen.contains(&algorithm)) {
                continue;
            }
            for &operation in algorithm.operations() {
                let sizes = match sizes(algorithm, operation) {
                    None => vec![None],
                    Some(sizes) => {
                        let chosen = match sizes.unit {
                            Unit::Bytes | Unit::PieceBytes => &self.bytes,
                            Unit::ModulusBits => &self.bits,
                        };
                        let (default, all) = sizes_here(operation, sizes);
                        chosen.of(&default, &all).into_iter().map(Some).collect()
                    }
                };
                for size in sizes {
                    let contest = Contest { algorithm, operation, size };
                    if !ours(&contest) {
                        continue;
                    }
                    let backends: Vec<BackendId> = suite
                        .backends()
                        .iter()
                        .filter(|backend| backend.registration(&contest).is_some())
                        .map(|backend| backend.id().clone())
                        .filter(|id| {
                            self.backends.as_ref().is_none_or(|chosen| chosen.contains(id))
                        })
                        .collect();
                    if !backends.is_empty() {
                        contests.push((contest, backends));
                    }
                }
            }
        }
        contests
    }
}

fn list<T: Clone + PartialEq + FromStr + ToString>(
    variable: &'static str,
    kind: &'static str,
    value: &str,
    known: &[T],
) -> Result<Vec<T>, SettingsError> {
    let names = || known.iter().map(T::to_string).collect::<Vec<_>>().join(", ");
    if value.trim().is_empty() {
        return Err(SettingsError::Empty { variable, known: names() });
    }
    value
        .split(',')
        .map(str::trim)
        .map(|name| {
            name.parse().ok().filter(|it| known.contains(it)).ok_or_else(|| {
                SettingsError::Unknown { variable, kind, value: name.to_owned(), known: names() }
            })
        })
        .collect()
}

fn chosen(
    variable: &'static str,
    kind: &'static str,
    value: &str,
    unit: Unit,
) -> Result<SizeChoice, SettingsError> {
    if value.trim() == "all" {
        return Ok(SizeChoice::All);
    }
    list(variable, kind, value, unit.all_sizes()).map(SizeChoice::Only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_private_variable_is_tolerated_and_not_listed() {
        let settings =
            |name: &str| Settings::from_variables([(name.into(), "1".into())], &Suite::new());
        assert!(settings(LISTING).is_ok());
        let error = settings("CRYPTOBENCH_LIST").expect_err("no such variable").to_string();
        assert!(!error.contains(LISTING), "{error}");
    }
}
