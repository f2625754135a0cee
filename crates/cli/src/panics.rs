//! What is said when a part of the program panics.

#[cfg(feature = "web")]
use std::panic::Location;
use std::panic::PanicHookInfo;

#[cfg(feature = "web")]
use carelock_core::problem::Problem;

#[cfg(feature = "web")]
use crate::message::say_error;

/// The Parquet decoder panics on some damaged files. The reader catches that and says so in an error; the panic's own
/// message would only confuse. Any other panic is a bug and keeps its message.
pub(crate) fn quiet_about_damaged_tables() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_in_decoder(info) {
            usual(info);
        }
    }));
}

/// From now on only the place of a panic is said: its message may quote a chat, and a server's messages are kept in logs.
#[cfg(feature = "web")]
pub(crate) fn say_places_only() {
    std::panic::set_hook(Box::new(|info| {
        if !is_in_decoder(info) {
            say_error(place(info.location()));
        }
    }));
}

fn is_in_decoder(info: &PanicHookInfo<'_>) -> bool {
    info.location().is_some_and(|place| place.file().contains("parquet"))
}

#[cfg(feature = "web")]
fn place(location: Option<&Location<'_>>) -> String {
    let place = location.map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    Problem::new(format!("a part of the work broke off at {place}, which is a bug"))
        .advice("report it with this place")
        .to_string()
}

#[cfg(all(test, feature = "web"))]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_and_a_line() {
        let said = place(Some(Location::caller()));
        assert!(said.contains("panics.rs:"), "{said}");
    }
}
