//! Cells without a number: a dagger, and the reason below the table.

use crate::text::visible;
use maud::{Markup, html};

/// The reasons of one table, in the order of their first use.
#[derive(Default)]
pub(crate) struct Reasons(Vec<(String, String)>);

impl Reasons {
    /// A cell over so many columns of the backend called `label`, which has no number for `reason`, or has just not been
    /// measured.
    pub(crate) fn cell(&mut self, label: &str, reason: Option<&str>, columns: usize) -> Markup {
        let columns = Some(columns).filter(|it| *it > 1);
        match reason {
            Some(reason) => {
                let number = self.number(label, reason);
                html! {
                    td .n .none colspan=[columns] data-b=(label) title=(visible(reason)) { "†" sup { (number) } }
                }
            }
            None => html! {
                td .n .none colspan=[columns] data-b=(label) title="not measured in this run" { "–" }
            },
        }
    }

    fn number(&mut self, label: &str, reason: &str) -> usize {
        let known = self.0.iter().position(|it| it.0 == label && it.1 == reason);
        1 + known.unwrap_or_else(|| {
            self.0.push((label.to_owned(), reason.to_owned()));
            self.0.len() - 1
        })
    }

    /// All of them.
    pub(crate) fn list(&self) -> Markup {
        html! {
            @if !self.0.is_empty() {
                ol .reasons {
                    @for (index, (label, reason)) in self.0.iter().enumerate() {
                        li data-b=(label) { "†" sup { (index + 1) } " " (label) ": " (visible(reason)) }
                    }
                }
            }
        }
    }
}
