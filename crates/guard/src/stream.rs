//! Replies that come as a stream: passed on as they come and looked at beside, or released after they were looked at.

use std::collections::VecDeque;
use std::io;

use bytes::Bytes;
use carelock_judge::http::UpstreamResponse;
use serde_json::Value;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;

use crate::answer::{Verdict, end_of_stream, error_in_stream, note_in_stream};
use crate::chat::said;
use crate::events::{Splitter, data};
use crate::policy::{Fail, Mode, Policy, Release};
use crate::reply::Exchange;

/// The chat of a request, once it was taken in; or why it could not be.
pub(crate) type PendingExchange = JoinHandle<Result<Exchange, String>>;

/// Where the client's bytes go.
pub(crate) type Out = Sender<io::Result<Bytes>>;

/// What a stream said so far.
#[derive(Debug, Default)]
struct StreamContent {
    text: String,
    /// Choices beside the first.
    others: Vec<(usize, String)>,
    id: Option<String>,
    model: Option<String>,
    is_done: bool,
    /// Why it cannot be understood, where it cannot.
    unclear: Option<&'static str>,
}

impl StreamContent {
    fn take(&mut self, event: &[u8]) {
        let Ok(data) = data(event) else { return self.mark_unclear("a stream that is no text") };
        let Some(data) = data else { return };
        if data.trim() == "[DONE]" {
            self.is_done = true;
            return;
        }
        let Ok(value) = serde_json::from_str::<Value>(&data) else {
            return self.mark_unclear("a stream that is no JSON");
        };
        if value.get("error").is_some() {
            return;
        }
        let Some(said) = said(&value, "delta") else { return self.mark_unclear("a stream of another shape") };
        self.id = self.id.take().or(said.id);
        self.model = self.model.take().or(said.model);
        for (number, text) in said.texts {
            if number == 0 {
                self.text.push_str(&text);
            } else if let Some((_, other)) = self.others.iter_mut().find(|(known, _)| *known == number) {
                other.push_str(&text);
            } else {
                self.others.push((number, text));
            }
        }
    }

    fn mark_unclear(&mut self, why: &'static str) {
        self.unclear.get_or_insert(why);
    }

    fn length(&self) -> usize {
        self.text.len() + self.others.iter().map(|(_, text)| text.len()).sum::<usize>()
    }
}

/// Where the last sentence ends of a text that may go on, in bytes; `from` is known to be behind one.
pub(crate) fn last_sentence_end(text: &str, from: usize) -> usize {
    let (mut end, mut is_ended) = (from, false);
    for (place, sign) in text[from..].char_indices() {
        if sign == '\n' || (is_ended && sign.is_whitespace()) {
            end = from + place + sign.len_utf8();
        }
        is_ended = matches!(sign, '.' | '!' | '?' | '…')
            || (is_ended && (sign.is_whitespace() || matches!(sign, '"' | '”' | '’' | '\'' | ')' | ']' | '*' | '_')));
    }
    end
}

/// Passes a stream on as it comes, and looks at it beside.
pub(crate) async fn observe(mut upstream: UpstreamResponse, begun: PendingExchange, out: Out) {
    let (mut splitter, mut heard) = (Splitter::default(), StreamContent::default());
    while let Some(bytes) = next(&mut upstream, &out).await {
        let Ok(bytes) = bytes else {
            let _ = out.send(bytes).await;
            break;
        };
        if out.send(Ok(bytes.clone())).await.is_err() {
            break;
        }
        if heard.unclear.is_none() {
            match splitter.take(&bytes) {
                Ok(events) => events.iter().for_each(|event| heard.take(event)),
                Err(_) => heard.mark_unclear("a line that is too long"),
            }
        }
    }
    drop(out);
    if heard.unclear.is_none() {
        heard.take(&splitter.rest());
    }
    finished(begun, heard).await;
}

/// Takes in what was sent.
async fn finished(begun: PendingExchange, heard: StreamContent) {
    let Ok(Ok(exchange)) = begun.await else { return };
    if let Some(why) = heard.unclear {
        exchange.outcome(&Verdict::CouldNotJudge(why.to_owned()), "passed_on", heard.id.as_deref());
    } else if !heard.text.trim().is_empty() {
        exchange.sent(heard.text, heard.id.as_deref()).await;
    }
}

/// The next bytes; none at the end, or where the client has gone.
async fn next(upstream: &mut UpstreamResponse, out: &Out) -> Option<io::Result<Bytes>> {
    tokio::select! {
        chunk = upstream.chunk() => chunk.map_err(|error| io::Error::other(error.to_string())).transpose(),
        () = out.closed() => None,
    }
}

/// A stream that is released after it was looked at, or annotated before it ends.
pub(crate) struct HeldStream {
    policy: Policy,
    begun: Option<PendingExchange>,
    exchange: Option<Result<Exchange, String>>,
    out: Out,
    splitter: Splitter,
    heard: StreamContent,
    /// Events that wait, each with how much was said up to its end.
    queue: VecDeque<(Bytes, usize)>,
    /// How much of the first choice was looked at, and how much was released.
    checked: usize,
    released: usize,
    /// The first sentence that could not be judged.
    unjudged: Option<String>,
    /// Whether what was seen has been added.
    noted: bool,
}

