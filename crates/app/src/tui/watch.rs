//! Shows the status screen while a campaign runs, and handles keys.

use super::screen::{View, draw};
use crate::cli::Signals;
use crate::exit::Failure;
use auspex_campaign::Campaign;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use std::time::{Duration, Instant};

/// Time between two pictures.
const FRAME: Duration = Duration::from_millis(250);
/// Time between two writes of the counters.
const TICK: Duration = Duration::from_secs(1);

/// Shows the campaign until it ends, the user ends it, or its time is up.
pub fn watch(
    campaign: &mut Campaign,
    time: Option<Duration>,
    signals: &Signals,
) -> Result<(), Failure> {
    let mut terminal = ratatui::try_init()?;
    let shown = run(&mut terminal, campaign, time, signals);
    ratatui::restore();
    // Whether to continue without a screen is the caller's decision.
    Ok(shown?)
}

fn run(
    terminal: &mut DefaultTerminal,
    campaign: &mut Campaign,
    time: Option<Duration>,
    signals: &Signals,
) -> std::io::Result<()> {
    let mut view = View {
        until: time.map(|time| time.as_secs_f64()),
        ..View::default()
    };
    let mut ticked = Instant::now();
    while !campaign.is_over() {
        let status = match ticked.elapsed() >= TICK {
            true => {
                ticked = Instant::now();
                campaign.tick()
            }
            false => campaign.status(),
        };
        terminal.draw(|frame| draw(frame, &status, &view))?;
        if signals.asked() || time.is_some_and(|time| campaign.elapsed() >= time) {
            view.stopping = true;
        }
        if event::poll(FRAME)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            press(key.code, key.modifiers, &mut view, campaign);
        }
        if view.stopping {
            campaign.stop();
        }
    }
    Ok(())
}

fn press(key: KeyCode, modifiers: KeyModifiers, view: &mut View, campaign: &Campaign) {
    match key {
        KeyCode::Char('q') | KeyCode::Esc => view.stopping = true,
        // In raw mode the terminal sends no signal.
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => view.stopping = true,
        KeyCode::Char('p') => campaign.pause(!campaign.is_paused()),
        KeyCode::Char('d') => {
            view.details = !view.details;
            view.scroll = 0;
        }
        KeyCode::Down => view.scroll = view.scroll.saturating_add(1),
        KeyCode::Up => view.scroll = view.scroll.saturating_sub(1),
        _ => {}
    }
}
