//! A solver that misbehaves in every way we could think of: each way ends in the right answer, in time, with nothing left.

use auspex_logic::answer::{Answer, Crash, CrashKind, Rejection};
use auspex_solvers::limits::Memory;
use auspex_solvers::process::{Ending, Process, Stop};
use auspex_solvers::{Invocation, Limits, Mode, Profile, Query, Run, Session, Solver};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SCRIPT: &str = "(declare-const p Bool)(assert p)(check-sat)\n";
const LIVE: [Mode; 3] = [Mode::Fresh, Mode::Reset, Mode::PushPop];

/// One misbehaving solver, whose processes can be told from all others.
struct Fake {
    solver: Solver,
    tag: String,
}

impl Fake {
    fn new(how: &str) -> Fake {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let tag = format!("FAKE_TAG={}-{number}", std::process::id());
        let (name, value) = tag.split_once('=').unwrap();
        let text = include_str!("fake/profile.toml");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/solver.sh");
        let solver = Solver {
            profile: Arc::new(Profile::read("fake", text).unwrap()),
            base: Invocation {
                program: "/bin/sh".into(),
                arguments: vec![script.into(), how.into()],
                environment: vec![(name.into(), value.into())],
                ..Invocation::default()
            },
            version: None,
            commit: None,
            options: Vec::new(),
        };
        Fake { solver, tag }
    }

    /// Asks in a mode something that ends by itself.
    fn ask(&self, mode: Mode) -> Run {
        self.ask_query(&Query::new(SCRIPT).mode(mode))
    }

    fn ask_query(&self, query: &Query<'_>) -> Run {
        self.ask_within(query, &patient())
    }

    /// Asks, and makes sure that the limit was kept; a busy machine may need some time to notice.
    fn ask_within(&self, query: &Query<'_>, limits: &Limits) -> Run {
        let started = Instant::now();
        let run = Session::start(&self.solver, limits).ask(query).unwrap();
        assert!(
            started.elapsed() < limits.wall + Duration::from_secs(10),
            "took too long"
        );
        run
    }

    /// No process of this solver is left, not even a zombie's sibling.
    fn assert_gone(&self) {
        // A killed process needs a moment to leave the table.
        for _ in 0..200 {
            if !is_alive(&self.tag) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("a process of {} is left", self.tag);
    }
}

fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(1),
        memory: Some(64 << 20),
        output: 1 << 20,
        ..Limits::default()
    }
}

/// For what ends by itself, however busy the machine.
fn patient() -> Limits {
    Limits {
        wall: Duration::from_secs(60),
        ..limits()
    }
}

fn is_alive(tag: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let mut entries = environment.split(|&byte| byte == 0);
        entries.any(|entry| entry == tag.as_bytes())
    })
}

/// The answer in every mode, with nothing left behind.
fn check(how: &str, expect: impl Fn(&Answer) -> bool + Sync) {
    // Only what never ends by itself is held to a second; the rest must not fail because the machine is busy.
    let endless = ["hang", "late", "spin", "no-read", "close"];
    let endless = endless.iter().any(|start| how.starts_with(start)) || how.ends_with("-hang");
    let limits = if endless { limits() } else { patient() };
    check_within(&limits, how, expect);
}

fn check_within(limits: &Limits, how: &str, expect: impl Fn(&Answer) -> bool + Sync) {
    let one = |mode| {
        let fake = Fake::new(how);
        let run = fake.ask_within(&Query::new(SCRIPT).mode(mode), limits);
        assert!(expect(run.answer()), "{how} {mode:?}: {run:#?}");
        fake.assert_gone();
    };
    // Most of the time is spent waiting for a time limit.
    std::thread::scope(|scope| {
        for mode in LIVE {
            let one = &one;
            scope.spawn(move || one(mode));
        }
    });
}

fn is_sat(answer: &Answer) -> bool {
    matches!(answer, Answer::Sat { .. })
}

fn is_garbled(answer: &Answer) -> bool {
    matches!(answer, Answer::Garbled { .. })
}

fn crash(answer: &Answer) -> Option<&Crash> {
    match answer {
        Answer::Crashed(crash) => Some(crash),
        _ => None,
    }
}

