//! The status screen of a campaign: its state, its solvers and strategies, and its findings.

use super::lines::{clock, details, edge_line};
use auspex_campaign::status::SolverTally;
use auspex_campaign::{Status, activity};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table, Wrap};

/// What the user has chosen to see.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    pub details: bool,
    pub scroll: u16,
    /// Seconds after which the campaign ends.
    pub until: Option<f64>,
    /// The user asked to stop; the last cases are running.
    pub stopping: bool,
}

const TITLE: Style = Style::new().add_modifier(Modifier::BOLD);
const FAINT: Style = Style::new().fg(Color::DarkGray);

pub fn draw(frame: &mut Frame<'_>, status: &Status, view: &View) {
    let solvers = status.tally.solvers.len() as u16 + 3;
    let strategies = status.tally.strategies.len() as u16 + 3;
    let width = frame.area().width;
    let header = header(status, view, width);
    let [head, solvers, strategies, findings, foot] = Layout::vertical([
        Constraint::Length(header.len() as u16),
        Constraint::Length(solvers),
        Constraint::Length(strategies),
        Constraint::Min(3),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(header), head);
    if view.details {
        let rest = solvers.union(strategies).union(findings);
        draw_details(frame, status, view, rest);
    } else {
        frame.render_widget(solver_table(status, width), solvers);
        frame.render_widget(strategy_table(status, width), strategies);
        frame.render_widget(finding_list(status, findings), findings);
    }
    frame.render_widget(footer(view), foot);
}

fn header(status: &Status, view: &View, width: u16) -> Vec<Line<'static>> {
    let time = match view.until {
        Some(until) => format!("{} of {}", clock(status.elapsed), clock(until)),
        None => clock(status.elapsed),
    };
    let state = match (view.stopping, status.paused) {
        (true, _) => " stopping".yellow(),
        (false, true) => " paused".yellow(),
        (false, false) => Span::raw(""),
    };
    let mut lines = vec![Line::from(vec![
        "auspex fuzz".bold(),
        format!("  {time}").into(),
        state,
        format!("  seed {}", status.seed).into(),
    ])];
    let text = |lines: Vec<String>| lines.into_iter().map(Line::from);
    lines.extend(text(flowed(&progress(status), width)));
    lines.extend(text(flowed(&resources(status), width)));
    let times = activity::summary(&status.tally.times);
    let times = format!("worker time  {times}").replace(", ", ",  ");
    let times: Vec<String> = times.split("  ").map(str::to_string).collect();
    lines.extend(text(flowed(&times, width)));
    let edges: Vec<String> = status.edges.iter().map(edge_line).collect();
    lines.push(match &status.trouble {
        Some(trouble) => Line::from(format!("trouble: {trouble}").red().bold()),
        None => Line::from(edges.join("  ")),
    });
    lines
}

fn progress(status: &Status) -> Vec<String> {
    let mut facts = vec![
        format!("cases {}", status.tally.cases),
        format!("{:.1}/s now", status.rate_now),
        format!("{:.1}/s overall", status.rate),
        format!("queries {}", status.tally.queries),
    ];
    if status.elapsed_all > status.elapsed + 1.0 {
        facts.push(format!("{} with earlier runs", clock(status.elapsed_all)));
    }
    facts
}

fn resources(status: &Status) -> Vec<String> {
    vec![
        format!("workers {}", status.workers),
        format!("sessions {}", status.sessions),
        format!("own cpu {:.1} %", status.own_share()),
        format!("memory {} MB", status.memory >> 20),
        format!(
            "seeds {} used {} set aside {} skipped {}",
            status.seeds, status.seeds_used, status.seeds_set_aside, status.seeds_skipped
        ),
    ]
}

/// Facts in as few lines as they need: one that has no room begins the next line.
fn flowed(facts: &[String], width: u16) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + fact.chars().count() <= usize::from(width) => {
                line.push_str("  ");
                line.push_str(fact);
            }
            _ => lines.push(fact.clone()),
        }
    }
    lines
}

fn block(title: &str) -> Block<'static> {
    Block::new()
        .borders(Borders::TOP)
        .border_style(FAINT)
        .title(Span::styled(format!(" {title} "), TITLE))
}

/// Answers that have a column of their own; the last column sums up the rest.
const WORDS: [&str; 5] = ["sat", "unsat", "unknown", "timeout", "rejected"];

