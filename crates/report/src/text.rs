//! Words from elsewhere, made safe to show in a line or on a terminal. Escaping for HTML is the template engine's.

use std::borrow::Cow;

/// `text` without what steers a terminal or turns the direction of writing: records come from elsewhere, and
/// anything may be in their words. Such characters are written as JSON writes them, so that JSON stays JSON.
#[must_use]
pub fn legible(text: &str) -> Cow<'_, str> {
    escape(text, |it| it != '\n' && steers(it))
}

/// [`legible`], and in one line.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, steers)
}

/// Control characters (Unicode's Cc), line and paragraph separators, and the marks, embeddings, overrides and
/// isolates of the bidirectional algorithm (UAX 9).
fn steers(it: char) -> bool {
    it.is_control()
        || matches!(it, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, which: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&which) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for it in text.chars() {
        match it {
            '\n' if which(it) => escaped.push_str("\\n"),
            it if which(it) => escaped.push_str(&format!("\\u{:04x}", u32::from(it))),
            it => escaped.push(it),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        let hostile = "a\u{1b}[31m\u{9b}\u{7f}\u{202e}\r\nb µ×\t";
        assert_eq!(legible(hostile), "a\\u001b[31m\\u009b\\u007f\\u202e\\u000d\nb µ×\\u0009");
        assert_eq!(visible("a\nb"), "a\\nb");
        assert_eq!(visible("as it is"), "as it is");
    }
}
