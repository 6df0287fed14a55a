//! Judges the answers to a case, and follows up each verdict: checks whether it is new, confirms it, arbitrates, and
//! records the finding.

use super::ask::held;
use super::{Answered, Worker};
use crate::activity::Activity;
use crate::findings::filing::Filing;
use crate::findings::ignore::ignored;
use crate::judge::arbitrate::arbitrate;
use crate::judge::confirm::{Confirmed, Suspected};
use crate::judge::fingerprint::Identity;
use crate::judge::judging::{Judge, Sources, Unconfirmed};
use crate::judge::trivial::{UnsoundOptions, unsound};
use crate::ledger::{Context, Sighting};
use crate::schedule::recipe::Recipe;
use crate::stable;
use crate::team::{Member, Team};
use auspex_cases::Class;
use auspex_solvers::profile::Tier;
use std::time::Duration;

/// The shares of time, as divisors, for confirming bugs of kinds that are known, and for slowness and incompleteness.
const CONFIRMING: u32 = 6;
const SLOWNESS: u32 = 32;

impl Worker<'_> {
    /// Judges the answers to a case, and follows up each verdict.
    pub(super) fn judge(&mut self, answered: Answered<'_>) {
        for found in self.verdicts(answered) {
            self.follow(answered, &found);
        }
    }

    /// The verdicts on the answers to a case that are worth following up.
    pub(super) fn verdicts(&mut self, answered: Answered<'_>) -> Vec<Unconfirmed> {
        let (setup, team) = (&self.campaign.setup, self.sessions.team());
        let (sessions, memory, time) = (&mut self.sessions, &mut self.memory, &mut self.time);
        let profile = &answered.made.profile;
        let mode = answered.from.related;
        let mut ask = |member: usize, text: &str| {
            let before = time.switch(Activity::Relating);
            let run = memory.ask_once(member, text, || {
                sessions.ask_related(member, text, mode, profile)
            });
            time.switch(before);
            run
        };
        let mut judge = Judge {
            team: &team,
            budget: self.campaign.budget(),
            sources: Sources::Seeds(answered.from.seeds),
            forms: answered.from.forms,
            ask: &mut ask,
        };
        let mut all = judge.verdicts(&mut self.terms, &answered.made.case, answered.runs);
        // A disagreement may turn out to be a bug.
        let counts = |class: Class| class.is_bug() || class == Class::Disagreement;
        // Under an option that is not the default a solver may give up or take its time.
        let is_usual = |one: &Unconfirmed| !one.accused().contains(&team.plain);
        all.retain(|one| counts(one.verdict.class) || (!setup.bugs_only && is_usual(one)));
        all
    }

    /// Follows up one verdict.
    fn follow(&mut self, answered: Answered<'_>, found: &Unconfirmed) {
        let (setup, team) = (&self.campaign.setup, self.sessions.team());
        let made = answered.made;
        self.tally.suspicions += 1;
        self.tally.strategy(made.case.origin.strategy).suspicions += 1;
        let seen = found.identity(&self.terms, &made.case, made.profile.theories, &team);
        self.memory.outcomes.push(stable::hash(&seen.bucket));
        if ignored(&setup.ignore, found, &seen, &team, &made.text).is_some() {
            self.tally.suppressed += 1;
            return;
        }
        let held = self.explaining(answered, found);
        let context = Context {
            held: &held,
            most: self.affordable(&seen),
        };
        let sighting = self.campaign.ledger().sight(&seen, context);
        match sighting {
            Sighting::New => {}
            Sighting::Known => return self.tally.repeats += 1,
            Sighting::Similar => return self.tally.similar += 1,
            Sighting::Silenced(name) => return *self.tally.silenced.entry(name).or_default() += 1,
            Sighting::Unrepeatable => return self.tally.unrepeatable += 1,
        }
        let before = self.time.switch(match seen.class.is_bug() {
            true => Activity::Confirming,
            false => Activity::Slowness,
        });
        match self.confirm(answered, found) {
            Some((confirmed, team)) => self.record(answered, &seen, &confirmed, &team),
            None => {
                self.tally.unrepeatable += 1;
                self.campaign.ledger().dismiss(&seen);
            }
        }
        self.time.switch(before);
    }

    /// The known bugs that a verdict is most likely one of: of the same class, and all accused solvers have them.
    fn explaining(&self, answered: Answered<'_>, found: &Unconfirmed) -> Vec<usize> {
        let team = self.sessions.team();
        let [member] = found.accused()[..] else {
            return Vec::new();
        };
        let known = &self.memory.known;
        let mut held = held(known, &team.members[member], &self.terms, answered.made);
        held.retain(|at| known[*at].trigger.class() == found.verdict.class);
        held
    }

    /// How many findings of a kind there may be before one more is confirmed: any number while confirming, or looking at
    /// slowness, keeps to its share of the time.
    fn affordable(&self, seen: &Identity) -> usize {
        // To be sure that a solver is slow takes its whole time limit several times.
        let (activity, part, cost, few) = match seen.class.is_bug() {
            true => (Activity::Confirming, CONFIRMING, Duration::ZERO, 3),
            false => (Activity::Slowness, SLOWNESS, 4 * self.team.time_limit(), 0),
        };
        match self.campaign.setup.steady || self.time.is_within(activity, part, cost) {
            true => usize::MAX,
            false => few,
        }
    }

    /// Confirms a verdict in fresh processes; for a disagreement the other installed solvers are asked, too.
    fn confirm(
        &mut self,
        answered: Answered<'_>,
        found: &Unconfirmed,
    ) -> Option<(Confirmed, Team)> {
        let (setup, team) = (&self.campaign.setup, self.sessions.team());
        let suspected = Suspected {
            case: &answered.made.case,
            runs: answered.runs,
            team: &team,
            sources: Sources::Seeds(answered.from.seeds),
            details: answered.details,
        };
        let confirmed = suspected.confirm(&mut self.terms, found)?;
        self.tally.confirmed += 1;
        let (confirmed, team) = self.under_fewest_options(suspected, found, confirmed);
        let suspected = Suspected {
            team: &team,
            ..suspected
        };
        // The other installed solvers must not change the findings of two steady runs.
        let is_open = confirmed.verdict.verdict.class == Class::Disagreement;
        if !is_open || setup.steady {
            return Some((confirmed, team));
        }
        let (terms, profile) = (&mut self.terms, &answered.made.profile);
        let neighbours = self.campaign.neighbours();
        Some(arbitrate(terms, &suspected, profile, confirmed, neighbours))
    }

    /// The solver in the block's configuration, if a verdict accuses it.
    fn configured<'t>(&self, confirmed: &Confirmed, team: &'t Team) -> Option<&'t Member> {
        self.memory.configuration.as_ref()?;
        let is_accused = confirmed.verdict.accused().contains(&team.plain);
        team.members.get(team.plain).filter(|_| is_accused)
    }

    /// The configuration that a verdict accuses: the solver with its release, then its options.
    fn configuration_words(&self, confirmed: &Confirmed, team: &Team) -> Vec<String> {
        let configured = self.configured(confirmed, team);
        configured.map_or_else(Vec::new, |member| {
            let spec = [member.vocabulary.spec.clone()];
            spec.into_iter()
                .chain(member.solver.options.clone())
                .collect()
        })
    }

    /// The same verdict under as few and as small options as show it, each time in fresh processes.
    fn under_fewest_options(
        &mut self,
        suspected: Suspected<'_>,
        found: &Unconfirmed,
        mut confirmed: Confirmed,
    ) -> (Confirmed, Team) {
        let mut team = suspected.team.clone();
        let accused = self.configured(&confirmed, &team);
        let configuration = accused.and(self.memory.configuration.clone());
        let Some(mut fewest) = configuration else {
            return (confirmed, team);
        };
        let mut tries = 0;
        while let Some(fewer) = fewest.smaller().into_iter().nth(tries) {
            tries += 1;
            let smaller = team.configured(&fewer);
            let under_fewer = Suspected {
                team: &smaller,
                ..suspected
            };
            if let Some(again) = under_fewer.confirm(&mut self.terms, found) {
                (confirmed, team, fewest, tries) = (again, smaller, fewer, 0);
            }
        }
        (confirmed, team)
    }

    /// The options of the accused, if it is wrong on trivial scripts under them and not without.
    fn unsound_options(&self, confirmed: &Confirmed, team: &Team) -> Option<UnsoundOptions> {
        let configured = self.configured(confirmed, team)?;
        let base = self.memory.configuration.as_ref()?.member;
        let plain = &team.plain().get(base)?.solver;
        let options = configured.solver.options.strip_prefix(&plain.options[..])?;
        unsound(plain, options, &team.limits)
    }

    /// Does not ask the configured solver under these options again.
    fn shut_options(&self, options: &[String]) {
        if let Some(configuration) = &self.memory.configuration {
            self.campaign.sweep.shut(configuration.member, options);
        }
    }

    /// How well the makers support the options of the accused, if a verdict needs any.
    fn tier(&self, confirmed: &Confirmed, team: &Team) -> Option<Tier> {
        let configured = self.configured(confirmed, team)?;
        let base = self.memory.configuration.as_ref()?.member;
        let plain = &team.plain().get(base)?.solver;
        let options = configured.solver.options.strip_prefix(&plain.options[..])?;
        self.campaign.setup.options.tier(base, options)
    }

    /// Records a confirmed verdict as a finding.
    fn record(
        &mut self,
        answered: Answered<'_>,
        seen: &Identity,
        confirmed: &Confirmed,
        team: &Team,
    ) {
        let campaign = self.campaign;
        let maker = &campaign.setup.maker;
        let made = answered.made;
        let strategy = made.case.origin.strategy;
        let is_bug = confirmed.verdict.verdict.class.is_bug();
        if !is_bug && campaign.setup.bugs_only {
            return campaign.ledger().dismiss(seen);
        }
        self.tally.strategy(strategy).findings += u64::from(is_bug);
        let verdict = &confirmed.verdict;
        let unsound = self.unsound_options(confirmed, team);
        let case = confirmed.case.as_ref().unwrap_or(&made.case);
        let mut identity = verdict.identity(&self.terms, case, made.profile.theories, team);
        if let Some(unsound) = &unsound {
            identity.stand_for(team.members[team.plain].name(), &unsound.options);
            self.shut_options(&unsound.options);
        }
        let sources = answered.from.sources.to_vec();
        let recipe = maker.about(answered.from.theories);
        let recipe = recipe.recipe(strategy, made.number, sources);
        let recipe = Recipe {
            asks: made.question.clone(),
            with: self.configuration_words(confirmed, team),
            ..recipe
        };
        let filing = Filing {
            case,
            confirmed,
            team,
            identity: &identity,
            recipe: &recipe,
        };
        let mut finding = filing.finding(&mut self.terms);
        finding.signature = maker.table.signature().map(ToString::to_string);
        finding.unsound = unsound;
        finding.tier = self.tier(confirmed, team);
        self.add_seeds(&mut finding, &recipe.from);
        self.memory.earned.bugs += campaign.ledger().file(seen, &finding);
    }
}
