//! Judges the answers to a case: passes the facts about each query to the oracles, and asks about related scripts
//! (the sources of a relation, the members of a core alone) where they may convict.

use crate::judge::fingerprint::{Identity, Stage, Suspect, identify};
use crate::judge::witness::witness_text;
use crate::script::{pushed, with_assertions};
use crate::team::{SolverRun, Team};
use auspex_cases::alone::{alone, is_incremental};
use auspex_cases::answers;
use auspex_cases::oracle::{
    Facts, FollowUp, Grounds, Link, ModelOf, QuestionReply, Related, Reply, Side, SourceStatus,
    core, follow_ups, judge,
};
use auspex_cases::spelling::Spelling;
use auspex_cases::{Budget, Case, Evidence, QueryContext, Seed, SeedStatus, Source, Verdict};
use auspex_logic::TheorySet;
use auspex_logic::render::{self, Sharing};
use auspex_logic::script::{Command, Query};
use auspex_logic::{Answer, Crash, Script, Terms};

/// An unconfirmed verdict on one query, with all its facts.
#[derive(Clone, Debug)]
pub struct Unconfirmed {
    /// Number of the query in the script.
    pub query: usize,
    pub verdict: Verdict,
    pub facts: QueryFacts,
}

/// All replies to one query, their solvers, and the answers to related scripts.
#[derive(Clone, Debug, Default)]
pub struct QueryFacts {
    pub replies: Vec<Reply>,
    /// For each reply the position of its run among the judged runs.
    pub runs: Vec<usize>,
    /// For each reply the position of its solver in the team.
    pub members: Vec<usize>,
    pub related: Vec<Related>,
}

/// Which of a script's queries it is.
#[derive(Clone, Copy)]
struct QueryNumber {
    number: usize,
    is_last: bool,
}

/// The facts about one query, and every verdict on them.
#[derive(Clone, Debug)]
pub struct Judged {
    pub facts: QueryFacts,
    pub verdicts: Vec<Verdict>,
}

impl Judged {
    fn unconfirmed(self, query: usize) -> Vec<Unconfirmed> {
        let Judged { facts, verdicts } = self;
        let one = |verdict| Unconfirmed {
            query,
            verdict,
            facts: facts.clone(),
        };
        verdicts.into_iter().map(one).collect()
    }
}

/// The sources of a relation.
#[derive(Clone, Copy)]
pub enum Sources<'a> {
    /// The seeds that the case was made from, in its arena.
    Seeds(&'a [Seed]),
    /// As recorded in a finding.
    Recorded(&'a [Related]),
}

/// Asks a solver of the team about another script, with models.
pub type Ask<'a> = dyn FnMut(usize, &str) -> Option<SolverRun> + 'a;

/// The environment of judging: team, sources, budget.
pub struct Judge<'a> {
    pub team: &'a Team,
    pub budget: Budget,
    pub sources: Sources<'a>,
    /// The other forms in which every query is asked, too.
    pub forms: Forms,
    pub ask: &'a mut Ask<'a>,
}

/// Other forms of the same query, to which a solver must give the same answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    /// Each query of an incremental script alone.
    pub alone: bool,
    /// A script that is not incremental after one `push`.
    pub pushed: bool,
    /// A script that is not incremental with the same assertions in other commands.
    pub spelled: &'static [Spelling],
}

impl Forms {
    pub const ALL: Forms = Forms {
        alone: true,
        pushed: true,
        spelled: &Spelling::ALL,
    };

    /// The forms of related scripts.
    pub fn of(links: &[Link]) -> Forms {
        let spelled = links.iter().find_map(|link| match link {
            Link::Spelled(spelling) => Some(spelling.alone()),
            _ => None,
        });
        Forms {
            alone: links.contains(&Link::Alone),
            pushed: links.contains(&Link::Pushed),
            spelled: spelled.unwrap_or_default(),
        }
    }

    /// The forms that a verdict refers to.
    pub fn needed_for(grounds: &Grounds, facts: &QueryFacts) -> Forms {
        let links: Vec<Link> = match grounds {
            Grounds::OtherForm { answer } => vec![facts.related[answer.0].link],
            Grounds::ValidModel {
                of: ModelOf::Related(at, _),
            } => vec![facts.related[*at].link],
            _ => Vec::new(),
        };
        Forms::of(&links)
    }

    /// What is requested about a script with answers.
    fn wanted(self, script: &Script, replies: &[Reply]) -> Vec<FollowUp> {
        let Some(reply) = replies.iter().position(|reply| reply.side().is_some()) else {
            return Vec::new();
        };
        if is_incremental(script) {
            let alone = self.alone.then(|| FollowUp::new(Link::Alone, reply));
            return alone.into_iter().collect();
        }
        let pushed = self.pushed.then_some(Link::Pushed);
        let spelled = self.spelled.iter().map(|one| Link::Spelled(*one));
        let links = pushed.into_iter().chain(spelled);
        links.map(|link| FollowUp::new(link, reply)).collect()
    }
}

