//! Choosing judges and how they are asked.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use carelock_core::panel::{GatePolicy, PanelRules, TiePolicy};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_engine::config::Config;
use carelock_engine::embedded::Embedded;
use carelock_engine::error::problem;
use carelock_engine::evaluate;
use carelock_engine::event::{Event, Events};
use carelock_engine::judging::JudgeKind;
use carelock_engine::options::{JudgeOptions, Redact};
use carelock_engine::panel::JudgePanel;
use carelock_engine::runs::Scoring;
use carelock_engine::verdict_source::VerdictSource;
use carelock_judge::http::{FunctionQuestion, Functions};

use crate::{Evaluator, Result};

/// What an [`Evaluator`] is made of. Without a judge and without verdicts, the embedded judge judges.
#[derive(Clone, Default)]
#[must_use]
pub struct EvaluatorBuilder {
    options: JudgeOptions,
    verdicts: Vec<String>,
    rubric: Option<Rubric>,
    weights: Option<Weights>,
    rules: PanelRules,
    config: Option<PathBuf>,
    events: Events,
    functions: Functions,
    embedded: Arc<Embedded>,
}

impl Evaluator {
    /// Begins to choose judges and how they are asked.
    pub fn builder() -> EvaluatorBuilder {
        EvaluatorBuilder::default()
    }
}

impl EvaluatorBuilder {
    /// Adds a judge: `builtin`, a model such as `openai:gpt-4.1-mini`, or `cascade:` before a model. Several form a panel.
    pub fn judge(mut self, name: impl Into<String>) -> Self {
        self.options.judges.push(name.into());
        self
    }

    /// Adds a function of the program as a judge, called `function:NAME`. It gets what a model would be sent and answers with
    /// JSON that fits the schema, or says why it cannot; what it answers is checked, and asked again, as a model's answer is.
    /// Nothing of it is kept between runs unless a lock is named.
    ///
    /// ```
    /// let judge = carelock::Evaluator::builder().function("mute", |_| Err("no words".to_owned())).build()?;
    /// let report = judge.evaluate_blocking(&carelock::parse("Human: I feel low.\nAI: What happened?")?)?;
    /// assert!(report.overall.is_none() && report.undetermined.is_some());
    /// # Ok::<(), carelock::Error>(())
    /// ```
    pub fn function(
        mut self,
        name: impl Into<String>,
        answer: impl Fn(FunctionQuestion) -> std::result::Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.options.judges.push(format!("function:{name}"));
        self.options.no_cache = true;
        self.functions.insert(name, answer);
        self
    }

    /// Adds recorded answers as a judge: a person's rating sheet, a file of answers, or a folder of such files.
    pub fn verdicts(mut self, path: impl AsRef<Path>) -> Self {
        self.verdicts.push(path.as_ref().display().to_string());
        self
    }

    /// Names the judge to ask when another one refuses.
    pub fn fallback(mut self, name: impl Into<String>) -> Self {
        self.options.fallback = Some(name.into());
        self
    }

    /// Keeps answers in a lock file, and takes those that are there from it.
    pub fn lock(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.lock = Some(path.into());
        self
    }

    /// Takes all answers from the lock: no key, no network, and the same reports every time.
    pub fn locked(mut self, locked: bool) -> Self {
        self.options.locked = locked;
        self
    }

    /// Asks nothing that could bring the cost above this, in US dollars.
    pub fn max_cost(mut self, dollars: impl Into<String>) -> Self {
        self.options.max_cost = Some(dollars.into());
        self
    }

    /// What models cost whose price is not known: dollars for a million tokens in and out, such as `0.15,0.60`. A cap on
    /// the cost needs a price.
    pub fn price(mut self, dollars: impl Into<String>) -> Self {
        self.options.price = Some(dollars.into());
        self
    }

    /// Replaces names, numbers and addresses before anything is sent.
    pub fn redact(mut self, redact: bool) -> Self {
        self.options.redact = Some(Redact::from(redact));
        self
    }

    /// How many chats are judged at the same time.
    pub fn concurrency(mut self, chats: usize) -> Self {
        self.options.concurrency = Some(chats);
        self
    }

    /// The longest one call may take, in seconds.
    pub fn timeout(mut self, seconds: u64) -> Self {
        self.options.timeout = Some(seconds);
        self
    }

