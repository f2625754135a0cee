//! All addresses of the server, by what one must be allowed to do.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use carelock_store::Role;

use super::api_error::ApiError;
use super::middleware::{access, compression, cross_site, framing, headers, watch};
use super::state::Shared;
use super::{api, api_error, assets, health, page, pages};

/// The largest form that is read before anybody has shown a token.
const SMALL: usize = 4 << 10;

/// The whole server.
pub(super) fn router(server: &Shared) -> Router {
    let limit = DefaultBodyLimit::max(server.most_bytes);
    let quick = Router::new()
        .merge(open_to_all())
        .merge(pages::welcoming().route_layer(from_fn(access::require_any)).route_layer(from_fn(watch::note_route)))
        .merge(behind(Role::Read, pages::reading()))
        .merge(behind(Role::Rate, pages::rating()))
        .merge(behind(Role::Judge, pages::judging()))
        .merge(behind(Role::Admin, pages::administering()));
    // The slow ones set their own limits, because a model may take minutes to answer.
    let (slow, quick) = api::table().served().into_iter().fold((Router::new(), quick), |(slow, quick), served| {
        let routes = behind(served.role, served.routes);
        if served.is_slow { (slow.merge(routes), quick) } else { (slow, quick.merge(routes)) }
    });
    quick
        .layer(from_fn_with_state(server.limits.body, watch::within))
        .merge(slow)
        .fallback(nowhere)
        .method_not_allowed_fallback(wrong_method)
        .layer(limit)
        .layer(from_fn(api_error::alike))
        .layer(from_fn_with_state(server.clone(), cross_site::check))
        .layer(from_fn_with_state(server.clone(), framing::check_size))
        .layer(from_fn_with_state(server.clone(), page::show_refusals))
        .layer(from_fn(compression::compress))
        .layer(from_fn_with_state(server.clone(), access::identify))
        .layer(from_fn_with_state(server.clone(), access::check_host))
        .layer(from_fn(framing::check))
        .layer(from_fn(headers::add))
        .layer(from_fn_with_state(server.clone(), watch::watch))
        .with_state(server.clone())
}

/// What needs no token even where others do.
fn open_to_all() -> Router<Shared> {
    Router::new()
        .route("/assets/{edition}/{file}", get(assets::file))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/login", get(pages::login::form).post(pages::login::enter).layer(DefaultBodyLimit::max(SMALL)))
        .route("/logout", axum::routing::post(pages::login::leave))
        .route_layer(from_fn(watch::note_route))
}

fn behind(role: Role, routes: Router<Shared>) -> Router<Shared> {
    // A layer on no routes at all is taken for a mistake.
    if !routes.has_routes() {
        return routes;
    }
    routes.route_layer(from_fn_with_state(role, access::require)).route_layer(from_fn(watch::note_route))
}

async fn nowhere() -> ApiError {
    ApiError::missing("There is nothing at this address.")
}

async fn wrong_method() -> ApiError {
    let status = axum::http::StatusCode::METHOD_NOT_ALLOWED;
    ApiError::new(status, "This address cannot be used like that.", "use the method its documentation names")
}
