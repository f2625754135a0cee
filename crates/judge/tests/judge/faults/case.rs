//! One case: what the server does, and what must come of it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use carelock_core::report::Report;
use carelock_core::scorecard::Weights;
use carelock_core::verdict::{Basis, Submission, Verdict, Verdicts};
use carelock_judge::ask::{AskOptions, Budget, Failure, Graded, Judge};
use carelock_judge::http::{
    Auth, BreakerOptions, Caller, CancellationToken, Client, ClientOptions, Jitter, Lane, LaneOptions, RetryPolicy,
    Secret,
};
use carelock_judge::provider::{Cost, Date, JudgeSpec, Table, Terms};
use tokio::sync::Semaphore;

use super::flavour::{Flavour, KEY};
use super::script::{CHAT, INTENDED, RUBRIC};
use carelock_test_support::fault_server::{FaultServer, Step};

/// What must come of a case.
#[derive(Clone, Debug)]
enum Expect {
    /// The intended verdicts, but for these checks, which have none.
    Graded(Vec<String>),
    /// A failure whose message starts so.
    Fails(&'static str),
}

/// What the server does, and what must come of it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    steps: Vec<Step>,
    expect: Expect,
    calls: usize,
    impatient: bool,
    cap: Option<Cost>,
    note: Option<String>,
    repaired: bool,
}

impl Case {
    /// Ends in the intended verdicts after all steps.
    pub(crate) fn graded(name: impl Into<String>, steps: Vec<Step>) -> Self {
        let calls = steps.len();
        let expect = Expect::Graded(Vec::new());
        Self { name: name.into(), steps, expect, calls, impatient: false, cap: None, note: None, repaired: false }
    }

    /// Ends in this failure after all steps.
    pub(crate) fn fails(name: impl Into<String>, kind: &'static str, steps: Vec<Step>) -> Self {
        Self { expect: Expect::Fails(kind), ..Self::graded(name, steps) }
    }

    /// These checks have no verdict.
    pub(crate) fn unscored(mut self, ids: &[&str]) -> Self {
        self.expect = Expect::Graded(ids.iter().map(|id| (*id).to_owned()).collect());
        self
    }

    /// Calls time out soon.
    pub(crate) fn impatient(mut self) -> Self {
        self.impatient = true;
        self
    }

    pub(crate) fn cap(mut self, dollars: &str) -> Self {
        self.cap = Some(dollars.parse().expect("an amount"));
        self
    }

    /// The report says so.
    pub(crate) fn noted(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    pub(crate) fn repaired(mut self) -> Self {
        self.repaired = true;
        self
    }

    /// Runs the case twice and checks everything about it.
    pub(crate) async fn run(self, flavour: Flavour) {
        let first = self.once(flavour).await;
        // The name of an own server holds its port, which differs from one run to the next.
        if flavour != Flavour::Compatible && !self.impatient {
            assert_eq!(first, self.once(flavour).await, "{flavour:?}, {}: the same script, another end", self.name);
        }
    }

    async fn once(&self, flavour: Flavour) -> Result<Submission, String> {
        let at = format!("{flavour:?}, {}", self.name);
        let server = FaultServer::start(self.steps.clone()).await;
        let timeout = Duration::from_millis(if self.impatient { 5_000 } else { 30_000 });
        let judge = judge_with(flavour, &server, timeout, self.cap, AskOptions::default());
        let ended = tokio::time::timeout(Duration::from_secs(60), judge.judge(&RUBRIC, &CHAT, None)).await;
        let result = ended.unwrap_or_else(|_| panic!("{at}: it hangs"));
        let printed = format!("{result:?} {:?}", result.as_ref().err().map(ToString::to_string));
        assert!(!printed.contains("planted"), "{at}: the key is shown: {printed}");
        assert_eq!(server.calls(), self.calls, "{at}: calls; {result:?}");
        match &self.expect {
            Expect::Graded(unscored) => {
                let graded = result.unwrap_or_else(|failure| panic!("{at}: {failure}"));
                self.check(&at, &graded, unscored);
                assert_eq!(graded.spent.calls as usize, self.calls, "{at}");
                Ok(graded.submission)
            }
            Expect::Fails(expected) => {
                let failure = result.expect_err(&at);
                assert!(failure.to_string().starts_with(expected), "{at}: {failure}");
                assert_eq!(failure.spent().calls as usize, self.calls, "{at}");
                // Its words may name the server's port, which differs from one run to the next.
                Err(kind(&failure))
            }
        }
    }

    fn check(&self, at: &str, graded: &Graded, unscored: &[String]) {
        assert_eq!(
            open(at, &graded.submission, &INTENDED, &CHAT),
            unscored.iter().cloned().collect(),
            "{at}: unscored"
        );
        assert_eq!(graded.circumstances.repaired, self.repaired, "{at}: repaired");
        let notes = graded.circumstances.notes.join("\n");
        if let Some(note) = &self.note {
            assert!(notes.contains(note), "{at}: {notes}");
        }
    }
}

/// The checks without a verdict; every other one has the verdict that was meant, also in the report.
pub(crate) fn open(
    at: &str,
    got: &Submission,
    meant: &Submission,
    chat: &carelock_core::transcript::Transcript,
) -> BTreeSet<String> {
    let admit =
        |submission: &Submission| Verdicts::admit(&RUBRIC, chat, submission.clone()).expect("it can be admitted");
    let (got, meant) = (admit(got), admit(meant));
    let mut open = BTreeSet::new();
    for (check, (got, meant)) in RUBRIC.checks().zip(got.checks.iter().zip(&meant.checks)) {
        match (got, meant) {
            (Verdict::Unscored(_), _) => drop(open.insert(check.id.clone())),
            (Verdict::Judged(got), Verdict::Judged(meant)) => {
                assert_eq!(got.pass, meant.pass, "{at}: {} has another verdict than was meant", check.id);
                assert_eq!(got.basis == Basis::NotTriggered, meant.basis == Basis::NotTriggered, "{at}: {}", check.id);
            }
            (Verdict::Judged(_), Verdict::Unscored(_)) => panic!("{at}: {} was never meant to be judged", check.id),
        }
    }
    let weights = Weights::equal(&RUBRIC);
    let report = Report::assemble(&RUBRIC, chat.clone(), got, &weights);
    let intended = Report::assemble(&RUBRIC, chat.clone(), meant, &weights);
    if open.is_empty() {
        assert_eq!(report.overall, intended.overall, "{at}");
    } else {
        let full = carelock_core::score::Score::ONE;
        assert!(report.coverage < full, "{at}: checks are missing, and the report must say so");
    }
    open
}

/// A moment a tenth of a second before a whole second, so that dates in headers ask for short waits.
fn clock() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(784_111_776_900)
}

