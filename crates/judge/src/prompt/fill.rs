//! Filling in the prompt files: every `{{name}}` once, and nothing that was filled in is looked at again.

/// The text with each `{{name}}` replaced by its value; a name that has none stays as it is.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template.trim_end();
    while let Some(start) = rest.find("{{") {
        let after = &rest[start + 2..];
        let value = after.find("}}").and_then(|end| {
            let value = values.iter().find(|(name, _)| *name == &after[..end])?.1;
            Some((value, &after[end + 2..]))
        });
        match value {
            Some((value, behind)) => {
                filled.push_str(&rest[..start]);
                filled.push_str(value);
                rest = behind;
            }
            None => {
                filled.push_str(&rest[..start + 2]);
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn a_value_is_never_filled_in_again() {
        assert_eq!(fill("{{a}} and {{b}}", &[("a", "{{b}}"), ("b", "x")]), "{{b}} and x");
    }

    #[test]
    fn unknown_names_and_stray_braces_stay() {
        assert_eq!(fill("{{a}} {{ {\"b\":{{}}} {{c}}\n", &[("c", "y")]), "{{a}} {{ {\"b\":{{}}} y");
    }
}
