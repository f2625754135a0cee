//! What messengers write in a person's place: media left out, deleted messages, calls.

const LEFT_OUT: &[&str] =
    &["<media omitted>", "<medien ausgeschlossen>", "<multimedia omitido>", "<médias omis>", "<mídia oculta>"];

/// Before " omitted".
#[rustfmt::skip]
const MEDIA: &[&str] = &[
    "image", "video", "audio", "sticker", "gif", "document", "contact card", "voice message", "video note",
];

/// Where DiscordChatExporter lists what came with a message of no words.
const SECTIONS: &[&str] = &["{attachments}", "{embed}", "{stickers}"];

const DELETED: &[&str] = &["this message was deleted", "you deleted this message"];

const CALLS: &[&str] =
    &["missed voice call", "missed video call", "missed group voice call", "missed group video call"];

const ENCRYPTED: &[&str] = &["messages and calls are end-to-end encrypted", "messages to this chat and calls are"];

/// What a message is counted as when the messenger wrote it in the person's place.
pub(super) fn notice(text: &str) -> Option<&'static str> {
    // Notices are short; nothing long is compared.
    if text.len() > 400 {
        return None;
    }
    let lower = text.to_lowercase();
    let starts_with = |list: &[&str]| list.iter().any(|start| lower.starts_with(start));
    let is_media = lower.starts_with("<attached:")
        || lower.ends_with("(file attached)")
        || LEFT_OUT.contains(&lower.as_str())
        || lower.strip_suffix(" omitted").is_some_and(|kind| MEDIA.contains(&kind))
        || starts_with(SECTIONS);
    if is_media {
        Some("media")
    } else if DELETED.contains(&lower.trim_end_matches('.')) {
        Some("deleted message")
    } else if starts_with(ENCRYPTED) || (starts_with(CALLS) && lower.len() < 60) {
        Some("messenger's notice")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::notice;

    #[test]
    fn notices_are_told_from_what_people_say() {
        assert_eq!(notice("<Media omitted>"), Some("media"));
        assert_eq!(notice("GIF omitted"), Some("media"));
        assert_eq!(notice("IMG-1.jpg (file attached)"), Some("media"));
        assert_eq!(notice("This message was deleted."), Some("deleted message"));
        assert_eq!(notice("Missed voice call at 10:15"), Some("messenger's notice"));
        for said in [
            "",
            "I omitted that",
            "the image he omitted",
            "missed voice calls make me anxious, and I never know what to say to them",
        ] {
            assert_eq!(notice(said), None, "{said}");
        }
    }
}
