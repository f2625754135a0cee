//! What the chats of a run are called.
//!
//! The same conversation may be put to several models, so a chat of a group carries the group in front: `GROUP/ID`. What
//! comes after it is what the chats of two groups are matched by.

/// The name of a chat in its run.
pub(crate) fn chat_name(group: Option<&str>, id: &str) -> String {
    match group {
        Some(group) => format!("{group}/{id}"),
        None => id.to_owned(),
    }
}

/// A chat's name without its group.
pub(crate) fn own_name<'a>(group: Option<&str>, name: &'a str) -> &'a str {
    let inside = |group: &str| name.strip_prefix(group)?.strip_prefix('/');
    group.and_then(inside).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_stands_in_front_and_can_be_taken_off_again() {
        for (group, id) in [(Some("gpt"), "001"), (Some("a/b"), "c/d"), (None, "001"), (Some(""), "x")] {
            assert_eq!(own_name(group, &chat_name(group, id)), id);
        }
        assert_eq!(own_name(Some("gpt"), "gptx/001"), "gptx/001", "another group's name is left as it is");
    }
}
