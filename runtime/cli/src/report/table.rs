//! Tables, as HTML and as aligned text.

use std::fmt::Write;

use super::svg::escape;

/// An HTML table; columns of `numeric` are aligned right.
pub(crate) fn html_table(head: &[&str], numeric: &[usize], rows: &[Vec<String>]) -> String {
    let class = |column: usize| {
        if numeric.contains(&column) {
            " class=\"n\""
        } else {
            ""
        }
    };
    let mut out = String::from("<div class=\"wide\"><table><thead><tr>");
    for (column, cell) in head.iter().enumerate() {
        let _ = write!(out, "<th{}>{}</th>", class(column), escape(cell));
    }
    out.push_str("</tr></thead><tbody>");
    for row in rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(out, "<td{}>{}</td>", class(column), escape(cell));
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// A two-column HTML table of names and values.
pub(crate) fn html_facts(rows: &[(&str, String)]) -> String {
    let mut out = String::from("<div class=\"wide\"><table class=\"facts\"><tbody>");
    for (name, value) in rows {
        let _ = write!(
            out,
            "<tr><th>{}</th><td>{}</td></tr>",
            escape(name),
            escape(value)
        );
    }
    out.push_str("</tbody></table></div>\n");
    out
}