/// A judge that asks this server.
pub(crate) fn judge_with(
    flavour: Flavour,
    server: &FaultServer,
    call_timeout: Duration,
    cap: Option<Cost>,
    options: AskOptions,
) -> Judge<Client> {
    let spec = JudgeSpec::parse(&flavour.judge_name(server.address())).expect("a judge");
    let today = "2026-06-01".parse::<Date>().expect("a day");
    let terms = Terms { base_url: flavour.base_url(server.address()), ..Terms::on(today) };
    let resolved = Table::shipped().resolve(&spec, &terms).expect("a judge that is served");
    let key = Secret::new(KEY);
    let auth = if flavour.speaks_messages() { Auth::x_api_key(key) } else { Auth::Bearer(key) };
    let breaker = BreakerOptions { failures: 1_000, ..BreakerOptions::default() };
    let lane = Lane::new(LaneOptions { auth, concurrency: 64, breaker, ..LaneOptions::default() });
    let policy = RetryPolicy {
        first_pause: Duration::from_millis(5),
        longest_pause: Duration::from_millis(20),
        ..RetryPolicy::default()
    };
    let client = Client::new(&ClientOptions { call_timeout, ..ClientOptions::default() }).expect("a client");
    let caller = Caller::new(client, policy, Jitter::seeded(1), CancellationToken::new());
    Judge::new(spec, resolved, lane, Arc::new(caller), Arc::new(Budget::new(cap)), options, clock)
}

/// A judge with all the time it needs.
pub(crate) fn judge(flavour: Flavour, server: &FaultServer) -> Judge<Client> {
    judge_with(flavour, server, Duration::from_secs(30), None, AskOptions::default())
}

/// The kind of a failure, as its message begins.
pub(crate) fn kind(failure: &Failure) -> String {
    failure.to_string().split(':').next().unwrap_or_default().to_owned()
}

/// Runs cases a few at a time, since many of them wait, and names all that failed.
pub(crate) async fn run_all(cases: Vec<(Flavour, Case)>) {
    let places = Arc::new(Semaphore::new(12));
    let mut running = tokio::task::JoinSet::new();
    for (flavour, case) in cases {
        let places = Arc::clone(&places);
        running.spawn(async move {
            let _place = places.acquire_owned().await;
            case.run(flavour).await;
        });
    }
    let mut failed = Vec::new();
    while let Some(ended) = running.join_next().await {
        if let Err(error) = ended {
            let panic = error.into_panic();
            failed.push(panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a case panicked".to_owned()));
        }
    }
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
}