/// A stream that was ended.
struct Ended;

impl HeldStream {
    pub(crate) fn new(policy: Policy, begun: PendingExchange, out: Out) -> Self {
        Self {
            policy,
            begun: Some(begun),
            exchange: None,
            out,
            splitter: Splitter::default(),
            heard: StreamContent::default(),
            queue: VecDeque::new(),
            checked: 0,
            released: 0,
            unjudged: None,
            noted: false,
        }
    }

    /// Goes through a stream to its end.
    pub(crate) async fn run(mut self, mut upstream: UpstreamResponse) {
        while let Some(bytes) = next(&mut upstream, &self.out).await {
            let step = match bytes {
                Ok(bytes) => self.take(&bytes).await,
                Err(error) => {
                    if self.finish(false).await.is_ok() {
                        let _ = self.out.send(Err(error)).await;
                    }
                    Err(Ended)
                }
            };
            if step.is_err() {
                return;
            }
            if self.heard.unclear.is_some() {
                return self.pass_the_rest(upstream).await;
            }
        }
        if !self.out.is_closed() {
            let rest = self.splitter.rest();
            self.hear(rest);
            let _ = self.finish(true).await;
        }
    }

    /// After something that cannot be understood, where the policy passes it on: as it comes.
    async fn pass_the_rest(self, mut upstream: UpstreamResponse) {
        while let Some(bytes) = next(&mut upstream, &self.out).await {
            if self.out.send(bytes).await.is_err() {
                return;
            }
        }
    }

    fn hear(&mut self, event: Bytes) {
        if !event.is_empty() {
            self.heard.take(&event);
            self.queue.push_back((event, self.heard.length()));
        }
    }

    async fn take(&mut self, bytes: &[u8]) -> Result<(), Ended> {
        let events = self.splitter.take(bytes);
        let Ok(events) = events else {
            self.heard.mark_unclear("a line that is too long");
            return self.unclear().await;
        };
        for event in events {
            self.hear(event);
        }
        if self.heard.unclear.is_some() {
            return self.unclear().await;
        }
        if self.heard.is_done {
            return self.finish(true).await;
        }
        if self.policy.mode == Mode::Annotate {
            return self.release(self.heard.length()).await;
        }
        let end = last_sentence_end(&self.heard.text, self.checked);
        let by_sentence = self.policy.releases() == Release::Sentence && self.heard.others.is_empty();
        if by_sentence && end > self.checked && !self.is_due().await {
            let verdict = self.check(end, false).await;
            self.judged(verdict, end).await?;
        }
        self.release(self.checked).await
    }

    /// Looks at what was said up to a place.
    async fn check(&mut self, end: usize, is_whole: bool) -> Verdict {
        let text = self.heard.text[..end].to_owned();
        let others: Vec<String> = self.heard.others.iter().map(|(_, text)| text.clone()).collect();
        match self.exchange().await {
            Ok(exchange) => {
                let exchange = exchange.clone();
                let mut verdict = Verdict::UpstreamResponse;
                for text in [text].into_iter().chain(others) {
                    verdict = match (verdict, exchange.check(text, is_whole).await) {
                        (gate @ Verdict::Gate(_), _) | (_, gate @ Verdict::Gate(_)) => gate,
                        (Verdict::UpstreamResponse, other) => other,
                        (other, _) => other,
                    };
                }
                verdict
            }
            Err(reason) => Verdict::CouldNotJudge(reason.clone()),
        }
    }

    /// A reply to a crisis is judged by what it leaves unsaid, so it is looked at whole.
    async fn is_due(&mut self) -> bool {
        self.exchange().await.as_ref().is_ok_and(Exchange::is_due)
    }

    async fn exchange(&mut self) -> &Result<Exchange, String> {
        if let Some(begun) = self.begun.take() {
            let begun = begun.await.unwrap_or_else(|_| Err("broken: the chat could not be taken in".to_owned()));
            self.exchange = Some(begun);
        }
        self.exchange.get_or_insert_with(|| Err("broken: there is no chat".to_owned()))
    }

    /// Does what the policy says about a verdict.
    async fn judged(&mut self, verdict: Verdict, end: usize) -> Result<(), Ended> {
        match verdict {
            Verdict::UpstreamResponse => {}
            Verdict::Gate(_) => return self.block(verdict).await,
            Verdict::CouldNotJudge(reason) => {
                if self.policy.fail == Fail::Closed {
                    return self.refuse(reason).await;
                }
                self.unjudged.get_or_insert(reason);
            }
        }
        self.checked = end;
        Ok(())
    }

    /// Releases events that were looked at, in order.
    async fn release(&mut self, up_to: usize) -> Result<(), Ended> {
        while self.queue.front().is_some_and(|(_, end)| *end <= up_to) {
            let Some((event, end)) = self.queue.pop_front() else { break };
            self.out.send(Ok(event)).await.map_err(|_| Ended)?;
            self.released = end;
        }
        Ok(())
    }