/// A column: its title, its width, and its rank; where there is little room those with the highest ranks are left out.
type Column = (&'static str, u16, u8);

const SOLVER_COLUMNS: [Column; 10] = [
    ("", 30, 0),
    ("sat", 8, 1),
    ("unsat", 8, 2),
    ("unknown", 8, 4),
    ("timeout", 8, 3),
    ("refused", 8, 6),
    ("other", 6, 5),
    ("time", 6, 7),
    ("start/old/end", 14, 9),
    ("skipped", 7, 8),
];

fn solver_table(status: &Status, width: u16) -> Table<'static> {
    let wall: u64 = status.tally.solvers.values().map(|s| s.wall_us).sum();
    let rows = status.tally.solvers.iter().map(|(title, solver)| {
        let mut cells = vec![title.clone()];
        cells.extend(WORDS.map(|word| answers(solver, word).to_string()));
        let known: u64 = WORDS.iter().map(|word| answers(solver, word)).sum();
        let all: u64 = solver.answers.values().sum();
        cells.push((all - known).to_string());
        cells.push(percent(solver.wall_us, wall));
        cells.push(format!(
            "{}/{}/{}",
            solver.starts, solver.recycled, solver.killed
        ));
        cells.push(solver.skipped.to_string());
        cells
    });
    table(rows.collect(), &SOLVER_COLUMNS, width).block(block("solvers"))
}

fn answers(solver: &SolverTally, word: &str) -> u64 {
    solver.answers.get(word).copied().unwrap_or(0)
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

const STRATEGY_COLUMNS: [Column; 7] = [
    ("", 30, 0),
    ("cases", 8, 1),
    ("no case", 8, 5),
    ("new", 8, 4),
    ("suspicions", 10, 6),
    ("findings", 8, 2),
    ("time", 6, 3),
];

fn strategy_table(status: &Status, width: u16) -> Table<'static> {
    let time: u64 = status.tally.strategies.values().map(|s| s.solver_us).sum();
    let rows = status.tally.strategies.iter().map(|(name, strategy)| {
        vec![
            name.clone(),
            strategy.cases.to_string(),
            strategy.empty.to_string(),
            strategy.features.to_string(),
            strategy.suspicions.to_string(),
            strategy.findings.to_string(),
            percent(strategy.solver_us, time),
        ]
    });
    table(rows.collect(), &STRATEGY_COLUMNS, width).block(block("strategies"))
}

fn table(rows: Vec<Vec<String>>, columns: &[Column], width: u16) -> Table<'static> {
    // Half of a narrow terminal is for the names.
    let widths: Vec<u16> = columns
        .iter()
        .map(|(_, wide, rank)| match rank {
            0 => (*wide).min(width / 2),
            _ => *wide,
        })
        .collect();
    let shown = with_room(columns, &widths, width);
    let kept = |cells: Vec<String>| {
        let cells = cells.into_iter().enumerate();
        let cells = cells.filter(|(at, _)| shown.contains(at));
        Row::new(cells.map(|(_, text)| text).collect::<Vec<String>>())
    };
    let head = shown.iter().map(|at| Cell::from(columns[*at].0));
    let head = Row::new(head.collect::<Vec<_>>()).style(FAINT);
    let lengths: Vec<Constraint> = shown
        .iter()
        .map(|at| Constraint::Length(widths[*at]))
        .collect();
    Table::new(rows.into_iter().map(kept), lengths).header(head)
}

/// The columns that fit, the most important first chosen, in their order.
fn with_room(columns: &[Column], widths: &[u16], width: u16) -> Vec<usize> {
    let mut by_rank: Vec<usize> = (0..columns.len()).collect();
    by_rank.sort_by_key(|at| columns[*at].2);
    let mut left = width + 1;
    let mut shown: Vec<usize> = by_rank
        .into_iter()
        .take_while(|at| {
            let needed = widths[*at] + 1;
            let fits = needed <= left;
            left = left.saturating_sub(needed);
            fits
        })
        .collect();
    shown.sort_unstable();
    shown
}

fn finding_list(status: &Status, area: Rect) -> Paragraph<'static> {
    let tally = &status.tally;
    let besides = match super::lines::besides(status) {
        none if none.is_empty() => none,
        some => format!("  not bugs: {some}"),
    };
    let title = format!(
        "findings {}{}{besides}  suspicions {}  silenced {}  not reproduced {}",
        status.findings(),
        super::lines::classes(status),
        tally.suspicions,
        tally.silenced.values().sum::<u64>(),
        tally.unrepeatable
    );
    let room = area.height.saturating_sub(1) as usize;
    let lines = status.newest.iter().take(room).map(|line| {
        let ago = clock(status.at.saturating_sub(line.found) as f64);
        let reduced = if line.reduced { " reduced" } else { "" };
        let when = match area.width < WIDE {
            true => format!(" x{:<3} ", line.repeats + 1),
            false => format!(" {ago:>8} ago  x{:<5}{reduced} ", line.repeats + 1),
        };
        let who = match area.width < WIDE {
            true => String::new(),
            false => format!("{}  ", line.accused),
        };
        Line::from(vec![
            Span::styled(format!("{:<14}", line.class), style_of(&line.class)),
            when.into(),
            who.into(),
            Span::raw(line.about().to_string()),
        ])
    });
    Paragraph::new(lines.collect::<Vec<_>>()).block(block(&title))
}

