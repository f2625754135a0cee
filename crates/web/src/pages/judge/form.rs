//! What the page sends: the chat as it was typed or chosen, who is who, and who judges.

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError, MultipartRejection};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use carelock_core::panel::GatePolicy;
use carelock_core::transcript::formats::ReadOptions;
use carelock_engine::judging::JudgeKind;
use carelock_engine::options::{JudgeOptions, ReadingOptions, Redact, TextFormat};
use carelock_judge::provider::Cost;

use crate::api_error::{ApiError, ApiResult};
use crate::jobs::Order;

/// Fields of one form; more than that is no form of ours.
const MOST_FIELDS: usize = 1_000;
/// Text that is put into the field where it can be changed; a longer one travels along as it is.
const EDITABLE: usize = 256 << 10;

/// Who is meant by a label, as the person said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Chosen {
    /// Nothing was said.
    #[default]
    Open,
    /// The person.
    Human,
    /// The AI.
    Ai,
    /// Neither of them; what they say is left out.
    Neither,
    /// A third party; what they say is context.
    Other,
    /// No label at all.
    Text,
}

impl Chosen {
    fn parse(text: &str) -> Self {
        match text {
            "human" => Self::Human,
            "ai" => Self::Ai,
            "neither" => Self::Neither,
            "other" => Self::Other,
            "text" => Self::Text,
            _ => Self::Open,
        }
    }
}

/// A file that travels along with the form.
#[derive(Clone, Debug)]
pub(super) struct HeldFile {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl HeldFile {
    /// The file as it travels along.
    pub(super) fn encoded(&self) -> String {
        STANDARD.encode(&self.bytes)
    }
}

/// What was sent.
#[derive(Clone, Debug, Default)]
pub(super) struct JudgeForm {
    pub(super) text: String,
    /// Files that cannot stand in the text field.
    pub(super) files: Vec<HeldFile>,
    /// The name of the file whose text stands there.
    pub(super) file_name: String,
    pub(super) title: String,
    pub(super) from: String,
    pub(super) human: String,
    pub(super) ai: String,
    pub(super) labels: Vec<(String, Chosen)>,
    pub(super) judges: Vec<String>,
    pub(super) cascade: bool,
    pub(super) redact: bool,
    /// What cannot be read may be left out.
    pub(super) leave_out: bool,
    /// Chats that the embedded judge cannot read may be judged all the same.
    pub(super) all_the_same: bool,
    pub(super) majority: bool,
    pub(super) max_cost: String,
}

impl JudgeForm {
    /// The page as it is first seen: the embedded judge is chosen.
    pub(super) fn first_seen() -> Self {
        Self { judges: vec![carelock_builtin::NAME.to_owned()], ..Self::default() }
    }

    /// Takes the form in.
    pub(super) async fn read(form: Result<Multipart, MultipartRejection>) -> ApiResult<Self> {
        let mut form = form.map_err(|rejection| {
            ApiError::new(rejection.status(), "What was sent is not the form of this page.", "open the page again")
        })?;
        let mut sent = Self::default();
        let (mut named, mut chosen) = (Vec::new(), Vec::new());
        let (mut held, mut held_names) = (Vec::new(), Vec::new());
        let mut count = 0;
        while let Some(field) = form.next_field().await.map_err(damaged)? {
            count += 1;
            if count > MOST_FIELDS {
                return Err(ApiError::bad("The form has too many fields.", "open the page again"));
            }
            match field.name().unwrap_or_default() {
                "file" => sent.take_file(field).await?,
                "held" => held.push(text(field).await?),
                "held_name" => held_names.push(plain_name(&text(field).await?)),
                "text_name" => sent.file_name = plain_name(&text(field).await?),
                "text" => sent.text = text(field).await?,
                "title" => text(field).await?.trim().clone_into(&mut sent.title),
                "from" => sent.from = text(field).await?,
                "human" => sent.human = text(field).await?,
                "ai" => sent.ai = text(field).await?,
                "label" => named.push(text(field).await?),
                "who" => chosen.push(Chosen::parse(&text(field).await?)),
                "judge" => sent.judges.push(text(field).await?),
                "cascade" => sent.cascade = true,
                "redact" => sent.redact = true,
                "leave_out" => sent.leave_out = true,
                "all_the_same" => sent.all_the_same = true,
                "gate_policy" => sent.majority = text(field).await? == "majority",
                "max_cost" => text(field).await?.trim().clone_into(&mut sent.max_cost),
                _ => {}
            }
        }
        if sent.files.is_empty() {
            sent.files =
                held.iter().zip(held_names).map(|(text, name)| held_file(name, text)).collect::<ApiResult<_>>()?;
        }
        sent.labels = named.into_iter().zip(chosen).collect();
        Ok(sent)
    }

    /// Chosen files come before those that were held, and before the text.
    async fn take_file(&mut self, field: Field<'_>) -> ApiResult<()> {
        let name = plain_name(field.file_name().unwrap_or_default());
        let bytes = field.bytes().await.map_err(damaged)?.to_vec();
        // A browser sends a file without a name and without content where none was chosen.
        if !name.is_empty() || !bytes.is_empty() {
            self.files.push(HeldFile { name, bytes });
        }
        Ok(())
    }

    /// Moves a single file that is plain text to where it can be seen and changed.
    pub(super) fn settle(mut self) -> Self {
        if let [HeldFile { name, bytes }] = self.files.as_slice()
            && bytes.len() <= EDITABLE
            && let Ok(text) = std::str::from_utf8(bytes)
            && !text.trim().is_empty()
            && !text.chars().any(|sign| sign.is_control() && !matches!(sign, '\n' | '\r' | '\t'))
        {
            (self.text, self.file_name) = (text.replace("\r\n", "\n"), name.clone());
            self.files.clear();
        }
        self
    }