    /// The end of a reply: everything that still waits is looked at, and released or not.
    async fn finish(&mut self, is_whole: bool) -> Result<(), Ended> {
        let all = self.heard.text.len();
        let text = self.heard.text.clone();
        let says = !text.trim().is_empty() || !self.heard.others.is_empty();
        if self.policy.mode == Mode::Annotate {
            return self.annotate(text).await;
        }
        if says {
            let verdict = self.check(all, is_whole).await;
            self.judged(verdict, all).await?;
        }
        self.release(usize::MAX).await?;
        self.heard.is_done = false;
        if !says {
            return Ok(());
        }
        let (id, unjudged) = (self.heard.id.clone(), self.unjudged.clone());
        if let Ok(exchange) = self.exchange().await.clone() {
            // The next request waits for the chat, not for this stream.
            tokio::spawn(async move {
                let verdict = exchange.commit(text, id.as_deref()).await;
                let verdict = unjudged.map_or(verdict, Verdict::CouldNotJudge);
                exchange.outcome(&verdict, "passed_on", id.as_deref());
            });
        }
        self.heard.text.clear();
        Ok(())
    }

    /// Adds what was seen before the stream says that it is over.
    async fn annotate(&mut self, text: String) -> Result<(), Ended> {
        if std::mem::replace(&mut self.noted, true) {
            self.heard.is_done = false;
            return self.release(usize::MAX).await;
        }
        let id = self.heard.id.clone();
        let verdict = match self.exchange().await.clone() {
            Ok(exchange) if !text.trim().is_empty() => exchange.sent(text, id.as_deref()).await,
            Ok(_) => Verdict::UpstreamResponse,
            Err(reason) => Verdict::CouldNotJudge(reason),
        };
        let note = note_in_stream(id.as_deref(), self.heard.model.as_deref(), &verdict);
        let last =
            self.queue.iter().position(|(event, _)| data(event).is_ok_and(|data| data.as_deref() == Some("[DONE]")));
        let last = last.unwrap_or(self.queue.len());
        self.queue.insert(last, (note.into(), 0));
        self.heard.text.clear();
        self.heard.is_done = false;
        self.release(usize::MAX).await
    }

    /// Something came that cannot be understood.
    async fn unclear(&mut self) -> Result<(), Ended> {
        let why = self.heard.unclear.unwrap_or("a stream of another shape");
        if self.policy.holds() && self.policy.fail == Fail::Closed {
            return self.refuse(format!("unclear: {why}")).await;
        }
        let id = self.heard.id.clone();
        if let Ok(exchange) = self.exchange().await {
            exchange.outcome(&Verdict::CouldNotJudge(format!("unclear: {why}")), "passed_on", id.as_deref());
        }
        self.release(usize::MAX).await?;
        let rest = self.splitter.rest();
        self.out.send(Ok(rest)).await.map_err(|_| Ended)
    }

    /// Ends a stream whose reply trips a gate.
    async fn block(&mut self, verdict: Verdict) -> Result<(), Ended> {
        let text = self.policy.replacement.clone().filter(|_| self.policy.mode == Mode::Replace);
        let (id, model) = (self.heard.id.clone(), self.heard.model.clone());
        let end = end_of_stream(id.as_deref(), model.as_deref(), text.as_deref(), &verdict);
        let _ = self.out.send(Ok(end.into())).await;
        let sent =
            self.heard.text[..self.released.min(self.heard.text.len())].to_owned() + &text.clone().unwrap_or_default();
        if let Ok(exchange) = self.exchange().await {
            let exchange = exchange.clone();
            exchange.outcome(&verdict, if text.is_some() { "replaced" } else { "blocked" }, id.as_deref());
            if !sent.trim().is_empty() {
                exchange.commit(sent, id.as_deref()).await;
            }
        }
        Err(Ended)
    }

    /// Ends a stream that could not be judged.
    async fn refuse(&mut self, reason: String) -> Result<(), Ended> {
        let _ = self.out.send(Ok(error_in_stream(&reason).into())).await;
        let id = self.heard.id.clone();
        if let Ok(exchange) = self.exchange().await {
            exchange.outcome(&Verdict::CouldNotJudge(reason), "refused", id.as_deref());
        }
        Err(Ended)
    }
}

#[cfg(test)]
mod tests {
    use super::last_sentence_end;

    #[test]
    fn a_sentence_is_settled_once_something_follows_it() {
        assert_eq!(last_sentence_end("I hear you", 0), 0);
        assert_eq!(last_sentence_end("I hear you.", 0), 0);
        assert_eq!(last_sentence_end("I hear you. That", 0), 12);
        assert_eq!(last_sentence_end("She said \"stop.\" I", 0), 17);
        assert_eq!(last_sentence_end("one\ntwo", 0), 4);
        assert_eq!(last_sentence_end("3.5 mg", 0), 0);
        assert_eq!(last_sentence_end("Yes… é! x", 0), "Yes… é! ".len());
    }
}