#[test]
fn honest_answers_are_taken() {
    check("honest", is_sat);
    check("unsat", |answer| matches!(answer, Answer::Unsat { .. }));
}

#[test]
fn hanging_is_a_timeout() {
    check("hang", |answer| *answer == Answer::Timeout);
    check("hang-deaf", |answer| *answer == Answer::Timeout);
    check("late", |answer| *answer == Answer::Timeout);
    check("spin", |answer| *answer == Answer::Timeout);
    check("no-read", |answer| *answer == Answer::Timeout);
    check("timeout", |answer| *answer == Answer::Timeout);
}

#[test]
fn a_solver_that_does_not_read_a_long_script_is_a_timeout() {
    let fake = Fake::new("no-read");
    let script = "(assert true)\n".repeat(100_000);
    let run = fake.ask_within(&Query::new(&script), &limits());
    assert_eq!(*run.answer(), Answer::Timeout);
    fake.assert_gone();
}

#[test]
fn flooding_is_garbled_and_bounded() {
    for how in ["flood", "flood-err"] {
        for mode in LIVE {
            let fake = Fake::new(how);
            let run = fake.ask(mode);
            assert!(is_garbled(run.answer()), "{how} {mode:?}: {:?}", run.ending);
            assert_eq!(run.ending, Ending::Killed(Stop::Flooded));
            assert!(run.stdout.len() + run.stderr.len() < 4 << 20);
            fake.assert_gone();
        }
    }
}

#[test]
fn a_flood_after_the_answer_leaves_the_answer() {
    for mode in LIVE {
        let fake = Fake::new("flood-model");
        let run = fake.ask_query(&Query::new(SCRIPT).mode(mode).model());
        assert_eq!(*run.answer(), Answer::Sat { model: None }, "{mode:?}");
        fake.assert_gone();
    }
}

#[test]
fn children_of_the_solver_go_with_it() {
    for how in ["fork", "fork-exit", "fork-away"] {
        check(how, is_sat);
    }
    check("fork-away-hang", |answer| *answer == Answer::Timeout);
}

#[test]
fn closed_pipes_end_the_wait() {
    check("close", is_garbled);
    check("close-all", is_garbled);
    check("empty-exit", is_garbled);
    check("partial", is_garbled);
}

#[test]
fn every_signal_has_its_meaning() {
    for signal in ["SEGV", "ABRT", "FPE", "ILL", "BUS", "TRAP", "SYS"] {
        check(&format!("signal-{signal}"), |answer| {
            crash(answer).is_some_and(|crash| matches!(crash.how, CrashKind::Signal(_)))
        });
    }
    check("signal-KILL", |answer| *answer == Answer::OutOfMemory);
    check("signal-XCPU", |answer| *answer == Answer::Timeout);
    // Somebody stopped it: no fault of the solver.
    for signal in ["TERM", "INT", "HUP", "PIPE"] {
        check(&format!("signal-{signal}"), is_garbled);
    }
    check("wait-child", |answer| {
        crash(answer).is_some_and(|crash| crash.how == CrashKind::Signal(libc::SIGSEGV))
    });
    check("exit-code", |answer| {
        crash(answer).is_some_and(|crash| crash.how == CrashKind::ExitCode(7))
    });
}

#[test]
fn an_answer_before_a_crash_stands() {
    let fake = Fake::new("sat-signal-SEGV");
    let run = fake.ask_query(&Query::new(SCRIPT));
    assert!(is_sat(run.answer()), "{run:#?}");
    let later = run.later.unwrap();
    assert_eq!(later.crash.how, CrashKind::Signal(libc::SIGSEGV));
    fake.assert_gone();
}

#[test]
fn a_crash_in_get_model_belongs_to_get_model() {
    for mode in LIVE {
        let fake = Fake::new("model-crash");
        let run = fake.ask_query(&Query::new(SCRIPT).mode(mode).model());
        assert_eq!(*run.answer(), Answer::Sat { model: None }, "{mode:?}");
        assert_eq!(run.later.unwrap().command, "get-model", "{mode:?}");
        fake.assert_gone();
    }
}