    /// Whether doubtful checks are asked once more; they are unless this says otherwise.
    pub fn second_look(mut self, looks: bool) -> Self {
        self.options.second_look = Some(looks);
        self
    }

    /// The model's context in tokens, where it is not known.
    pub fn context(mut self, tokens: u64) -> Self {
        self.options.context = Some(tokens);
        self
    }

    /// Whether answers are kept on this machine and taken from there; they are unless this says otherwise.
    pub fn cache(mut self, keep: bool) -> Self {
        self.options.no_cache = !keep;
        self
    }

    /// Keeps answers in this folder, and takes those that are there from it, instead of the cache of this machine. Any number
    /// of processes and machines may use it at once, so that nothing is asked again when work is done again.
    pub fn answers(mut self, folder: impl Into<PathBuf>) -> Self {
        self.options.answers = Some(folder.into());
        self
    }

    /// Takes one part in so many of the limits: of the cap on the cost, of the calls at once and of the provider's pace. For
    /// workers that know nothing of each other. What answers from [`answers`](Self::answers) cost counts towards the cap.
    pub fn workers(mut self, workers: NonZeroU32) -> Self {
        self.options.workers = Some(workers);
        self
    }

    /// Whether what is known already is asked again.
    pub fn refresh(mut self, again: bool) -> Self {
        self.options.refresh = again;
        self
    }

    /// Whether chats may be sent over http:// to another machine.
    pub fn allow_plain_http(mut self, allow: bool) -> Self {
        self.options.allow_plain_http = allow;
        self
    }

    /// Uses the embedded judge of another evaluator, whose weights need not be read again.
    pub fn sharing(mut self, other: &Evaluator) -> Self {
        self.embedded = other.embedded();
        self
    }

    /// Judges by a rubric of your own.
    pub fn rubric(mut self, rubric: Rubric) -> Self {
        self.rubric = Some(rubric);
        self
    }

    /// How much each metric counts; all alike unless this says otherwise.
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = Some(weights);
        self
    }

    /// When a panel trips a gate.
    pub fn gate_policy(mut self, policy: GatePolicy) -> Self {
        self.rules.gate_policy = policy;
        self
    }

    /// Who decides where a panel is divided.
    pub fn tie(mut self, tie: TiePolicy) -> Self {
        self.rules.tie = tie;
        self
    }

    /// Reads settings and keys from this file instead of the nearest `carelock.toml` and the user's own.
    pub fn config(mut self, path: impl Into<PathBuf>) -> Self {
        self.config = Some(path.into());
        self
    }

    /// Tells a function what happens: warnings, judges that give no verdicts, what was spent.
    pub fn on_event(mut self, take: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.events = Events::new(take);
        self
    }

    /// Looks up judges, keys and files; nothing is sent yet.
    pub fn build(self) -> Result<Evaluator> {
        self.made().map(Evaluator::new).map_err(|error| problem(&error))
    }

    fn made(self) -> anyhow::Result<evaluate::Evaluator> {
        let rubric = self.rubric.unwrap_or_else(Rubric::care_lock);
        let open = |path: &String| VerdictSource::open(&rubric, path);
        let sources: Vec<VerdictSource> = self.verdicts.iter().map(open).collect::<anyhow::Result<_>>()?;
        let judges = self.options.judges.iter().map(|name| JudgeKind::parse(name));
        let mut judges: Vec<JudgeKind> = judges.collect::<std::result::Result<_, _>>()?;
        if judges.is_empty() && sources.is_empty() {
            judges.push(JudgeKind::Embedded);
        }
        let panel = if judges.iter().any(|judge| judge.model().is_some()) {
            let config = Config::of_process(self.config.as_deref())?;
            let config = if self.functions.is_empty() { config } else { config.with_functions(self.functions)? };
            JudgePanel::new(&judges, &self.options, &config, &self.events)?
        } else {
            JudgePanel::embedded(judges.len())
        };
        let weights = self.weights.unwrap_or_else(|| Weights::equal(&rubric));
        let scoring = Scoring { rubric, weights, rules: self.rules };
        Ok(evaluate::Evaluator { scoring, panel: panel.led_by(sources).sharing(self.embedded), events: self.events })
    }
}