impl Judge<'_> {
    /// All verdicts on all queries of a case.
    pub fn verdicts(
        &mut self,
        terms: &mut Terms,
        case: &Case,
        runs: &[SolverRun],
    ) -> Vec<Unconfirmed> {
        let judged = self.judge(terms, case, runs).into_iter().enumerate();
        judged
            .flat_map(|(query, one)| one.unconfirmed(query))
            .collect()
    }

    /// Judges every query of a case.
    pub fn judge(&mut self, terms: &mut Terms, case: &Case, runs: &[SolverRun]) -> Vec<Judged> {
        let queries = case.script.queries();
        let last = queries.len().saturating_sub(1);
        let other_makes = self.team.other_makes(terms, &case.script);
        let mut all = Vec::with_capacity(queries.len());
        for (number, query) in queries.iter().enumerate() {
            let of = QueryNumber {
                number,
                is_last: number == last,
            };
            let mut facts = QueryFacts::of(terms, &case.script, (runs, self.team), of);
            let evidence = case.evidence.get(number).unwrap_or(&Evidence::NoneKnown);
            let about = About {
                script: &case.script,
                query,
                evidence,
                other_makes: &other_makes,
            };
            let mut context = about.context(terms).with(&facts.replies, &facts.related);
            let mut wanted = follow_ups(&mut context);
            wanted.extend(self.forms.wanted(&case.script, &facts.replies));
            for wanted in &wanted {
                self.follow(terms, about, wanted, &mut facts);
            }
            let context = about.context(terms).with(&facts.replies, &facts.related);
            let verdicts = judge(&mut context.within(self.budget));
            all.push(Judged { facts, verdicts });
        }
        all
    }

    /// Asks about a related script; the answers join the facts.
    fn follow(
        &mut self,
        terms: &mut Terms,
        about: About<'_>,
        wanted: &FollowUp,
        facts: &mut QueryFacts,
    ) {
        let known = facts.related.iter().position(|one| one.link == wanted.link);
        let place = match (known, wanted.link) {
            (Some(place), _) => place,
            (None, link) => {
                let text = wanted.text.clone();
                let related = text.map_or_else(
                    || self.related(terms, about, link, facts),
                    |text| Some(Related::unasked(link, text)),
                );
                let Some(related) = related else {
                    return;
                };
                facts.related.push(related);
                facts.related.len() - 1
            }
        };
        let number = match (wanted.link, about.evidence) {
            (Link::Source(at), Evidence::Relation(relation)) => match relation.sources.get(at) {
                Some(Source::Seed { query, .. }) => *query,
                Some(Source::Core { .. }) | None => 0,
            },
            (Link::Spelled(spelling), _) => spelling.query(),
            _ => 0,
        };
        let text = facts.related[place].text.clone();
        // Whoever answered may tell which of two answers is wrong; a claim may be decided by others, too.
        let mut members = facts.members.clone();
        if let Link::Claim(..) = wanted.link {
            members.extend(0..self.team.plain);
        }
        members.sort_unstable();
        members.dedup();
        for member in members {
            let title = &self.team.members[member].id;
            let mut asked = facts.related[place].replies.iter();
            if asked.any(|reply| reply.solver == *title) {
                continue;
            }
            let Some(run) = (self.ask)(member, &text) else {
                continue;
            };
            if let Some(answer) = run.answers.get(number) {
                let reply = run.reply(self.team, answer.clone());
                facts.related[place].replies.push(reply);
            }
        }
    }

    fn related(
        &self,
        terms: &mut Terms,
        about: About<'_>,
        link: Link,
        facts: &QueryFacts,
    ) -> Option<Related> {
        let (text, known) = match (link, self.sources, about.evidence) {
            (Link::CoreOf(at), _, _) => {
                let Answer::Unsat { core: Some(names) } = &facts.replies.get(at)?.answer else {
                    return None;
                };
                let alone = core_alone(terms, about.script, about.query, names);
                let text = render::script(terms, &alone, Sharing::Auto);
                (text, SourceStatus::Nothing)
            }
            (Link::Alone, _, _) => {
                let alone = alone(terms, about.script, about.query);
                (
                    render::script(terms, &alone, Sharing::Auto),
                    SourceStatus::Nothing,
                )
            }
            (Link::Pushed, _, _) => {
                let pushed = pushed(about.script.clone());
                (
                    render::script(terms, &pushed, Sharing::Auto),
                    SourceStatus::Nothing,
                )
            }
            (Link::Spelled(spelling), _, _) => {
                (spelling.of(terms, about.script)?, SourceStatus::Nothing)
            }
            (Link::Source(at), Sources::Seeds(seeds), Evidence::Relation(relation)) => {
                source(terms, seeds, *relation.sources.get(at)?)?
            }
            (Link::Source(_), Sources::Recorded(all), _) => {
                let recorded = all.iter().find(|one| one.link == link)?;
                (recorded.text.clone(), recorded.known.clone())
            }
            (Link::Source(_), Sources::Seeds(_), _) | (Link::Claim(..), _, _) => return None,
        };
        Some(Related {
            known,
            ..Related::unasked(link, text)
        })
    }
}

