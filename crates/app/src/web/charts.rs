//! Chart data for templates: curves over time and parts of a whole. Labels are text of the page, so that they stay
//! readable on a phone; colours come from the style sheet.

use super::format::{compact, duration};

/// The size of a chart in its own units; the page scales it.
const WIDE: f64 = 600.0;
const TALL: f64 = 120.0;
/// The most points of a curve; more are invisible.
const POINTS: usize = 300;

/// A curve over time.
pub struct Curve {
    pub title: &'static str,
    /// The newest value, and the highest.
    pub now: String,
    pub most: String,
    /// Start and end time.
    pub start: String,
    pub end: String,
    pub line: String,
    pub area: String,
}

/// A curve through values over seconds; none if there are too few points.
pub fn curve(title: &'static str, points: &[(f64, f64)], steps: bool) -> Option<Curve> {
    let points = thinned(points);
    let (first, last) = (points.first()?.0, points.last()?.0);
    if points.len() < 2 || last <= first {
        return None;
    }
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let x = |at: f64| WIDE * (at - first) / (last - first);
    let y = |value: f64| TALL - (TALL - 6.0) * value / most.max(1e-9) - 1.0;
    let mut line = String::new();
    let mut level = None;
    for (at, value) in &points {
        let (x, y) = (x(*at), y(*value));
        match level {
            None => line.push_str(&format!("M{x:.1} {y:.1}")),
            Some(before) if steps && before != y => line.push_str(&format!("H{x:.1}V{y:.1}")),
            Some(_) => line.push_str(&format!("L{x:.1} {y:.1}")),
        }
        level = Some(y);
    }
    Some(Curve {
        title,
        now: compact(tenths(points[points.len() - 1].1)),
        most: compact(tenths(most)),
        start: duration(first),
        end: duration(last),
        area: format!("{line}L{WIDE:.0} {TALL:.0}L0 {TALL:.0}Z"),
        line,
    })
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Every n-th point, and the last one.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(POINTS).max(1);
    let mut kept: Vec<_> = points.iter().copied().step_by(every).collect();
    if let Some(last) = points.last().filter(|last| kept.last() != Some(last)) {
        kept.push(*last);
    }
    kept
}

/// A part of a whole.
pub struct Part {
    pub word: String,
    pub class: &'static str,
    pub count: String,
    /// Start and length, in percent.
    pub x: String,
    pub width: String,
}

/// Parts side by side in the order given.
pub fn parts(counts: &[(String, &'static str, u64)]) -> Vec<Part> {
    let sum: u64 = counts.iter().map(|(_, _, count)| count).sum();
    let mut x = 0.0;
    let part = |(word, class, count): &(String, &'static str, u64)| {
        let width = 100.0 * *count as f64 / sum.max(1) as f64;
        let part = Part {
            word: word.clone(),
            class,
            count: super::format::number(*count),
            x: format!("{x:.2}"),
            width: format!("{width:.2}"),
        };
        x += width;
        part
    };
    counts
        .iter()
        .filter(|(_, _, count)| *count > 0)
        .map(part)
        .collect()
}

/// The length of a bar in percent.
pub fn share(value: u64, most: u64) -> String {
    format!("{:.1}", 100.0 * value as f64 / most.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_have_no_odd_numbers() {
        for points in [&[][..], &[(0.0, 0.0)][..], &[(2.0, 1.0), (2.0, 3.0)][..]] {
            assert!(curve("x", points, false).is_none());
        }
        let flat = curve("x", &[(0.0, 0.0), (2.0, 0.0)], false).unwrap();
        assert!(
            !flat.area.contains("NaN") && !flat.area.contains("inf"),
            "{}",
            flat.area
        );
        let steps = curve("x", &[(0.0, 0.0), (60.0, 1.0), (120.0, 2.0)], true).unwrap();
        assert_eq!((steps.most.as_str(), steps.end.as_str()), ("2", "2:00"));
        assert_eq!(steps.line, "M0.0 119.0H300.0V62.0H600.0V5.0");
    }

    #[test]
    fn many_points_become_few_and_the_last_stays() {
        let points: Vec<(f64, f64)> = (0..10_001).map(|n| (f64::from(n), 1.0)).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= POINTS + 1);
        assert_eq!(kept.last(), points.last());
    }

    #[test]
    fn parts_fill_the_whole() {
        let counts = [
            ("sat".to_string(), "sat", 1),
            ("no".to_string(), "x", 0),
            ("unsat".to_string(), "unsat", 3),
        ];
        let parts = parts(&counts);
        let ends: Vec<(&str, &str)> = parts
            .iter()
            .map(|p| (p.x.as_str(), p.width.as_str()))
            .collect();
        assert_eq!(ends, [("0.00", "25.00"), ("25.00", "75.00")]);
        assert_eq!(share(1, 0), "100.0");
    }
}
