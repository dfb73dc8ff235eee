//! A Markdown document as the tests see it: links, paths in code spans, headings, shell blocks.
//!
//! Not a Markdown parser: it knows the few forms that the project's documents use, inline links,
//! code spans on one line and fenced blocks. Fences are told apart by their info string: `sh` is run by
//! the tests, anything else is only shown.

/// One shell command of an `sh` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellLine {
    /// Line in the document, from 1.
    pub line: usize,
    /// The words, continuation lines joined, comments dropped, quotes resolved.
    pub words: Vec<String>,
}

/// What the tests need of a document.
#[derive(Debug, Default)]
pub struct Document {
    /// Target of each inline link, with its line.
    pub links: Vec<(usize, String)>,
    /// Text of each code span outside fences, with its line.
    pub code_spans: Vec<(usize, String)>,
    /// The anchor of each heading, as GitHub makes it.
    pub anchors: Vec<String>,
    /// Commands of the `sh` blocks, in order.
    pub shell: Vec<ShellLine>,
}

impl Document {
    /// Reads a document.
    pub fn parse(text: &str) -> Document {
        let mut document = Document::default();
        let mut fence: Option<String> = None;
        let mut pending: Option<(usize, String)> = None;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(info) = line.trim_start().strip_prefix("```") {
                fence = match fence {
                    Some(_) => None,
                    None => Some(info.trim().to_owned()),
                };
                continue;
            }
            match fence.as_deref() {
                None => document.prose(number, line),
                Some("sh") => {
                    let (start, mut joined) = pending.take().unwrap_or((number, String::new()));
                    joined.push_str(line.trim_end_matches('\\'));
                    if line.ends_with('\\') {
                        pending = Some((start, joined));
                        continue;
                    }
                    let words = split_words(&joined);
                    if !words.is_empty() {
                        document.shell.push(ShellLine { line: start, words });
                    }
                }
                Some(_) => {}
            }
        }
        document
    }

    fn prose(&mut self, number: usize, line: &str) {
        if let Some(heading) = line.strip_prefix('#') {
            self.anchors.push(anchor(heading.trim_start_matches('#')));
        }
        // Every second piece between backticks is code.
        for (index, piece) in line.split('`').enumerate() {
            if index % 2 == 1 {
                self.code_spans.push((number, piece.to_owned()));
            }
        }
        let mut rest = line;
        while let Some(start) = rest.find("](") {
            rest = &rest[start + 2..];
            let Some(end) = rest.find(')') else { break };
            self.links.push((number, rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }
}

/// The anchor of a heading: lower case, spaces to hyphens, punctuation dropped.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Splits a command at spaces, minding quotes and dropping a comment.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    for c in line.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.push(c),
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == '#' && word.is_empty() => break,
            None if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            None => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_links_spans_anchors_and_commands() {
        let text = "# A `b`: the c\n[x](y.md#z) and `q/r.rs`\n\n```sh\ntdse run \\\n  'a b' # why\n\n\
                    # nothing\n```\n```text\ntdse no\n[no](no)\n```\n";
        let document = Document::parse(text);
        assert_eq!(document.anchors, ["a-b-the-c"]);
        assert_eq!(document.links, [(2, "y.md#z".to_owned())]);
        assert_eq!(
            document.code_spans,
            [(1, "b".to_owned()), (2, "q/r.rs".to_owned())]
        );
        let words = ["tdse", "run", "a b"].map(str::to_owned).to_vec();
        assert_eq!(document.shell, [ShellLine { line: 5, words }]);
    }
}
