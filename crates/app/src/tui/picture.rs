//! The status screen as an SVG picture for the docs: one text element per run of equal style, on a dark background.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

const CELL: (usize, usize) = (8, 17);
const INK: &str = "#d8dee9";

/// The buffer as SVG.
pub fn svg(buffer: &Buffer) -> String {
    let area = buffer.area;
    let (width, height) = (
        (area.width as usize + 2) * CELL.0,
        (area.height as usize + 1) * CELL.1,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#20242c\"/>\n"
    );
    for y in 0..area.height {
        row(buffer, y, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

fn row(buffer: &Buffer, y: u16, out: &mut String) {
    let mut x = 0;
    while x < buffer.area.width {
        let style = look(buffer, x, y);
        let start = x;
        let mut text = String::new();
        while x < buffer.area.width && look(buffer, x, y) == style {
            text.push_str(buffer[(x, y)].symbol());
            x += 1;
        }
        let shown = text.trim_end();
        if shown.is_empty() {
            continue;
        }
        let (ink, bold) = style;
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        out.push_str(&format!(
            "<text x=\"{}\" y=\"{}\" textLength=\"{}\" fill=\"{ink}\"{weight}>{}</text>\n",
            (start as usize + 1) * CELL.0,
            (y as usize + 1) * CELL.1,
            shown.chars().count() * CELL.0,
            escaped(shown),
        ));
    }
}

/// Colour and weight of a cell.
fn look(buffer: &Buffer, x: u16, y: u16) -> (&'static str, bool) {
    let cell = &buffer[(x, y)];
    let ink = match cell.fg {
        Color::Red | Color::LightRed => "#ff6b6b",
        Color::Yellow => "#ebcb8b",
        Color::Cyan => "#7fd0e8",
        Color::DarkGray => "#7b8494",
        _ => INK,
    };
    (ink, cell.modifier.contains(Modifier::BOLD))
}

/// Spaces that do not break stay where they are in every browser; some ignore `xml:space`.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace(' ', "\u{a0}");
    text.replace('<', "&lt;").replace('>', "&gt;")
}
