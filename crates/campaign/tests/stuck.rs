//! A worker that never comes back does not hold up the end of a campaign, and nothing found before is lost.

mod told;

use auspex_campaign::Campaign;
use auspex_cases::{Case, Class, Draw, GenContext, Strategy};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use told::{Scratch, Tell, findings, liar, setup};

/// Makes cases like `Tell`, and then thinks forever.
struct Ponder;

static PONDERS: AtomicBool = AtomicBool::new(false);

impl Strategy for Ponder {
    fn name(&self) -> &'static str {
        Tell.name()
    }

    fn about(&self) -> &'static str {
        Tell.about()
    }

    fn needs_seeds(&self) -> bool {
        false
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        loop {
            if !draw.clone().one_in(600) {
                return Tell.make(workshop, draw);
            }
            PONDERS.store(true, Ordering::Relaxed);
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}

#[test]
fn the_campaign_ends_without_it() {
    let scratch = Scratch::new();
    let mut setup = setup(vec![liar("flip", 7)], scratch.path(), 4000);
    setup.maker.strategies = vec![&Ponder];
    let campaign = Campaign::start(setup).expect("it starts");
    let mut campaign = campaign.with_grace(Duration::from_millis(500));
    // The other worker may still be about to confirm what it saw.
    let caught = || {
        findings(scratch.path())
            .iter()
            .any(|f| f.class == Class::WrongUnsat)
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while !PONDERS.load(Ordering::Relaxed) || !caught() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
        campaign.tick();
    }
    campaign.stop();
    let (status, unsaved) = campaign.end();
    assert!(unsaved.is_empty());
    assert!(status.tally.defects > 0, "{:?}", status.tally);
    assert!(caught());
}