#[test]
fn crash_messages_give_kind_and_place() {
    let site = |answer: &Answer| crash(answer).and_then(|crash| crash.site.clone());
    check("assertion", |answer| {
        site(answer).as_deref() == Some("engine.cpp:42")
            && crash(answer).is_some_and(|crash| crash.how == CrashKind::Assertion)
    });
    check("fatal", |answer| {
        site(answer).as_deref() == Some("thing.cpp:7")
    });
    check("sanitizer", |answer| {
        crash(answer).is_some_and(|crash| crash.how == CrashKind::Sanitizer)
    });
}

#[test]
fn an_answer_stands_though_its_solver_doubts_the_model() {
    check("invalid-model", is_sat);
    for mode in LIVE {
        let fake = Fake::new("invalid-model");
        let run = fake.ask_query(&Query::new(SCRIPT).mode(mode));
        let doubt = run.later.expect("the complaint is not lost").crash;
        assert_eq!(doubt.how, CrashKind::InternalError, "{mode:?}");
    }
}

#[test]
fn a_leak_is_told_after_the_answer() {
    let fake = Fake::new("leak");
    let run = fake.ask_query(&Query::new(SCRIPT));
    assert!(is_sat(run.answer()));
    assert_eq!(run.later.unwrap().crash.how, CrashKind::Leak);
}

#[test]
fn memory_ends_in_out_of_memory() {
    for how in ["eat", "eat-say", "bad-alloc"] {
        check_within(&patient(), how, |answer| *answer == Answer::OutOfMemory);
    }
}

#[test]
fn our_own_memory_is_not_the_solvers() {
    let ours = vec![1u8; 128 << 20];
    // The limit is 64 MB: a process that had more would have run out of memory.
    check("signal-SEGV", |answer| crash(answer).is_some());
    assert_eq!(ours[ours.len() / 2], 1);
}

#[test]
fn resident_memory_is_watched_where_address_space_is_not() {
    let mut fake = Fake::new("eat");
    let mut profile = (*fake.solver.profile).clone();
    profile.limits.measure = Memory::Resident;
    fake.solver.profile = Arc::new(profile);
    let run = fake.solver.fresh(SCRIPT, &patient()).unwrap();
    // The eater is a child of the shell: the shell itself stays small, and the deadline catches both.
    assert!(matches!(
        run.answer(),
        Answer::OutOfMemory | Answer::Timeout
    ));
    fake.assert_gone();
}

#[test]
fn doubled_and_stray_answers_are_garbled() {
    check("twice", is_garbled);
    check("nonsense", is_garbled);
    check("silent", is_garbled);
    check("bytes", is_garbled);
}

#[test]
fn a_stray_answer_never_becomes_the_next_one() {
    let fake = Fake::new("twice-late");
    let mut session = Session::start(&fake.solver, &patient());
    let query = Query::new(SCRIPT).mode(Mode::PushPop);
    assert!(is_sat(session.ask(&query).unwrap().answer()));
    assert!(is_garbled(session.ask(&query).unwrap().answer()));
    assert_eq!(session.starts, 1);
    assert!(is_sat(session.ask(&query).unwrap().answer()));
    assert_eq!(session.starts, 2);
    drop(session);
    fake.assert_gone();
}

#[test]
fn refusals_spoil_the_answers_of_their_scope_only() {
    check("error", |answer| {
        matches!(
            answer,
            Answer::Rejected {
                why: Rejection::ParseError,
                ..
            }
        )
    });
    check("unsupported", |answer| {
        matches!(
            answer,
            Answer::Rejected {
                why: Rejection::Unsupported,
                ..
            }
        )
    });
    let script = "(push 1)\n(assert refused)\n(check-sat)\n(pop 1)\n(assert p)\n(check-sat)\n";
    for mode in LIVE {
        let fake = Fake::new("honest");
        let run = fake.ask_query(&Query::new(script).mode(mode));
        assert!(
            matches!(run.answers[0], Answer::Rejected { .. }),
            "{mode:?}"
        );
        assert!(is_sat(&run.answers[1]), "{mode:?}");
    }
}

fn refused(answer: &Answer) -> Option<Rejection> {
    match answer {
        Answer::Rejected { why, .. } => Some(*why),
        _ => None,
    }
}

