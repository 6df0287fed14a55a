//! Makes the cases of a block, and reports their new features, which their arms earn.

use super::{MadeCase, Progress, Worker, is_witness};
use crate::schedule::plan::{BLOCK, BlockPlan};
use crate::script::named_assertions;
use crate::stable;
use crate::team::case_profile::features;
use auspex_cases::{Case, Seed};
use auspex_logic::render::{self, Sharing};

/// If the first numbers of a block, this many, give no case, the rest is skipped, since it has the same seeds.
const ENOUGH_WITHOUT_CASE: u64 = 3;

impl Worker<'_> {
    /// The seeds of a block in our arena, and the cases made from them.
    pub(super) fn make(
        &mut self,
        plan: &BlockPlan,
        progress: &mut Progress,
    ) -> (Vec<Seed>, Vec<MadeCase>) {
        let maker = &self.campaign.setup.maker.about(&plan.theories);
        let strategy = maker.strategies[plan.strategy];
        let wanted = match (strategy.needs_seeds(), strategy.is_chained()) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => plan.seeds.len(),
        };
        let seeds = self.load_seeds(plan, wanted, progress);
        let mut line = maker.line(strategy);
        let mut all = Vec::with_capacity(BLOCK as usize);
        let mut without_case = 0;
        let is_drawn = !strategy.is_walk();
        for number in self.campaign.numbers(plan) {
            if progress.poisoned.contains(&number) {
                continue;
            }
            if is_drawn && without_case == ENOUGH_WITHOUT_CASE && all.is_empty() {
                break;
            }
            progress.current = Some(number);
            match line.make(&mut self.terms, &seeds, number) {
                Some(case) => all.push(self.written(number, case, plan)),
                None => {
                    without_case += 1;
                    self.tally.strategy(strategy.name()).empty += 1;
                }
            }
            progress.current = None;
        }
        (seeds, all)
    }

    /// A case with its text.
    fn written(&mut self, number: u64, mut case: Case, plan: &BlockPlan) -> MadeCase {
        // A core contains only named assertions.
        if plan.cores && !case.evidence.iter().any(is_witness) {
            case.script = named_assertions(&mut self.terms, &case.script);
        }
        let maker = &self.campaign.setup.maker;
        let strategy = maker.strategies[plan.strategy];
        let mut question = match plan.sweep {
            Some(_) => None,
            None => maker.question(strategy, number),
        };
        let asked = question.as_ref();
        let asked = asked.and_then(|asked| maker.ask(&mut self.terms, &case, number, asked));
        match asked {
            Some(asked) => case = asked,
            None => question = None,
        }
        let mut profile = features(&self.terms, &case.script);
        if question.is_none() && strategy.makes().is_empty() {
            let script = &mut case.script;
            profile.logic = maker.set_logic(&mut self.terms, script, number, profile.needs);
        }
        MadeCase {
            number,
            text: render::script(&self.terms, &case.script, Sharing::Auto),
            profile,
            has_questions: question.is_some() || !strategy.makes().is_empty(),
            question,
            case,
        }
    }

    /// Reports the cases once, however often a panic restarts the block.
    pub(super) fn report_made(
        &mut self,
        plan: &BlockPlan,
        made: &[MadeCase],
        progress: &mut Progress,
    ) {
        if std::mem::replace(&mut progress.reported, true) {
            return;
        }
        let campaign = self.campaign;
        // Other solvers could not read a seed with questions.
        let cases = made.iter().filter(|m| !m.has_questions);
        let cases = cases.map(|m| (m.number, &m.case, m.text.as_str(), &m.profile));
        if !campaign.setup.steady {
            campaign.growth.offer(&mut self.terms, plan.block, cases);
        }
        let strategy = campaign.setup.maker.strategies[plan.strategy].name();
        let mut features: Vec<u64> = made.iter().flat_map(|m| m.profile.edges.clone()).collect();
        features.sort_unstable();
        features.dedup();
        let new = campaign.ledger().made(&features);
        self.memory.earned.features += new;
        self.tally.strategy(strategy).features += new;
        if let Some(trace) = &campaign.setup.trace {
            let line = |m: &MadeCase| (m.number, strategy, stable::hash(&m.text));
            trace(made.iter().map(line).collect());
        }
    }
}