/// From this width on a finding has room for the time and the solver.
const WIDE: u16 = 90;

/// Colours that differ in brightness, too: not everybody tells red from green.
fn style_of(class: &str) -> Style {
    match class {
        "wrong-unsat" | "wrong-sat" => Style::new()
            .fg(Color::LightRed)
            .add_modifier(Modifier::BOLD),
        "crash" => Style::new().fg(Color::Yellow),
        "incompleteness" | "slowness" | "disagreement" => Style::new(),
        _ => Style::new().fg(Color::Cyan),
    }
}

fn draw_details(frame: &mut Frame<'_>, status: &Status, view: &View, area: Rect) {
    let lines: Vec<Line<'static>> = details(status).into_iter().map(Line::from).collect();
    let text = Paragraph::new(lines).wrap(Wrap { trim: false });
    frame.render_widget(text.scroll((view.scroll, 0)).block(block("details")), area);
}

fn footer(view: &View) -> Paragraph<'static> {
    let keys = match view.details {
        true => "p pause   d overview   ↑ ↓ scroll   q quit",
        false => "p pause   d details   q quit",
    };
    Paragraph::new(Line::styled(keys, FAINT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_campaign::status::{FindingLine, count};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn status() -> Status {
        let mut status = Status {
            elapsed: 75.0,
            elapsed_all: 75.0,
            rate: 512.5,
            at: 1000,
            ..Status::default()
        };
        status.tally.cases = 38_437;
        let z3 = status.tally.solver("z3 5.4.0");
        count(&mut z3.answers, "sat");
        z3.wall_us = 10;
        status.tally.strategy("construct").cases = 38_437;
        status.classes.insert("crash".to_string(), 1);
        status.newest.push(FindingLine {
            id: "crash-z3-1".to_string(),
            class: "crash".to_string(),
            accused: "z3 5.4.0".to_string(),
            strategy: "construct".to_string(),
            why: "z3 5.4.0 failed an assertion".to_string(),
            gist: String::new(),
            found: 940,
            repeats: 2,
            reduced: false,
            same_as: None,
        });
        status
    }

    fn shown(view: View, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| draw(frame, &status(), &view))
            .unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn everything_that_matters_is_on_the_screen() {
        let screen = shown(View::default(), 120, 30);
        for part in [
            "1:15",
            "38437",
            "512.5/s",
            "z3 5.4.0",
            "construct",
            "crash 1",
            "x3",
            "failed an assertion",
            "q quit",
        ] {
            assert!(screen.contains(part), "{part} in\n{screen}");
        }
        assert!(!screen.contains("trouble"));
    }

    #[test]
    fn details_replace_the_tables() {
        let view = View {
            details: true,
            ..View::default()
        };
        let screen = shown(view, 120, 30);
        assert!(
            screen.contains("worker time") && screen.contains("overview"),
            "{screen}"
        );
    }

    /// `AUSPEX_RECORD=1 cargo test -p auspex picture` draws it again, from the state of a real campaign.
    #[test]
    fn the_picture_in_the_docs_is_this_screen() {
        let status: Status = serde_json::from_str(include_str!("status.json")).unwrap();
        let mut terminal = Terminal::new(TestBackend::new(118, 36)).unwrap();
        let view = View::default();
        terminal.draw(|frame| draw(frame, &status, &view)).unwrap();
        let drawn = super::super::picture::svg(terminal.backend().buffer());
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/status-screen.svg");
        if std::env::var_os("AUSPEX_RECORD").is_some() {
            std::fs::write(path, &drawn).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), drawn);
    }

    #[test]
    fn a_narrow_terminal_has_what_matters_most() {
        for width in [40, 60] {
            let screen = shown(View::default(), width, 30);
            for part in [
                "1:15",
                "38437",
                "512.5/s",
                "z3 5.4.0",
                "sat",
                "construct",
                "crash",
                "x3",
                "q quit",
            ] {
                assert!(screen.contains(part), "{part} at {width} in\n{screen}");
            }
        }
    }

    #[test]
    fn a_tiny_terminal_is_no_reason_to_fail() {
        for (width, height) in [(1, 1), (10, 3), (20, 8)] {
            shown(View::default(), width, height);
            shown(
                View {
                    details: true,
                    scroll: 99,
                    ..View::default()
                },
                width,
                height,
            );
        }
    }
}