#[test]
fn an_unknown_error_goes_to_the_command_that_caused_it() {
    check("odd-check", |answer| {
        refused(answer) == Some(Rejection::Other)
    });
    check("odd-after", |answer| {
        refused(answer) == Some(Rejection::Other)
    });
    let script = "(declare-const p Bool)\n(assert odd)\n(check-sat)\n";
    for mode in LIVE {
        let run = Fake::new("honest").ask_query(&Query::new(script).mode(mode));
        let unread = Some(Rejection::ParseError);
        assert_eq!(refused(run.answer()), unread, "{mode:?}: {run:#?}");
    }
}

#[test]
fn an_answer_never_moves_to_an_earlier_query_that_failed() {
    let script = "(check-sat)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n";
    for mode in LIVE {
        let run = Fake::new("first-fails").ask_query(&Query::new(script).mode(mode));
        assert_eq!(refused(&run.answers[0]), Some(Rejection::Other), "{mode:?}");
        assert!(matches!(run.answers[1], Answer::Unsat { .. }), "{mode:?}");
        let run = Fake::new("first-silent").ask_query(&Query::new(script).mode(mode));
        assert!(is_garbled(&run.answers[0]), "{mode:?}");
        assert!(matches!(run.answers[1], Answer::Unsat { .. }), "{mode:?}");
    }
}

#[test]
fn what_is_in_doubt_is_asked_again_with_all_markers() {
    for mode in [Mode::Reset, Mode::PushPop] {
        for (how, word) in [("twice-once", "sat"), ("silent-once", "unsat")] {
            let fake = Fake::new(how);
            let mut session = Session::start(&fake.solver, &patient());
            let query = Query::new(SCRIPT).mode(mode);
            for _ in 0..3 {
                let run = session.ask(&query).unwrap();
                assert_eq!(run.answer().word(), word, "{how} {mode:?}: {run:#?}");
            }
            assert_eq!(session.starts, 1, "{how} {mode:?}");
        }
    }
}

#[test]
fn a_live_session_answers_many_queries_with_one_process() {
    for mode in [Mode::Reset, Mode::PushPop] {
        let fake = Fake::new("honest");
        let mut session = Session::start(&fake.solver, &patient());
        for _ in 0..200 {
            let query = Query::new(SCRIPT).mode(mode).model();
            let run = session.ask(&query).unwrap();
            assert!(matches!(run.answer(), Answer::Sat { model: Some(_) }));
        }
        assert_eq!(session.starts, 1, "{mode:?}");
        drop(session);
        fake.assert_gone();
    }
}

#[test]
fn a_session_survives_a_dead_process() {
    let fake = Fake::new("signal-SEGV");
    let mut session = Session::start(&fake.solver, &patient());
    for _ in 0..3 {
        let run = session
            .ask(&Query::new(SCRIPT).mode(Mode::PushPop))
            .unwrap();
        assert!(crash(run.answer()).is_some());
    }
    assert_eq!(session.starts, 3);
}

#[test]
fn processor_time_is_limited_and_counted() {
    let fake = Fake::new("spin");
    let few = Limits {
        wall: Duration::from_secs(20),
        cpu: Some(Duration::from_secs(1)),
        ..limits()
    };
    let run = fake.solver.fresh(SCRIPT, &few).unwrap();
    assert_eq!(*run.answer(), Answer::Timeout, "{run:#?}");
    assert!(run.cpu >= Duration::from_millis(500) && run.cpu < Duration::from_secs(5));
    fake.assert_gone();
}

#[test]
fn a_limit_of_less_than_a_second_is_kept() {
    let fake = Fake::new("spin");
    let mut session = Session::start(&fake.solver, &patient());
    session.limit_cpu(Duration::from_millis(200));
    let run = session.ask(&Query::new(SCRIPT)).unwrap();
    assert_eq!(*run.answer(), Answer::Timeout, "{run:#?}");
    assert!(run.cpu >= Duration::from_millis(150) && run.cpu < Duration::from_millis(900));
    fake.assert_gone();
}

#[test]
fn a_process_that_ended_is_no_zombie() {
    let what = Invocation {
        program: "/bin/true".into(),
        ..Invocation::default()
    };
    let mut process = Process::start(&what, &limits(), Memory::AddressSpace).unwrap();
    let pid = process.pid().as_raw_nonzero();
    let stop = process.run(b"", Instant::now() + Duration::from_secs(5));
    assert_eq!(stop, Stop::Ended);
    assert_eq!(process.finish(stop).0, Ending::Exit(0));
    assert!(!Path::new(&format!("/proc/{pid}")).exists());
}

