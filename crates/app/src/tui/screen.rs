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
    let [head, solvers, strategies, findings, foot] = Layout::vertical([
        Constraint::Length(5),
        Constraint::Length(solvers),
        Constraint::Length(strategies),
        Constraint::Min(3),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(header(status, view), head);
    if view.details {
        let rest = solvers.union(strategies).union(findings);
        draw_details(frame, status, view, rest);
    } else {
        frame.render_widget(solver_table(status), solvers);
        frame.render_widget(strategy_table(status), strategies);
        frame.render_widget(finding_list(status, findings), findings);
    }
    frame.render_widget(footer(view), foot);
}

fn header(status: &Status, view: &View) -> Paragraph<'static> {
    let time = match view.until {
        Some(until) => format!("{} of {}", clock(status.elapsed), clock(until)),
        None => clock(status.elapsed),
    };
    let state = match (view.stopping, status.paused) {
        (true, _) => " stopping".yellow(),
        (false, true) => " paused".yellow(),
        (false, false) => Span::raw(""),
    };
    let all = match status.elapsed_all > status.elapsed + 1.0 {
        true => format!("  ({} with earlier runs)", clock(status.elapsed_all)),
        false => String::new(),
    };
    let mut lines = vec![
        Line::from(vec![
            "auspex fuzz".bold(),
            format!("  seed {}  {time}{all}", status.seed).into(),
            state,
        ]),
        Line::from(format!(
            "cases {}  {:.1}/s now  {:.1}/s overall  queries {}",
            status.tally.cases, status.rate_now, status.rate, status.tally.queries
        )),
        Line::from(format!(
            "workers {}  sessions {}  own cpu {:.1} %  memory {} MB  seeds {} used {} set aside {} skipped {}",
            status.workers,
            status.sessions,
            status.own_share(),
            status.memory >> 20,
            status.seeds,
            status.seeds_used,
            status.seeds_set_aside,
            status.seeds_skipped
        )),
    ];
    let times = activity::summary(&status.tally.times);
    lines.push(Line::from(format!("worker time  {times}")));
    let edges: Vec<String> = status.edges.iter().map(edge_line).collect();
    lines.push(match &status.trouble {
        Some(trouble) => Line::from(format!("trouble: {trouble}").red().bold()),
        None => Line::from(edges.join("  ")),
    });
    Paragraph::new(lines)
}

fn block(title: &str) -> Block<'static> {
    Block::new()
        .borders(Borders::TOP)
        .border_style(FAINT)
        .title(Span::styled(format!(" {title} "), TITLE))
}

/// Answers that have a column of their own; the last column sums up the rest.
const WORDS: [&str; 5] = ["sat", "unsat", "unknown", "timeout", "rejected"];

fn solver_table(status: &Status) -> Table<'static> {
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
        Row::new(cells)
    });
    let head = [
        "",
        "sat",
        "unsat",
        "unknown",
        "timeout",
        "refused",
        "other",
        "time",
        "start/old/end",
        "skipped",
    ];
    let widths = [30, 8, 8, 8, 8, 8, 6, 6, 14, 7];
    table(rows.collect(), &head, &widths).block(block("solvers"))
}

fn answers(solver: &SolverTally, word: &str) -> u64 {
    solver.answers.get(word).copied().unwrap_or(0)
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn strategy_table(status: &Status) -> Table<'static> {
    let time: u64 = status.tally.strategies.values().map(|s| s.solver_us).sum();
    let rows = status.tally.strategies.iter().map(|(name, strategy)| {
        Row::new(vec![
            name.clone(),
            strategy.cases.to_string(),
            strategy.empty.to_string(),
            strategy.features.to_string(),
            strategy.suspicions.to_string(),
            strategy.findings.to_string(),
            percent(strategy.solver_us, time),
        ])
    });
    let head = [
        "",
        "cases",
        "no case",
        "new",
        "suspicions",
        "findings",
        "time",
    ];
    let widths = [30, 8, 8, 8, 10, 8, 6];
    table(rows.collect(), &head, &widths).block(block("strategies"))
}

fn table(rows: Vec<Row<'static>>, head: &[&'static str], widths: &[u16]) -> Table<'static> {
    let head: Vec<Cell<'static>> = head.iter().map(|text| Cell::from(*text)).collect();
    let widths: Vec<Constraint> = widths
        .iter()
        .map(|width| Constraint::Length(*width))
        .collect();
    Table::new(rows, widths).header(Row::new(head).style(FAINT))
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
        let style = match line.class.as_str() {
            "wrong-unsat" | "wrong-sat" => Style::new().fg(Color::Red),
            "invalid-model" | "wrong-core" => Style::new().fg(Color::Magenta),
            "crash" => Style::new().fg(Color::Yellow),
            _ => Style::new(),
        };
        let ago = clock(status.at.saturating_sub(line.found) as f64);
        let reduced = if line.reduced { " reduced" } else { "" };
        Line::from(vec![
            Span::styled(format!("{:<14}", line.class), style),
            format!(" {ago:>8} ago  x{:<5}{reduced} ", line.repeats + 1).into(),
            Span::raw(line.why.replace('\n', " ")),
        ])
    });
    Paragraph::new(lines.collect::<Vec<_>>()).block(block(&title))
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
