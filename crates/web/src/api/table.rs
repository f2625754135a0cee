//! The table of the API's addresses: what is served and what the OpenAPI document says come from the same entries.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use carelock_store::Role;

use crate::state::Shared;

/// What is done with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Delete,
}

impl Method {
    /// The key of the OpenAPI document.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Delete => "delete",
        }
    }

    fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// How long an answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// As long as any request.
    Quick,
    /// The handler has limits of its own.
    Slow,
}

/// What a request brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// No body.
    Nothing,
    /// JSON with this schema.
    Json(&'static str),
    /// JSON with this schema, or a transcript as text.
    JsonOrText(&'static str),
}

/// What an answer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// JSON with this schema.
    Json(&'static str),
    /// JSON of any shape.
    AnyJson,
    /// A stream of events.
    Events,
}

/// A parameter of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    /// The name of its schema.
    pub(super) schema: &'static str,
    pub(super) about: &'static str,
}

/// One entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// What one must be allowed to do.
    pub(super) role: Role,
    pub(super) pace: Pace,
    /// Its name in programs that are made from the document.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) query: &'static [Parameter],
    pub(super) takes: Takes,
    pub(super) status: u16,
    pub(super) gives: Gives,
    /// The ways it can be refused that are its own, beside those of every request.
    pub(super) refusals: &'static [u16],
}

impl Operation {
    /// Something to be read; what differs is named behind it.
    pub(super) const fn reading(path: &'static str, id: &'static str, summary: &'static str) -> Self {
        Self {
            method: Method::Get,
            path,
            role: Role::Read,
            pace: Pace::Quick,
            id,
            summary,
            query: &[],
            takes: Takes::Nothing,
            status: 200,
            gives: Gives::AnyJson,
            refusals: &[],
        }
    }
}

/// All entries, and what serves them.
#[derive(Default)]
pub(crate) struct Table {
    operations: Vec<Operation>,
    served: Vec<Served>,
}

/// Routes that need a role, and how long they may take.
pub(crate) struct Served {
    /// The role.
    pub(crate) role: Role,
    /// Whether they set limits of their own.
    pub(crate) is_slow: bool,
    /// The routes.
    pub(crate) routes: Router<Shared>,
}

impl Table {
    /// Adds an entry with what serves it.
    pub(super) fn add<H: Handler<T, Shared>, T: 'static>(mut self, operation: Operation, handler: H) -> Self {
        let routes = Router::new().route(operation.path, on(operation.method.filter(), handler));
        self.served.push(Served { role: operation.role, is_slow: operation.pace == Pace::Slow, routes });
        self.operations.push(operation);
        self
    }

    /// The entries.
    pub(super) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// What serves them.
    pub(crate) fn served(self) -> Vec<Served> {
        self.served
    }
}