#[test]
fn a_solver_that_reads_files_gets_one_and_it_is_removed() {
    let mut fake = Fake::new("honest");
    let mut profile = (*fake.solver.profile).clone();
    profile.stdin = None;
    profile.modes = vec![Mode::Fresh];
    fake.solver.profile = Arc::new(profile);
    let run = fake.ask_query(&Query::new(SCRIPT).mode(Mode::PushPop).model());
    assert!(
        matches!(run.answer(), Answer::Sat { model: Some(_) }),
        "{run:#?}"
    );
    assert_eq!(run.mode, Mode::Fresh);
    assert!(own_scratch().all(|path| path.extension().is_none_or(|end| end != "smt2")));
    fake.assert_gone();
}

/// What this process has in its folder of temporary files.
fn own_scratch() -> impl Iterator<Item = PathBuf> {
    let own = format!("auspex-{}-", std::process::id());
    let folders = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let own = folders.filter(move |entry| entry.file_name().to_string_lossy().starts_with(&own));
    let inside = own.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten());
    inside.map(|entry| entry.path())
}

#[test]
fn a_solver_writes_into_a_folder_of_its_own_that_goes_with_it() {
    for mode in LIVE {
        let fake = Fake::new("litter");
        let run = fake.ask(mode);
        assert!(is_sat(run.answer()), "{run:#?}");
        let place = Path::new(run.stderr.trim());
        assert!(place.starts_with(std::env::temp_dir()), "{run:#?}");
        assert!(!place.exists(), "{} is left", place.display());
        assert!(!Path::new("litter").exists());
    }
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let mut fake = Fake::new("honest");
    fake.solver.base.program = "/nowhere/solver".into();
    assert!(fake.solver.fresh(SCRIPT, &limits()).is_err());
}

/// Not a test by itself: the victim of the next one, started by it.
#[test]
fn victim_of_sigkill() {
    if std::env::var_os("AUSPEX_TEST_VICTIM").is_none() {
        return;
    }
    let away = Fake::new("fork-away-hang");
    let long = Limits {
        wall: Duration::from_secs(600),
        ..limits()
    };
    println!("victim {}", away.tag);
    let _ = away.solver.fresh(SCRIPT, &long);
}

#[test]
fn no_solver_outlives_auspex_killed_by_sigkill() {
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "victim_of_sigkill", "--nocapture"])
        .env("AUSPEX_TEST_VICTIM", "1")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let tag = format!("FAKE_TAG={}-0", victim.id());
    let wait = |alive: bool| {
        let started = Instant::now();
        while is_alive(&tag) != alive {
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "alive: {}",
                !alive
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait(true);
    std::thread::sleep(Duration::from_millis(100));
    victim.kill().unwrap();
    victim.wait().unwrap();
    wait(false);
}

/// A model that was asked for along with the query counts after `sat` only, and nothing comes of it otherwise.
#[test]
fn a_model_may_be_asked_for_ahead() {
    let query = Query::new(SCRIPT).mode(Mode::PushPop).model().likely_sat();
    for (how, expected) in [("honest", "sat"), ("unsat", "unsat"), ("silent", "garbled")] {
        let mut fake = Fake::new(how);
        Arc::make_mut(&mut fake.solver.profile).goes_on = true;
        let mut session = Session::start(&fake.solver, &patient());
        let runs = [(); 3].map(|()| session.ask(&query).unwrap());
        for run in &runs {
            assert_eq!(run.answer().word(), expected, "{how}");
            let has_model = matches!(run.answer(), Answer::Sat { model: Some(_) });
            assert_eq!(has_model, how == "honest");
        }
        let starts = if expected == "garbled" { 3 } else { 1 };
        assert_eq!(session.starts, starts, "{how}: {:?}", runs[0].replies);
    }
    let mut crashing = Fake::new("model-crash");
    Arc::make_mut(&mut crashing.solver.profile).goes_on = true;
    let run = crashing.ask_query(&query);
    assert_eq!(run.answer().word(), "sat");
    assert!(run.later.is_some());
}
