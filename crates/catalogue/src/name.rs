//! What XML takes for a name, and which names are nearly the same. Where names stand in a document is not known here.

/// Whether `text` is a name, with its prefix if it has one.
pub(crate) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(begins_name) && characters.all(continues_name)
}

/// Whether `text` stands between `&` and `;`: the name of an entity, or the number of a character.
pub(crate) fn is_reference(text: &str) -> bool {
    let Some(number) = text.strip_prefix('#') else { return is_name(text) };
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // `from_str_radix` would take a sign.
    digits.bytes().all(|digit| char::from(digit).is_digit(radix))
        && u32::from_str_radix(digits, radix).is_ok_and(|code| char::from_u32(code).is_some())
}

/// Whether `one` is `other` but for prefix and case.
pub(crate) fn is_near(one: &str, other: &str) -> bool {
    without_prefix(one).eq_ignore_ascii_case(without_prefix(other))
}

fn without_prefix(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// `NameStartChar` of XML 1.0, fifth edition.
const fn begins_name(character: char) -> bool {
    matches!(character,
        'a'..='z' | 'A'..='Z' | '_' | ':'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// `NameChar` of the same.
const fn continues_name(character: char) -> bool {
    begins_name(character)
        || matches!(character,
            '0'..='9' | '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_other_text() {
        for name in ["a", "author", "dc:author", "_x", "Änderung", "名", "a-b.c1"] {
            assert!(is_name(name), "{name}");
        }
        for text in ["", " ", "1a", "-a", "a b", "<a>", "a/", "a=\"b\"", "a\u{0}"] {
            assert!(!is_name(text), "{text:?}");
        }
    }

    #[test]
    fn references_are_told_from_other_text() {
        for reference in ["amp", "nbsp", "#233", "#xE9", "#x1F600"] {
            assert!(is_reference(reference), "{reference}");
        }
        for text in ["", "#", "#x", "#+65", "#xD800", "#x110000", "#99999999999", "a b", "#12a"] {
            assert!(!is_reference(text), "{text}");
        }
    }
}
