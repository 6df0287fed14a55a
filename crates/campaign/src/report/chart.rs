//! Charts as SVG text: colours come from the page's style sheet, values show when pointed at.
//! Written by hand so that one picture serves light and dark pages; a plotting library fixes its colours.

use crate::report::markup::escaped;
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const LABEL: f64 = 170.0;
/// How wide a letter of a label is, about.
const LETTER: f64 = 6.2;
const ROW: f64 = 22.0;
const HEIGHT: f64 = 200.0;
const MARGIN: f64 = 46.0;

/// Horizontal bars, one per row, in the order given.
pub fn bars(rows: &[(String, f64)]) -> String {
    let most = rows.iter().map(|row| row.1).fold(0.0, f64::max);
    let height = ROW * rows.len() as f64 + 4.0;
    let longest = rows.iter().map(|row| row.0.chars().count()).max();
    let left = (LETTER * longest.unwrap_or(0) as f64 + 8.0).clamp(LABEL, WIDTH / 2.0);
    let mut out = opening(WIDTH, height);
    for (at, (label, value)) in rows.iter().enumerate() {
        let top = ROW * at as f64 + 4.0;
        let long = match most > 0.0 {
            true => (WIDTH - left - 60.0) * value / most,
            false => 0.0,
        };
        let (label, number) = (escaped(label), compact(*value));
        let _ = write!(
            out,
            "<g><title>{label}: {value}</title>\
             <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{label}</text>\
             <rect class=\"bar\" x=\"{left:.0}\" y=\"{top:.0}\" width=\"{long:.1}\" height=\"{:.0}\"/>\
             <text x=\"{:.1}\" y=\"{:.0}\">{number}</text></g>",
            left - 8.0,
            top + 13.0,
            ROW - 6.0,
            left + long + 6.0,
            top + 13.0,
        );
    }
    out + "</svg>"
}

/// A curve over time; `points` are seconds since the start and a value, in order.
pub fn curve(points: &[(f64, f64)], unit: &str) -> String {
    let last = points.last().map_or(0.0, |point| point.0).max(1e-9);
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let (wide, tall) = (WIDTH - MARGIN - 16.0, HEIGHT - 40.0);
    let x = |seconds: f64| MARGIN + wide * seconds / last;
    let y = |value: f64| 12.0 + tall * (1.0 - value / most.max(1e-9));
    let mut out = opening(WIDTH, HEIGHT);
    let floor = 12.0 + tall;
    let _ = write!(
        out,
        "<path class=\"axis\" d=\"M{MARGIN} 12V{floor:.0}H{:.0}\"/>\
         <text x=\"{:.0}\" y=\"20\" text-anchor=\"end\">{}</text>\
         <text x=\"{:.0}\" y=\"{floor:.0}\" text-anchor=\"end\">0</text>\
         <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>\
         <text x=\"{MARGIN:.0}\" y=\"{:.0}\">{}</text>",
        WIDTH - 16.0,
        MARGIN - 6.0,
        compact(most),
        MARGIN - 6.0,
        WIDTH - 16.0,
        floor + 18.0,
        duration(last),
        floor + 18.0,
        escaped(unit),
    );
    let line: Vec<String> = points
        .iter()
        .map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value)))
        .collect();
    let _ = write!(
        out,
        "<polyline class=\"line\" points=\"{}\"/>",
        line.join(" ")
    );
    out + "</svg>"
}

fn opening(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">"
    )
}

/// A number in few letters: `1234567` as `1.2 M`.
pub fn compact(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.1} M", v / 1e6),
        v if v >= 1e4 => format!("{:.0} k", v / 1e3),
        v if v.fract() == 0.0 => format!("{v:.0}"),
        v => format!("{v:.1}"),
    }
}

/// Seconds as people say them: `2:05`, `3:02:05`.
pub fn duration(seconds: f64) -> String {
    let all = seconds.max(0.0) as u64;
    let (hours, minutes, rest) = (all / 3600, all / 60 % 60, all % 60);
    match hours {
        0 => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_text_and_never_markup() {
        let svg = bars(&[("<script>".to_string(), 3.0), ("a".to_string(), 0.0)]);
        assert!(svg.contains("&lt;script&gt;: 3"));
        assert!(!svg.contains("<script>"));
    }

    #[test]
    fn curves_of_nothing_and_of_zeros_have_no_odd_numbers() {
        for points in [&[][..], &[(0.0, 0.0)][..], &[(0.0, 1.0), (2.0, 3.0)][..]] {
            let svg = curve(points, "cases");
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn numbers_and_times_are_short() {
        assert_eq!(
            [compact(12.0), compact(1.25), compact(1_234_567.0)],
            ["12", "1.2", "1.2 M"]
        );
        assert_eq!([duration(65.0), duration(3725.0)], ["1:05", "1:02:05"]);
    }
}
