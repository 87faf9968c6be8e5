//! Rust sources as text, as far as counting needs: without comments and strings, and cut into
//! functions, types and impls.

/// A source with blanks in the place of comments and of what is in strings, without the tests at
/// its end.
pub(super) fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let hashes =
            rest.strip_prefix('r').map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        let closing = format!("\"{}", "#".repeat(hashes));
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.strip_prefix('r').is_some_and(|raw| raw[hashes..].starts_with('"'))
            && !code.ends_with(is_word)
        {
            let begin = 2 + hashes;
            rest[begin..].find(&closing).map_or(rest.len(), |end| begin + end + closing.len())
        } else if c == '"' {
            let ends = |(at, _): &(usize, &str)| {
                let before = &rest[1..*at];
                (before.len() - before.trim_end_matches('\\').len()) % 2 == 0
            };
            rest.match_indices('"').skip(1).find(ends).map_or(rest.len(), |(at, _)| at + 1)
        } else if c == '\'' {
            // A character, or a lifetime.
            let mut next = rest.chars().skip(1);
            match (next.next(), next.next()) {
                (Some('\\'), _) => rest[3..].find('\'').map_or(1, |end| end + 4),
                (Some(one), Some('\'')) => one.len_utf8() + 2,
                _ => 0,
            }
        } else {
            0
        };
        if length == 0 {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            code.extend(rest[..length].chars().map(|c| if c == '\n' { c } else { ' ' }));
            rest = &rest[length..];
        }
    }
    code
}

/// Something that begins with a word: what stands before its body, and the body.
pub(super) struct Block<'a> {
    pub(super) head: &'a str,
    pub(super) body: &'a str,
    /// Where it begins.
    pub(super) at: usize,
}

/// All blocks that begin with a word: `fn`, `struct`, `enum`, `impl`.
pub(super) fn blocks<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = Block<'a>> {
    places(code, word).map(|at| {
        let rest = &code[at..];
        let end = closes(rest, |c, depth| depth == 0 && matches!(c, '{' | ';'));
        let body = &rest[end..];
        let close = closes(body, |c, depth| depth == 1 && c == '}');
        let body = if body.starts_with('{') { &body[1..close] } else { "" };
        Block { head: &rest[word.len()..end], body, at }
    })
}

/// Where the generics that a text begins with end.
pub(super) fn generics(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + usize::from(c == '>');
        }
    }
    text.len()
}

/// Where the first character is that is asked for; it is told how many brackets are open there.
fn closes(text: &str, is_end: impl Fn(char, usize) -> bool) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if is_end(c, depth) {
            return at;
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a word stands in a text by itself.
pub(super) fn places<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_alone = move |at: usize| {
        !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    };
    text.match_indices(word).map(|(at, _)| at).filter(move |at| is_alone(*at))
}

#[cfg(test)]
mod tests {
    use super::{blocks, code};

    #[test]
    fn comments_and_strings_are_blank() {
        let source = "let x = \"a\\\"{\"; // {\nlet c = ('{', '\\'', r#\"}\"\"#);";
        assert_eq!(code(source).matches(['{', '}']).count(), 0);
        assert!(code(source).contains("let c = ("));
    }

    #[test]
    fn a_function_has_a_head_and_a_body() {
        let found: Vec<_> =
            blocks("fn f(a: [u8; 2]) -> u32 { if x { 1 } else { 2 } } fn g();", "fn").collect();
        assert_eq!(found[0].head, " f(a: [u8; 2]) -> u32 ");
        assert_eq!(found[0].body, " if x { 1 } else { 2 } ");
        assert_eq!((found[1].head, found[1].body), (" g()", ""));
    }
}