    /// Whether the embedded judge takes part, alone, in a panel, or before models.
    pub(super) fn asks_embedded(&self) -> bool {
        self.cascade || self.judges.iter().any(|judge| judge == carelock_builtin::NAME)
    }

    /// Whether there is anything to read.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.text.trim().is_empty()
    }

    /// What to read, and the names it goes by.
    pub(super) fn inputs(&self) -> Vec<(String, Vec<u8>)> {
        let named = |name: &str| if name.is_empty() { "chat".to_owned() } else { name.to_owned() };
        if self.files.is_empty() {
            return vec![(named(&self.file_name), self.text.clone().into_bytes())];
        }
        self.files.iter().map(|file| (named(&file.name), file.bytes.clone())).collect()
    }

    fn labels_of(&self, who: Chosen, typed: &str) -> Vec<String> {
        let chosen = self.labels.iter().filter(|(_, chosen)| *chosen == who).map(|(label, _)| label.clone());
        let typed = typed.split(',').map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        chosen.chain(typed).collect()
    }

    /// The text format that was chosen.
    fn format(&self) -> Option<TextFormat> {
        TextFormat::ALL.into_iter().find(|format| format.name() == self.from)
    }

    /// How it is to be read.
    pub(super) fn options(&self) -> ReadOptions {
        ReadOptions {
            human: self.labels_of(Chosen::Human, &self.human),
            ai: self.labels_of(Chosen::Ai, &self.ai),
            neither: self.labels_of(Chosen::Neither, ""),
            other: self.labels_of(Chosen::Other, ""),
            text: self.labels_of(Chosen::Text, ""),
            from: self.format().map(TextFormat::format),
            ..ReadOptions::default()
        }
    }

    /// What is to be judged by whom; only judges that are on offer can be chosen.
    pub(super) fn order(&self, is_offered: impl Fn(&str) -> bool) -> ApiResult<Order> {
        let mut judges: Vec<String> = Vec::new();
        for judge in &self.judges {
            if !is_offered(judge) {
                let fix = "choose among those the page offers; others are named in the settings of the server";
                return Err(ApiError::bad("One of the judges is not on offer here.", fix));
            }
            let is_model = JudgeKind::parse(judge).is_ok_and(|kind| matches!(kind, JudgeKind::Model(_)));
            let judge = if self.cascade && is_model { carelock_judge::cascade::name(judge) } else { judge.clone() };
            if !judges.contains(&judge) {
                judges.push(judge);
            }
        }
        if judges.is_empty() {
            return Err(ApiError::bad("No judge is chosen.", "choose at least one; the embedded one is free"));
        }
        let max_cost = (!self.max_cost.is_empty()).then(|| self.max_cost.clone());
        if let Some(cost) = &max_cost {
            let is_cost = cost.parse::<Cost>().is_ok();
            let refusal = || ApiError::bad("The most it may cost is no amount.", "write dollars, such as 0.50");
            is_cost.then_some(()).ok_or_else(refusal)?;
        }
        let options = self.options();
        let from = self.format().map(|format| format.name().to_owned());
        Ok(Order {
            title: (!self.title.is_empty()).then(|| self.title.clone()),
            judges,
            gate_policy: if self.majority { GatePolicy::Majority } else { GatePolicy::default() },
            judging: JudgeOptions { redact: self.redact.then_some(Redact::On), max_cost, ..JudgeOptions::default() },
            reading: ReadingOptions {
                human: options.human,
                ai: options.ai,
                other: options.other,
                ignore_speaker: options.neither,
                not_a_speaker: options.text,
                from,
                ..ReadingOptions::default()
            },
        })
    }
}

fn held_file(name: String, text: &str) -> ApiResult<HeldFile> {
    let damaged = |_| ApiError::bad("A file in the form is damaged.", "choose it again");
    Ok(HeldFile { name, bytes: STANDARD.decode(text.trim()).map_err(damaged)? })
}

/// A file's own name, without the folders some browsers send, and short.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().filter(|sign| !sign.is_control()).take(120).collect()
}

async fn text(field: Field<'_>) -> ApiResult<String> {
    field.text().await.map_err(damaged)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
fn damaged(error: MultipartError) -> ApiError {
    let (what, fix) = if error.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        ("This is larger than the server takes.", "judge it with `carelock run`, or raise --max-body")
    } else {
        ("The form arrived damaged.", "send it again")
    };
    ApiError::new(error.status(), what, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_a_file_is_kept() {
        assert_eq!(plain_name(r"C:\Users\ana\chat.txt"), "chat.txt");
        assert_eq!(plain_name("../../etc/passwd"), "passwd");
        assert_eq!(plain_name("a\r\nb"), "ab");
    }

    #[test]
    fn a_judge_that_is_not_on_offer_is_refused() {
        let sent = JudgeForm { judges: vec!["http://169.254.0.1/v1#x".to_owned()], ..JudgeForm::default() };
        assert!(sent.order(|judge| judge == "builtin").is_err());
        let order = JudgeForm::first_seen().order(|judge| judge == "builtin").expect("an order");
        assert_eq!(order.judges, ["builtin"]);
    }

    #[test]
    fn a_cascade_is_made_of_models_only() {
        let judges = vec!["builtin".to_owned(), "openai:gpt-4.1-mini".to_owned()];
        let order = JudgeForm { judges, cascade: true, ..JudgeForm::default() }.order(|_| true).expect("an order");
        assert_eq!(order.judges, ["builtin", "cascade:openai:gpt-4.1-mini"]);
    }
}
