//! What runs and their chats are called.
//!
//! The same conversation may be put to several models, so a chat of a group carries the group in front: `GROUP/ID`. What
//! comes after it is what the chats of two groups are matched by.

pub use crate::figures::shell_word;

/// The name of a chat in its run.
pub fn chat_name(group: Option<&str>, id: &str) -> String {
    match group {
        Some(group) => format!("{group}/{id}"),
        None => id.to_owned(),
    }
}

/// A chat's name without its group.
pub fn own_name<'a>(group: Option<&str>, name: &'a str) -> &'a str {
    let inside = |group: &str| name.strip_prefix(group)?.strip_prefix('/');
    group.and_then(inside).unwrap_or(name)
}

/// The option that names a database again in a command that is proposed; a password is never shown.
pub(super) fn database_option(named: Option<&str>) -> String {
    match named {
        None => String::new(),
        Some(url) if url.contains("://") && may_hold_a_password(url) => " --db …".to_owned(),
        Some(named) => format!(" --db {}", shell_word(named)),
    }
}

fn may_hold_a_password(url: &str) -> bool {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    let user = after.rsplit_once('@').map_or("", |(user, _)| user);
    user.contains(':') || after.to_lowercase().contains("pass")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_typed_again_as_it_is_shown() {
        assert_eq!(shell_word("nightly-2026.11"), "nightly-2026.11");
        assert_eq!(shell_word("my run"), "'my run'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word("-x"), "'-x'");
    }

    #[test]
    fn a_database_is_named_again_without_its_password() {
        assert_eq!(database_option(None), "");
        assert_eq!(database_option(Some("my runs.db")), " --db 'my runs.db'");
        assert_eq!(database_option(Some("postgres://ana@host/x")), " --db postgres://ana@host/x");
        for url in ["postgres://ana:p@host/x", "postgres://host/x?user=ana&password=p", "postgres://a:b@c:d@host/x"] {
            assert_eq!(database_option(Some(url)), " --db …");
        }
    }

    #[test]
    fn the_group_stands_in_front_and_can_be_taken_off_again() {
        for (group, id) in [(Some("gpt"), "001"), (Some("a/b"), "c/d"), (None, "001"), (Some(""), "x")] {
            assert_eq!(own_name(group, &chat_name(group, id)), id);
        }
        assert_eq!(own_name(Some("gpt"), "gptx/001"), "gptx/001", "another group's name is left as it is");
    }
}