/// A query with what is known about it.
#[derive(Clone, Copy)]
struct About<'a> {
    script: &'a Script,
    query: &'a Query,
    evidence: &'a Evidence,
    /// To whom the script means something else.
    other_makes: &'a [String],
}

impl<'a> About<'a> {
    fn context(self, terms: &'a mut Terms) -> QueryContext<'a> {
        let context = QueryContext::new(terms, self.script, self.query, self.evidence);
        context.meaning_else_to(self.other_makes)
    }
}

/// The text of a source, and what is known about it.
fn source(terms: &mut Terms, seeds: &[Seed], source: Source) -> Option<(String, SourceStatus)> {
    let place = match source {
        Source::Seed { seed, .. } | Source::Core { seed } => seed,
    };
    let seed = seeds.get(place)?;
    let constructed = seed.status == Some(SeedStatus::ConstructedUnsat);
    let contradiction = match constructed {
        true => SourceStatus::Contradiction,
        false => SourceStatus::Nothing,
    };
    let (script, known) = match source {
        Source::Seed { query: 0, .. } if seed.status == Some(SeedStatus::ProvedSat) => {
            let model = seed.models.first();
            let text = model.map(|model| witness_text(terms, &seed.script, model));
            (
                seed.script.clone(),
                text.map_or(SourceStatus::Nothing, SourceStatus::Model),
            )
        }
        Source::Seed { query: 0, .. } => (seed.script.clone(), contradiction),
        Source::Seed { .. } => (seed.script.clone(), SourceStatus::Nothing),
        Source::Core { .. } => {
            let core = seed.core.as_ref()?;
            (with_assertions(&seed.script, core), contradiction)
        }
    };
    Some((render::script(terms, &script, Sharing::Auto), known))
}

/// The members of a core: the query alone, without the other named assertions.
fn core_alone(terms: &Terms, script: &Script, query: &Query, names: &[String]) -> Script {
    let mut alone = alone(terms, script, query);
    let members: Vec<_> = core::members(terms, query, names).copied().collect();
    alone.commands.retain(|command| match command {
        Command::Assert(assertion) => members.contains(assertion),
        _ => true,
    });
    alone
}

impl QueryFacts {
    /// The replies to one query, each with the replies to the questions that belong to it.
    fn of(
        terms: &Terms,
        script: &Script,
        (runs, team): (&[SolverRun], &Team),
        of: QueryNumber,
    ) -> QueryFacts {
        let mut facts = QueryFacts::default();
        for (at, run) in runs.iter().enumerate() {
            let said = run.answer(of.number).cloned();
            let mut questions = answers::replies(terms, script, &run.said);
            questions.retain(|one| answers::query_of(script, one.command) <= of.number);
            let is_earlier =
                |one: &QuestionReply| answers::query_of(script, one.command) < of.number;
            let (mut earlier, questions): (Vec<_>, Vec<_>) =
                questions.into_iter().partition(is_earlier);
            earlier.retain(|one| {
                let answer = run.answer(answers::query_of(script, one.command));
                answer.is_some_and(|answer| Side::of(answer).is_some())
            });
            // A crash after the last answer also counts.
            let later = run.later.clone().filter(|_| of.is_last);
            let later = later.map(Answer::Crashed);
            for answer in said.into_iter().chain(later) {
                facts.replies.push(Reply {
                    questions: questions.clone(),
                    earlier: earlier.clone(),
                    ..run.reply(team, answer)
                });
                facts.runs.push(at);
                facts.members.push(run.member);
            }
        }
        facts
    }

    pub fn as_facts(&self) -> Facts<'_> {
        Facts {
            replies: &self.replies,
            related: &self.related,
        }
    }
}

impl Unconfirmed {
    /// The accused, by their position in the team.
    pub fn accused(&self) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        for at in &self.verdict.accused {
            let member = self.facts.members[*at];
            if !all.contains(&member) {
                all.push(member);
            }
        }
        all
    }

    pub fn sentence(&self) -> String {
        self.verdict.sentence(self.facts.as_facts())
    }

    pub fn crash(&self) -> Option<&Crash> {
        let mut accused = self.verdict.accused.iter();
        accused.find_map(|at| match &self.facts.replies[*at].answer {
            Answer::Crashed(crash) => Some(crash),
            _ => None,
        })
    }

    /// Whether another verdict is about the same query, class and solvers.
    pub fn is_same(&self, other: &Unconfirmed) -> bool {
        self.query == other.query
            && self.verdict.class == other.verdict.class
            && self.accused() == other.accused()
    }

    /// The identity of the bug.
    pub fn identity(
        &self,
        terms: &Terms,
        case: &Case,
        theories: TheorySet,
        team: &Team,
    ) -> Identity {
        let accused = self.accused();
        let solvers = accused.iter().map(|at| team.members[*at].name());
        let solvers: Vec<&str> = solvers.collect();
        let suspect = Suspect {
            class: self.verdict.class,
            solvers: &solvers,
            site: &self.verdict.site,
            crash: self.crash(),
            theories,
            stage: Stage::Found,
        };
        identify(terms, &case.script, &suspect)
    }
}
