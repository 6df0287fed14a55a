//! A block of the sweep over all options: small cases with known answers, each asked of one solver under one
//! configuration after the other.

use super::{Answered, BlockMemory, MadeCase, MadeFrom, Progress, Worker, header, is_witness};
use crate::activity::Activity;
use crate::judge::confirm::Details;
use crate::ledger::BlockYield;
use crate::run::state::Part;
use crate::schedule::plan::{BlockPlan, option_arm};
use crate::team::configuration::Configuration;
use crate::team::sweep::Turn;
use crate::team::{SolverRun, Wants};
use auspex_logic::Answer;
use auspex_solvers::Mode;
use std::time::Instant;

/// After so many refused scripts, and none that was taken, a configuration is looked at.
const ENOUGH_REFUSED: u32 = 2;

/// Whether a solver took a script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reply {
    Taken,
    Refused,
}

impl Reply {
    fn of(run: &SolverRun) -> Reply {
        let is_odd =
            |answer: &Answer| matches!(answer, Answer::Rejected { .. } | Answer::Garbled { .. });
        match run.answers.iter().all(is_odd) {
            true => Reply::Refused,
            false => Reply::Taken,
        }
    }
}

/// What is asked of every case.
const DETAILS: Details = Details {
    models: true,
    cores: false,
};

impl Worker<'_> {
    /// Asks one solver the cases of a block under each of these configurations; false if the campaign stops first.
    pub(super) fn sweep(&mut self, plan: &BlockPlan, turn: &Turn, progress: &mut Progress) -> bool {
        self.time.switch(Activity::Making);
        if !self.campaign.setup.lacks(Part::Silence) {
            self.memory.known = self.campaign.ledger().known_bugs();
        }
        let mark = self.terms.mark();
        let mut made = Vec::new();
        for strategy in self.campaign.knowing() {
            let plan = BlockPlan {
                strategy,
                ..plan.clone()
            };
            made.extend(self.make(&plan, progress).1);
        }
        self.report_made(plan, &made, progress);
        made.sort_by(|one, other| header(&one.text).cmp(header(&other.text)));
        self.time.switch(Activity::Asking);
        let mut all = turn.configurations.iter();
        let complete = all.all(|one| self.sweep_one(plan, one, &made, progress));
        for one in &made {
            self.tally.cases += 1;
            self.tally.strategy(one.case.origin.strategy).cases += 1;
        }
        drop(made);
        self.memory = BlockMemory::default();
        self.time.switch(Activity::Waiting);
        self.terms.release(mark);
        complete
    }

    /// Asks all cases under one configuration; false if the campaign stops first.
    fn sweep_one(
        &mut self,
        plan: &BlockPlan,
        configuration: &Configuration,
        made: &[MadeCase],
        progress: &mut Progress,
    ) -> bool {
        let started = Instant::now();
        if self.sessions.configure(configuration).is_none() {
            return true;
        }
        self.memory.related.clear();
        self.memory.configuration = Some(configuration.clone());
        let (mut mode, mut refused) = (plan.mode, Some(0));
        for one in made {
            if self.campaign.is_stopped() {
                return false;
            }
            progress.current = Some(one.number);
            if refused == Some(ENOUGH_REFUSED) {
                self.look_at_refusal(configuration, one);
                // Some options exclude live sessions.
                (mode, refused) = (Mode::Fresh, None);
            }
            if self.campaign.sweep.is_shut(configuration) {
                break;
            }
            refused = match self.sweep_case(mode, plan, one) {
                Some(Reply::Refused) => refused.map(|count| count + 1),
                Some(Reply::Taken) => None,
                None => refused,
            };
            progress.current = None;
        }
        self.campaign.sweep.spend(started.elapsed());
        self.report_configuration(configuration, started);
        true
    }

    /// If a solver refuses a script because of its configuration, also in a fresh process and not without, it is not
    /// asked again, and later campaigns know.
    fn look_at_refusal(&mut self, configuration: &Configuration, made: &MadeCase) {
        let configured = self.sessions.team().plain;
        let fresh = wants(Mode::Fresh, made);
        let mut reply = |member| self.ask(member, made, fresh).map(|run| Reply::of(&run));
        let refuses = reply(configured) == Some(Reply::Refused)
            && reply(configuration.member) == Some(Reply::Taken);
        if let (true, Some(word)) = (refuses, configuration.options.last()) {
            let campaign = self.campaign;
            campaign
                .sweep
                .shut(configuration.member, &configuration.options);
            campaign.setup.options.refuse(configuration.member, word);
        }
    }

    /// Asks one case under the configuration; the others are asked, too, if there is something to see.
    fn sweep_case(&mut self, mode: Mode, plan: &BlockPlan, made: &MadeCase) -> Option<Reply> {
        let configured = self.sessions.team().plain;
        let wants = wants(mode, made);
        let asked = Instant::now();
        let run = self.ask(configured, made, wants)?;
        let strategy = self.tally.strategy(made.case.origin.strategy);
        strategy.solver_us += asked.elapsed().as_micros() as u64;
        self.tally.queries += run.answers.len() as u64;
        let reply = Reply::of(&run);
        let mut runs = vec![run];
        self.time.switch(Activity::Judging);
        if !self.verdicts(answered(plan, made, &runs)).is_empty() {
            let plain = (0..configured).filter_map(|member| self.ask(member, made, wants));
            let plain: Vec<SolverRun> = plain.collect();
            runs.splice(..0, plain);
            self.judge(answered(plan, made, &runs));
        }
        self.time.switch(Activity::Asking);
        Some(reply)
    }

    /// The groups of its options earn what a configuration brought.
    fn report_configuration(&mut self, configuration: &Configuration, started: Instant) {
        if self.campaign.setup.lacks(Part::Schedule) {
            return;
        }
        let groups = &self.campaign.setup.options.groups;
        let of = configuration.groups.iter();
        self.campaign.ledger().answered(&BlockYield {
            arms: of.map(|at| option_arm(&groups[*at])).collect(),
            seconds: started.elapsed().as_secs_f64(),
            outcomes: std::mem::take(&mut self.memory.outcomes),
            earned: std::mem::take(&mut self.memory.earned),
            held: std::mem::take(&mut self.memory.held),
        });
    }
}

fn wants(mode: Mode, made: &MadeCase) -> Wants {
    Wants {
        mode,
        models: DETAILS.models,
        cores: DETAILS.cores,
        likely_sat: made.case.evidence.iter().all(is_witness),
    }
}

/// The answers to a case that was made from nothing.
fn answered<'a>(plan: &'a BlockPlan, made: &'a MadeCase, runs: &'a [SolverRun]) -> Answered<'a> {
    Answered {
        made,
        from: MadeFrom {
            seeds: &[],
            sources: &[],
            theories: &plan.theories,
            forms: plan.forms,
            related: Mode::Reset,
        },
        runs,
        details: DETAILS,
    }
}
